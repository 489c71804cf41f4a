#ifndef CLINUX_REMOVE_TREE_H
#define CLINUX_REMOVE_TREE_H
// Removing what a stranger filled.

/// Removes a folder of this user's with all that is in it, however deep, and whatever modes its
/// folders have; follows no link. 0, or a negated error number: -ENOTEMPTY where somebody goes on
/// filling it.
int clinux_remove_tree(const char *path);
#endif
