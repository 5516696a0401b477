"""The filter of system calls in a sandbox, assembled for seccomp (Linux, ``Documentation/userspace-api/seccomp_filter``).

The sandbox has no capability and no network, so most of these calls would fail all the same: the filter keeps them
from code of the kernel that has had faults. What is denied fails with ``EPERM``, or as if the kernel did not know it.
Numbers are from the kernel's tables (x86-64 ``syscall_64.tbl``; aarch64 ``unistd.h`` of asm-generic).
"""

from __future__ import annotations

import errno
import platform
import struct

X86_64, AARCH64 = 0xC000003E, 0xC00000B7
ARCHITECTURES = {"x86_64": X86_64, "aarch64": AARCH64}
DENIED: dict[str, tuple[int, int]] = {
    "acct": (163, 89),
    "add_key": (248, 217),
    "adjtimex": (159, 171),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "clock_adjtime": (305, 266),
    "clock_settime": (227, 112),
    "create_module": (174, -1),
    "delete_module": (176, 106),
    "epoll_create": (213, -1),
    "epoll_create1": (291, 20),
    "eventfd": (284, -1),
    "eventfd2": (290, 19),
    "fanotify_init": (300, 262),
    "finit_module": (313, 273),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fsopen": (430, 430),
    "fspick": (433, 433),
    "init_module": (175, 105),
    "inotify_init": (253, -1),
    "inotify_init1": (294, 26),
    "io_setup": (206, 0),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "io_uring_setup": (425, 425),
    "ioperm": (173, -1),
    "iopl": (172, -1),
    "ioprio_set": (251, 30),
    "kcmp": (312, 272),
    "kexec_file_load": (320, 294),
    "kexec_load": (246, 104),
    "keyctl": (250, 219),
    "landlock_add_rule": (445, 445),
    "landlock_create_ruleset": (444, 444),
    "landlock_restrict_self": (446, 446),
    "lookup_dcookie": (212, 18),
    "mbind": (237, 235),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "migrate_pages": (256, 238),
    "modify_ldt": (154, -1),
    "mount": (165, 40),
    "mount_setattr": (442, 442),
    "move_mount": (429, 429),
    "move_pages": (279, 239),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "nfsservctl": (180, 42),
    "open_by_handle_at": (304, 265),
    "open_tree": (428, 428),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pidfd_getfd": (438, 438),
    "pivot_root": (155, 41),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "quotactl": (179, 60),
    "quotactl_fd": (443, 443),
    "reboot": (169, 142),
    "request_key": (249, 218),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "seccomp": (317, 277),
    "semget": (64, 190),
    "set_mempolicy": (238, 237),
    "set_mempolicy_home_node": (450, 450),
    "setdomainname": (171, 162),
    "sethostname": (170, 161),
    "setns": (308, 268),
    "setpriority": (141, 140),
    "settimeofday": (164, 170),
    "shmat": (30, 196),
    "shmget": (29, 194),
    "signalfd": (282, -1),
    "signalfd4": (289, 74),
    "swapoff": (168, 225),
    "swapon": (167, 224),
    "syslog": (103, 116),
    "timerfd_create": (283, 85),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "uselib": (134, -1),
    "userfaultfd": (323, 282),
    "vhangup": (153, 58),
    "vmsplice": (278, 75),
}
"""Denied whatever their arguments, by name: the numbers on x86-64 and on aarch64, -1 where there is none.

Besides the calls of an administrator, these are what makes the kernel hold memory that no limit counts (System V shared
memory, ``memfd_create``, queues, watches and their events, rule sets), and what one process may do to the supervisor,
which has the same user (scheduling).
"""
UNSUPPORTED: dict[str, tuple[int, int, int]] = {
    "socket": (41, 198, errno.EAFNOSUPPORT),
    "socketpair": (53, 199, errno.EAFNOSUPPORT),
    "setxattr": (188, 5, errno.EOPNOTSUPP),
    "lsetxattr": (189, 6, errno.EOPNOTSUPP),
    "fsetxattr": (190, 7, errno.EOPNOTSUPP),
}
"""Denied whatever their arguments, with the error of a kernel without the feature, which programs expect.

Buffers of sockets and access control lists of files belong to no process.
"""
CLONE, FCNTL, IOCTL, MMAP, PRCTL, PRLIMIT = (56, 220), (72, 25), (16, 29), (9, 222), (157, 167), (302, 261)
UNKNOWN = (435, 435)
"""``clone3``: its flags are behind a pointer, which no filter can follow; C libraries then use ``clone``."""
NEWEST = 452
"""Calls from this number on are newer than this list, and unknown in the sandbox."""
X32 = 0x40000000
"""The bit of the calls of the x32 interface on x86-64, which has its own numbers for the same calls."""
NAMESPACES = 0x7E020000
"""``CLONE_NEWNS | NEWCGROUP | NEWUTS | NEWIPC | NEWUSER | NEWPID | NEWNET``; ``NEWTIME`` is none of ``clone``."""
TERMINAL = (0x5412, 0x541C)
"""``TIOCSTI`` and ``TIOCLINUX``, which type into a terminal."""
FILE_CONTROL = (37, 38, 1026, 1031)
"""``F_OFD_SETLK`` and ``F_OFD_SETLKW``, locks that belong to no process; ``F_NOTIFY``; ``F_SETPIPE_SZ``."""
SECCOMP, HUGE_PAGES = 22, 41
"""``PR_SET_SECCOMP``: filters of the command's own are memory of the kernel too. ``PR_SET_THP_DISABLE``, by which the
supervisor keeps huge pages from the command, which may not allow itself any again."""
HUGE_PAGES = 41
"""``PR_SET_THP_DISABLE``, by which the supervisor keeps huge pages from the command, which may not allow them again."""
MAP_SHARED, MAP_ANONYMOUS, MAP_HUGETLB = 0x1, 0x20, 0x40000
"""Shared memory without a file outlives its mappings in the processes; no count of a process has huge pages."""

ALLOW, KILL, FAIL = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16


def seccomp_filter(machine: str = "") -> bytes:
    """The filter as an array of ``struct sock_filter`` for ``machine``, a name as of :func:`platform.machine`.

    Raises:
        KeyError: no filter is known for it.
    """
    architecture = ARCHITECTURES[machine or platform.machine()]
    column = 0 if architecture == X86_64 else 1
    program = [
        _one(LOAD, ARCHITECTURE),
        _one(EQUAL, architecture, 1, 0),
        _one(RETURN, KILL),
        _one(LOAD, NUMBER),
    ]
    if architecture == X86_64:
        program += [_one(AT_LEAST, X32, 0, 1), _one(RETURN, KILL)]
    program += [_one(AT_LEAST, NEWEST, 0, 1), _fail(errno.ENOSYS)]
    program += [_one(EQUAL, UNKNOWN[column], 0, 1), _fail(errno.ENOSYS)]
    for numbers in DENIED.values():
        if numbers[column] >= 0:
            program += [_one(EQUAL, numbers[column], 0, 1), _fail(errno.EPERM)]
    for *numbers, error in UNSUPPORTED.values():
        program += [_one(EQUAL, numbers[column], 0, 1), _fail(error)]
    program += _argument(CLONE[column], 0, [_one(ANY_BIT, NAMESPACES, 0, 1), _fail(errno.EPERM)])
    for numbers, position, refused in ((IOCTL, 1, TERMINAL), (FCNTL, 1, FILE_CONTROL)):
        rule = [part for code in refused for part in (_one(EQUAL, code, 0, 1), _fail(errno.EPERM))]
        program += _argument(numbers[column], position, rule)
    process = [
        *(_one(EQUAL, SECCOMP, 5, 0), _one(EQUAL, HUGE_PAGES, 0, 5)),
        *(_one(LOAD, ARGUMENTS + 8), _one(EQUAL, 0, 2, 0)),  # 0 allows them
        *(_one(LOAD, ARGUMENTS + 16), _one(EQUAL, 0, 1, 0)),  # flags make exceptions
        _fail(errno.EPERM),
    ]
    program += _argument(PRCTL[column], 0, process)
    shared = [_one(ANY_BIT, MAP_ANONYMOUS, 0, 2), _one(ANY_BIT, MAP_SHARED, 0, 1), _fail(errno.EPERM)]
    program += _argument(MMAP[column], 3, [_one(ANY_BIT, MAP_HUGETLB, 0, 1), _fail(errno.ENOMEM), *shared])
    program += _argument(PRLIMIT[column], 0, [_one(EQUAL, 0, 1, 0), _fail(errno.EPERM)])
    return b"".join([*program, _one(RETURN, ALLOW)])


def _one(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """One ``struct sock_filter``: ``yes`` and ``no`` are how many instructions a jump leaves out."""
    return struct.pack("=HBBI", code, yes, no, value)


def _fail(number: int) -> bytes:
    return _one(RETURN, FAIL | number)


def _argument(number: int, position: int, rule: list[bytes]) -> list[bytes]:
    """Applies ``rule`` to the low half of an argument of one call; what the rule lets through is allowed.

    The kernel takes these arguments as 32 bits and ignores the high half, or has no flags there (``mmap``).
    """
    load = _one(LOAD, ARGUMENTS + 8 * position)
    return [_one(EQUAL, number, 0, len(rule) + 2), load, *rule, _one(RETURN, ALLOW)]
