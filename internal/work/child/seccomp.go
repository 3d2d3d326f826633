// SPDX-License-Identifier: Apache-2.0

package child

import (
	"runtime"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// calls are the system calls that programs may make on every architecture: reading, writing and seeking in open files,
// memory, threads, time, and information about the process itself. All others fail with EPERM. The most important of
// those are sockets, other processes' memory, namespaces, mounts, keys, BPF, io_uring, modules, and changing names,
// owners and times of files.
var calls = []uint32{
	// Files. Landlock decides which ones may be opened.
	unix.SYS_READ, unix.SYS_WRITE, unix.SYS_READV, unix.SYS_WRITEV, unix.SYS_PREAD64, unix.SYS_PWRITE64, unix.SYS_LSEEK, unix.SYS_CLOSE,
	unix.SYS_CLOSE_RANGE, unix.SYS_OPENAT, unix.SYS_FSTAT, unix.SYS_NEWFSTATAT, unix.SYS_STATX, unix.SYS_STATFS, unix.SYS_FSTATFS,
	unix.SYS_FACCESSAT, unix.SYS_FACCESSAT2, unix.SYS_READLINKAT, unix.SYS_GETDENTS64, unix.SYS_GETCWD, unix.SYS_CHDIR,
	unix.SYS_FTRUNCATE, unix.SYS_FALLOCATE, unix.SYS_FADVISE64, unix.SYS_FSYNC, unix.SYS_FDATASYNC, unix.SYS_FLOCK, unix.SYS_UMASK,
	unix.SYS_DUP, unix.SYS_DUP3, unix.SYS_PIPE2, unix.SYS_PPOLL, unix.SYS_PSELECT6, unix.SYS_COPY_FILE_RANGE, unix.SYS_SENDFILE,
	unix.SYS_EPOLL_CREATE1, unix.SYS_EPOLL_CTL, unix.SYS_EPOLL_PWAIT, unix.SYS_EVENTFD2,
	// Memory.
	unix.SYS_BRK, unix.SYS_MMAP, unix.SYS_MUNMAP, unix.SYS_MREMAP, unix.SYS_MPROTECT, unix.SYS_MADVISE, unix.SYS_MINCORE, unix.SYS_MLOCK,
	unix.SYS_MUNLOCK, unix.SYS_MEMBARRIER,
	// Threads, programs that start others, and their exit.
	unix.SYS_FUTEX, unix.SYS_SET_ROBUST_LIST, unix.SYS_GET_ROBUST_LIST, unix.SYS_SET_TID_ADDRESS, unix.SYS_RSEQ, unix.SYS_EXECVE, unix.SYS_WAIT4,
	unix.SYS_WAITID, unix.SYS_EXIT, unix.SYS_EXIT_GROUP, unix.SYS_GETPGID, unix.SYS_SCHED_YIELD,
	unix.SYS_SCHED_GETAFFINITY, unix.SYS_SCHED_GETPARAM, unix.SYS_SCHED_GETSCHEDULER, unix.SYS_SCHED_GET_PRIORITY_MAX, unix.SYS_SCHED_GET_PRIORITY_MIN,
	unix.SYS_PRCTL, unix.SYS_RESTART_SYSCALL, unix.SYS_GETCPU,
	// Signals within the process.
	unix.SYS_RT_SIGACTION, unix.SYS_RT_SIGPROCMASK, unix.SYS_RT_SIGRETURN, unix.SYS_RT_SIGSUSPEND, unix.SYS_RT_SIGPENDING, unix.SYS_RT_SIGTIMEDWAIT,
	unix.SYS_SIGALTSTACK, unix.SYS_PIDFD_OPEN,
	// Time and random numbers.
	unix.SYS_CLOCK_GETTIME, unix.SYS_CLOCK_GETRES, unix.SYS_CLOCK_NANOSLEEP, unix.SYS_NANOSLEEP, unix.SYS_GETTIMEOFDAY, unix.SYS_GETITIMER,
	unix.SYS_SETITIMER, unix.SYS_TIMES, unix.SYS_TIMER_CREATE, unix.SYS_TIMER_SETTIME, unix.SYS_TIMER_DELETE, unix.SYS_GETRANDOM,
	// The process itself.
	unix.SYS_GETPID, unix.SYS_GETPPID, unix.SYS_GETTID, unix.SYS_GETUID, unix.SYS_GETEUID, unix.SYS_GETGID, unix.SYS_GETEGID, unix.SYS_GETGROUPS,
	unix.SYS_GETRESUID, unix.SYS_GETRESGID, unix.SYS_GETSID, unix.SYS_UNAME, unix.SYS_SYSINFO, unix.SYS_GETRUSAGE, unix.SYS_GETPRIORITY,
	unix.SYS_GETRLIMIT, unix.SYS_SETRLIMIT,
}

// namespaces are the flags of clone that create namespaces.
const namespaces = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// ioctl requests for any file: nonblocking mode, and close-on-exec.
const (
	fionclex = 0x5450
	fioclex  = 0x5451
	fionbio  = 0x5421
)

// requests are the ioctl requests that programs may make: the above, terminal checks, and the number of readable bytes.
var requests = []uint32{unix.TCGETS, unix.TIOCGWINSZ, unix.TIOCINQ, fionbio, fioclex, fionclex}

// commands are the fcntl commands that programs may use: for their own descriptors, and locks. F_SETOWN, F_SETOWN_EX
// and F_SETSIG are excluded, because they send a signal to another process when a file becomes readable.
var commands = []uint32{
	unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_SETFL, unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW,
	unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_GETPIPE_SZ, unix.F_SETPIPE_SZ,
}

// Offsets in the data of a seccomp filter: the call's number, the architecture, and halves of arguments, for
// little-endian architectures.
const (
	atCall       = 0
	atKind       = 4
	atFirst      = 16
	atSecond     = 24
	atSecondHigh = 28
)

// groupBits is the position of the secret in the second argument of setpgid, in bits. The kernel evaluates only the
// lower half.
const groupBits = 32

// newestCall is the newest system call that is known here. Programs try newer ones and have to receive ENOSYS.
const newestCall = unix.SYS_LANDLOCK_RESTRICT_SELF

func refuse(e uint32) bpf.Instruction { return bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | e} }

var allow = bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW}

// filter returns the BPF program that the kernel runs for every system call. scoped means that Landlock blocks signals
// to processes outside. Only then are signals allowed, because a filter cannot distinguish the process's own threads
// from other processes.
//
// group is the secret for setpgid. The process becomes the leader of its group before it executes the program, when the
// filter is already active. The program does not know the secret, so neither the program nor its children can leave the
// group, by which all of them are killed. A process that uses a wrong secret is killed immediately.
func filter(scoped bool, group uint32) []bpf.Instruction {
	is := func(v uint32, then ...bpf.Instruction) []bpf.Instruction {
		return append([]bpf.Instruction{bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipFalse: uint8(len(then))}}, then...)
	}
	load := func(at uint32) bpf.Instruction { return bpf.LoadAbsolute{Off: at, Size: 4} }
	p := []bpf.Instruction{
		// Other architectures have other call numbers.
		load(atKind),
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: kind, SkipTrue: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS},
		load(atCall),
	}
	for _, c := range append(append([]uint32{}, calls...), legacyCalls...) {
		p = append(p, is(c, allow)...)
	}
	if scoped {
		p = append(p, is(unix.SYS_KILL, allow)...)
		p = append(p, is(unix.SYS_TGKILL, allow)...)
	}
	leads := append([]bpf.Instruction{load(atSecondHigh)}, is(group, load(atSecond), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipFalse: 1}, allow)...)
	p = append(p, is(unix.SYS_SETPGID, append(leads, bpf.RetConstant{Val: unix.SECCOMP_RET_KILL_PROCESS})...)...)
	p = append(p, is(unix.SYS_CLONE, load(atFirst), bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: namespaces, SkipFalse: 1}, refuse(uint32(unix.EPERM)), allow)...)
	// The arguments of clone3 are in memory, which a filter cannot read. Programs fall back to clone.
	p = append(p, is(unix.SYS_CLONE3, refuse(uint32(unix.ENOSYS)))...)
	// Limits of the process itself only.
	p = append(p, is(unix.SYS_PRLIMIT64, load(atFirst), bpf.JumpIf{Cond: bpf.JumpEqual, Val: 0, SkipTrue: 1}, refuse(uint32(unix.EPERM)), allow)...)
	oneOf := func(allowed []uint32, otherwise unix.Errno) []bpf.Instruction {
		checks := []bpf.Instruction{load(atSecond)}
		for _, v := range allowed {
			checks = append(checks, is(v, allow)...)
		}
		return append(checks, refuse(uint32(otherwise)))
	}
	p = append(p, is(unix.SYS_IOCTL, oneOf(requests, unix.ENOTTY)...)...)
	p = append(p, is(unix.SYS_FCNTL, oneOf(commands, unix.EPERM)...)...)
	return append(p,
		bpf.JumpIf{Cond: bpf.JumpGreaterThan, Val: newestCall, SkipFalse: 1}, refuse(uint32(unix.ENOSYS)),
		refuse(uint32(unix.EPERM)))
}

// confineCalls installs the filter, which refuses all other system calls, for the thread.
func confineCalls(scoped bool, group uint32) error {
	if kind == 0 {
		return unix.ENOSYS
	}
	raw, err := bpf.Assemble(filter(scoped, group))
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	runtime.KeepAlive(code)
	return err
}
