#include "tui/cli/json_line.h"

#include <stdio.h>

void json_line_print(const struct json *value)
{
    struct strbuf line = {0};

    json_print(value, &line);
    puts(strbuf_cstr(&line));
    fflush(stdout);
    strbuf_release(&line);
}
