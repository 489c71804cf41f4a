// Access control lists as the kernel keeps them. getxattr is not in Swift's Glibc module.
#ifndef CLINUX_ACCESS_LIST_H
#define CLINUX_ACCESS_LIST_H
#include <stddef.h>
#include <stdint.h>

// The access control list of the file at `path`, in the form of linux/posix_acl_xattr.h, into `buffer`.
// Its length in bytes, or -errno: -ENODATA where it has none beside its mode.
int64_t clinux_access_list(const char *path, void *buffer, size_t capacity);

// Whether what is made in the folder at `path` gets an access control list from it.
int32_t clinux_has_default_access_list(const char *path);
#endif
