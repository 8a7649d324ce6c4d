#ifndef CORE_JUDGE_TOOLS_SANITIZER_H
#define CORE_JUDGE_TOOLS_SANITIZER_H

#include "core/model/sanitizing.h"

/*
 * Reads the output of compute-sanitizer ("Compute Sanitizer User Manual").  Each finding is a line,
 * followed by indented lines with details:
 *
 *	========= Invalid __global__ write of size 4 bytes
 *	=========     at over+0x90 in kernel.cu:5
 *	=========     by thread (156,0,0) in block (3,0,0)
 *	=========     Address 0x7f3c4fa00000 is out of bounds
 */

/* "memcheck", "racecheck", "initcheck", "synccheck"; ended by NULL. */
extern const char *const sanitizer_tools[];

/* True for one of these names. */
bool sanitizer_is_tool(const char *name);

/* Append the findings of a log. Findings at the same place in the source are counted as one. */
void sanitizer_read(const char *log, struct sanitizing *sanitizing);

#endif
