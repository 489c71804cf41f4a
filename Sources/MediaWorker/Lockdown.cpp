#include "Lockdown.hpp"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace media {

namespace {

bool limit(int resource, rlim_t value) {
  struct rlimit both = {value, value};
  return setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

/// The ruleset of Landlock's seventh ABI version; Debian 12's header has only the first.
struct Ruleset {
  uint64_t fileSystem, network, scope;
};

[[noreturn]] void fail(const char* step) {
  std::fprintf(stderr, "media worker: cannot lock down: %s failed; no file was read\n", step);
  _exit(70);
}

}  // namespace

bool limitResources() {
  constexpr rlim_t mebibyte = 1 << 20;
  return limit(RLIMIT_CORE, 0) && limit(RLIMIT_DATA, 1024 * mebibyte) && limit(RLIMIT_STACK, 8 * mebibyte) &&
         limit(RLIMIT_FSIZE, 32 * mebibyte) && limit(RLIMIT_NOFILE, 16) && limit(RLIMIT_MEMLOCK, 0) &&
         limit(RLIMIT_MSGQUEUE, 0) && limit(RLIMIT_CPU, cpuSecondsLimit) && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 &&
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

bool denyFileSystem() {
  long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 0) return errno == ENOSYS || errno == EOPNOTSUPP;
  // File system rights by ABI version: 13, then REFER, TRUNCATE, and IOCTL_DEV with version 5.
  int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
  Ruleset rules = {(1ull << rights) - 1, version >= 4 ? 3ull : 0, version >= 6 ? 3ull : 0};
  size_t size = version >= 6 ? 24 : version >= 4 ? 16 : 8;
  long descriptor = syscall(SYS_landlock_create_ruleset, &rules, size, 0);
  if (descriptor < 0) return false;
  bool done = syscall(SYS_landlock_restrict_self, descriptor, 0) == 0;
  close(static_cast<int>(descriptor));
  return done;
}

void lockDown() {
  if (!limitResources()) fail("setting resource limits");
  if (!denyFileSystem()) fail("Landlock");
  if (!filterSystemCalls()) fail("the system call filter");
}

}  // namespace media
