#ifndef TUI_CLI_JSON_LINE_H
#define TUI_CLI_JSON_LINE_H

#include "core/base/json.h"

/* Print a value on a line of its own, and send it off: who reads may be waiting. */
void json_line_print(const struct json *value);

#endif
