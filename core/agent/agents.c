#include "core/agent/agents.h"

#include <string.h>

#include "core/agent/builtin/builtin.h"
#include "core/agent/llm_agent.h"
#include "core/llm/providers.h"

enum status agents_check(const char *name, struct error *err)
{
    return strcmp(name, "builtin") == 0 ? STATUS_OK : providers_check(name, err);
}

enum status agents_check_language(const char *name, const char *language, struct error *err)
{
    return strcmp(name, "builtin") == 0 ? builtin_check_language(language, err) : STATUS_OK;
}

enum status agents_open(struct loop *loop, const char *name, struct agent **agent,
                        struct error *err)
{
    if (strcmp(name, "builtin") == 0)
        return builtin_agent_open(loop, agent, err);
    return llm_agent_open(loop, name, agent, err);
}
