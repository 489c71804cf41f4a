// Times GetPermission of xdg-permission-store on the session bus. Output as client's: median and 99th percentile.
//   permission ROUNDS
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <time.h>

enum { MAX_SAMPLES = 1 << 16 };
static long times[MAX_SAMPLES];

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
      bus, "org.freedesktop.impl.portal.PermissionStore", "/org/freedesktop/impl/portal/PermissionStore",
      "org.freedesktop.impl.portal.PermissionStore", method, &error, reply, types, arguments);
  va_end(arguments);
  if (result < 0) fprintf(stderr, "permission: %s: %s\n", method, error.message ? error.message : strerror(-result));
  sd_bus_error_free(&error);
  return result;
}

int main(int count, char **arguments) {
  sd_bus *bus = NULL;
  if (count != 2 || sd_bus_open_user(&bus) < 0) return fprintf(stderr, "permission: no session bus\n"), 1;
  long rounds = atol(arguments[1]);
  if (rounds > MAX_SAMPLES) rounds = MAX_SAMPLES;
  if (call(bus, "SetPermission", NULL, "sbssas", "photos", 1, "picture", "org.example.journal", 1, "yes") < 0) return 1;
  for (long round = -20; round < rounds; round++) {
    sd_bus_message *reply = NULL;
    long start = now();
    if (call(bus, "GetPermission", &reply, "sss", "photos", "picture", "org.example.journal") < 0) return 1;
    long end = now();
    const char *answer = NULL;
    if (sd_bus_message_enter_container(reply, 'a', "s") < 0 || sd_bus_message_read(reply, "s", &answer) <= 0 || strcmp(answer, "yes"))
      return fprintf(stderr, "permission: the answer is not the one that was set\n"), 1;
    sd_bus_message_unref(reply);
    if (round >= 0) times[round] = end - start;
  }
  qsort(times, (size_t)rounds, sizeof *times, by_size);
  printf("peer %ld %ld\n", times[rounds / 2], times[rounds * 99 / 100]);
  return 0;
}
