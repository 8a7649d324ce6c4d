#include "core/session/driver/driver_roles.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/agents.h"
#include "core/system/file.h"

static const char *keep_name(void *driver, const char *name)
{
    return texts_keep(&((struct driver *)driver)->names, name);
}

void driver_set_roles(struct driver *driver, const char *first, const struct roles *roles)
{
    driver->agent_name = keep_name(driver, first);
    driver->roles = roles_copy(roles, keep_name, driver);
}

static const struct priced_agent *find(const struct driver *driver, const char *name)
{
    for (size_t i = 0; i < driver->agent_count; i++)
        if (strcmp(driver->agents[i].name, name) == 0)
            return &driver->agents[i];
    return NULL;
}

enum status driver_take_agent(struct driver *driver, unsigned slot, const char *name,
                              struct error *err)
{
    struct asked_agent *asked = &driver->asked[slot];
    const struct priced_agent *model = find(driver, name);

    asked->driver = driver;
    if (asked->agent && asked->model == model)
        return STATUS_OK;
    if (asked->agent)
        asked->agent->ops->close(asked->agent);
    asked->agent = NULL;
    asked->model = model;
    return agents_open(driver->loop, name, &asked->agent, err);
}

static enum status refuse_unpriced(const char *agent, struct error *err)
{
    char *config = file_place_folder(FILE_CONFIG);
    enum status st = error_set(err, STATUS_INVALID,
                               "%s: no price is known, so a budget in $ cannot be kept: add its "
                               "price to %s/prices.json",
                               agent, config);

    free(config);
    return st;
}

/* Add an agent, unless it is there already. */
static enum status add_agent(struct driver *driver, const char *name, struct error *err)
{
    const struct limits *limits = driver->is_resumed ? &driver->session.limits : &driver->limits;
    struct priced_agent *added = &driver->agents[driver->agent_count];
    const struct agent *agent;
    enum status st;

    if (!name || find(driver, name))
        return STATUS_OK;
    *added = (struct priced_agent){.name = name};
    driver->agent_count++;
    st = driver_take_agent(driver, 0, name, err);
    agent = driver->asked[0].agent;
    if (!st && agent->ops->accept)
        st = agent->ops->accept(&driver->problem, err);
    if (!st)
        st = ledger_find_terms(name, &added->terms, err);
    if (!st && !added->terms.has_price && limits->budget[RESOURCE_USD] > 0)
        st = refuse_unpriced(name, err);
    return st;
}

enum status driver_open_agents(struct driver *driver, struct error *err)
{
    const struct roles *roles = &driver->roles;
    enum status st = add_agent(driver, roles_analyst(roles, driver->agent_name), err);

    for (size_t i = roles_count_writers(roles); !st && i-- > 0;)
        st = add_agent(driver, roles_writer(roles, driver->agent_name, i), err);
    return st;
}

unsigned driver_context(const struct driver *driver, enum agent_task task)
{
    const struct roles *roles = &driver->roles;
    size_t count = task == TASK_GENERATE ? roles_count_writers(roles) : 1;
    unsigned least = 0;

    for (size_t i = 0; i < count; i++) {
        const char *name = task == TASK_GENERATE ? roles_writer(roles, driver->agent_name, i)
                                                 : session_analyst(&driver->session);
        unsigned context = find(driver, name)->terms.context;

        if (context && (!least || context < least))
            least = context;
    }
    return least;
}
