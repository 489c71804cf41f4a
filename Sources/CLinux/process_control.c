#define _GNU_SOURCE
#include "process_control.h"
#include <errno.h>
#include <linux/sched.h>
#include <linux/sched/types.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux 6.12 and later prefers the runnable thread that asks for the shorter slice, at once, even
// if another has just begun; shares stay the same. These are the longest and shortest slices
// allowed, and one longer than the default (0.7 to 2.8 ms). Earlier kernels ignore them.
enum {
  LONGEST_SLICE_NANOSECONDS = 100 * 1000 * 1000,
  LONG_SLICE_NANOSECONDS = 5 * 1000 * 1000,
  SHORTEST_SLICE_NANOSECONDS = 100 * 1000
};

int clinux_set_dumpable(int dumpable) {
  return prctl(PR_SET_DUMPABLE, dumpable ? 1L : 0L, 0L, 0L, 0L) < 0 ? -errno : 0;
}

int clinux_set_parent_death_signal(int signal) {
  return prctl(PR_SET_PDEATHSIG, (long)signal, 0L, 0L, 0L) < 0 ? -errno : 0;
}

// Even a low-priority thread delays others on its processor until the kernel preempts it, and
// shares its caches. With more than 1,024 processors none is left free. The raw calls, because
// sched.h and the kernel's sched/types.h conflict.
void clinux_leave_a_processor(void) {
  enum { WORD = 8 * sizeof(unsigned long), WORDS = 1024 / WORD };
  unsigned long allowed[WORDS] = {0};
  if (syscall(SYS_sched_getaffinity, 0, sizeof allowed, allowed) < 0) return;
  int count = 0, last = 0;
  for (int i = 0; i < (int)(WORD * WORDS); i++) {
    if (!(allowed[i / WORD] >> i % WORD & 1)) continue;
    count++;
    last = i;
  }
  if (count < 2) return;
  allowed[last / WORD] &= ~(1UL << last % WORD);
  syscall(SYS_sched_setaffinity, 0, sizeof allowed, allowed);
}

int clinux_stand_back(int niceness) {
  clinux_leave_a_processor();
  struct sched_attr attributes = {.size = sizeof attributes,
                                  .sched_policy = SCHED_BATCH,
                                  .sched_nice = niceness,
                                  .sched_runtime = LONGEST_SLICE_NANOSECONDS};
  if (syscall(SYS_sched_setattr, 0, &attributes, 0) == 0) return 0;
  return setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), niceness) < 0 ? -errno : 0;
}

static int take_turns(unsigned policy, unsigned long long nanoseconds) {
  struct sched_attr attributes;
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) < 0) return -errno;
  // Keeps another policy that was set from outside.
  if (attributes.sched_policy != SCHED_NORMAL && attributes.sched_policy != SCHED_BATCH) return 0;
  attributes.sched_policy = policy;
  attributes.sched_runtime = nanoseconds;
  // Threads started by this one have default slices.
  attributes.sched_flags = nanoseconds ? SCHED_FLAG_RESET_ON_FORK : 0;
  return syscall(SYS_sched_setattr, 0, &attributes, 0) < 0 ? -errno : 0;
}

int clinux_take_short_turns(void) { return take_turns(SCHED_NORMAL, SHORTEST_SLICE_NANOSECONDS); }

int clinux_take_long_turns(void) { return take_turns(SCHED_NORMAL, LONG_SLICE_NANOSECONDS); }

// A SCHED_BATCH thread never preempts a running one when it wakes.
int clinux_take_patient_turns(void) { return take_turns(SCHED_BATCH, LONG_SLICE_NANOSECONDS); }

int clinux_take_usual_turns(void) { return take_turns(SCHED_NORMAL, 0); }

int clinux_set_thread_name(const char *name) {
  return prctl(PR_SET_NAME, name, 0L, 0L, 0L) < 0 ? -errno : 0;
}
