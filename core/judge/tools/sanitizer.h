#ifndef CORE_JUDGE_TOOLS_SANITIZER_H
#define CORE_JUDGE_TOOLS_SANITIZER_H

#include "core/model/sanitizing.h"

/*
 * What compute-sanitizer prints ("Compute Sanitizer User Manual").  Each
 * finding is a line, and indented ones about it:
 *
 *	========= Invalid __global__ write of size 4 bytes
 *	=========     at over+0x90 in kernel.cu:5
 *	=========     by thread (156,0,0) in block (3,0,0)
 *	=========     Address 0x7f3c4fa00000 is out of bounds
 */

/* "memcheck", "racecheck", "initcheck", "synccheck"; ended by NULL. */
extern const char *const sanitizer_tools[];

/* Whether it is one of them. */
bool sanitizer_is_tool(const char *name);

/* Append the findings of a log, each place in the source once. */
void sanitizer_read(const char *log, struct sanitizing *sanitizing);

#endif
