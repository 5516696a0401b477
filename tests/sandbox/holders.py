"""Programs that hold memory where a limit on processes may not see it, one for each way that Linux has."""

from __future__ import annotations

from typing import NamedTuple

SHARED = """
import ctypes, errno, fcntl, mmap, os, resource, signal, socket, struct, sys, threading, time
libc = ctypes.CDLL(None, use_errno=True)
MIB = 1 << 20
MOST = {most}
CALLS = {
    "inotify_init1": (294, 26),
    "epoll_create1": (291, 20),
    "eventfd2": (290, 19),
    "timerfd_create": (283, 85),
    "signalfd4": (289, 74),
    "io_setup": (206, 0),
    "landlock_create_ruleset": (444, 444),
    "seccomp": (317, 277),
    "prctl": (157, 167),
    "exit": (60, 93),
    "timer_create": (222, 107),
    "rt_sigqueueinfo": (129, 138),
}
"Numbers by the kernel's tables for x86-64 and aarch64."
ALL = ctypes.c_void_p(-1).value
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

def call(name, *arguments):
    got = libc.syscall(CALLS[name][os.uname().machine != "x86_64"], *arguments)
    if got < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got

def mapped(size, flags, file=-1, place=None, protection=3):
    got = libc.mmap(place, size, protection, flags, file, 0)
    if got == ALL:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return got

def full(write, data):
    held = 0
    try:
        while True:
            held += write(data)
    except BlockingIOError:
        return held

def many(count, hold, *, seconds=1.5):
    "Runs hold(share) in count processes at once. Each says what it holds, and keeps it for a while."
    for number in range(count):
        if os.fork() == 0:
            try:
                held, words = hold(MOST // count), "held"
            except OSError as error:
                held, words = 0, "refused " + errno.errorcode[error.errno]
            os.write(1, f"{words} {held}\\n".encode())
            if held:
                time.sleep(seconds)
            os._exit(0)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
"""


REFUSED, ENDED, FEW = "refused", "ended", "few"


class Holder(NamedTuple):
    """A program that tries to hold ``most`` bytes, and what stops it.

    ``REFUSED``: its first step fails. ``ENDED``: what it holds is counted, and it is ended at the limit. ``FEW``: there
    are so few of what it takes that they hold less than a hundredth of the limit.
    """

    tried: str
    text: str
    stopped: str = REFUSED

    def command(self, most: int) -> str:
        """The command that runs it."""
        text = SHARED.replace("{most}", str(most)) + self.text
        return f"cat >/tmp/holder.py <<'END'\n{text}\nEND\npython3 -I -S /tmp/holder.py"


HOLDERS = {
    "socket_pairs": Holder("buffers of pairs of local sockets, in 3 processes", """
def hold(share):
    global keep
    keep, held = [], 0
    while held < share and len(keep) < 56:
        for one in socket.socketpair():
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * MIB)
            one.setblocking(False)
            keep.append(one)
        for one in keep[-2:]:
            held += full(one.send, bytes(32768))
    return held
many(3, hold)
"""),
    "socket_datagrams": Holder("datagrams that wait at a local socket that has a name", """
def hold(share):
    global keep
    keep, held = [], 0
    server = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    server.bind(f"/tmp/{os.getpid()}")
    keep.append(server)
    while held < share and len(keep) < 56:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16 * MIB)
        client.setblocking(False)
        client.connect(f"/tmp/{os.getpid()}")
        keep.append(client)
        held += full(client.send, bytes(65536))
    return held
many(3, hold)
"""),
    "pipe_size": Holder("pipes that are made larger", """
def hold(share):
    ends = os.pipe()
    return fcntl.fcntl(ends[0], 1031, MIB)
many(3, hold)
"""),
    "pipes": Holder("all pipes that there may be, full", """
def hold(share):
    global keep
    keep, held = [], 0
    while held < share and len(keep) < 29:
        keep.append(os.pipe())
        os.set_blocking(keep[-1][1], False)
        held += full(lambda data: os.write(keep[-1][1], data), bytes(4096))
    return held
many(20, hold)
""", ENDED),
    "named_pipes": Holder("all named pipes that there may be, full, each with one descriptor", """
def hold(share):
    global keep
    keep, held = [], 0
    while held < share and len(keep) < 58:
        name = f"/tmp/{os.getpid()}.{len(keep)}"
        os.mkfifo(name)
        keep.append(os.open(name, os.O_RDWR | os.O_NONBLOCK))
        os.unlink(name)
        held += full(lambda data: os.write(keep[-1], data), bytes(4096))
    return held
many(20, hold)
""", ENDED),
    "hidden_pipes": Holder("the same in processes whose descriptors nobody may list", """
def hold(share):
    global keep
    keep, held = [], 0
    call("prctl", 4, 0, 0, 0, 0)
    while held < share and len(keep) < 58:
        name = f"/tmp/{os.getpid()}.{len(keep)}"
        os.mkfifo(name)
        keep.append(os.open(name, os.O_RDWR | os.O_NONBLOCK))
        os.unlink(name)
        held += full(lambda data: os.write(keep[-1], data), bytes(4096))
    return held
many(20, hold)
""", ENDED),
    "shared_discarded": Holder("shared memory that is written, and then taken out of the process", """
def hold(share):
    held = 0
    size = min(share, 32 * MIB)
    while held < share:
        place = mapped(size, 0x21)
        ctypes.memset(place, 1, size)
        libc.madvise(place, size, 4)
        held += size
    return held
many(3, hold)
"""),
    "shared_cut": Holder("shared memory of which one page stays mapped", """
def hold(share):
    held = 0
    size = 32 * MIB
    while held < share:
        place = mapped(size, 0x21)
        ctypes.memset(place, 1, size)
        libc.munmap(place + 4096, size - 4096)
        held += size
    return held
many(3, hold)
"""),
    "shared_device": Holder("the same through each device that can be mapped", """
def hold(share):
    size = 32 * MIB
    for name in ("null", "zero", "full", "random", "urandom"):
        try:
            file = os.open(f"/dev/{name}", os.O_RDWR)
            place = mapped(size, 1, file)
        except OSError:
            continue
        held = 0
        while held < share:
            ctypes.memset(place, 1, size)
            libc.munmap(place + 4096, size - 4096)
            held += size
            place = mapped(size, 1, file)
        return held
    raise OSError(errno.ENODEV, "none")
many(3, hold)
"""),
    "huge_pages": Holder("huge pages, which no count of a process has", """
def hold(share):
    mapped(2 * MIB, 0x40022)
    return 2 * MIB
many(1, hold)
"""),
    "huge_rest": Holder("huge pages, which are held whole while one small page of each is mapped", """
def hold(share):
    for flags in (0, 2):
        libc.prctl(41, flags and 1, flags, 0, 0)
    size = 16 * MIB
    place = mapped(size, 0x22)
    libc.madvise(place, size, 14)
    ctypes.memset(place, 1, size)
    libc.madvise(place, size, 25)
    huge = [line for line in open("/proc/self/smaps_rollup") if line.startswith("AnonHugePages")]
    held = int(huge[0].split()[1]) << 10
    if not held:
        raise OSError(errno.ENOMEM, "no huge page")
    return held
many(3, hold)
"""),
    "leader_gone": Holder("memory of a process whose first thread has ended", """
def hold(share):
    def take():
        global keep
        time.sleep(0.1)
        keep = bytearray(share)
        os.write(1, f"held {len(keep)}\\n".encode())
        time.sleep(1.5)
        os._exit(0)
    threading.Thread(target=take).start()
    call("exit", 0)
many(6, hold)
""", ENDED),
    "page_tables": Holder("page tables: one page in each GiB of addresses, which is only read", """
def hold(share):
    held = 0
    for number in range(min(share // 8192, 30000)):
        place = (0x10000 << 24) + (number << 30)
        mapped(4096, 0x100022, place=place)
        ctypes.string_at(place, 1)
        held += 8192
    return held
many(6, hold)
""", ENDED),
    "mappings": Holder("descriptions of 60,000 mappings in each process", """
def hold(share):
    pages = min(60000, resource.getrlimit(resource.RLIMIT_AS)[0] // 4096 - 8000)
    place = mapped(pages * 4096, 0x4022, protection=1)
    count = 0
    for number in range(0, pages, 2):
        if libc.mprotect(place + number * 4096, 4096, 0):
            break
        count += 2
    return count * 250
many(16, hold)
""", ENDED),
    "locks": Holder("locks on single bytes of files", """
def hold(share):
    held = number = 0
    keep = [open(f"/tmp/{os.getpid()}.{i}", "wb") for i in range(40)]
    until = time.monotonic() + 6
    while held < share and time.monotonic() < until:
        for file in keep:
            fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * number)
        number += 1
        held += 200 * len(keep)
    return held
many(3, hold)
""", ENDED),
    "open_file_locks": Holder("locks that belong to an open file", """
def hold(share):
    file = open(f"/tmp/{os.getpid()}", "wb")
    fcntl.fcntl(file, 37, struct.pack("hhlli", fcntl.F_WRLCK, 0, 0, 1, 0))
    return 200
many(3, hold)
"""),
    "inotify": Holder("events that wait at watchers of folders", """
def hold(share):
    global keep
    keep, held = [], 0
    while held < share and len(keep) < 30:
        keep.append(call("inotify_init1", 0x800))
        libc.inotify_add_watch(keep[-1], b"/tmp", 0x100 | 0x200)
    for number in range(8000):
        name = "/tmp/" + f"{os.getpid()}.{number}".rjust(250, "x")
        os.close(os.open(name, os.O_CREAT))
        os.unlink(name)
        held += 2 * 512 * len(keep)
    return held
many(3, hold)
"""),
    "directory_notes": Holder("the older notes about folders", """
def hold(share):
    fcntl.fcntl(os.open("/tmp", os.O_RDONLY), 1026, 0x80000004)
    return 1
many(1, hold)
"""),
    "watches": Holder("descriptors that are watched by epoll", """
def hold(share):
    call("epoll_create1", 0)
    return 1
many(3, hold)
"""),
    "small_objects": Holder("eventfd, timerfd, signalfd, asynchronous input and output, Landlock, seccomp", """
mask = ctypes.create_string_buffer(8)
ring = ctypes.c_ulong(0)
for arguments in (
    ("eventfd2", 0, 0), ("timerfd_create", 1, 0), ("signalfd4", -1, mask, 8, 0),
    ("io_setup", 4096, ctypes.byref(ring)), ("landlock_create_ruleset", 0, 0, 1), ("seccomp", 2, 0, 0),
    ("prctl", 22, 2, mask, 0, 0),
):
    def hold(share):
        call(*arguments)
        return 1
    many(1, hold, seconds=0)
"""),
    "access_lists": Holder("access control lists of 8,000 entries on each file", """
def hold(share):
    held = 0
    entries = [(1, 6, -1 & 0xffffffff)] + [(2, 6, 1000)] * 8000 + [(4, 6, 0xffffffff), (16, 6, 0xffffffff), (32, 6, 0xffffffff)]
    data = struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)
    for number in range(60):
        name = f"/tmp/{os.getpid()}.{number}"
        os.mkdir(name)
        for kind in ("system.posix_acl_access", "system.posix_acl_default"):
            os.setxattr(name, kind, data)
            held += len(data)
    return held
many(3, hold)
"""),
    "attributes": Holder("attributes of files", """
def hold(share):
    for kind in ("user.a", "trusted.a", "security.a"):
        try:
            os.setxattr("/tmp", kind, bytes(30000))
            return 30000
        except OSError as error:
            last = error
    raise last
many(3, hold)
"""),
    "timers": Holder("timers of processes, and signals that wait", """
def hold(share):
    held = 0
    number = ctypes.c_int()
    signal.pthread_sigmask(signal.SIG_BLOCK, {40})
    try:
        while held < share:
            call("timer_create", 1, None, ctypes.byref(number))
            held += 600
    except OSError:
        pass
    try:
        while held < share:
            call("rt_sigqueueinfo", os.getpid(), 40, (ctypes.c_int * 32)(40, 0, -1))
            held += 80
    except OSError:
        pass
    return held
many(3, hold)
""", FEW),
    "chain": Holder("memory that moves from process to process, faster than they are listed", """
def hold(share):
    size = 24 * MIB
    block = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    block.madvise(14)
    block.write(b"x" * size)
    until = time.monotonic() + 2
    while time.monotonic() < until:
        if os.fork():
            os._exit(0)
    return size
for number in range(resource.getrlimit(resource.RLIMIT_NPROC)[0] - 14):
    if os.fork() == 0:
        time.sleep(9)
        os._exit(0)
for number in range(8):
    if os.fork() == 0:
        os.write(1, f"held {hold(0)}\\n".encode())
        os._exit(0)
time.sleep(2.5)
os.kill(-1, 9)
""", ENDED),
}  # fmt: skip
