// What a process may ask for itself. prctl is variadic.
#ifndef CLINUX_PROCESS_CONTROL_H
#define CLINUX_PROCESS_CONTROL_H

// Whether the process can dump core and be traced by its own uid. 0 or -errno.
int clinux_set_dumpable(int dumpable);

// The signal that the calling process gets when the thread that started it ends (0: none). 0 or -errno.
int clinux_set_parent_death_signal(int signal);

// Neither this process nor what it executes gains privileges. 0 or -errno.
int clinux_set_no_new_privileges(void);

// The calling thread's name, as `ps -T` shows it: the first 15 bytes. 0 or -errno.
int clinux_set_thread_name(const char *name);

// Has the calling thread alone stand back where processors are scarce: it gets less of them, by 0
// to 19, takes none away from whoever runs, is interrupted by whoever wakes up, and leaves the last
// of the processors that it may use to everybody else, where it may use more than one. Not to be
// taken back without privilege. 0 or -errno.
int clinux_stand_back(int niceness);

// Has the calling thread leave the last of the processors that it may use to everybody else, where
// it may use more than one.
void clinux_leave_a_processor(void);

// Has the calling thread run in short turns: whoever answers many, each in a moment, goes before
// others as soon as there is something to answer. Its share stays the same. 0 or -errno.
int clinux_take_short_turns(void);

// Has the calling thread run in turns longer than usual: whoever wakes up goes before it. Its share
// stays the same. 0 or -errno.
int clinux_take_long_turns(void);

// The same, and when the thread itself wakes up it interrupts nobody. 0 or -errno.
int clinux_take_patient_turns(void);

// Has the calling thread run like everybody else, whatever the one that started it does. 0 or -errno.
int clinux_take_usual_turns(void);
#endif
