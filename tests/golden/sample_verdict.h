/* Invented verdicts on the softmax kernels of the sample session. */
#ifndef TESTS_GOLDEN_SAMPLE_VERDICT_H
#define TESTS_GOLDEN_SAMPLE_VERDICT_H

#include "core/model/verdict.h"
#include "tests/golden/sample_session.h"

/* Add a time of `us` microseconds, its bound, and the times that it is compared with. */
void sample_verdict_time(struct verdict *verdict, double us, double best_us);

/* Add counters that say that `share` percent of the memory's rate is used. */
void sample_verdict_count(struct verdict *verdict, double share);

/* The verdict on the last candidate of the session at `stage`. */
void sample_verdict_fill(struct verdict *verdict, enum sample_session_stage stage);

#endif
