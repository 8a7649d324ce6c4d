#include "core/agent/roles.h"

#include <string.h>

size_t roles_count_writers(const struct roles *roles)
{
    return 1 + roles->other_count;
}

const char *roles_writer(const struct roles *roles, const char *first, size_t index)
{
    size_t place = index % roles_count_writers(roles);

    return place ? roles->others[place - 1] : first;
}

const char *roles_analyst(const struct roles *roles, const char *first)
{
    if (!roles->analyst)
        return first;
    return strcmp(roles->analyst, ROLES_NOBODY) == 0 ? NULL : roles->analyst;
}

unsigned roles_attempts(const struct roles *roles)
{
    return roles->other_count ? (unsigned)roles_count_writers(roles) : 0;
}

struct roles roles_copy(const struct roles *roles,
                        const char *(*keep)(void *data, const char *name), void *data)
{
    struct roles copy = *roles;

    for (size_t i = 0; i < copy.other_count; i++)
        copy.others[i] = keep(data, copy.others[i]);
    copy.analyst = keep(data, copy.analyst);
    return copy;
}
