#ifndef CORE_BASE_ARRAY_H
#define CORE_BASE_ARRAY_H

#include <stddef.h>

/* The number of elements of an array, as a size_t; not for pointers. */
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
