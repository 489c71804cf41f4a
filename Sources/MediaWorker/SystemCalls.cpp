#include <linux/sched.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "Lockdown.hpp"

namespace media {

namespace {

/// Calls that decoding needs: memory, threads, clocks, and the given descriptors.
constexpr int allowed[] = {
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(lseek),
    SCMP_SYS(fstat),
    SCMP_SYS(close),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendmsg),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(brk),
    SCMP_SYS(madvise),
    SCMP_SYS(futex),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(time),
    SCMP_SYS(getrandom),
    SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(getrusage),
};

/// Calls that no decoder makes: one of them means that the process was taken over, and ends it.
/// Calls in neither list fail with EPERM, because libraries probe for files and settings and
/// continue without.
constexpr int fatal[] = {
    SCMP_SYS(execve),
    SCMP_SYS(execveat),
    SCMP_SYS(fork),
    SCMP_SYS(vfork),
    SCMP_SYS(ptrace),
    SCMP_SYS(process_vm_readv),
    SCMP_SYS(process_vm_writev),
    SCMP_SYS(socket),
    SCMP_SYS(socketpair),
    SCMP_SYS(connect),
    SCMP_SYS(bind),
    SCMP_SYS(listen),
    SCMP_SYS(accept),
    SCMP_SYS(accept4),
    SCMP_SYS(kill),
    SCMP_SYS(tkill),
    SCMP_SYS(pidfd_open),
    SCMP_SYS(pidfd_getfd),
    SCMP_SYS(pidfd_send_signal),
    SCMP_SYS(rt_sigqueueinfo),
    SCMP_SYS(rt_tgsigqueueinfo),
    SCMP_SYS(mount),
    SCMP_SYS(umount2),
    SCMP_SYS(pivot_root),
    SCMP_SYS(chroot),
    SCMP_SYS(unshare),
    SCMP_SYS(setns),
    SCMP_SYS(open_tree),
    SCMP_SYS(move_mount),
    SCMP_SYS(fsopen),
    SCMP_SYS(mount_setattr),
    SCMP_SYS(setuid),
    SCMP_SYS(setgid),
    SCMP_SYS(setresuid),
    SCMP_SYS(setresgid),
    SCMP_SYS(setgroups),
    SCMP_SYS(capset),
    SCMP_SYS(keyctl),
    SCMP_SYS(add_key),
    SCMP_SYS(request_key),
    SCMP_SYS(bpf),
    SCMP_SYS(perf_event_open),
    SCMP_SYS(userfaultfd),
    SCMP_SYS(io_uring_setup),
    SCMP_SYS(io_uring_enter),
    SCMP_SYS(io_uring_register),
    SCMP_SYS(init_module),
    SCMP_SYS(finit_module),
    SCMP_SYS(delete_module),
    SCMP_SYS(kexec_load),
    SCMP_SYS(kexec_file_load),
    SCMP_SYS(reboot),
    SCMP_SYS(swapon),
    SCMP_SYS(swapoff),
    SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname),
    SCMP_SYS(settimeofday),
    SCMP_SYS(clock_settime),
    SCMP_SYS(adjtimex),
    SCMP_SYS(mknod),
    SCMP_SYS(mknodat),
    SCMP_SYS(open_by_handle_at),
    SCMP_SYS(name_to_handle_at),
    SCMP_SYS(iopl),
    SCMP_SYS(ioperm),
    SCMP_SYS(modify_ldt),
    SCMP_SYS(acct),
    SCMP_SYS(quotactl),
    SCMP_SYS(syslog),
    SCMP_SYS(personality),
    SCMP_SYS(memfd_create),
    SCMP_SYS(seccomp),
};

using Filter = scmp_filter_ctx;

bool allow(Filter filter, int call) { return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0; }

bool allowIf(Filter filter, int call, scmp_arg_cmp condition) {
  return seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, condition) == 0;
}

bool addConditions(Filter filter) {
  constexpr scmp_datum_t threadFlags = CLONE_VM | CLONE_THREAD | CLONE_SIGHAND;
  constexpr scmp_datum_t namespaceFlags =
      CLONE_NEWNS | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;
  auto masked = [](unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
    return scmp_arg_cmp{argument, SCMP_CMP_MASKED_EQ, mask, value};
  };
  auto equal = [](unsigned argument, scmp_datum_t value) { return scmp_arg_cmp{argument, SCMP_CMP_EQ, value, 0}; };
  return
      // New memory is never executable and old memory never becomes so: injected code cannot run.
      allowIf(filter, SCMP_SYS(mmap), masked(2, PROT_EXEC, 0)) &&
      allowIf(filter, SCMP_SYS(mprotect), masked(2, PROT_EXEC, 0)) &&
      // Threads, not processes. The filter cannot read clone3's flags; without clone3 glibc uses
      // clone.
      allowIf(filter, SCMP_SYS(clone), masked(0, threadFlags | namespaceFlags, threadFlags)) &&
      seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
      // abort() signals its own process.
      allowIf(filter, SCMP_SYS(tgkill), equal(0, static_cast<scmp_datum_t>(getpid()))) &&
      allowIf(filter, SCMP_SYS(prctl), equal(0, PR_SET_NAME)) &&
      // F_GET_SEALS shows whether an input may be mapped. F_GETFL is harmless, and the C library
      // needs it.
      allowIf(filter, SCMP_SYS(fcntl), equal(1, F_GET_SEALS)) && allowIf(filter, SCMP_SYS(fcntl), equal(1, F_GETFL)) &&
      // Reading limits, for thread stacks; setting them is denied.
      allowIf(filter, SCMP_SYS(prlimit64), equal(2, 0));
}

}  // namespace

bool filterSystemCalls() {
  Filter filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!filter) return false;
  bool built = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0;
  for (int call : allowed) built = built && allow(filter, call);
  for (int call : fatal) {
    // A call unknown to libseccomp on this architecture stays at EPERM.
    if (call != __NR_SCMP_ERROR) seccomp_rule_add(filter, SCMP_ACT_KILL_PROCESS, call, 0);
  }
  built = built && addConditions(filter) && seccomp_load(filter) == 0;
  seccomp_release(filter);
  return built;
}

}  // namespace media
