#ifndef CORE_JUDGE_TOOLS_OCLGRIND_H
#define CORE_JUDGE_TOOLS_OCLGRIND_H

#include "core/model/device_info.h"
#include "core/model/sanitizing.h"

/*
 * oclgrind (J. Price and S. McIntosh-Smith, "Oclgrind: an extensible OpenCL device simulator",
 * IWOCL 2015) interprets OpenCL kernels on the CPU and checks each access.  It takes the place of
 * the OpenCL driver in a program that it starts, and writes to that program's standard error:
 *
 *	Invalid write of size 4 at global memory address 0x10000003d0900
 *		Kernel: race
 *		Entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)
 *		  store float 1.000000e+00, float addrspace(1)* %arrayidx10, align 4
 *		At line 9 (column 28) of input.cl:
 *		  if (i == 0) y[1000000] = 1;
 */

/* Room for the options of a command line. */
enum { OCLGRIND_OPTIONS = 12, OCLGRIND_TEXT = 96 };

/* The options of oclgrind, ended by NULL; they point into `texts`. */
struct oclgrind_command {
    const char *options[OCLGRIND_OPTIONS];
    char texts[3][OCLGRIND_TEXT];
};

/*
 * Write the options that look for the errors of `tool`, a name in sanitizer_tools, on a simulated
 * device with the memory of `device`.  Accesses out of bounds and barriers that not all work-items
 * reach are always reported; "racecheck" adds races, and "initcheck" reads of unwritten memory.
 */
void oclgrind_options(const char *tool, const struct device_info *device,
                      struct oclgrind_command *command);

/* Append the findings in what the program printed.  Text of other origin between them is skipped.
 */
void oclgrind_read(const char *printed, struct sanitizing *sanitizing);

#endif
