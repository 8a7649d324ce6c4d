#include "tui/panels/reference_title.h"

#include "core/base/format.h"

void reference_title_add(const struct session *session, struct strbuf *out)
{
    const struct reference_result *result = &session->reference_result;
    char time[FORMAT_SIZE];

    strbuf_addf(out, " ported from %s", session->reference_name);
    if (result->outcome == OUTCOME_NONE)
        return;
    strbuf_addf(out, ", %s here", outcome_name(result->outcome));
    if (result->median_us > 0)
        strbuf_addf(out, " in %s", format_time(time, result->median_us));
}
