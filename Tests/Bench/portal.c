// Times opening and reading files through xdg-document-portal, each for the first time, on the session bus. Output as
// client's: median and 99th percentile, and the bytes of one file.
//   portal FILE...
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>
#include <unistd.h>

enum { MAX_SAMPLES = 1 << 10, CAPACITY = 8 << 20 };
static long times[MAX_SAMPLES];
static char paths[MAX_SAMPLES][512], bytes[CAPACITY];

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

static int call(sd_bus *bus, const char *method, sd_bus_message **reply, const char *types, ...) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  va_list arguments;
  va_start(arguments, types);
  int result = sd_bus_call_methodv(
      bus, "org.freedesktop.portal.Documents", "/org/freedesktop/portal/documents", "org.freedesktop.portal.Documents", method,
      &error, reply, types, arguments);
  va_end(arguments);
  if (result < 0) fprintf(stderr, "portal: %s: %s\n", method, error.message ? error.message : strerror(-result));
  sd_bus_error_free(&error);
  return result;
}

// The folder that the portal's file system is mounted on.
static int find_mount(sd_bus *bus, char *mount, size_t size) {
  sd_bus_message *reply = NULL;
  if (call(bus, "GetMountPoint", &reply, "") < 0) return -1;
  const void *array;
  size_t length;
  if (sd_bus_message_read_array(reply, 'y', &array, &length) < 0 || length > size) return -1;
  memcpy(mount, array, length);
  sd_bus_message_unref(reply);
  return 0;
}

int main(int count, char **files) {
  sd_bus *bus = NULL;
  char mount[256];
  if (count < 2 || count - 1 > MAX_SAMPLES || sd_bus_open_user(&bus) < 0) return fprintf(stderr, "portal: no session bus\n"), 1;
  if (find_mount(bus, mount, sizeof mount) < 0) return fprintf(stderr, "portal: no mount point\n"), 1;
  for (int i = 1; i < count; i++) {
    int file = open(files[i], O_PATH | O_CLOEXEC);
    sd_bus_message *reply = NULL;
    const char *document = NULL;
    if (file < 0 || call(bus, "Add", &reply, "hbb", file, 0, 0) < 0 || sd_bus_message_read(reply, "s", &document) < 0) return 1;
    snprintf(paths[i - 1], sizeof paths[0], "%s/%s/%s", mount, document, strrchr(files[i], '/') + 1);
    sd_bus_message_unref(reply);
    close(file);
  }
  long total = 0;
  for (int i = 0; i < count - 1; i++) {
    long start = now();
    int file = open(paths[i], O_RDONLY | O_CLOEXEC);
    if (file < 0) return perror(paths[i]), 1;
    ssize_t got;
    for (total = 0; (got = read(file, bytes + total, CAPACITY - (size_t)total)) > 0; total += got) {}
    close(file);
    times[i] = now() - start;
  }
  int samples = count - 1;
  qsort(times, (size_t)samples, sizeof *times, by_size);
  printf("peer %ld %ld\nbytes %ld\n", times[samples / 2], times[samples * 99 / 100], total);
  return 0;
}
