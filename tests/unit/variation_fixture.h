#ifndef TESTS_UNIT_VARIATION_FIXTURE_H
#define TESTS_UNIT_VARIATION_FIXTURE_H

#include "tests/unit/unit.h"

#include "core/judge/oracle/variation.h"

enum { ROWS = 4, COLUMNS = 96, COUNT_ELEMENTS = ROWS * COLUMNS };

/* An input "x" of ROWS x COLUMNS floats with this fill. */
struct value value_with(enum fill_kind kind, double a, double b);

/* Draw its elements, always the same, and apply the variation. */
void make(enum variation variation, const struct value *value, float *elements);

/* The number of different elements of a row with COLUMNS elements. */
size_t count_different(const float *row);

size_t count_positive(const float *elements, size_t count);
float largest_of(const float *elements, size_t count);

#endif
