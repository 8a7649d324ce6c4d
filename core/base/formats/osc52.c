#include "core/base/formats/osc52.h"

#include "core/base/formats/base64.h"

void osc52_add_copy(struct strbuf *out, const char *bytes, size_t len)
{
    strbuf_adds(out, "\033]52;c;");
    base64_add(out, bytes, len);
    strbuf_adds(out, "\a");
}
