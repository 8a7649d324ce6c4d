#include "core/judge/device/safeguards.h"

static const struct {
    const char *name, *text, *need;
} descriptions[SAFEGUARD_COUNT] = {
    [SAFEGUARD_NETWORK] = {"network", "no network", "seccomp filters"},
    [SAFEGUARD_FILES] = {"files", "no files but its own", "Landlock, Linux 5.13 or newer"},
    [SAFEGUARD_PRIVILEGES] = {"privileges", "no privileges", "prctl(PR_SET_NO_NEW_PRIVS)"},
    [SAFEGUARD_PROCESSES] = {"processes", "no access to other processes", "seccomp filters"},
    [SAFEGUARD_LIMITS] = {"limits", "limits on files", "setrlimit"},
};

const char *safeguards_text(enum safeguard safeguard)
{
    return descriptions[safeguard].text;
}

const char *safeguards_need(enum safeguard safeguard)
{
    return descriptions[safeguard].need;
}

struct json *safeguards_encode(const struct safeguards *safeguards)
{
    struct json *object = json_object_new();

    for (unsigned i = 0; i < SAFEGUARD_COUNT; i++)
        json_put_bool(object, descriptions[i].name, safeguards->in_force[i]);
    return object;
}

void safeguards_decode(struct safeguards *safeguards, const struct json *object)
{
    for (unsigned i = 0; i < SAFEGUARD_COUNT; i++)
        safeguards->in_force[i] = json_get_bool(object, descriptions[i].name, false);
}
