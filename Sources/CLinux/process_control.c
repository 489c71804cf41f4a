#define _GNU_SOURCE
#include "process_control.h"
#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int clinux_set_dumpable(int dumpable) {
  return prctl(PR_SET_DUMPABLE, dumpable ? 1L : 0L, 0L, 0L, 0L) < 0 ? -errno : 0;
}

int clinux_set_parent_death_signal(int signal) {
  return prctl(PR_SET_PDEATHSIG, (long)signal, 0L, 0L, 0L) < 0 ? -errno : 0;
}

int clinux_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0 ? -errno : 0; }

int clinux_stand_back(int niceness) {
  return setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), niceness) < 0 ? -errno : 0;
}

int clinux_set_thread_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0L, 0L, 0L) < 0 ? -errno : 0;
}
