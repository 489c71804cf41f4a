#define _GNU_SOURCE
#include "sockets.h"
#include <errno.h>
#include <linux/sockios.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

// Newer than the distribution's headers; the numbers are the same on x86-64 and arm64.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif
#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

int clinux_socket(int nonblocking) {
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0), 0);
  return fd < 0 ? -errno : fd;
}

int clinux_socketpair(int ends[2], int nonblocking) {
  int type = SOCK_STREAM | SOCK_CLOEXEC | (nonblocking ? SOCK_NONBLOCK : 0);
  return socketpair(AF_UNIX, type, 0, ends) < 0 ? -errno : 0;
}

static int fill_address(struct sockaddr_un *address, const char *path) {
  size_t length = strlen(path);
  memset(address, 0, sizeof *address);
  address->sun_family = AF_UNIX;
  if (length == 0) return -EINVAL;
  if (length >= sizeof address->sun_path) return -ENAMETOOLONG;
  memcpy(address->sun_path, path, length);
  return 0;
}

int clinux_bind(int fd, const char *path) {
  struct sockaddr_un address;
  int failed = fill_address(&address, path);
  if (failed) return failed;
  return bind(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int clinux_connect(int fd, const char *path) {
  struct sockaddr_un address;
  int failed = fill_address(&address, path);
  if (failed) return failed;
  return connect(fd, (struct sockaddr *)&address, sizeof address) < 0 ? -errno : 0;
}

int clinux_accept(int listener) {
  int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int clinux_peer_credentials(int fd, pid_t *pid, uid_t *uid, gid_t *gid) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &credentials, &size) < 0) return -errno;
  *pid = credentials.pid;
  *uid = credentials.uid;
  *gid = credentials.gid;
  return 0;
}

int clinux_peer_pidfd(int fd) {
  int pidfd = -1;
  socklen_t size = sizeof pidfd;
  if (getsockopt(fd, SOL_SOCKET, SO_PEERPIDFD, &pidfd, &size) < 0) return -errno;
  return pidfd;
}

int clinux_set_pass_rights(int fd, int allowed) {
  return setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &allowed, sizeof allowed) < 0 ? -errno : 0;
}

ssize_t clinux_send(int fd, const void *bytes, size_t count, const int *descriptors, size_t descriptor_count) {
  if (descriptor_count == 0) {
    ssize_t taken = send(fd, bytes, count, MSG_NOSIGNAL);
    return taken < 0 ? -errno : taken;
  }
  if (descriptor_count > CLINUX_DESCRIPTORS_MAX) return -EINVAL;
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * CLINUX_DESCRIPTORS_MAX)];
  } control;
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
                           .msg_controllen = CMSG_SPACE(sizeof(int) * descriptor_count)};
  struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * descriptor_count);
  memcpy(CMSG_DATA(header), descriptors, sizeof(int) * descriptor_count);
  ssize_t taken = sendmsg(fd, &message, MSG_NOSIGNAL);
  return taken < 0 ? -errno : taken;
}

ssize_t clinux_receive(int fd, void *bytes, size_t capacity, int *descriptors, struct clinux_received *received) {
  // Spare room: other control messages (a timestamp, credentials) must not displace descriptors.
  union {
    struct cmsghdr header;
    char room[CMSG_SPACE(sizeof(int) * CLINUX_DESCRIPTORS_MAX) + 256];
  } control;
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1, .msg_control = control.room,
                           .msg_controllen = sizeof control.room};
  received->descriptor_count = 0;
  received->truncated = 0;
  ssize_t count = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) return -errno;
  received->truncated = (message.msg_flags & MSG_CTRUNC) != 0;
  for (struct cmsghdr *header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    size_t here = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    const unsigned char *data = CMSG_DATA(header);
    for (size_t i = 0; i < here; i++) {
      int descriptor;
      memcpy(&descriptor, data + i * sizeof(int), sizeof descriptor);
      if (received->descriptor_count < CLINUX_DESCRIPTORS_MAX) {
        descriptors[received->descriptor_count++] = descriptor;
      } else {
        close(descriptor);
        received->truncated = 1;
      }
    }
  }
  return count;
}

ssize_t clinux_receive_bytes(int fd, void *bytes, size_t capacity) {
  ssize_t count = recv(fd, bytes, capacity, 0);
  return count < 0 ? -errno : count;
}

ssize_t clinux_receive_bytes_alone(int fd, void *bytes, size_t capacity) {
  // Peeks without room for descriptors, which neither consumes them nor installs them in this
  // process. It ends where the next read does.
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
  ssize_t count = recvmsg(fd, &message, MSG_PEEK);
  if (count < 0) return -errno;
  if (message.msg_flags & MSG_CTRUNC) return -EPERM;
  return count == 0 ? 0 : clinux_receive_bytes(fd, bytes, (size_t)count);
}

int clinux_unread_bytes(int fd) {
  int unread = 0;
  return ioctl(fd, SIOCINQ, &unread) < 0 ? -errno : unread;
}

int clinux_is_left(int fd) {
  struct pollfd ended = {.fd = fd, .events = POLLRDHUP};
  // In this order: after the end no more bytes arrive.
  return poll(&ended, 1, 0) > 0 && clinux_unread_bytes(fd) == 0;
}

int clinux_is_all_taken(int fd) {
  int left = 0;
  return ioctl(fd, SIOCOUTQ, &left) < 0 ? -errno : left == 0;
}

int clinux_set_send_buffer(int fd, int size_bytes) {
  return setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &size_bytes, sizeof size_bytes) < 0 ? -errno : 0;
}

int clinux_set_send_timeout(int fd, int64_t microseconds) {
  struct timeval limit = {.tv_sec = microseconds / 1000000, .tv_usec = microseconds % 1000000};
  return setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) < 0 ? -errno : 0;
}

int clinux_is_listening_unix_socket(int fd) {
  int domain = 0, type = 0, listening = 0;
  socklen_t size = sizeof domain;
  if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) < 0) return -errno;
  size = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) < 0) return -errno;
  size = sizeof listening;
  if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listening, &size) < 0) return -errno;
  return domain == AF_UNIX && type == SOCK_STREAM && listening;
}
