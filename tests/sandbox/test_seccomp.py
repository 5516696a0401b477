"""The filter of system calls, run instruction by instruction for both architectures."""

import errno
import struct

import pytest

from otherminds.sandbox.seccomp import DENIED, UNSUPPORTED, seccomp_filter

ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
ALLOW, KILL = 0x7FFF0000, 0x80000000
EPERM, ENOSYS, ENOMEM = (0x50000 | number for number in (errno.EPERM, errno.ENOSYS, errno.ENOMEM))
FAMILY, ATTRIBUTES = 0x50000 | errno.EAFNOSUPPORT, 0x50000 | errno.EOPNOTSUPP
HIGH = 1 << 32


def decided(machine: str, number: int, *arguments: int, architecture: int | None = None) -> int:
    """What the filter returns for a call: classic BPF with the instructions that a filter may have."""
    data = struct.pack(
        "=iIQ6Q", number, architecture or ARCHITECTURES[machine], 0, *(*arguments, 0, 0, 0, 0, 0, 0)[:6]
    )
    program = list(struct.iter_unpack("=HBBI", seccomp_filter(machine)))
    at = held = 0
    while True:
        code, yes, no, value = program[at]
        if code == 0x06:
            return value
        if code == 0x20:
            held = struct.unpack_from("=I", data, value)[0]
            at += 1
            continue
        holds = {0x15: held == value, 0x35: held >= value, 0x45: bool(held & value)}[code]
        at += 1 + (yes if holds else no)


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_calls_are_denied_or_unknown_and_others_allowed(machine: str) -> None:
    column = list(ARCHITECTURES).index(machine)
    denied = {numbers[column] for numbers in DENIED.values()} - {-1}
    sockets, attributes = {"x86_64": ((41, 53), (188, 189, 190)), "aarch64": ((198, 199), (5, 6, 7))}[machine]
    expected = dict.fromkeys(sockets, FAMILY) | dict.fromkeys(attributes, ATTRIBUTES)
    for number in range(600):
        unknown = number == 435 or number >= 452
        first = ENOSYS if unknown else EPERM if number in denied else expected.get(number, ALLOW)
        assert decided(machine, number) == first, number
    assert len(denied) > 70
    assert {numbers[column] for numbers in UNSUPPORTED.values()} == expected.keys()


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_arguments_decide_whatever_their_high_half(machine: str) -> None:
    clone, ioctl, prlimit = {"x86_64": (56, 16, 302), "aarch64": (220, 29, 261)}[machine]
    assert decided(machine, clone, 0x11) == decided(machine, clone, 0x3D0F00) == ALLOW
    for bit in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        assert decided(machine, clone, bit | 0x11) == decided(machine, clone, HIGH | bit) == EPERM
    assert decided(machine, ioctl, 0, 0x5401) == ALLOW
    for request in (0x5412, 0x541C):
        assert decided(machine, ioctl, 0, request) == decided(machine, ioctl, 0, HIGH | request) == EPERM
    assert decided(machine, prlimit, 0) == ALLOW
    assert decided(machine, prlimit, 1) == EPERM


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_memory_and_messages_that_belong_to_no_process_are_denied(machine: str) -> None:
    mmap, fcntl, prctl = {"x86_64": (9, 72, 157), "aarch64": (222, 25, 167)}[machine]
    private, shared, anonymous, huge = 0x2, 0x1, 0x20, 0x40000
    for extra in (0, 0x10, 0x4000, 0x8000, 0x20000, HIGH):  # fixed, not reserved, populated, for a stack
        for allowed in (private | anonymous, private, shared, shared | private):
            assert decided(machine, mmap, 0, 4096, 3, extra | allowed) == ALLOW
        for refused in (shared | anonymous, shared | private | anonymous):
            assert decided(machine, mmap, 0, 4096, 3, extra | refused) == EPERM
        assert decided(machine, mmap, 0, 4096, 3, extra | private | anonymous | huge) == ENOMEM
    for command in (0, 1, 2, 3, 4, 5, 6, 7, 1030, 1032):
        assert decided(machine, fcntl, 3, command) == ALLOW
    for command in (37, 38, 1026, 1031):
        assert decided(machine, fcntl, 3, command) == decided(machine, fcntl, 3, HIGH | command) == EPERM
    for option in (1, 4, 15, 21, 23, 38, 42):
        assert decided(machine, prctl, option) == ALLOW
    assert decided(machine, prctl, 41, 1, 0) == ALLOW
    for huge_pages in ((41, 0), (41, 1, 2), (41, 0, 2), (41, HIGH), (HIGH | 41, 0)):
        assert decided(machine, prctl, *huge_pages) == EPERM
    assert decided(machine, prctl, 22) == decided(machine, prctl, HIGH | 22) == EPERM


def test_calls_of_another_architecture_end_the_process() -> None:
    assert decided("x86_64", 20, architecture=0x40000003) == KILL
    assert decided("aarch64", 20, architecture=0x40000028) == KILL
    assert decided("x86_64", 0x40000000 | 39) == KILL


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_the_kernel_accepts_the_length(machine: str) -> None:
    assert len(seccomp_filter(machine)) // 8 < 4096


def test_an_unknown_architecture_has_no_filter() -> None:
    with pytest.raises(KeyError):
        seccomp_filter("riscv64")
