#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

#include "core/base/strbuf.h"

/*
 * Golden files: what something looks like, in tests/golden/.  With
 * UPDATE_GOLDEN=1 in the environment a comparison writes its file instead;
 * read the difference before it is committed.
 */

/* Fail the cmocka test that is running unless `text` is what tests/golden/`name` holds. */
void golden_compare(const char *name, const struct strbuf *text);

#endif
