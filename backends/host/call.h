#ifndef BACKENDS_HOST_CALL_H
#define BACKENDS_HOST_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/model/plan/dispatch.h"

/*
 * Calls functions whose parameters are known only at run time, by the calling conventions of x86-64
 * (System V psABI, 3.2.3) and AArch64 (AAPCS64, 6.8.2): each argument takes the next register of
 * its class, and the stack when these are used up.
 */

/* The number of argument registers of each class. */
#ifdef __x86_64__
enum { CALL_WHOLE_REGISTERS = 6 };
#else
enum { CALL_WHOLE_REGISTERS = 8 };
#endif
enum { CALL_REAL_REGISTERS = 8, CALL_STACK_WORDS = LAUNCH_MAX_ARGS };

/* The arguments in their registers and on the stack. All zeros is a call without arguments. */
struct call {
    uint64_t whole[CALL_WHOLE_REGISTERS];
    double real[CALL_REAL_REGISTERS]; /* a float is in the lower half */
    uint64_t stack[CALL_STACK_WORDS];
    unsigned whole_count, real_count, stack_count;
};

/* Append an integer or a pointer; or a float or a double, given by its bits. */
void call_add_whole(struct call *call, uint64_t word);
void call_add_real(struct call *call, uint64_t bits);

/* Call the function with these arguments; a result is dropped. */
void call_make(const struct call *call, void *function);

#endif
