#ifndef TUI_CLI_JSON_LINE_H
#define TUI_CLI_JSON_LINE_H

#include "core/base/json.h"

/* Print a value in one line, and flush: the reader may wait for it. */
void json_line_print(const struct json *value);

#endif
