#include "core/judge/stats/relative_times.h"

#include <string.h>

#include "core/base/strbuf.h"

static void digest(const struct candidate *candidate, char hex[DIGEST_HEX_SIZE])
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s\n%zu\n", candidate->language, strlen(candidate->plan));
    strbuf_adds(&text, candidate->plan);
    strbuf_adds(&text, candidate->source);
    digest_sha256(strbuf_cstr(&text), text.len, hex);
    strbuf_release(&text);
}

/* The place of a candidate; its capacity if it has none. */
static size_t find(const struct relative_times *times, const char *hex)
{
    for (size_t i = 0; i < times->count && i < RELATIVE_TIMES_MAX; i++)
        if (strcmp(times->items[i].candidate, hex) == 0)
            return i;
    return RELATIVE_TIMES_MAX;
}

double relative_times_find(const struct relative_times *times, const struct candidate *candidate)
{
    char hex[DIGEST_HEX_SIZE];
    size_t at;

    if (!candidate || !times->count)
        return 0;
    digest(candidate, hex);
    at = find(times, hex);
    return at < RELATIVE_TIMES_MAX ? times->items[at].time : 0;
}

void relative_times_add(struct relative_times *times, const struct candidate *candidate,
                        double time)
{
    struct relative_time item = {.time = time};
    size_t at;

    digest(candidate, item.candidate);
    at = find(times, item.candidate);
    if (at == RELATIVE_TIMES_MAX)
        at = times->count++ % RELATIVE_TIMES_MAX;
    times->items[at] = item;
}
