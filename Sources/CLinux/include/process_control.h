// Settings of the calling process or thread. prctl is variadic.
#ifndef CLINUX_PROCESS_CONTROL_H
#define CLINUX_PROCESS_CONTROL_H

// Whether the process can dump core and be traced by its own uid. 0 or -errno.
int clinux_set_dumpable(int dumpable);

// Sets the signal for the calling process when the thread that started it ends (0: none). 0 or
// -errno.
int clinux_set_parent_death_signal(int signal);

// Sets the calling thread's name, as `ps -T` shows it: the first 15 bytes. 0 or -errno.
int clinux_set_thread_name(const char *name);

// Lowers the priority of the calling thread by 0 to 19. The thread preempts nobody, others preempt
// it, and it leaves its last processor free, if it may use more than one. Only privileged processes
// can undo this. 0 or -errno.
int clinux_stand_back(int niceness);

// Excludes the last of the calling thread's processors, if it may use more than one.
void clinux_leave_a_processor(void);

// Asks for short time slices: a thread with many short tasks then runs as soon as one arrives. Its
// share stays the same. 0 or -errno.
int clinux_take_short_turns(void);

// Asks for long time slices: waking threads preempt the calling one. Its share stays the same. 0 or
// -errno.
int clinux_take_long_turns(void);

// The same, and the thread preempts nobody when it wakes. 0 or -errno.
int clinux_take_patient_turns(void);

// Restores default time slices, whatever the starting thread had. 0 or -errno.
int clinux_take_usual_turns(void);
#endif
