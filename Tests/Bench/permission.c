// Times GetPermission of xdg-permission-store on the session bus. Output: median and 99th
// percentile, as of client.
//   permission ROUNDS
#include "bus.h"

#define SERVICE "org.freedesktop.impl.portal.PermissionStore", "/org/freedesktop/impl/portal/PermissionStore"

enum { MAX_SAMPLES = 1 << 16 };
static long times[MAX_SAMPLES];

int main(int count, char **arguments) {
  sd_bus *bus = NULL;
  if (count != 2 || sd_bus_open_user(&bus) < 0) return fprintf(stderr, "permission: no session bus\n"), 1;
  long rounds = atol(arguments[1]);
  if (rounds > MAX_SAMPLES) rounds = MAX_SAMPLES;
  if (call(bus, SERVICE, "SetPermission", NULL, "sbssas", "photos", 1, "picture", "org.example.journal", 1, "yes") < 0)
    return 1;
  for (long round = -20; round < rounds; round++) {
    sd_bus_message *reply = NULL;
    long start = now();
    if (call(bus, SERVICE, "GetPermission", &reply, "sss", "photos", "picture", "org.example.journal") < 0) return 1;
    long end = now();
    const char *answer = NULL;
    if (sd_bus_message_enter_container(reply, 'a', "s") < 0 || sd_bus_message_read(reply, "s", &answer) <= 0 ||
        strcmp(answer, "yes"))
      return fprintf(stderr, "permission: the answer is not the one that was set\n"), 1;
    sd_bus_message_unref(reply);
    if (round >= 0) times[round] = end - start;
  }
  print_peer(times, rounds);
  return 0;
}
