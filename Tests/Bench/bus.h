// Shared code of the session bus clients: clock, sorting of samples, and calls that report errors.
#ifndef BENCH_BUS_H
#define BENCH_BUS_H
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

static long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int by_size(const void *a, const void *b) {
  long x = *(const long *)a, y = *(const long *)b;
  return (x > y) - (x < y);
}

// Calls a method of an interface that has the service's name.
static int call(sd_bus *bus, const char *service, const char *path, const char *method, sd_bus_message **reply,
                const char *types, ...) {
  sd_bus_error error = SD_BUS_ERROR_NULL;
  va_list arguments;
  va_start(arguments, types);
  int result = sd_bus_call_methodv(bus, service, path, service, method, &error, reply, types, arguments);
  va_end(arguments);
  if (result < 0) fprintf(stderr, "%s: %s\n", method, error.message ? error.message : strerror(-result));
  sd_bus_error_free(&error);
  return result;
}

// Prints median and 99th percentile.
static void print_peer(long *times, long count) {
  qsort(times, (size_t)count, sizeof *times, by_size);
  printf("peer %ld %ld\n", times[count / 2], times[count * 99 / 100]);
}
#endif
