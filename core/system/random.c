#include "core/system/random.h"

#include <sys/random.h>
#include <sys/types.h>

uint64_t random_bits(void)
{
    uint64_t bits = 0;

    /* A signal can interrupt the call. */
    while (getrandom(&bits, sizeof(bits), 0) != (ssize_t)sizeof(bits))
        ;
    return bits;
}
