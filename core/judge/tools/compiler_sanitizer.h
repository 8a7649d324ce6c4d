#ifndef CORE_JUDGE_TOOLS_COMPILER_SANITIZER_H
#define CORE_JUDGE_TOOLS_COMPILER_SANITIZER_H

#include "core/base/status.h"
#include "core/model/sanitizing.h"

/*
 * The sanitizers of gcc: AddressSanitizer with UndefinedBehaviorSanitizer ("memcheck") and
 * ThreadSanitizer ("racecheck"). The back end builds the candidate with them
 * (backends/host/checked_build.h); their libraries have to be in the executor's process before it
 * starts, so a command line with LD_PRELOAD starts it. They write to standard error:
 *
 *	kernel.c:5:30: runtime error: index 7 out of bounds for type 'float [4]'
 *	==9==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffe at pc 0x7f ...
 *	WRITE of size 4 at 0x7ffe thread T0
 *	    #0 0x7f11 in scale._omp_fn.0 /tmp/kernel.c:5
 *	WARNING: ThreadSanitizer: data race (pid=9)
 *	  Write of size 4 at 0x7b04 by thread T1:
 *	    #0 scale._omp_fn.0 /tmp/kernel.c:5 (kernel.so+0x11b2)
 *	  Previous write of size 4 at 0x7b04 by main thread:
 */

/* The beginning of a command line; all zeros is valid and empty. */
struct compiler_sanitizer {
    char *compiler, *preload, *options;
    const char *words[8]; /* ended by NULL; they point at the texts above */
};
void compiler_sanitizer_release(struct compiler_sanitizer *command);

/*
 * Make the command line for a tool of sanitizer_tools. STATUS_UNAVAILABLE if the compiler has no
 * such sanitizer, or its libraries are not installed; the error says so.
 */
enum status compiler_sanitizer_prepare(const char *compiler, const char *tool,
                                       struct compiler_sanitizer *command,
                                       struct error *err) MUST_CHECK;

/* Append the findings in what the process printed. Text of other origin is skipped. */
void compiler_sanitizer_read(const char *printed, struct sanitizing *sanitizing);

#endif
