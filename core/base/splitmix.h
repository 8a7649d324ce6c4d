#ifndef CORE_BASE_SPLITMIX_H
#define CORE_BASE_SPLITMIX_H

#include <stdint.h>

/*
 * SplitMix64 (Steele, Lea and Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
 * A number tells its state, so these are no keys.
 */

/* The difference of one state and the next. */
#define SPLITMIX_STEP 0x9e3779b97f4a7c15U

/* The number that follows a state, which may be any number, such as a counter. */
static inline uint64_t splitmix(uint64_t state)
{
    uint64_t z = state + SPLITMIX_STEP;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
}

#endif
