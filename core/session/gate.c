#include "core/session/gate.h"

#include <stddef.h>
#include <string.h>

const char *const step_kind_names[] = {
    [STEP_PROMPT] = "prompt", [STEP_CANDIDATE] = "candidate",
    [STEP_KEEP] = "keep",     [STEP_RECOMMENDATION] = "recommendation",
    [STEP_KINDS] = NULL,
};

const char *const gate_mode_names[] = {[GATE_AUTO] = "auto", [GATE_ASK] = "ask", NULL};

const char *const decision_names[] = {
    [DECISION_PENDING] = "pending",
    [DECISION_ACCEPTED] = "accepted",
    [DECISION_EDITED] = "edited",
    [DECISION_VETOED] = "vetoed",
    NULL,
};

const char *const decider_names[] = {
    [DECIDER_ENGINEER] = "engineer", [DECIDER_POLICY] = "policy", NULL};

/* The value that is called `name`, or -1. */
static int find(const char *const *names, const char *name)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], name) == 0)
            return i;
    return -1;
}

const char *step_kind_name(enum step_kind kind)
{
    return step_kind_names[kind];
}

bool step_kind_parse(const char *name, enum step_kind *kind)
{
    int found = find(step_kind_names, name);

    if (found >= 0)
        *kind = (enum step_kind)found;
    return found >= 0;
}

const char *decision_name(enum decision decision)
{
    return decision_names[decision];
}

bool decision_parse(const char *name, enum decision *decision)
{
    int found = find(decision_names, name);

    if (found >= 0)
        *decision = (enum decision)found;
    return found >= 0;
}

static const struct {
    const char *name;
    struct gate gate;
} presets[] = {
    {"auto", {{GATE_AUTO}}},
    {"guided", {{[STEP_KEEP] = GATE_ASK, [STEP_RECOMMENDATION] = GATE_ASK}}},
    {"manual", {{GATE_ASK, GATE_ASK, GATE_ASK, GATE_ASK}}},
};

bool gate_preset(const char *name, struct gate *gate)
{
    for (size_t i = 0; i < sizeof(presets) / sizeof(*presets); i++) {
        if (strcmp(presets[i].name, name) == 0) {
            *gate = presets[i].gate;
            return true;
        }
    }
    return false;
}
