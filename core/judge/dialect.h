#ifndef CORE_JUDGE_DIALECT_H
#define CORE_JUDGE_DIALECT_H

/*
 * kforge's own kernels, those of the reference, of the roofs and of random
 * data, are written once, in the part of OpenCL C that every language of
 * kernels can be given by a few definitions.  This is those definitions.
 *
 * Kernels in that part have no vectors, no local memory and no address space
 * but `__global`; numbers are float, double, int, uint, long, ulong and those of
 * 8 and 16 bits; halves are read by vload_half() and written by vstore_half().
 */

/* What comes before kernels in `language`; NULL where none can be written in it. */
const char *dialect_prelude(const char *language);

#endif
