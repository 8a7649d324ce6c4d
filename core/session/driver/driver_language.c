#include "core/session/driver/driver_language.h"

#include "core/agent/agents.h"

/* All agents: the analyst says in the same language what to change. */
static enum status check_agents(const struct driver *driver, const char *language,
                                struct error *err)
{
    const struct roles *roles = &driver->roles;
    const char *analyst = roles_analyst(roles, driver->agent_name);
    enum status st = analyst ? agents_check_language(analyst, language, err) : STATUS_OK;

    for (size_t i = 0; !st && i < roles_count_writers(roles); i++)
        st = agents_check_language(roles_writer(roles, driver->agent_name, i), language, err);
    return st;
}

enum status driver_check_language(const struct driver *driver, const char *language,
                                  struct error *err)
{
    struct error why;

    if (!device_info_check_language(evaluator_device(driver->evaluator), language, &why))
        return check_agents(driver, language, err);
    return error_set(err, STATUS_INVALID, "%s: choose another --language or --device", why.text);
}
