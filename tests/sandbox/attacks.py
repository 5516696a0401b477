"""What a command tries against the sandbox, and what is to happen. The words are those of the table in the docs."""

from __future__ import annotations

from typing import NamedTuple

from otherminds.sandbox.seccomp import DENIED, UNSUPPORTED

PYTHON = "import ctypes, os, socket, sys, time\nlibc = ctypes.CDLL(None, use_errno=True)\n"


class Attack(NamedTuple):
    """A command, with the names of what is on the host in braces, and the code and output that it is to have.

    ``happens`` is a pattern of the exit status, standard output and standard error, with a bar between. ``left`` is
    what the workspace holds afterwards. ``then`` is a second command, for which ``happens`` is meant instead.
    """

    name: str
    tried: str
    command: str
    happens: str
    left: tuple[str, ...] = ()
    then: str = ""
    seconds: float = 60


def python(text: str) -> str:
    """A command that runs ``text`` after the imports of every attack."""
    return f"python3 -I -S - <<'END'\n{PYTHON}{text}\nEND"


FAMILIES = """
for family in range(46):
    for call in (socket.socket, socket.socketpair):
        try: call(family, 1).close(); print("opened", family)
        except OSError as error: assert error.errno == 97, error
print("none")
"""
CALLS = """
machine = os.uname().machine
for x86, arm in ({calls}):
    number = x86 if machine == "x86_64" else arm
    if number >= 0:
        got = libc.syscall(number, 0, 0, 0, 0, 0, 0)
        if (got, ctypes.get_errno()) not in ((-1, 1), (-1, 38), (-1, 95), (-1, 97)): print("allowed", number, got, ctypes.get_errno())
for number in (435, 452, 453, 470, 1000):
    if (libc.syscall(number, 0, 0, 0, 0, 0, 0), ctypes.get_errno()) != (-1, 38): print("known", number)
print("denied")
"""
CLONE = """
number = 56 if os.uname().machine == "x86_64" else 220
for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
    child = libc.syscall(number, flag | 17, 0, 0, 0, 0)
    if child == 0: os._exit(0)
    if (child, ctypes.get_errno()) != (-1, 1): print("made", hex(flag))
    child = libc.syscall(number, ctypes.c_ulong(1 << 40 | flag | 17), 0, 0, 0, 0)
    if child == 0: os._exit(0)
    if (child, ctypes.get_errno()) != (-1, 1): print("made", hex(flag), "with high bits")
print("none")
"""
OTHER_CALLS = """
import mmap
if os.uname().machine == "x86_64":
    def ends(code):
        child = os.fork()
        if not child:
            code()
            os._exit(0)
        return os.WTERMSIG(os.waitpid(child, 0)[1])
    def old():
        page = mmap.mmap(-1, 4096, flags=0x22, prot=7)
        page.write(b"\\xb8\\x14\\x00\\x00\\x00\\xcd\\x80\\xc3")
        ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    assert ends(old) == 31
    assert ends(lambda: libc.syscall(0x40000000 | 39)) == 31
print("killed")
"""
TERMINAL = """
for request in (0x5412, 0x541c, 0x5412 | 1 << 32):
    got = libc.ioctl(0, ctypes.c_ulong(request), b"x")
    assert (got, ctypes.get_errno()) == (-1, 1), (got, ctypes.get_errno())
try: os.open("/dev/tty", os.O_RDWR); print("terminal")
except OSError: print("none")
try: os.openpty(); print("made one")
except OSError: print("none")
"""
MANY = """
for _ in range(6):
    if not os.fork():
        block = bytearray(40 << 20)
        time.sleep(20)
time.sleep(20)
"""
DAEMON = """
if os.fork(): os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
for number in range(3): os.close(number)
while True:
    time.sleep(0.05)
    open("/workspace/alive", "a").write("x")
"""
ODD_NAMES = """
for name in (b"a\\nb", b"\\x1b[2J", b"\\xff", b"\\xe2\\x80\\xaetxt", b"..."): open(name, "w").close()
place = "."
for _ in range(40):
    place += "/d"
    os.mkdir(place)
open(place + "/deep", "w").close()
"""
ODD_FILES = """
os.mkfifo("pipe")
os.mknod("socket", 0o140600)
try: os.mknod("device", 0o20666, os.makedev(1, 1))
except PermissionError: print("no device")
"""
NOTE = r"\nsandbox: not kept, as it is no file or folder with a plain name: "

ATTACKS = (
    # What is on the host.
    Attack("host_files", "read /etc/passwd, shadow, hostname, machine-id, fstab",
           "cat /etc/passwd /etc/shadow /etc/hostname /etc/machine-id /etc/fstab", r"1\|\|.*No such file.*"),
    Attack("source", "read our source, find it under /",
           "cat {source}; find / -maxdepth 6 -path /proc -prune -o -iname '*otherminds*' -print -o -iname 'msgspec*' -print 2>/dev/null | grep .", r"1\|\|.*"),
    Attack("home", "list home folders", "ls -A {home} /root /home", r"2\|\|.*"),
    Attack("other_attempts", "read a file beside the workspace, by each way up",
           "cat {secret} ../secret /workspace/../secret ../../secret; ls {folder}", r"2\|\|.*"),
    Attack("environment", "read our variables and keys",
           "env; cat /proc/*/environ | tr '\\0' '\\n'; declare -p", r"0\|(?!.*SECRET).*\|.*"),
    Attack("processes", "read /proc of our process and of process 1",
           "cat /proc/{pid}/environ /proc/{pid}/cmdline /proc/1/environ; ls /proc/1/fd /proc/1/root/ /proc/1/cwd/; "
           "ls -d /proc/[0-9]* | wc -l", r"0\|[2-5]\n\|.*"),
    Attack("proc_root", "leave by /proc/self/root and /proc/self/cwd",
           "cat /proc/self/root{secret} /proc/self/cwd/../secret /proc/thread-self/root{secret}; ls /proc/self/root",
           r"0\|bin\ndev\netc\n(?:lib\w*\n)+proc\nsbin\ntmp\nusr\nworkspace\n\|.*"),
    Attack("supervisor", "write into the memory, the answer and the settings of process 1",
           "for to in mem fd/1 oom_score_adj; do (echo forged >/proc/1/$to) 2>/dev/null && echo $to; done; "
           "prlimit --pid 1 --nofile=0; renice 19 1; chrt -b -p 0 1; taskset -p 1 1 >/dev/null; true", r"0\|\|.*"),
    Attack("kernel", "change and read settings of the kernel",
           "for to in sys/kernel/hostname sys/vm/drop_caches sysrq-trigger sys/kernel/core_pattern; do "
           "(echo c >/proc/$to) 2>/dev/null && echo $to; done; cat /proc/cmdline /proc/keys /proc/kallsyms; dmesg; "
           "cat /proc/kcore; ls /sys", r"\d\|\|.*"),
    Attack("descriptors", "use a file that we have open, which may be inherited",
           "ls /proc/self/fd | tr '\\n' ' '; cat <&{descriptor}", r"1\|0 1 2 3 \|.*"),
    # The network.
    Attack("loopback", "connect to a server on 127.0.0.1, ::1 and all addresses",
           "for host in 127.0.0.1 ::1 localhost; do exec 3<>/dev/tcp/$host/{port}; cat <&3; done", r"1\|\|.*"),
    Attack("unix_socket", "connect to a socket of the host by its path",
           python("socket.socket(socket.AF_UNIX).connect('{socket}')"), r"1\|\|.*Address family not supported.*"),
    Attack("abstract_socket", "connect to an abstract socket of the host",
           python("socket.socket(socket.AF_UNIX).connect('\\0{abstract}')"), r"1\|\|.*Address family not supported.*"),
    Attack("families", "open sockets and pairs of sockets of each family: local, IP, netlink, packet, crypto, vsock", python(FAMILIES), r"0\|none\n\|"),
    Attack("names", "resolve a name", python("socket.getaddrinfo('example.org', 80)"), r"1\|\|.*gaierror.*"),
    # What it leaves for us.
    Attack("links", "leave symbolic links to the host's files for us to read",
           "ln -s {secret} link; ln -s / root; ln -s .. up; ln -s /proc/self/environ environ; mkdir in; ln -s / in/root",
           r"0\|\|" + NOTE + ".*", ("in",)),
    Attack("replaced", "replace a file by a link, and a folder by a file",
           "mkdir a; echo b >b; echo c >c", r"0\|\|" + NOTE + "b'?\n", ("a", "c"),
           "rm -r a b; ln -s {secret} b; echo now >a"),
    Attack("odd_files", "leave a pipe, a socket, a device", python(ODD_FILES), r"0\|no device\n\|" + NOTE + ".*"),
    Attack("hard_links", "link a file of the system into the workspace",
           "echo own >own; ln own twice; ln /usr/bin/jq jq; ln /proc/1/environ e", r"1\|\|.*", ("own", "twice")),
    Attack("odd_names", "leave names with an end of line, an escape, no UTF-8, 40 folders deep",
           python(ODD_NAMES), r"0\|\|" + NOTE + ".*", ("...", *("/".join("d" * i) for i in range(1, 17)))),
    Attack("code_for_us", "leave Python and shell files that a later start might load",
           "for name in sitecustomize usercustomize json ctypes os otherminds; do echo 'print(\"HIJACKED\")' >$name.py; done; "
           "echo 'echo HIJACKED' | tee .bashrc .profile .bash_profile bash env /tmp/.bashrc /tmp/.profile >/dev/null; chmod +x *",
           r"0\|json\n\|", (), "python3 -I -c 'import json; print(json.__name__)'; rm -rf * .[a-z]*"),
    Attack("preload", "leave a library or variables for the next command",
           "export LD_PRELOAD=/workspace/x.so BASH_ENV=/workspace/x; echo 'echo HIJACKED' >x; echo /workspace/x >/etc/ld.so.preload",
           r"0\|none\n\|", ("x",), "env | grep -E 'LD_|BASH' || echo none; ls /tmp"),
    # More than its share.
    Attack("fork_bomb", "a fork bomb", ":(){ :|:& };: 2>/dev/null; sleep 0.3; echo end", r"0\|end\n\|.*"),
    Attack("big_file", "write a file of 1 GB in the workspace and in /tmp",
           "head -c 1G /dev/zero >big; head -c 1G /dev/zero >/tmp/big; rm -f big /tmp/big; echo end", r"0\|end\n\|.*"),
    Attack("many_large", "fill the workspace with 100 files of 1 MB",
           "for i in {1..100}; do head -c 1M /dev/zero >$i 2>/dev/null || break; done; echo $((i < 6)); rm *", r"0\|1\n\|.*"),
    Attack("many_files", "make 5000 empty files and links",
           "for i in {1..5000}; do : >/tmp/$i || break; done 2>/dev/null; echo $((i < 310)); ln /tmp/1 /tmp/x || echo full",
           r"0\|1\nfull\n\|.*"),
    Attack("sparse", "a file with 1 TB of holes, and many with 4 MB",
           "truncate -s 1T one && echo made; for i in {1..20}; do truncate -s 4M $i; done",
           r"0\|\|.*the workspace is as it was: its files are larger than.*"),
    Attack("memory", "take 2 GB of memory in one process", python("bytearray(2 << 30)"), r"1\|\|.*MemoryError.*"),
    Attack("memory_of_many", "take 40 MB in each of 6 processes", python(MANY), r"137\|\|\nsandbox: ended: more than .* memory\n"),
    Attack("memory_shared", "take memory that is shared", python("import mmap\nmmap.mmap(-1, 40 << 20)"), r"1\|\|.*PermissionError.*"),
    Attack("memory_uncounted", "memory that belongs to no process: memfd, System V, /dev/shm",
           python("try: os.memfd_create('x'); print('made')\nexcept PermissionError: pass\n"
                  "print(libc.shmget(0, 1 << 20, 0o1600), ctypes.get_errno(), os.path.exists('/dev/shm'))"),
           r"0\|-1 1 False\n\|"),
    Attack("limits", "raise its own limits",
           "ulimit -v unlimited; ulimit -u 10000; ulimit -n 10000; ulimit -t 10000; ulimit -f unlimited", r"1\|\|.*"),
    Attack("time", "sleep past the time limit", "sleep 60", r"124\|\|", seconds=0.4),
    Attack("spin", "compute past the time limit in several processes",
           "for i in 1 2 3; do (while :; do :; done) & done; wait", r"124\|\|", seconds=0.4),
    Attack("signals", "ignore every signal, past the time limit",
           "trap '' TERM HUP INT QUIT XCPU ALRM; while :; do sleep 60; done", r"124\|\|.*", seconds=0.4),
    Attack("daemon", "leave a process behind that has left the session, ignores signals and writes",
           python(DAEMON) + "\nsleep 0.2", r"0\|0\n\|.*", ("alive",), "ls -d /proc/[0-9]* | grep -vE '/(1|[2-9])$' | wc -l"),
    Attack("kill_all", "kill every process", "kill -9 -1; echo end", r"0\|end\n\|.*"),
    Attack("kill_us", "kill our process, process 1, and stop it",
           "kill -9 {pid}; for s in KILL STOP INT TERM HUP USR1 SEGV; do kill -$s 1; done; echo end", r"0\|end\n\|.*"),
    Attack("output", "print 1 GB", "head -c 1G /dev/zero; echo end >&2", r"0\|\0{20000}\|end\n"),
    Attack("errors", "print 1 GB of errors", "head -c 1G /dev/zero >&2", r"0\|\|\0{20000}"),
    Attack("binary", "print NUL, invalid UTF-8 and terminal escapes",
           r"printf 'a\0b\xff\x1b]0;x\x07\x1b[2J'", "0\\|a\0b\ufffd\x1b\\]0;x\x07\x1b\\[2J\\|"),
    # The kernel.
    Attack("calls", "every call that the filter denies, and calls that are newer than it", python(CALLS.replace("{calls}", repr([*DENIED.values(), *(numbers[:2] for numbers in UNSUPPORTED.values())]))), r"0\|denied\n\|"),
    Attack("namespaces", "new namespaces, with and without high bits in the flags", python(CLONE), r"0\|none\n\|"),
    Attack("other_interfaces", "calls by the 32-bit and x32 interfaces", python(OTHER_CALLS), r"0\|killed\n\|"),
    Attack("terminal", "type into a terminal (TIOCSTI), also with high bits, and open one", python(TERMINAL), r"0\|none\nnone\n\|"),
    Attack("privileges", "gain privileges by set-user-ID programs, unshare, mount, chroot",
           "find / -xdev -perm /6000 -exec {} --version \\; >/dev/null 2>&1; su -c id; sudo -n id; unshare -r id; "
           "mount -t tmpfs x /tmp; chroot / id; nsenter -t 1 -m id; grep -E 'CapEff|CapBnd|NoNewPrivs' /proc/self/status",
           "0\\|CapEff:\t0+\nCapBnd:\t0+\nNoNewPrivs:\t1\n\\|.*"),
    Attack("system", "write outside the workspace",
           "for to in / /usr /usr/bin /usr/lib /etc /etc/alternatives /dev /proc /mnt /var/tmp /run; do "
           "(echo >$to/{mark}) 2>/dev/null && echo $to; done; echo >/tmp/{mark}; rm -f /usr/bin/jq; chmod 777 / /usr/bin",
           r"1\|\|.*"),
    Attack("devices", "open devices of the host, make one",
           "for name in vda sda mem kmsg kvm fuse loop0 ptmx; do (: <>/dev/$name) 2>/dev/null && echo $name; done; "
           "mknod /tmp/mem c 1 1; mknod /tmp/disk b 254 0; ls /dev | tr '\\n' ' '",
           r"0\|fd full null random stderr stdin stdout urandom zero \|.*"),
    Attack("clock", "set the clock and the name of the host", "date -s @0 >/dev/null; hostname x; hostname", r"0\|sandbox\n\|.*"),
    Attack("core", "leave a core dump", "ulimit -c unlimited; (kill -SEGV $BASHPID); echo $?", r"0\|139\n\|.*"),
)  # fmt: skip
