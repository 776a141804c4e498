"""The system calls a worker may make, kept by seccomp: what Python and NumPy compute with, and none that reaches out.

Allowed is what is listed. What is not, also what the kernel has yet to invent, is answered as not implemented, and
what people do ask for as not permitted: so libc falls back, and Python raises PermissionError. Files are Landlock's.
"""

from __future__ import annotations

import errno
import os

try:
    import seccompy
except ImportError:  # not Linux
    seccompy = None  # type: ignore[assignment]

_CLONE_THREAD = 0x00010000  # linux/sched.h
_AF_UNIX, _SOCK_STREAM, _SOCK_TYPE_MASK = 1, 1, 0xF  # linux/socket.h, net.h

MEMORY = "brk mmap munmap mprotect mremap madvise msync membarrier mlock munlock"
FILES = """
    read write readv writev pread64 pwrite64 preadv pwritev open openat openat2 creat close
    close_range lseek fstat stat lstat newfstatat statx statfs fstatfs access faccessat faccessat2 readlink
    readlinkat getdents getdents64 getcwd chdir fchdir dup dup2 dup3 truncate ftruncate fallocate fsync
    fdatasync sync_file_range unlink unlinkat mkdir mkdirat rmdir rename renameat renameat2 umask
    pipe pipe2 sendfile copy_file_range poll ppoll select pselect6 epoll_create epoll_create1 epoll_ctl epoll_wait
    epoll_pwait eventfd2
"""
CHANNEL = "recvfrom sendto shutdown getsockopt getsockname getpeername"  # its one socket was open before
ITSELF = """
    exit exit_group futex futex_waitv set_robust_list get_robust_list rseq set_tid_address arch_prctl gettid getpid
    getppid getuid geteuid getgid getegid getgroups getresuid getresgid getpgrp getpgid getsid wait4 waitid
    sched_yield sched_getaffinity sched_getparam sched_getscheduler sched_get_priority_max sched_get_priority_min
    getcpu getpriority get_mempolicy getrlimit getrusage times uname sysinfo capget
"""
SIGNALS = """
    rt_sigaction rt_sigprocmask rt_sigreturn rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack restart_syscall
    pause alarm setitimer getitimer timer_create timer_settime timer_gettime timer_getoverrun timer_delete kill
    tgkill
"""
CLOCKS = "clock_gettime clock_getres clock_nanosleep nanosleep gettimeofday time getrandom"
ALLOWED = " ".join((MEMORY, FILES, CHANNEL, ITSELF, SIGNALS, CLOCKS)).split()
# fcntl: F_SETOWN, F_SETSIG, F_SETOWN_EX, F_SETLEASE, F_NOTIFY; ioctl: FIOSETOWN, SIOCSPGRP (linux/fcntl.h, sockios.h)
OWNERS = {"fcntl": (8, 10, 15, 1024, 1026), "ioctl": (0x8901, 0x8902)}
REFUSED = [
    "socket",
    "connect",
    "bind",
    "listen",
    "accept",
    "accept4",
    "sendmsg",
    "recvmsg",
    "sendmmsg",
    "recvmmsg",
    "fork",
    "vfork",
    "execve",
    "execveat",
    "tkill",
    "rt_sigqueueinfo",
    "rt_tgsigqueueinfo",
    "pidfd_open",
    "pidfd_send_signal",
    "pidfd_getfd",
    "setsid",
    "setpgid",
    "ptrace",
    "process_vm_readv",
    "process_vm_writev",
    "process_madvise",
    "process_mrelease",
    "kcmp",
    "mount",
    "umount2",
    "move_mount",
    "fsopen",
    "open_tree",
    "pivot_root",
    "chroot",
    "unshare",
    "setns",
    "bpf",
    "perf_event_open",
    "keyctl",
    "add_key",
    "request_key",
    "memfd_create",
    "memfd_secret",
    "userfaultfd",
    "io_uring_setup",
    "io_uring_enter",
    "io_uring_register",
    "chmod",
    "fchmod",
    "fchmodat",
    "fchmodat2",
    "chown",
    "fchown",
    "lchown",
    "fchownat",
    "utime",
    "utimes",
    "futimesat",
    "utimensat",
    "setxattr",
    "lsetxattr",
    "fsetxattr",
    "setxattrat",
    "removexattr",
    "lremovexattr",
    "fremovexattr",
    "removexattrat",
    "link",
    "linkat",
    "symlink",
    "symlinkat",
    "mknod",
    "mknodat",
    "shmget",
    "shmat",
    "shmctl",
    "msgget",
    "msgsnd",
    "msgrcv",
    "msgctl",
    "semget",
    "semop",
    "semctl",
    "mq_open",
    "inotify_init",
    "inotify_init1",
    "fanotify_init",
    "setrlimit",
    "setpriority",
    "sched_setaffinity",
    "sched_setscheduler",
    "setuid",
    "setgid",
    "setreuid",
    "setregid",
    "setresuid",
    "setresgid",
    "setgroups",
    "capset",
    "prctl",
    "name_to_handle_at",
    "open_by_handle_at",
    "init_module",
    "finit_module",
    "delete_module",
    "kexec_load",
    "reboot",
    "swapon",
    "swapoff",
    "sethostname",
    "settimeofday",
    "clock_settime",
    "personality",
    "syslog",
    "acct",
    "quotactl",
    "ioperm",
    "iopl",
    "modify_ldt",
]


def prepare() -> seccompy.Filter | None:
    """The filter, compiled; None where this system or this processor has none. The warm parent prepares it once."""
    if seccompy is None:
        return None
    try:
        return _compiled() if seccompy.supported() else None
    except (seccompy.UnsupportedError, seccompy.SeccompError):  # not there, or not for this process
        return None


def _compiled() -> seccompy.Filter:
    rules = seccompy.Filter(default=seccompy.Action.ERRNO | errno.ENOSYS)
    for name in filter(_known, ALLOWED):
        rules.allow(name)
    for name in filter(_known, REFUSED):
        rules.errno(name, errno.EPERM)
    for call, commands in OWNERS.items():  # who is sent a signal when something happens to a descriptor
        for command in commands:  # of which the kernel reads the lower half
            rules.errno(call, errno.EPERM, args=[(1, seccompy.CmpOp.MASKED_EQ, command, 0xFFFFFFFF)])
        rules.allow(call)
    # Threads may exist. clone3, whose flags no filter can see, is not implemented, so that libc falls back to this.
    rules.allow("clone", args=[(0, seccompy.CmpOp.MASKED_EQ, _CLONE_THREAD, _CLONE_THREAD)])
    rules.errno("clone", errno.EPERM)
    # A pair of streams leads to nobody: asyncio wakes itself by one. A pair of datagrams could still name a receiver.
    streams = (1, seccompy.CmpOp.MASKED_EQ, _SOCK_STREAM, _SOCK_TYPE_MASK)
    rules.allow("socketpair", args=[(0, seccompy.CmpOp.EQ, _AF_UNIX), streams])
    rules.errno("socketpair", errno.EPERM)
    rules.allow("prlimit64", args={0: 0, 2: 0})  # asking for one's own limits, not setting any
    assert rules.program  # compiled here, and kept
    return rules


def _known(name: str) -> bool:
    """Whether this processor has the call: the newer ones lack the oldest."""
    try:
        return seccompy.syscall_nr(name) >= 0
    except ValueError:
        return False


def restrict(rules: seccompy.Filter | None, *, signals_too: bool) -> bool:
    """Let this process make no other calls from here on; `signals_too`: nor send a signal to any but itself."""
    if rules is None:
        return False
    try:
        if signals_too:
            _to_itself().load()
        rules.load()
    except (seccompy.SeccompError, OSError):
        return False
    return True


def _to_itself() -> seccompy.Filter:
    """Signals to this process alone: what Landlock keeps on newer systems."""
    rules = seccompy.Filter()
    for name in ("kill", "tgkill"):
        rules.allow(name, args={0: os.getpid()})
        rules.errno(name, errno.EPERM)
    return rules
