// Descriptors. fcntl and open are variadic.
#ifndef CLINUX_DESCRIPTORS_H
#define CLINUX_DESCRIPTORS_H
#include <stddef.h>

// A duplicate, close-on-exec from birth, numbered `lowest` or above, or -errno.
int clinux_duplicate(int fd, int lowest);

// Sets or clears O_NONBLOCK of the open file description. 0 or -errno.
int clinux_set_nonblocking(int fd, int nonblocking);

// Sets or clears close-on-exec. 0 or -errno.
int clinux_set_close_on_exec(int fd, int close_on_exec);

// Opens a file, always with O_CLOEXEC. A descriptor or -errno.
int clinux_open(const char *path, int flags, unsigned int mode);

// Reads a small file of /proc, up to `capacity` bytes. Returns the number of bytes, or -errno.
long clinux_read_small_file(const char *path, char *bytes, size_t capacity);
#endif
