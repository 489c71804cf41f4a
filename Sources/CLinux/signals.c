#define _GNU_SOURCE
#include "signals.h"
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static int fill_set(sigset_t *set, const int *signals, size_t count) {
  sigemptyset(set);
  for (size_t i = 0; i < count; i++)
    if (sigaddset(set, signals[i]) < 0) return -errno;
  return 0;
}

int clinux_block_signals(const int *signals, size_t count) {
  sigset_t set;
  int failed = fill_set(&set, signals, count);
  return failed ? failed : -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

int clinux_signalfd(const int *signals, size_t count) {
  sigset_t set;
  int failed = fill_set(&set, signals, count);
  if (failed) return failed;
  int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  return fd < 0 ? -errno : fd;
}

int clinux_signalfd_next(int fd) {
  struct signalfd_siginfo info;
  for (;;) {
    ssize_t count = read(fd, &info, sizeof info);
    if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
    if (count >= 0) return -EIO;
    if (errno == EAGAIN) return 0;
    if (errno != EINTR) return -errno;
  }
}
