#ifndef CORE_SYSTEM_RANDOM_H
#define CORE_SYSTEM_RANDOM_H

#include <stdint.h>

/* 64 unpredictable bits from the kernel (getrandom(2)); may wait for entropy just after boot. */
uint64_t random_bits(void);

#endif
