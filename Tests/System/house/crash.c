// Preloaded into a broker by tests: it is killed at the so-manieth write or sync of its database,
// in the middle of a write. The file that CRASH_AT names says which, as "ROUND COUNT"; a new round
// counts anew, a count of 0 crashes nothing, and a negative one counts syncs alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long round_now = -1, left;

static int is_database(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = 0;
  return strstr(path, "state.db") != NULL && strstr(path, "-shm") == NULL;
}

/// Whether this is the one.
static int is_due(int file, int is_sync) {
  const char *order = getenv("CRASH_AT");
  if (!order || !is_database(file)) return 0;
  char text[64] = {0};
  long round = 0, count = 0;
  int source = open(order, O_RDONLY | O_CLOEXEC);
  if (source < 0) return 0;
  if (read(source, text, sizeof text - 1) > 0) sscanf(text, "%ld %ld", &round, &count);
  close(source);
  pthread_mutex_lock(&lock);
  if (round != round_now) { round_now = round; left = count; }
  int due = left > 0 ? --left == 0 : left < 0 && is_sync && ++left == 0;
  pthread_mutex_unlock(&lock);
  return due;
}

static ssize_t write_at(int file, const void *bytes, size_t count, off64_t offset) {
  int due = is_due(file, 0);
  ssize_t written = syscall(SYS_pwrite64, file, bytes, due ? count / 2 : count, offset);
  if (due) kill(getpid(), SIGKILL);
  return written;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
  return write_at(file, bytes, count, offset);
}
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) { return write_at(file, bytes, count, offset); }

int fdatasync(int file) {
  if (is_due(file, 1)) kill(getpid(), SIGKILL);
  return (int)syscall(SYS_fdatasync, file);
}

int fsync(int file) {
  if (is_due(file, 1)) kill(getpid(), SIGKILL);
  return (int)syscall(SYS_fsync, file);
}
