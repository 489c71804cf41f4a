#include "epoll.h"
#include <errno.h>

int clinux_epoll_create(void) {
  int fd = epoll_create1(EPOLL_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int clinux_epoll_control(int epoll, int operation, int fd, uint32_t events, uint64_t token) {
  struct epoll_event event = {.events = events, .data.u64 = token};
  return epoll_ctl(epoll, operation, fd, &event) < 0 ? -errno : 0;
}

int clinux_epoll_wait(int epoll, struct epoll_event *events, int capacity, int timeout_ms) {
  int count = epoll_wait(epoll, events, capacity, timeout_ms);
  return count < 0 ? -errno : count;
}
