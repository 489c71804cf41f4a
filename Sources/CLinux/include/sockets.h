// Unix sockets. accept4, struct ucred and the newer socket options are behind _GNU_SOURCE or in no
// header of the distribution yet. Swift does not import the CMSG_* macros.
#ifndef CLINUX_SOCKETS_H
#define CLINUX_SOCKETS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The greatest number of descriptors in one message: the kernel's SCM_MAX_FD.
#define CLINUX_DESCRIPTORS_MAX 253

// A new stream socket, close-on-exec, optionally nonblocking, or -errno.
int clinux_socket(int nonblocking);

// Two connected stream sockets, close-on-exec, optionally nonblocking. 0 or -errno.
int clinux_socketpair(int ends[2], int nonblocking);

// Binds to a path of at most 107 bytes, without NUL. 0 or -errno; -ENAMETOOLONG if it is too long.
int clinux_bind(int fd, const char *path);

// Connects to a path, under the same limits. 0 or -errno.
int clinux_connect(int fd, const char *path);

// Accepts the next connection, nonblocking and close-on-exec. A descriptor or -errno.
int clinux_accept(int listener);

// The peer's credentials, as the kernel recorded them at connect (SO_PEERCRED). 0 or -errno.
int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

// A descriptor of the process that connected (SO_PEERPIDFD, kernel 6.5), close-on-exec.
// -ENOPROTOOPT on older kernels; -EINVAL or -ESRCH if that process has ended.
int clinux_peer_pidfd(int fd);

// Sets whether this socket accepts descriptors (SO_PASSRIGHTS, kernel 6.16). 0 or -errno;
// -ENOPROTOOPT on older kernels.
int clinux_set_pass_rights(int fd, int allowed);

// Sends bytes, and descriptors with the first of them. Never raises SIGPIPE. Returns the number of
// bytes sent, or -errno.
ssize_t clinux_send(int fd, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

// The descriptors received by one clinux_receive.
struct clinux_received {
  size_t descriptor_count;  // number of entries of `descriptors`, which the caller must close
  int truncated;  // nonzero: the kernel dropped descriptors, for lack of numbers or room
};

// Receives bytes and up to CLINUX_DESCRIPTORS_MAX descriptors, close-on-exec from birth. Returns
// the number of bytes (0: end of stream), or -errno.
ssize_t clinux_receive(int fd, void *bytes, size_t capacity, int *descriptors, struct clinux_received *received);

// Receives bytes only; the kernel closes descriptors sent with them. Returns the number of bytes
// (0: end of stream), or -errno.
ssize_t clinux_receive_bytes(int fd, void *bytes, size_t capacity);

// Receives bytes that come without descriptors. -EPERM if there are descriptors; everything then
// stays in the socket, and the kernel closes the descriptors with it.
ssize_t clinux_receive_bytes_alone(int fd, void *bytes, size_t capacity);

// The number of bytes waiting in a socket, or -errno.
int clinux_unread_bytes(int fd);

// Whether the peer has disconnected and no bytes wait: 1 or 0.
int clinux_is_left(int fd);

// Sets the send buffer's size; the kernel doubles the value. 0 or -errno.
int clinux_set_send_buffer(int fd, int size_bytes);

// Whether the peer has read all sent bytes: 1, 0, or -errno.
int clinux_is_all_taken(int fd);

// Sets the timeout of a blocking connect or send in microseconds (0: none). 0 or -errno.
int clinux_set_send_timeout(int fd, int64_t microseconds);

// Whether `fd` is a listening Unix stream socket: 1, 0, or -errno.
int clinux_is_listening_unix_socket(int fd);
#endif
