// Access control lists in the kernel's form. getxattr is not in Swift's Glibc module.
#ifndef CLINUX_ACCESS_LIST_H
#define CLINUX_ACCESS_LIST_H
#include <stddef.h>
#include <stdint.h>

// Reads the access control list of the file at `path` into `buffer`, in the form of
// linux/posix_acl_xattr.h. Returns its length in bytes, or -errno; -ENODATA if the file has only
// its mode.
int64_t clinux_access_list(const char *path, void *buffer, size_t capacity);

// Whether new files in the folder at `path` inherit an access control list.
int32_t clinux_has_default_access_list(const char *path);
#endif
