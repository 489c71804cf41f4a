// Unix sockets. accept4, struct ucred and the newer socket options are behind _GNU_SOURCE or in no header of the
// distribution yet; the CMSG_* walk is macros, which Swift does not import.
#ifndef CLINUX_SOCKETS_H
#define CLINUX_SOCKETS_H
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// How many descriptors one message can carry: the kernel's SCM_MAX_FD.
#define CLINUX_DESCRIPTORS_MAX 253

// A new stream socket, close-on-exec; nonblocking where asked. -errno on failure.
int clinux_socket(int nonblocking);

// Two connected stream sockets, both close-on-exec; nonblocking where asked. 0 or -errno.
int clinux_socketpair(int ends[2], int nonblocking);

// Binds to a path (at most 107 bytes, no NUL inside). 0 or -errno; -ENAMETOOLONG when it does not fit.
int clinux_bind(int fd, const char *path);

// Connects to a path, under the same limits. 0 or -errno.
int clinux_connect(int fd, const char *path);

// The next waiting connection, nonblocking and close-on-exec from birth, or -errno.
int clinux_accept(int listener);

// Who connected, as the kernel recorded it at connect (SO_PEERCRED). 0 or -errno.
int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid);

// A descriptor of the process that connected (SO_PEERPIDFD, kernel 6.5), close-on-exec. -ENOPROTOOPT: the kernel is
// older. -EINVAL or -ESRCH: that process is gone.
int clinux_peer_pidfd(int fd);

// Whether descriptors can be sent to this socket at all (SO_PASSRIGHTS, kernel 6.16). 0 or -errno; -ENOPROTOOPT:
// the kernel is older.
int clinux_set_pass_rights(int fd, int allowed);

// Sends bytes and, with the first of them, descriptors. Never raises SIGPIPE. Bytes taken, or -errno.
ssize_t clinux_send(int fd, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count);

// What came with the bytes of one clinux_receive.
struct clinux_received {
  size_t descriptor_count;  // how many entries of `descriptors` are now the caller's to close
  int truncated;            // nonzero: the kernel dropped descriptors, ours ran out or the room did
};

// Receives bytes and up to CLINUX_DESCRIPTORS_MAX descriptors, close-on-exec from birth. Bytes (0:
// end of stream), or -errno.
ssize_t clinux_receive(int fd, void *bytes, size_t capacity, int *descriptors, struct clinux_received *received);

// Receives bytes only; the kernel closes descriptors that came along. Bytes (0: end of stream), or -errno.
ssize_t clinux_receive_bytes(int fd, void *bytes, size_t capacity);

// Receives bytes only, where no descriptors are beside them. -EPERM: there are, and all of it stays
// in the socket, so that the kernel lets go of them when that is closed.
ssize_t clinux_receive_bytes_alone(int fd, void *bytes, size_t capacity);

// How many bytes wait in a socket to be received, or -errno.
int clinux_unread_bytes(int fd);

// Whether the other end has sent nothing and will send nothing: 1 or 0.
int clinux_is_left(int fd);

// The kernel's send buffer: it doubles what is asked. 0 or -errno.
int clinux_set_send_buffer(int fd, int size_bytes);

// Whether the other end has taken out all that was sent: 1, 0, or -errno.
int clinux_is_all_taken(int fd);

// How long a blocking connect or send may wait, in microseconds (0: for ever). 0 or -errno.
int clinux_set_send_timeout(int fd, int64_t microseconds);

// Whether `fd` is a listening Unix stream socket: 1, 0, or -errno.
int clinux_is_listening_unix_socket(int fd);
#endif
