#include "core/llm/providers.h"

#include <string.h>

#include "core/llm/anthropic.h"
#include "core/llm/command.h"
#include "core/llm/manual.h"
#include "core/llm/openai.h"
#include "core/llm/recorded.h"

static const struct provider_ops *const providers[] = {
    &openai_provider, &anthropic_provider, &command_provider,
    &manual_provider, &recorded_provider,  NULL,
};

/* The operations that the part of `agent` before the colon names, or NULL. */
static const struct provider_ops *find_ops(const char *agent)
{
    size_t len = strcspn(agent, ":");

    for (size_t i = 0; providers[i]; i++)
        if (strlen(providers[i]->name) == len && memcmp(providers[i]->name, agent, len) == 0)
            return providers[i];
    return NULL;
}

static enum status fail_unknown(const char *agent, struct error *err)
{
    struct strbuf names = {0};

    for (size_t i = 0; providers[i]; i++)
        strbuf_add_item(&names, providers[i]->name);
    error_set(err, STATUS_NOT_FOUND, "no agent \"%s\": expected one of builtin, %s", agent,
              strbuf_cstr(&names));
    strbuf_release(&names);
    return STATUS_NOT_FOUND;
}

enum status providers_check(const char *agent, struct error *err)
{
    return find_ops(agent) ? STATUS_OK : fail_unknown(agent, err);
}

enum status providers_open(struct loop *loop, const char *agent, struct provider **provider,
                           struct error *err)
{
    const struct provider_ops *ops = find_ops(agent);
    const char *colon = strchr(agent, ':');

    if (!ops)
        return fail_unknown(agent, err);
    return ops->open(loop, colon ? colon + 1 : "", provider, err);
}
