"""Run a program under ptrace and stop it at the system calls by which it depends on the outside.

A call counts when a process of gannet makes it, and when it names a file below a root directory or starts
something: fork, exec, pipe. The n-th of them can be made to fail, to move fewer bytes, or to be the last one. A
caller may also look at the file system after every call that changed it, whoever made it.

A seccomp filter chooses the calls, so nothing else is slowed down, and no library is preloaded: calls from
inside the C library are seen too, and programs under sanitisers work.
"""
import ctypes
import errno
import os
import pickle
import platform
import signal
import struct
import time

# Number on x86-64, and where its files are: path N = text in argument N; at N = descriptor of a directory in
# argument N and a text in the next; fd N = open file in argument N; new = starts something.
CALLS = {
    "read": (0, "fd 0"), "write": (1, "fd 0"), "open": (2, "path 0"), "close": (3, "fd 0"), "stat": (4, "path 0"),
    "fstat": (5, "fd 0"), "lstat": (6, "path 0"), "lseek": (8, "fd 0"), "pread64": (17, "fd 0"), "pwrite64": (18, "fd 0"),
    "readv": (19, "fd 0"), "writev": (20, "fd 0"), "access": (21, "path 0"), "pipe": (22, "new"), "sendfile": (40, "fd 0"),
    "socketpair": (53, "new"), "clone": (56, "new"), "fork": (57, "new"), "vfork": (58, "new"), "execve": (59, "exec 0"),
    "flock": (73, "fd 0"), "fsync": (74, "fd 0"), "fdatasync": (75, "fd 0"), "truncate": (76, "path 0"),
    "ftruncate": (77, "fd 0"), "chdir": (80, "path 0"), "rename": (82, "path 0 path 1"), "mkdir": (83, "path 0"),
    "rmdir": (84, "path 0"), "creat": (85, "path 0"), "link": (86, "path 0 path 1"), "unlink": (87, "path 0"),
    "symlink": (88, "path 1"), "readlink": (89, "path 0"), "chmod": (90, "path 0"), "fchmod": (91, "fd 0"),
    "statfs": (137, "path 0"), "getdents64": (217, "fd 0"), "openat": (257, "at 0"), "mkdirat": (258, "at 0"),
    "newfstatat": (262, "at 0"), "unlinkat": (263, "at 0"), "renameat": (264, "at 0 at 2"), "linkat": (265, "at 0 at 2"),
    "symlinkat": (266, "at 1"), "readlinkat": (267, "at 0"), "faccessat": (269, "at 0"), "utimensat": (280, "at 0"),
    "fallocate": (285, "fd 0"), "pipe2": (293, "new"), "pwritev": (296, "fd 0"), "renameat2": (316, "at 0 at 2"),
    "execveat": (322, "at 0"), "copy_file_range": (326, "fd 2"), "statx": (332, "at 0"), "clone3": (435, "new"),
    "faccessat2": (439, "at 0"),
}
# By number: name, kind, and kind and argument of each file.
CALLED = {number: (name, text.split()[0], [(kind, int(place)) for kind, place in zip(text.split()[::2], text.split()[1::2])])
          for name, (number, text) in CALLS.items()}
# Calls after which a directory or what is durable of it may be another.
CHANGING = {"write", "pwrite64", "writev", "pwritev", "sendfile", "copy_file_range", "fallocate", "fsync", "fdatasync",
            "truncate", "ftruncate", "rename", "renameat", "renameat2", "link", "linkat", "unlink", "unlinkat", "symlink",
            "symlinkat", "mkdir", "mkdirat", "rmdir", "creat"}
# Calls that move a number of bytes that is their third argument.
MOVING = {"read", "write", "pread64", "pwrite64"}

R10, R8, RAX, RDX, RSI, RDI, ORIG_RAX = 7, 9, 10, 12, 13, 14, 15
ARGUMENTS = (RDI, RSI, RDX, R10, R8)
TRACEME, GETREGS, SETREGS, CONT, SYSCALL, SETOPTIONS = 0, 12, 13, 7, 24, 0x4200
OPTIONS = 0x1 | 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000  # good syscalls, forks, exec, seccomp, and all end with us
EVENT_EXEC, EVENT_SECCOMP = 4, 7
CLONE_THREAD = 0x10000
ALLOW, STOP, OPEN_MOST = 0x7FFF0000, 0x7FF00000, 200  # answers of the filter; files that may be open
O_CREAT, O_TRUNC = os.O_CREAT, os.O_TRUNC

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def is_available():
    """Whether a program can be traced here: x86-64, and a system that allows it."""
    if platform.machine() != "x86_64" or not os.path.exists("/proc/self/exe"):
        return False
    run = Run(["/bin/true"], "/nonexistent", "/", dict(os.environ), os.devnull, os.devnull)
    report = run.wait(10)
    run.end(0)
    return report is not None and report["code"] == 0


def ptrace(request, pid, data=0):
    if libc.ptrace(request, pid, None, data) < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def install_filter():
    """In the child: the calls of the table stop it, all others pass; so do the thousands of closes of files that are not
    open, by which a process gets rid of what it may have inherited."""
    numbers = sorted(set(CALLED) - {CALLS["close"][0]})
    stop = len(numbers) + 1  # instructions from the first comparison to the last
    code = struct.pack("HBBI", 0x20, 0, 0, 0) + struct.pack("HBBI", 0x15, stop, 0, CALLS["close"][0])
    for i, number in enumerate(numbers):
        code += struct.pack("HBBI", 0x15, stop - i + 2, 0, number)
    code += struct.pack("HBBI", 0x06, 0, 0, ALLOW)
    code += struct.pack("HBBI", 0x20, 0, 0, 16) + struct.pack("HBBI", 0x35, 0, 1, OPEN_MOST)
    code += struct.pack("HBBI", 0x06, 0, 0, ALLOW) + struct.pack("HBBI", 0x06, 0, 0, STOP)
    buffer = ctypes.create_string_buffer(code)
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer)))
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, ctypes.c_void_p(ctypes.addressof(program)), 0, 0):
        os._exit(126)


class Call:
    """One call: its number among those that count (0 = does not count), and what it is about."""

    def __init__(self, pid, name, paths, arguments, is_own):
        self.index, self.pid, self.name, self.paths, self.arguments, self.is_own = 0, pid, name, paths, arguments, is_own
        self.result = None

    def changes(self):
        if self.name in ("open", "openat"):
            return bool(self.arguments[1 if self.name == "open" else 2] & (O_CREAT | O_TRUNC))
        return self.name in CHANGING

    def describe(self, root):
        return f"{self.name} {' '.join(os.path.relpath(p, root) if p.startswith(root) else p for p in self.paths)}".strip()


# Errors that a call may end with on a sick file system or a full machine; the first is also made to last.
ERRORS = (
    (("write", "pwrite64", "writev", "pwritev"), "ENOSPC EIO EINTR EDQUOT"),
    (("fsync", "fdatasync"), "EIO ENOSPC EINTR"),
    (("close",), "EIO"),
    (("mkdir", "mkdirat", "link", "linkat", "symlink", "creat"), "ENOSPC EIO ESTALE"),
    (("rename", "renameat", "renameat2"), "EIO ENOSPC ESTALE"),
    (("new file",), "ENOSPC EMFILE EIO ESTALE ENOMEM EINTR"),
    (("open", "openat"), "EIO EMFILE ESTALE ENOMEM EINTR"),
    (("read", "pread64", "readv", "getdents64"), "EIO EINTR ESTALE"),
    (("flock",), "ENOLCK EINTR EIO"),
    (("fork", "vfork", "clone", "clone3"), "EAGAIN ENOMEM"),
    (("execve", "execveat"), "ENOENT EAGAIN ENOMEM ETXTBSY EIO ESTALE EMFILE"),
    (("pipe", "pipe2", "socketpair"), "EMFILE ENFILE"),
    (("truncate", "ftruncate", "fallocate"), "EIO EINTR"),
    (("lseek",), ""),
)
OTHERS = "ESTALE EIO ENOMEM"


def faults_of(call):
    """(kind, error) of every fault that can be done to a call."""
    name = "new file" if call.name in ("open", "openat") and call.changes() else call.name
    errors = [getattr(errno, word) for word in next((words for names, words in ERRORS if name in names), OTHERS).split()]
    kinds = [("fail", error) for error in errors] + [("persist", error) for error in errors[:1]]
    if name in MOVING:
        kinds.append(("short", 0))
    return kinds + [("kill", 0), ("killed", 0), ("kill-all", 0)]


class Fault:
    """What happens to call number `at`.

    kind: "fail" with `error`; "persist", the same for each later call of that name too; "short"; "kill", the
    process that calls, before the call; "killed", after it; "kill-all", every process of gannet, after it. None =
    the `number`th of those that can be done to the call that it turns out to be, for runs differ in their calls.
    With `of`, a name and the end of a path, it is done to the first such call instead.
    """

    def __init__(self, at, number=0, kind=None, error=0, of=None):
        self.at, self.number, self.kind, self.error, self.of, self.hit = at, number, kind, error, of, None

    def applies_to(self, call):
        if self.of and not self.hit and call.name == self.of[0] and call.paths[0].endswith(self.of[1]):
            self.at = call.index
        if call.index == self.at:
            self.hit = call
            if self.kind is None:
                kinds = faults_of(call)
                self.kind, self.error = kinds[self.number % len(kinds)]
            return True
        return self.kind == "persist" and self.hit is not None and call.index > self.at and call.name == self.hit.name

    def __repr__(self):
        words = ["--at", str(self.at), "--kind", str(self.kind)]
        return " ".join(words + (["--error", errno.errorcode[self.error]] if self.error else []))


class Tracer:
    """The loop of the process that traces; runs until every process that it traces has ended."""

    def __init__(self, root, fault, look):
        self.root, self.fault, self.look = os.path.realpath(root), fault, look
        self.name = os.path.basename(self.root)  # which every path to it has, however it is written
        self.calls, self.known, self.waiting, self.armed = [], set(), {}, False
        self.foreign, self.memory = {}, {}  # by process
        self.registers = (ctypes.c_uint64 * 27)()

    def memory_of(self, pid):
        if pid not in self.memory:
            self.memory[pid] = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
        return self.memory[pid]

    def forget(self, pid):
        """Another program runs in the process, or it has ended."""
        self.foreign.pop(pid, None)
        if pid in self.memory:
            os.close(self.memory.pop(pid))

    def text_of(self, pid, address):
        text, memory = b"", self.memory_of(pid)
        while b"\0" not in text and len(text) < 8192:
            text += os.pread(memory, min(256, 4096 - (address + len(text)) % 4096), address + len(text))
        return os.fsdecode(text[:text.index(b"\0")])

    def path_of(self, pid, kind, place, arguments):
        if kind == "fd":
            return os.readlink(f"/proc/{pid}/fd/{arguments[place] & 0xFFFFFFFF}")
        descriptor = arguments[place] & 0xFFFFFFFF if kind == "at" else -100 & 0xFFFFFFFF
        path = self.text_of(pid, arguments[place + 1 if kind == "at" else place])
        if not os.path.isabs(path):
            base = f"/proc/{pid}/cwd" if descriptor == -100 & 0xFFFFFFFF else f"/proc/{pid}/fd/{descriptor}"
            path = os.path.join(os.readlink(base), path)
        return os.path.normpath(path) if self.name in path else path

    def is_own(self, pid):
        if pid not in self.foreign:
            self.foreign[pid] = not os.path.basename(os.readlink(f"/proc/{pid}/exe")).startswith("gannet")
        return not self.foreign[pid]

    def make_call(self, pid, registers):
        name, kind, places = CALLED[registers[ORIG_RAX]]
        arguments = [registers[i] for i in ARGUMENTS]
        try:
            paths = [self.path_of(pid, kind, place, arguments) for kind, place in places]
        except (OSError, ValueError):
            return None  # a descriptor that is closed, an address that is none: the call fails by itself
        if kind in ("new", "exec"):
            if not self.armed or not self.is_own(pid):
                return None
            if name == "clone3":
                arguments[0] = struct.unpack("Q", os.pread(self.memory_of(pid), 8, arguments[0]))[0]
            if name in ("clone", "clone3") and arguments[0] & CLONE_THREAD:
                return None
        elif not any(path == self.root or path.startswith(self.root + "/") for path in paths):
            return None
        return Call(pid, name, paths, arguments, self.is_own(pid))

    def enter(self, pid):
        """At the beginning of a call; whether its end is of interest as well."""
        if not self.look and not self.is_own(pid):
            return False
        registers = self.registers
        ptrace(GETREGS, pid, ctypes.addressof(registers))
        call = self.make_call(pid, registers)
        if call is None:
            return False
        if call.is_own:
            self.armed = True
            self.calls.append(call)
            call.index = len(self.calls)
        if call.is_own and self.fault and self.fault.applies_to(call):
            return self.strike(pid, call, registers)
        if self.look and call.changes():
            self.waiting[pid] = (call, None)
            return True
        return False

    def strike(self, pid, call, registers):
        kind = self.fault.kind
        if kind == "kill":
            self.kill(pid)
            return False
        if kind in ("killed", "kill-all"):
            self.waiting[pid] = (call, kind)
            return True
        if kind == "short":
            registers[RDX] = registers[RDX] // 2
        elif call.name == "close":
            self.waiting[pid] = (call, "fail")
            return True
        else:
            registers[ORIG_RAX] = 0xFFFFFFFFFFFFFFFF
            registers[RAX] = (1 << 64) - self.fault.error
        ptrace(SETREGS, pid, ctypes.addressof(registers))
        return False

    def leave(self, pid):
        """At the end of a call that is of interest."""
        call, kind = self.waiting.pop(pid)
        registers = self.registers
        ptrace(GETREGS, pid, ctypes.addressof(registers))
        call.result = struct.unpack("q", struct.pack("Q", registers[RAX]))[0]
        if kind == "fail":
            registers[RAX] = (1 << 64) - self.fault.error
            ptrace(SETREGS, pid, ctypes.addressof(registers))
        elif kind == "killed":
            self.kill(pid)
        elif kind == "kill-all":
            for other in list(self.known):
                try:
                    if self.is_own(other):
                        self.kill(other)
                except OSError:
                    pass
        elif self.look and call.result >= 0:
            self.look(call)

    def kill(self, pid):
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def go_on(self, pid, request, number=0):
        try:
            ptrace(request, pid, number)
        except ProcessLookupError:
            pass  # killed meanwhile

    def handle(self, pid, status):
        event, number = status >> 16, os.WSTOPSIG(status)
        if pid not in self.known:
            self.known.add(pid)
            if number == signal.SIGSTOP:  # how a new process begins
                return self.go_on(pid, CONT)
        if event == EVENT_SECCOMP:
            try:
                wanted = self.enter(pid)
            except (ProcessLookupError, FileNotFoundError):
                wanted = False  # killed meanwhile
            return self.go_on(pid, SYSCALL if wanted else CONT)
        if event:
            if event == EVENT_EXEC:
                self.forget(pid)
            return self.go_on(pid, CONT)
        if number == signal.SIGTRAP | 0x80:
            if pid in self.waiting:
                try:
                    self.leave(pid)
                except ProcessLookupError:
                    pass
            return self.go_on(pid, CONT)
        return self.go_on(pid, CONT, number)

    def run(self, main, tell):
        while True:
            try:
                pid, status = os.waitpid(-1, 0x40000000)
            except ChildProcessError:
                return
            if os.WIFSTOPPED(status):
                self.handle(pid, status)
                continue
            self.known.discard(pid)
            self.forget(pid)
            self.waiting.pop(pid, None)
            if pid == main:
                tell(status)


class Run:
    """A program that is being traced by a process of its own, so that what it leaves behind can go on."""

    def __init__(self, command, root, folder, environment, out, err, fault=None, make_look=None):
        reader, writer = os.pipe()
        self.reader, self.begun = os.fdopen(reader, "rb"), time.monotonic()
        self.tracer = os.fork()
        if self.tracer:
            os.close(writer)
            return
        try:
            libc.prctl(1, signal.SIGKILL, 0, 0, 0)
            self.reader.close()
            self.trace(command, root, folder, environment, out, err, fault, make_look, os.fdopen(writer, "wb"))
        except BaseException:
            import traceback
            traceback.print_exc()
        finally:
            os._exit(0)

    def trace(self, command, root, folder, environment, out, err, fault, make_look, writer):
        main = os.fork()
        if main == 0:
            os.setsid()
            os.chdir(folder)
            for descriptor, path in (1, out), (2, err):
                os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644), descriptor)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.closerange(3, 256)
            ptrace(TRACEME, 0)
            os.kill(os.getpid(), signal.SIGSTOP)
            install_filter()
            os.execve(command[0], command, environment)
        look = make_look() if make_look else None
        tracer = Tracer(root, fault, look)
        os.waitpid(main, 0x40000000)
        ptrace(SETOPTIONS, main, OPTIONS)
        tracer.known.add(main)
        ptrace(CONT, main)

        def tell(status):
            pickle.dump({"code": os.waitstatus_to_exitcode(status), "calls": tracer.calls, "fault": fault,
                         "seen": look.result() if look else None}, writer)
            writer.flush()

        tracer.run(main, tell)

    def wait(self, timeout):
        """What the program did until it ended; None when that took too long."""
        import select
        left = max(0, self.begun + timeout - time.monotonic())
        if not select.select([self.reader], [], [], left)[0]:
            return None
        try:
            return pickle.load(self.reader)
        except EOFError:
            return None

    def left(self):
        """Names of processes that are still traced."""
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                try:
                    with open(f"/proc/{entry}/status") as stream:
                        lines = dict(line.split(":", 1) for line in stream if ":" in line)
                    if int(lines["TracerPid"]) == self.tracer and lines["State"].split()[0] not in "ZX":
                        found.append(lines["Name"].strip() + " " + entry)
                except (OSError, KeyError):
                    pass
        return found

    def end(self, grace):
        """Wait for all processes; names of those that had to be killed."""
        end = time.monotonic() + grace
        left = []
        while os.waitpid(self.tracer, os.WNOHANG)[0] == 0:
            if time.monotonic() > end:
                left = self.left()
                os.kill(self.tracer, signal.SIGKILL)
                os.waitpid(self.tracer, 0)
                break
            time.sleep(0.005)
        self.reader.close()
        return left
