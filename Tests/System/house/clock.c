// Preloaded into a broker by tests: its wall clock is as many seconds beside the system's as the
// file says that CLOCK_OFFSET names. Clocks that nobody can set stay as they are.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  int failed = (int)syscall(SYS_clock_gettime, clock, time);
  const char *path = getenv("CLOCK_OFFSET");
  if (failed || clock != CLOCK_REALTIME || !path) return failed;
  char text[32] = {0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    if (read(file, text, sizeof text - 1) > 0) time->tv_sec += atoll(text);
    close(file);
  }
  return 0;
}
