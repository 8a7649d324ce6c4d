#ifndef CORE_JUDGE_STATS_CACHE_PROBE_H
#define CORE_JUDGE_STATS_CACHE_PROBE_H

#include <stddef.h>

/*
 * How long a program on a CPU needs to fetch its data again after other programs have displaced
 * them from the caches. On a busy machine this happens before and during most runs, on a quiet one
 * mostly not, so CPU times are longer there by up to this time. A program that is short loses more
 * than a long one, which shifts their ratio.
 *
 * The judge reads and writes memory of its own twice at once, between the rounds of a timing: the
 * difference of the CPU times of the two passes is a sample.
 */

enum { CACHE_PROBE_SAMPLES = 64 };

/* All zeros is valid: no samples. */
struct cache_probe {
    unsigned char *memory;
    size_t size;
    double scale; /* the bytes that programs use, over `size` */
    double samples[CACHE_PROBE_SAMPLES];
    size_t count;
};

/* Take a sample, for programs that use `bytes`; the same number each time. */
void cache_probe_take(struct cache_probe *probe, double bytes);

/* The CPU time in microseconds: a high quantile, because it is used as a bound. 0 without samples.
 */
double cache_probe_us(const struct cache_probe *probe);

/* Free the memory and the samples. */
void cache_probe_release(struct cache_probe *probe);

#endif
