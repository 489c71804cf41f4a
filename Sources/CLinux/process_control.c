#include "process_control.h"
#include <errno.h>
#include <sys/prctl.h>

int clinux_set_dumpable(int dumpable) {
  return prctl(PR_SET_DUMPABLE, dumpable ? 1L : 0L, 0L, 0L, 0L) < 0 ? -errno : 0;
}

int clinux_set_parent_death_signal(int signal) {
  return prctl(PR_SET_PDEATHSIG, (long)signal, 0L, 0L, 0L) < 0 ? -errno : 0;
}

int clinux_set_no_new_privileges(void) { return prctl(PR_SET_NO_NEW_PRIVS, 1L, 0L, 0L, 0L) < 0 ? -errno : 0; }

int clinux_set_thread_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0L, 0L, 0L) < 0 ? -errno : 0;
}
