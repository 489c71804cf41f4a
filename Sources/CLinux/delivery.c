#define _GNU_SOURCE
#include "delivery.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

// Newer than the headers of the oldest supported system.
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif
#ifndef F_SEAL_EXEC
#define F_SEAL_EXEC 0x0020
#endif
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

const uint64_t clinux_resolve_beneath = RESOLVE_BENEATH;
const uint64_t clinux_resolve_no_symlinks = RESOLVE_NO_SYMLINKS;
const uint64_t clinux_resolve_no_magiclinks = RESOLVE_NO_MAGICLINKS;
const uint64_t clinux_resolve_no_xdev = RESOLVE_NO_XDEV;
const uint64_t clinux_resolve_cached = RESOLVE_CACHED;

const uint64_t clinux_path_only = O_PATH;

static const int immutable = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE;

static int answer(long result) { return result < 0 ? -errno : (int)result; }

int clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve) {
  struct open_how how = {.flags = flags | O_CLOEXEC, .mode = mode, .resolve = resolve};
  long result;
  do
    result = syscall(SYS_openat2, directory, path, &how, sizeof how);
  while (result < 0 && errno == EINTR);
  return answer(result);
}

int clinux_file_facts_of(int descriptor, struct clinux_file_facts *facts) {
  struct statx s;
  unsigned wanted = STATX_BASIC_STATS | STATX_BTIME;
#ifdef STATX_MNT_ID
  wanted |= STATX_MNT_ID;
#endif
  if (statx(descriptor, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_SYMLINK_NOFOLLOW, wanted, &s) < 0) return -errno;
  *facts = (struct clinux_file_facts){
      .inode = s.stx_ino,
      .size = s.stx_size,
      .modified_seconds = s.stx_mtime.tv_sec,
      .modified_nanoseconds = s.stx_mtime.tv_nsec,
      .device_major = s.stx_dev_major,
      .device_minor = s.stx_dev_minor,
      .uid = s.stx_uid,
      .gid = s.stx_gid,
      .links = s.stx_nlink,
      .mode = s.stx_mode,
  };
  if (s.stx_mask & STATX_BTIME) {
    facts->has_birth = 1;
    facts->birth_seconds = s.stx_btime.tv_sec;
    facts->birth_nanoseconds = s.stx_btime.tv_nsec;
  }
#ifdef STATX_MNT_ID
  if (s.stx_mask & STATX_MNT_ID) {
    facts->has_mount = 1;
    facts->mount = s.stx_mnt_id;
  }
#endif
  return 0;
}

int clinux_memory_file(const char *label) {
  int descriptor = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
  if (descriptor < 0 && errno == EINVAL) descriptor = memfd_create(label, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  return answer(descriptor);
}

int clinux_seal(int descriptor) {
  // With 0666, the mode at creation, another user could reopen the file for writing. The seals
  // would stop the writes, and 0444 stops the opening too. F_SEAL_EXEC freezes the execute bits, so
  // these are removed first.
  if (fchmod(descriptor, 0444) < 0) return -errno;
  if (fcntl(descriptor, F_ADD_SEALS, F_SEAL_EXEC | (immutable & ~F_SEAL_SEAL)) < 0 && errno != EINVAL) return -errno;
  return answer(fcntl(descriptor, F_ADD_SEALS, immutable));
}

int clinux_seal_size(int descriptor) {
  if (fchmod(descriptor, 0444) < 0) return -errno;
  return answer(fcntl(descriptor, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW));
}

int clinux_seals(int descriptor) { return answer(fcntl(descriptor, F_GET_SEALS)); }

int clinux_is_immutable(int descriptor) {
  int seals = fcntl(descriptor, F_GET_SEALS);
  return seals >= 0 && (seals & immutable) == immutable;
}

static int reopen(int descriptor, int flags) {
  char path[32];
  snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
  return answer(open(path, flags | O_CLOEXEC));
}

int clinux_set_lease(int descriptor, int kind) { return fcntl(descriptor, F_SETLEASE, kind) < 0 ? -errno : 0; }
int clinux_reopen_read_only(int descriptor) { return reopen(descriptor, O_RDONLY); }
int clinux_reopen_pipe_reader(int descriptor) { return reopen(descriptor, O_RDONLY | O_NONBLOCK); }

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

int clinux_use_large_pages(int descriptor, size_t length) {
  const size_t piece = (size_t)2 << 20;
  size_t whole = (length + piece / 2) / piece * piece;
  if (whole == 0) return 0;
  // One piece more, so that an aligned start fits.
  char *space = mmap(NULL, whole + piece, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return -errno;
  char *start = (char *)(((uintptr_t)space + piece - 1) & ~(uintptr_t)(piece - 1));
  // One call per piece, so that a refusal concerns that piece only. Linux before 6.1 refuses all.
  if (mmap(start, whole, PROT_READ, MAP_SHARED | MAP_FIXED, descriptor, 0) != MAP_FAILED)
    for (size_t offset = 0; offset < whole; offset += piece) madvise(start + offset, piece, MADV_COLLAPSE);
  munmap(space, whole + piece);
  return 0;
}

ssize_t clinux_copy(int from, int64_t offset, int to, size_t length) {
  off_t position = offset;
  ssize_t copied;
  do
    copied = sendfile(to, from, &position, length);
  while (copied < 0 && errno == EINTR);
  if (copied >= 0 || (errno != EINVAL && errno != ENOSYS)) return copied < 0 ? -errno : copied;
  // For file systems that cannot splice.
  static _Thread_local char piece[65536];
  do
    copied = pread(from, piece, length < sizeof piece ? length : sizeof piece, offset);
  while (copied < 0 && errno == EINTR);
  if (copied <= 0) return copied < 0 ? -errno : 0;
  for (ssize_t done = 0; done < copied;) {
    ssize_t written = write(to, piece + done, (size_t)(copied - done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return -errno;
    done += written;
  }
  return copied;
}

ssize_t clinux_read_no_wait(int descriptor, void *bytes, size_t length) {
  struct iovec piece = {bytes, length};
  ssize_t count = preadv2(descriptor, &piece, 1, -1, RWF_NOWAIT);
  return count < 0 ? -errno : count;
}

int clinux_small_pipe(int capacity, int *reader, int *writer) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) return -errno;
  if (fcntl(ends[1], F_SETPIPE_SZ, capacity) < 0 || fcntl(ends[1], F_SETFL, O_NONBLOCK) < 0) {
    int error = errno;
    close(ends[0]);
    close(ends[1]);
    return -error;
  }
  *reader = ends[0];
  *writer = ends[1];
  return 0;
}

int clinux_pipe_room(int writer, int capacity, int *was_enlarged) {
  int size = fcntl(writer, F_GETPIPE_SZ);
  if (size < 0) return -errno;
  int page = (int)sysconf(_SC_PAGESIZE);
  int due = (capacity + page - 1) / page * page;
  *was_enlarged = size > due;
  // Fails while the pipe holds more than fits; the computed room is right anyway.
  if (size > due) (void)fcntl(writer, F_SETPIPE_SZ, due);
  int held = 0;
  if (ioctl(writer, FIONREAD, &held) < 0) return -errno;
  return held < capacity ? capacity - held : 0;
}

int clinux_pipe_held(int descriptor) {
  int held = 0;
  return ioctl(descriptor, FIONREAD, &held) < 0 ? -errno : held;
}

int clinux_open_flags(int descriptor) { return answer(fcntl(descriptor, F_GETFL)); }
