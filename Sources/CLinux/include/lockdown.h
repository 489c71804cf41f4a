// The system call filter of a process that only computes on descriptors that it was given. prctl is
// variadic, and Swift does not import the macros of filters.
#ifndef CLINUX_LOCKDOWN_H
#define CLINUX_LOCKDOWN_H

// Leaves this process memory, its clock, its end, and reading, receiving and sending on open
// descriptors, for good. Other calls fail with EPERM. New memory is never executable. 0 or -errno.
int clinux_lock_down(void);

// Forbids new privileges by exec, which Landlock and filters require. 0 or -errno.
int clinux_no_new_privileges(void);
#endif
