#ifndef CORE_JUDGE_HOST_LIBRARY_BLAS_H
#define CORE_JUDGE_HOST_LIBRARY_BLAS_H

#include <stdbool.h>

/*
 * Settings of OpenBLAS. It chooses its kernels when it is loaded, by the model of the processor. On
 * a processor newer than itself it falls back to the oldest kernels, at a tenth of the speed,
 * although the processor has the instructions of newer ones.
 *
 * Its threads spin for 2^26 cycles, yielding the processor all the while, after they are started
 * and after each product. They would disturb the executor, which times kernels at that moment.
 */

/*
 * The kernels to request with OPENBLAS_CORETYPE if OpenBLAS has chosen `chosen`; NULL if its choice
 * is right or no better one is known.
 */
const char *blas_better_kernels(const char *chosen);

/*
 * Restart the program with OpenBLAS kernels that suit the processor and with threads that sleep
 * after 2^24 cycles, unless both are set already or the engineer has set other values. Must be
 * called first in main(), before any file is opened. Returns if there is nothing to do or the
 * restart fails.
 */
void blas_suit_machine(char *const *argv);

/*
 * Let products use all cores, as the host library does while it is timed, or only the calling
 * thread, as the oracle wants, which divides products itself (core/judge/oracle/oracle_gemm.h).
 */
void blas_use_cores(bool all);

#endif
