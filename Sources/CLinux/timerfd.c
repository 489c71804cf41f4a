#include "timerfd.h"
#include <errno.h>
#include <sys/timerfd.h>

int clinux_timerfd(void) {
  int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  return fd < 0 ? -errno : fd;
}

int clinux_timerfd_set(int fd, uint64_t nanoseconds) {
  // Zero would stop the timer.
  if (nanoseconds == 0) nanoseconds = 1;
  if (nanoseconds > INT64_MAX) nanoseconds = INT64_MAX;
  struct itimerspec time = {.it_value = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000}};
  return timerfd_settime(fd, TFD_TIMER_ABSTIME, &time, 0) < 0 ? -errno : 0;
}
