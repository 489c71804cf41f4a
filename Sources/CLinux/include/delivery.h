#ifndef CLINUX_DELIVERY_H
#define CLINUX_DELIVERY_H
// Opening, copying and sealing files: system calls and structures that Swift's Glibc module lacks
// or cannot call because they are variadic. Every function answers a non-negative result, or the
// negated error number: errno is never needed, so nothing can overwrite it in between.

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/// openat2 with the given open flags, creation mode and RESOLVE_ flags. O_CLOEXEC is always added.
int clinux_openat2(int directory, const char *path, uint64_t flags, uint64_t mode, uint64_t resolve);

/// RESOLVE_ flags, since macros with casts do not reach Swift.
extern const uint64_t clinux_resolve_beneath;
extern const uint64_t clinux_resolve_no_symlinks;
extern const uint64_t clinux_resolve_no_magiclinks;
extern const uint64_t clinux_resolve_no_xdev;
extern const uint64_t clinux_resolve_cached;

// Open flag: the place alone, without what is in it.
extern const uint64_t clinux_path_only;

/// Facts of an open file. Never follows a symbolic link and, for network and FUSE files, is
/// answered from what the kernel already knows, so that a file server that does not answer cannot
/// hold the caller.
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

/// A memory file that can be sealed and can never be made executable where the kernel knows MFD_NOEXEC_SEAL (6.3).
int clinux_memory_file(const char *label);
/// Forbids any change of content, size, seals and (where known, Linux 6.3) execute permission, for ever.
int clinux_seal(int descriptor);
/// Forbids any change of the size only.
int clinux_seal_size(int descriptor);
/// The F_SEAL_ bits, or -EINVAL for a file that is not a memory file.
int clinux_seals(int descriptor);
/// Whether the seals forbid every change of content and size.
int clinux_is_immutable(int descriptor);
/// A second, independent, read-only description of the same file.
int clinux_reopen_read_only(int descriptor);
/// Takes a lease (F_RDLCK, F_WRLCK) on a file of one's own, or gives it back (F_UNLCK). 0 or
/// -errno; -EAGAIN: others have it open.
int clinux_set_lease(int descriptor, int kind);
/// A second, independent, non-blocking reading description of the pipe that the writing descriptor belongs to.
int clinux_reopen_pipe_reader(int descriptor);

/// Moves the content of a memory file into large pages, which are read three times as fast, piece
/// by piece of 2 MiB; the last piece only if it is at least half full, since it takes a whole page.
/// What the kernel refuses stays as it is: 0, or -ENOMEM where there is no address space.
int clinux_use_large_pages(int descriptor, size_t length);

/// Copies up to `length` bytes from `offset` of one file to the file position of another, inside
/// the kernel where it can. 0 is the end of the source.
ssize_t clinux_copy(int from, int64_t offset, int to, size_t length);
/// A read that does not wait; -EAGAIN where nothing is there, -EOPNOTSUPP where the file cannot promise that.
ssize_t clinux_read_no_wait(int descriptor, void *bytes, size_t length);

/// A close-on-exec pipe whose writing end does not block and which holds at most `capacity` bytes
/// (rounded up to a page).
int clinux_small_pipe(int capacity, int *reader, int *writer);

/// How many bytes may still be put into such a pipe so that it holds `capacity`; 0 or more. Whoever
/// has one of its ends can enlarge it: that is told, and undone where what is in it allows that.
int clinux_pipe_room(int writer, int capacity, int *was_enlarged);
/// How many bytes are in a pipe.
int clinux_pipe_held(int descriptor);

/// F_GETFL.
int clinux_open_flags(int descriptor);
/// An unnamed file in the directory (O_TMPFILE), or -EOPNOTSUPP.
int clinux_unnamed_file(int directory, uint32_t mode);
/// Gives an unnamed file its name; -EEXIST where the name is taken.
int clinux_link_unnamed(int descriptor, int directory, const char *name);
/// Creates a file that must not exist, for writing.
int clinux_create_new(int directory, const char *name, uint32_t mode);
/// Renames inside one directory; -EEXIST where the new name is taken.
int clinux_rename_no_replace(int directory, const char *from, const char *to);
#endif
