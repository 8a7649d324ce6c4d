#include "core/model/awaited.h"

#include "core/base/format.h"

void awaited_describe(const struct awaited *awaited, struct strbuf *out)
{
    char time[FORMAT_SIZE];

    strbuf_adds(out, "being compiled");
    if (awaited->has_earlier && awaited->earlier_day)
        strbuf_addf(out, "; %s on %s", format_time(time, awaited->earlier_us),
                    awaited->earlier_day);
}
