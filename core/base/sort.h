#ifndef CORE_BASE_SORT_H
#define CORE_BASE_SORT_H

#include <stddef.h>

/* Sort numbers, the smallest first; there is no NaN among them. */
void sort_doubles(double *numbers, size_t count);

#endif
