#ifndef TUI_CLI_SUITE_COMPARE_TEXT_H
#define TUI_CLI_SUITE_COMPARE_TEXT_H

#include "core/base/json.h"
#include "core/suite/report/suite_comparison.h"

/* Append the comparison of two reports as text for people. */
void compare_text_add(const struct suite_comparison *comparison, bool as_markdown,
                      struct strbuf *out);

/* The comparison as JSON (FORMATS.md); the caller owns the object. */
struct json *compare_text_encode(const struct suite_comparison *comparison);

#endif
