// The floor: a minimal server over a Unix socket with one epoll loop. A frame ends with NUL. A
// frame that begins with a number is answered with that many bytes, any other with itself.
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { CAPACITY = 4 << 20 };
static char received[CAPACITY], page[CAPACITY];

static void send_all(int peer, const char *bytes, size_t count) {
  while (count > 0) {
    ssize_t sent = send(peer, bytes, count, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      return;
    }
    bytes += sent;
    count -= (size_t)sent;
  }
}

int main(int count, char **arguments) {
  if (count != 2) return fprintf(stderr, "usage: floor SOCKET\n"), 64;
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(arguments[1]) >= sizeof address.sun_path) return fprintf(stderr, "floor: the path is too long\n"), 64;
  strcpy(address.sun_path, arguments[1]);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || chmod(arguments[1], 0666) || listen(listener, 16))
    return perror("floor"), 1;
  memset(page, 'x', sizeof page);
  int loop = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = listener};
  epoll_ctl(loop, EPOLL_CTL_ADD, listener, &event);
  for (;;) {
    if (epoll_wait(loop, &event, 1, -1) < 1) continue;
    if (event.data.fd == listener) {
      struct epoll_event peer = {.events = EPOLLIN, .data.fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC)};
      if (peer.data.fd >= 0) epoll_ctl(loop, EPOLL_CTL_ADD, peer.data.fd, &peer);
      continue;
    }
    ssize_t length = recv(event.data.fd, received, sizeof received - 1, 0);
    if (length <= 0) {
      close(event.data.fd);
      continue;
    }
    received[length] = 0;
    size_t wanted = strtoul(received, NULL, 10);
    if (wanted > 0 && wanted <= sizeof page) {
      page[wanted - 1] = 0;
      send_all(event.data.fd, page, wanted);
      page[wanted - 1] = 'x';
    } else {
      send_all(event.data.fd, received, (size_t)length);
    }
  }
}
