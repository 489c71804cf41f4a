#ifndef CLINUX_DELIVERY_H
#define CLINUX_DELIVERY_H
// Opening, copying and sealing of files: system calls and structures that Swift's Glibc module
// lacks or cannot call because they are variadic. Every function returns a non-negative result, or
// the negated error number, so that nothing can overwrite errno in between.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// openat2 with the given open flags, creation mode and RESOLVE_ flags; always with O_CLOEXEC.
int clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);

/// RESOLVE_ flags: Swift does not import macros with casts.
extern const uint64_t clinux_resolve_beneath;
extern const uint64_t clinux_resolve_no_symlinks;
extern const uint64_t clinux_resolve_no_magiclinks;
extern const uint64_t clinux_resolve_no_xdev;
extern const uint64_t clinux_resolve_cached;

// The open flag O_PATH.
extern const uint64_t clinux_path_only;

/// Facts of an open file. Follows no symbolic link. For network and FUSE files it uses only the
/// kernel's cached facts, so that a hung file server cannot block the caller.
struct clinux_file_facts {
  uint64_t inode;
  uint64_t size;
  uint64_t mount;
  int64_t modified_seconds;
  int64_t birth_seconds;
  uint32_t modified_nanoseconds;
  uint32_t birth_nanoseconds;
  uint32_t device_major;
  uint32_t device_minor;
  uint32_t uid;
  uint32_t gid;
  uint32_t links;
  uint32_t mode;
  int has_birth;
  int has_mount;
};
int clinux_file_facts_of(int descriptor, struct clinux_file_facts *facts);

/// A memory file that can be sealed. From Linux 6.3 on (MFD_NOEXEC_SEAL) it can never become
/// executable.
int clinux_memory_file(const char *label);
/// Forbids all changes of content, size and seals, and from Linux 6.3 on of execute permission, for
/// good.
int clinux_seal(int descriptor);
/// Forbids changes of the size only.
int clinux_seal_size(int descriptor);
/// The F_SEAL_ bits, or -EINVAL for a file that is not a memory file.
int clinux_seals(int descriptor);
/// Whether the seals forbid all changes of content and size.
int clinux_is_immutable(int descriptor);
/// A second, independent, read-only open file description of the same file.
int clinux_reopen_read_only(int descriptor);
/// Takes a lease (F_RDLCK, F_WRLCK) on a file of the caller's user, or releases it (F_UNLCK). 0 or
/// -errno; -EAGAIN if others have it open.
int clinux_set_lease(int descriptor, int kind);
/// A second, independent, non-blocking read end of the pipe with this write end.
int clinux_reopen_pipe_reader(int descriptor);

/// Moves a memory file into large pages of 2 MiB each, which are read three times as fast. The last
/// piece moves only if it is at least half full, because it takes a whole page. Pieces that the
/// kernel refuses stay as they are. 0, or -ENOMEM without address space.
int clinux_use_large_pages(int descriptor, size_t length);

/// Copies up to `length` bytes from `offset` of one file to the file position of another, inside
/// the kernel if possible. 0 is the end of the source.
ssize_t clinux_copy(int from, int64_t offset, int to, size_t length);
/// A read that does not wait: -EAGAIN if no bytes are available at once, -EOPNOTSUPP for files that
/// cannot promise that.
ssize_t clinux_read_no_wait(int descriptor, void *bytes, size_t length);

/// A close-on-exec pipe with a non-blocking write end and a capacity of at most `capacity` bytes,
/// rounded up to a page.
int clinux_small_pipe(int capacity, int *reader, int *writer);

/// The number of bytes that fit into such a pipe until it holds `capacity`. A process with one of
/// its ends can enlarge it; this is reported, and undone if its content still fits.
int clinux_pipe_room(int writer, int capacity, int *was_enlarged);
/// The number of bytes in a pipe.
int clinux_pipe_held(int descriptor);

/// F_GETFL.
int clinux_open_flags(int descriptor);
#endif
