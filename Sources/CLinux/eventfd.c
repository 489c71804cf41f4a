#include "eventfd.h"
#include <errno.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int clinux_eventfd(void) {
  int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int clinux_eventfd_signal(int fd) {
  uint64_t one = 1;
  for (;;) {
    if (write(fd, &one, sizeof one) >= 0 || errno == EAGAIN) return 0;
    if (errno != EINTR) return -errno;
  }
}

int clinux_eventfd_clear(int fd) {
  uint64_t count;
  for (;;) {
    if (read(fd, &count, sizeof count) >= 0 || errno == EAGAIN) return 0;
    if (errno != EINTR) return -errno;
  }
}
