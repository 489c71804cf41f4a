#include "Attempts.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace media {

namespace {

/// A system call and its result, negative if refused. Calls go to the kernel directly, as an
/// attacker's would.
struct Action {
  const char* name;
  long (*run)();
};

long openSocket(int domain, int type) { return syscall(SYS_socket, domain, type, 0); }

long tryMap(int protection) {
  void* page = mmap(nullptr, 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : 0;
}

long makeExecutable() {
  void* page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? -1 : syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
}

/// Allocates beyond the memory limit. Touches the pages, because untouched ones cost nothing.
long takeMemory() {
  constexpr size_t piece = 64 << 20;
  for (int i = 0; i < 32; ++i) {
    void* block = mmap(nullptr, piece, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return -1;
    for (size_t at = 0; at < piece; at += 4096) static_cast<volatile char*>(block)[at] = 1;
  }
  return 0;
}

long readOtherMemory() {
  char there;
  iovec local = {&there, 1}, remote = {&there, 1};
  return syscall(SYS_process_vm_readv, getppid(), &local, 1, &remote, 1, 0);
}

long writeOtherMemory() {
  char here = 0;
  iovec local = {&here, 1}, remote = {&here, 1};
  return syscall(SYS_process_vm_writev, getpid(), &local, 1, &remote, 1, 0);
}

long connectToBus() {
  sockaddr_un address = {AF_UNIX, "/run/dbus/system_bus_socket"};
  return syscall(SYS_connect, 0, &address, sizeof address);
}

long bindPort() {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  return syscall(SYS_bind, 0, &address, sizeof address);
}

long raiseLimit() {
  rlimit limit = {1024, 1024};
  return syscall(SYS_prlimit64, 0, RLIMIT_NOFILE, &limit, nullptr);
}

long fakeClock() {
  timeval now = {};
  return syscall(SYS_settimeofday, &now, nullptr);
}

long setCapabilities() {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  return syscall(SYS_capset, &header, data);
}

long loadProgram() {
  bpf_attr attributes = {};
  return syscall(SYS_bpf, BPF_MAP_CREATE, &attributes, sizeof attributes);
}

long watchPerformance() {
  perf_event_attr attributes = {};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  return syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
}

long runFromMemory() {
  long descriptor = syscall(SYS_memfd_create, "code", 0);
  return descriptor < 0 ? -1 : syscall(SYS_execveat, descriptor, "", nullptr, nullptr, AT_EMPTY_PATH);
}

long statFile() {
  struct stat about;
  return syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &about, 0);
}

long statThroughEmptyPath() {
  struct stat about;
  return syscall(SYS_newfstatat, AT_FDCWD, "/etc/passwd", &about, AT_EMPTY_PATH);
}

long runShell() {
  const char* arguments[] = {"/bin/true", nullptr};
  return syscall(SYS_execve, arguments[0], arguments, nullptr);
}

long forkAndCheck(long call) {
  long child = syscall(call);
  if (child == 0) _exit(0);
  return child;
}

long cloneProcess() {
  long child = syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (child == 0) _exit(0);
  return child;
}

constexpr Action actions[] = {
    {"open-read", [] { return syscall(SYS_openat, AT_FDCWD, "/etc/passwd", O_RDONLY, 0); }},
    {"open-write", [] { return syscall(SYS_openat, AT_FDCWD, "/tmp/attempt", O_WRONLY | O_CREAT, 0600); }},
    {"open-old-call", [] { return syscall(SYS_open, "/etc/passwd", O_RDONLY, 0); }},
    {"open-own-memory", [] { return syscall(SYS_openat, AT_FDCWD, "/proc/self/mem", O_RDWR, 0); }},
    {"openat2",
     [] {
       unsigned long how[3] = {};
       return syscall(SYS_openat2, AT_FDCWD, "/etc/passwd", how, sizeof how);
     }},
    {"stat", statFile},
    {"stat-empty-path", statThroughEmptyPath},
    {"access", [] { return syscall(SYS_access, "/etc/passwd", R_OK); }},
    {"readlink",
     [] {
       char text[64];
       return syscall(SYS_readlink, "/proc/self/exe", text, sizeof text);
     }},
    {"chdir", [] { return syscall(SYS_chdir, "/"); }},
    {"socket-inet", [] { return openSocket(AF_INET, SOCK_STREAM); }},
    {"socket-inet6", [] { return openSocket(AF_INET6, SOCK_DGRAM); }},
    {"socket-unix", [] { return openSocket(AF_UNIX, SOCK_STREAM); }},
    {"socket-netlink", [] { return openSocket(AF_NETLINK, SOCK_RAW); }},
    {"socketpair",
     [] {
       int pair[2];
       return syscall(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, pair);
     }},
    {"connect", connectToBus},
    {"bind", bindPort},
    {"execve", runShell},
    {"memfd-exec", runFromMemory},
    {"fork", [] { return forkAndCheck(SYS_fork); }},
    {"vfork",
     [] {
       pid_t child = vfork();
       if (child == 0) _exit(0);
       return static_cast<long>(child);
     }},
    {"clone-process", cloneProcess},
    {"clone3",
     [] {
       unsigned long arguments[8] = {};
       arguments[4] = SIGCHLD;
       long child = syscall(SYS_clone3, arguments, sizeof arguments);
       if (child == 0) _exit(0);
       return child;
     }},
    {"kill-parent", [] { return syscall(SYS_kill, getppid(), 0); }},
    {"tgkill-parent", [] { return syscall(SYS_tgkill, getppid(), getppid(), 0); }},
    {"ptrace", [] { return syscall(SYS_ptrace, PTRACE_TRACEME, 0, 0, 0); }},
    {"process-vm-readv", readOtherMemory},
    {"process-vm-writev", writeOtherMemory},
    {"pidfd-open", [] { return syscall(SYS_pidfd_open, getppid(), 0); }},
    {"mount", [] { return syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, nullptr); }},
    {"umount", [] { return syscall(SYS_umount2, "/nonexistent", 0); }},
    {"unshare", [] { return syscall(SYS_unshare, CLONE_NEWUSER); }},
    {"setns", [] { return syscall(SYS_setns, 0, 0); }},
    {"chroot", [] { return syscall(SYS_chroot, "/"); }},
    {"pivot-root", [] { return syscall(SYS_pivot_root, "/", "/"); }},
    {"setuid", [] { return syscall(SYS_setuid, geteuid()); }},
    {"setgroups", [] { return syscall(SYS_setgroups, 0, nullptr); }},
    {"capset", setCapabilities},
    {"keyctl", [] { return syscall(SYS_keyctl, 0, -3, 1, 0, 0); }},
    {"bpf", loadProgram},
    {"perf-event-open", watchPerformance},
    {"userfaultfd", [] { return syscall(SYS_userfaultfd, 1); }},
    {"io-uring-setup",
     [] {
       char parameters[120] = {};
       return syscall(SYS_io_uring_setup, 1, parameters);
     }},
    {"init-module", [] { return syscall(SYS_init_module, "", 0, ""); }},
    {"reboot", [] { return syscall(SYS_reboot, 0, 0, 0, nullptr); }},
    {"swapon", [] { return syscall(SYS_swapon, "/nonexistent", 0); }},
    {"sethostname",
     [] {
       char name[65];
       gethostname(name, sizeof name);
       return syscall(SYS_sethostname, name, strlen(name));
     }},
    {"settimeofday", fakeClock},
    {"mknod", [] { return syscall(SYS_mknod, "/tmp/attempt", S_IFIFO | 0600, 0); }},
    {"mkdir", [] { return syscall(SYS_mkdir, "/tmp/attempt", 0700); }},
    {"symlink", [] { return syscall(SYS_symlink, "/etc/passwd", "/tmp/attempt"); }},
    {"link", [] { return syscall(SYS_link, "/etc/hostname", "/tmp/attempt"); }},
    {"rename", [] { return syscall(SYS_rename, "/tmp/attempt", "/tmp/attempt-2"); }},
    {"unlink", [] { return syscall(SYS_unlink, "/tmp/attempt"); }},
    {"truncate", [] { return syscall(SYS_truncate, "/tmp/attempt", 0); }},
    {"chmod", [] { return syscall(SYS_chmod, "/tmp", 01777); }},
    {"chown", [] { return syscall(SYS_chown, "/tmp", -1, -1); }},
    {"inotify", [] { return syscall(SYS_inotify_init1, 0); }},
    {"open-by-handle",
     [] {
       char handle[128] = {};
       return syscall(SYS_open_by_handle_at, AT_FDCWD, handle, O_RDONLY);
     }},
    {"map-writable-executable", [] { return tryMap(PROT_READ | PROT_WRITE | PROT_EXEC); }},
    {"map-executable", [] { return tryMap(PROT_READ | PROT_EXEC); }},
    {"mprotect-executable", makeExecutable},
    {"dumpable", [] { return syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0); }},
    {"raise-limit", raiseLimit},
    {"terminal-input",
     [] {
       char c = '\n';
       return syscall(SYS_ioctl, 0, 0x5412, &c);
     }},
    {"shared-memory", [] { return syscall(SYS_shmget, 0, 4096, 0600); }},
    {"exhaust-memory", takeMemory},
};

}  // namespace

void listAttempts() {
  for (const Action& action : actions) std::puts(action.name);
}

int attempt(const char* name) {
  for (const Action& action : actions) {
    if (std::strcmp(action.name, name) != 0) continue;
    errno = 0;
    bool refused = action.run() < 0;
    std::string report =
        std::string(name) + (refused ? std::string(": refused: ") + std::strerror(errno) : ": worked") + "\n";
    return write(STDOUT_FILENO, report.data(), report.size()) >= 0 && refused ? 0 : 1;
  }
  return 2;
}

}  // namespace media
