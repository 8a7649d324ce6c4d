#ifndef CORE_JUDGE_HOST_LIBRARY_BLAS_H
#define CORE_JUDGE_HOST_LIBRARY_BLAS_H

/*
 * OpenBLAS chooses its kernels when it is loaded, by the model of the
 * processor.  On one that came after it, it takes those of the oldest, at a
 * tenth of the pace; what the processor can do it does not ask.
 *
 * And its threads wait 2^26 cycles for more to do, offering the processor to others all the while,
 * after they are started and after each product: in the executor's way, who times kernels then.
 */

/*
 * The kernels to ask for by OPENBLAS_CORETYPE, where OpenBLAS has chosen
 * `chosen`; NULL where that is right, or nothing better is known.
 */
const char *blas_better_kernels(const char *chosen);

/*
 * Begin the program anew with kernels that suit the processor and threads that sleep after 2^24
 * cycles, unless it is so or the engineer has chosen otherwise.  Comes first in main(), while
 * nothing is open; returns where there is nothing to do, or it cannot be done.
 */
void blas_suit_machine(char *const *argv);

#endif
