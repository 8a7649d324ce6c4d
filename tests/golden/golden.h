#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

#include "core/base/strbuf.h"

/*
 * Golden files: expected texts in tests/golden/. With UPDATE_GOLDEN=1 in the environment a
 * comparison writes its file instead; read the difference before you commit it.
 */

/* Fail the running cmocka test unless `text` equals the file tests/golden/`name`. */
void golden_compare(const char *name, const struct strbuf *text);

#endif
