#include "core/base/sort.h"

#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void sort_doubles(double *numbers, size_t count)
{
    qsort(numbers, count, sizeof(*numbers), compare_doubles);
}
