#ifndef CLINUX_REMOVE_TREE_H
#define CLINUX_REMOVE_TREE_H
// Removal of folders filled by untrusted processes.

/// Removes a folder of this user with its content, of any depth and with any modes; follows no
/// link. 0, or a negated error number: -ENOTEMPTY if another process keeps filling it.
int clinux_remove_tree(const char *path);
#endif
