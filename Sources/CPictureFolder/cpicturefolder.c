#define FUSE_USE_VERSION 31
#define _FILE_OFFSET_BITS 64
#define _GNU_SOURCE
#include "cpicturefolder.h"
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <fuse3/fuse_log.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/statvfs.h>
#include <unistd.h>

struct CPictureFolder {
  CPictureSource source;
  struct fuse *fuse;
  char *place;
  /// The other user who may read the folder; -1: none.
  int64_t user;
  pthread_t server;
  atomic_bool isServing;
};

typedef struct {
  /// Or CPICTURE_PIECES.
  int descriptor;
  uint64_t inode;
  uint64_t serial;
} Handle;

static CPictureFolder *folder(void) { return fuse_get_context()->private_data; }

// With another user the kernel lets everybody through, root included.
static bool isStranger(void) {
  uid_t uid = fuse_get_context()->uid;
  return folder()->user >= 0 && uid != getuid() && uid != (uid_t)folder()->user;
}

static void describe(const CPictureFile *file, struct stat *facts) {
  memset(facts, 0, sizeof *facts);
  facts->st_ino = file->inode;
  facts->st_mode = S_IFREG | 0444;
  facts->st_nlink = 1;
  facts->st_uid = getuid();
  facts->st_gid = getgid();
  facts->st_size = file->size;
  facts->st_blocks = (file->size + 511) / 512;
  facts->st_mtim.tv_sec = facts->st_ctim.tv_sec = facts->st_atim.tv_sec = file->modifiedSeconds;
  facts->st_mtim.tv_nsec = facts->st_ctim.tv_nsec = facts->st_atim.tv_nsec = file->modifiedNanoseconds;
}

static void *start(struct fuse_conn_info *connection, struct fuse_config *config) {
  (void)connection;
  config->use_ino = 1;
  config->nullpath_ok = 1;
  // No caching in the kernel: a deselected photo must disappear at the next access.
  config->entry_timeout = config->attr_timeout = config->negative_timeout = 0;
  config->kernel_cache = config->auto_cache = 0;
  return folder();
}

static int getattr(const char *path, struct stat *facts, struct fuse_file_info *info) {
  if (isStranger()) return -EACCES;
  if (path && strcmp(path, "/") == 0) {
    memset(facts, 0, sizeof *facts);
    facts->st_ino = 1;
    facts->st_mode = S_IFDIR | 0555;
    facts->st_nlink = 2;
    facts->st_uid = getuid();
    facts->st_gid = getgid();
    return 0;
  }
  if (info && info->fh) {
    const Handle *handle = (const Handle *)(uintptr_t)info->fh;
    if (!folder()->source.holds(folder()->source.context, handle->serial)) return -ESTALE;
    if (handle->descriptor == CPICTURE_PIECES) {
      CPictureFile file;
      int result = folder()->source.facts(folder()->source.context, handle->serial, &file);
      if (result == 0) describe(&file, facts);
      return result;
    }
    struct stat copy;
    if (fstat(handle->descriptor, &copy) != 0) return -EIO;
    CPictureFile file = {handle->inode, handle->serial, copy.st_size, copy.st_mtim.tv_sec, copy.st_mtim.tv_nsec};
    describe(&file, facts);
    return 0;
  }
  if (!path) return -ESTALE;
  CPictureFile file;
  int result = folder()->source.look(folder()->source.context, path + 1, &file);
  if (result == 0) describe(&file, facts);
  return result;
}

typedef struct {
  void *buffer;
  fuse_fill_dir_t fill;
} Listing;

static int take(void *sink, const char *name, const CPictureFile *file) {
  Listing *listing = sink;
  struct stat facts;
  describe(file, &facts);
  return listing->fill(listing->buffer, name, &facts, 0, 0);
}

static int readFolder(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset, struct fuse_file_info *info,
                      enum fuse_readdir_flags flags) {
  (void)path;
  (void)offset;
  (void)info;
  (void)flags;
  if (isStranger()) return -EACCES;
  Listing listing = {buffer, fill};
  fill(buffer, ".", NULL, 0, 0);
  fill(buffer, "..", NULL, 0, 0);
  folder()->source.list(folder()->source.context, &listing, take);
  return 0;
}

static int openFile(const char *path, struct fuse_file_info *info) {
  if (isStranger()) return -EACCES;
  if ((info->flags & O_ACCMODE) != O_RDONLY) return -EROFS;
  Handle *handle = malloc(sizeof *handle);
  if (!handle) return -ENOMEM;
  CPictureFile file = {0};
  handle->descriptor = folder()->source.open(folder()->source.context, path + 1, &file);
  handle->inode = file.inode;
  handle->serial = file.serial;
  if (handle->descriptor < 0) {
    int failure = handle->descriptor;
    free(handle);
    return failure;
  }
  info->fh = (uintptr_t)handle;
  info->keep_cache = 0;
  return 0;
}

static int readFile(const char *path, char *buffer, size_t size, off_t offset, struct fuse_file_info *info) {
  (void)path;
  const Handle *handle = (const Handle *)(uintptr_t)info->fh;
  if (!folder()->source.holds(folder()->source.context, handle->serial)) return -ESTALE;
  if (handle->descriptor == CPICTURE_PIECES)
    return (int)folder()->source.read(folder()->source.context, handle->serial, buffer, size, offset);
  ssize_t count = pread(handle->descriptor, buffer, size, offset);
  return count < 0 ? -EIO : (int)count;
}

static int releaseFile(const char *path, struct fuse_file_info *info) {
  (void)path;
  Handle *handle = (Handle *)(uintptr_t)info->fh;
  if (handle->descriptor != CPICTURE_PIECES) close(handle->descriptor);
  free(handle);
  return 0;
}

static int statFolder(const char *path, struct statvfs *facts) {
  (void)path;
  // No sizes: the total size of all photos is private.
  memset(facts, 0, sizeof *facts);
  facts->f_bsize = facts->f_frsize = 4096;
  facts->f_namemax = 255;
  facts->f_flag = ST_RDONLY | ST_NOSUID | ST_NODEV | ST_NOEXEC;
  return 0;
}

static const struct fuse_operations operations = {
    .init = start,
    .getattr = getattr,
    .readdir = readFolder,
    .open = openFile,
    .read = readFile,
    .release = releaseFile,
    .statfs = statFolder,
};

static int tell(const char *path, const char *text) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return -errno;
  ssize_t written = write(file, text, strlen(text));
  int result = written == (ssize_t)strlen(text) ? 0 : -errno;
  close(file);
  return result;
}

int cpicture_enter_namespace(void) {
  char users[64], groups[64];
  snprintf(users, sizeof users, "%u %u 1", geteuid(), geteuid());
  snprintf(groups, sizeof groups, "%u %u 1", getegid(), getegid());
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return -errno;
  int result = tell("/proc/self/setgroups", "deny");
  if (result == 0) result = tell("/proc/self/uid_map", users);
  if (result == 0) result = tell("/proc/self/gid_map", groups);
  if (result == 0 && mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL) != 0) result = -errno;
  return result;
}

CPictureFolder *cpicture_mount(const char *place, CPictureSource source, int64_t user) {
  CPictureFolder *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  made->source = source;
  made->place = strdup(place);
  made->user = user;
  char *words[] = {"photobroker-run", "-o", "ro,nosuid,nodev,noexec,fsname=photobroker,subtype=photobroker", "-o",
                   "allow_other", NULL};
  struct fuse_args arguments = FUSE_ARGS_INIT(user < 0 ? 3 : 5, words);
  if (made->place) made->fuse = fuse_new(&arguments, &operations, sizeof operations, made);
  fuse_opt_free_args(&arguments);
  if (made->fuse && fuse_mount(made->fuse, made->place) == 0) return made;
  if (made->fuse) fuse_destroy(made->fuse);
  free(made->place);
  free(made);
  return NULL;
}

static void wake(int number) { (void)number; }

int cpicture_serve(CPictureFolder *served) {
  // The signal interrupts the loop's wait, after which it checks whether to end.
  struct sigaction action = {.sa_handler = wake};
  sigaction(SIGUSR1, &action, NULL);
  served->server = pthread_self();
  atomic_store(&served->isServing, true);
  int result = fuse_loop_mt(served->fuse, 0);
  atomic_store(&served->isServing, false);
  fuse_unmount(served->fuse);
  return result;
}

void cpicture_forget(CPictureFolder *served, const char *name) {
  // The kernel knows no path before the loop runs. After it libfuse would print a line for each.
  if (!atomic_load(&served->isServing)) return;
  size_t length = strlen(name);
  char *path = malloc(length + 2);
  if (!path) return;
  path[0] = '/';
  memcpy(path + 1, name, length + 1);
  // An error means that the kernel does not know the path.
  (void)fuse_invalidate_path(served->fuse, path);
  free(path);
}

static void drop(enum fuse_log_level level, const char *text, va_list values) {
  (void)level, (void)text, (void)values;
}

void cpicture_stop(CPictureFolder *served) {
  // Answers to calls that are under way fail now, and libfuse would print a line for each.
  fuse_set_log_func(drop);
  fuse_exit(served->fuse);
  while (atomic_load(&served->isServing)) {
    pthread_kill(served->server, SIGUSR1);
    usleep(10000);
  }
}
