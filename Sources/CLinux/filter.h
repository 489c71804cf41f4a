// Macros of the two system call filters. Not for Swift, which does not import macros with arguments.
#ifndef CLINUX_FILTER_H
#define CLINUX_FILTER_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/syscall.h>

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
// x32 calls: the same ones under other numbers.
#define LOAD_NUMBER(action) LOAD(nr), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1), RETURN(action)
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#define LOAD_NUMBER(action) LOAD(nr)
#else
#error "the filter of system calls does not know this architecture"
#endif

/// The begin of a filter: `action` for calls of other architectures, then the call's number.
#define OWN_CALL_OR(action) \
  LOAD(arch), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0), RETURN(action), LOAD_NUMBER(action)
#endif
