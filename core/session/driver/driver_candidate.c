#include "core/session/driver/driver_candidate.h"

#include "core/agent/reply/reply.h"
#include "core/base/mem.h"

enum status driver_candidate_parse(struct driver *driver, const struct attempt *attempt,
                                   struct candidate *candidate, struct error *why,
                                   struct error *err)
{
    struct strbuf reply = {0};
    enum status st = history_get(driver->history, attempt->candidate, &reply, err);

    why->code = STATUS_OK;
    if (!st)
        why->code =
            reply_parse(strbuf_cstr(&reply), session_language(&driver->session, attempt->number),
                        candidate, why);
    strbuf_release(&reply);
    return st;
}

enum status driver_candidate_load(struct driver *driver, const struct attempt *attempt,
                                  struct candidate *candidate, struct error *err)
{
    struct error why = {0};
    enum status st =
        attempt ? driver_candidate_parse(driver, attempt, candidate, &why, err) : STATUS_OK;

    if (!st && attempt && candidate->source && attempt->tuned)
        candidate->tuned = mem_strdup(attempt->tuned);
    return st;
}
