#include "tests/unit/variation_fixture.h"

#include <math.h>

#include "core/judge/oracle/fill.h"

struct value value_with(enum fill_kind kind, double a, double b)
{
    return (struct value){.name = "x",
                          .role = TENSOR_INPUT,
                          .dtype = DTYPE_F32,
                          .shape = {.rank = 2, .dims = {ROWS, COLUMNS}},
                          .fill = {kind, a, b}};
}

void make(enum variation variation, const struct value *value, float *elements)
{
    fill_make(value, variation_seed(variation, 12345), 0, elements);
}

size_t count_different(const float *row)
{
    size_t count = 0;

    for (size_t i = 0; i < COLUMNS; i++) {
        size_t j = 0;

        while (j < i && row[j] != row[i])
            j++;
        count += j == i;
    }
    return count;
}

size_t count_positive(const float *elements, size_t count)
{
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        found += elements[i] > 0;
    return found;
}

float largest_of(const float *elements, size_t count)
{
    float largest = 0;

    for (size_t i = 0; i < count; i++)
        largest = fmaxf(largest, fabsf(elements[i]));
    return largest;
}
