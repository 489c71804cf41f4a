// Times the first opening and reading of files through xdg-document-portal, on the session bus.
// Output: median and 99th percentile, as of client, and the bytes of one file.
//   portal FILE...
#define _GNU_SOURCE
#include <fcntl.h>
#include <unistd.h>
#include "bus.h"

#define SERVICE "org.freedesktop.portal.Documents", "/org/freedesktop/portal/documents"

enum { MAX_SAMPLES = 1 << 10, CAPACITY = 8 << 20 };
static long times[MAX_SAMPLES];
static char paths[MAX_SAMPLES][512], bytes[CAPACITY];

// The mount point of the portal's file system.
static int find_mount(sd_bus *bus, char *mount, size_t size) {
  sd_bus_message *reply = NULL;
  if (call(bus, SERVICE, "GetMountPoint", &reply, "") < 0) return -1;
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
  if (count < 2 || count - 1 > MAX_SAMPLES || sd_bus_open_user(&bus) < 0)
    return fprintf(stderr, "portal: no session bus\n"), 1;
  if (find_mount(bus, mount, sizeof mount) < 0) return fprintf(stderr, "portal: no mount point\n"), 1;
  for (int i = 1; i < count; i++) {
    int file = open(files[i], O_PATH | O_CLOEXEC);
    sd_bus_message *reply = NULL;
    const char *document = NULL;
    if (file < 0 || call(bus, SERVICE, "Add", &reply, "hbb", file, 0, 0) < 0 ||
        sd_bus_message_read(reply, "s", &document) < 0)
      return 1;
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
  print_peer(times, count - 1);
  printf("bytes %ld\n", total);
  return 0;
}
