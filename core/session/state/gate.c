#include "core/session/state/gate.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

const char *const step_kind_names[] = {
    [STEP_PROMPT] = "prompt", [STEP_CANDIDATE] = "candidate",
    [STEP_KEEP] = "keep",     [STEP_RECOMMENDATION] = "recommendation",
    [STEP_KINDS] = NULL,
};

const char *const gate_mode_names[] = {[GATE_AUTO] = "auto", [GATE_ASK] = "ask", NULL};

const char *const decision_names[] = {
    [DECISION_PENDING] = "pending", [DECISION_ACCEPTED] = "accepted", [DECISION_EDITED] = "edited",
    [DECISION_VETOED] = "vetoed",   [DECISION_RETRIED] = "retried",   NULL,
};

const char *const decider_names[] = {
    [DECIDER_ENGINEER] = "engineer", [DECIDER_POLICY] = "policy", NULL};

const char *step_kind_name(enum step_kind kind)
{
    return step_kind_names[kind];
}

const char *decision_name(enum decision decision)
{
    return decision_names[decision];
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
    for (size_t i = 0; i < COUNT(presets); i++) {
        if (strcmp(presets[i].name, name) == 0) {
            *gate = presets[i].gate;
            return true;
        }
    }
    return false;
}

static bool take_limit(const char *word, size_t len, struct run_limits *limits)
{
    char *end;

    if (text_is(word, len, "failure"))
        return limits->until_failure = true;
    if (text_is(word, len, "slower"))
        return limits->until_slower = true;
    if (word[0] == '$') {
        limits->usd = strtod(word + 1, &end);
        return end == word + len && limits->usd > 0 && isfinite(limits->usd);
    }
    limits->steps = (unsigned)strtoul(word, &end, 10);
    return end == word + len && limits->steps > 0 && word[0] != '-';
}

enum status run_limits_parse(const char *text, struct run_limits *limits, struct error *err)
{
    struct run_limits read = {0};

    for (const char *word = text + strspn(text, " "); *word; word += strspn(word, " ")) {
        size_t len = strcspn(word, " ");

        if (!take_limit(word, len, &read))
            return error_set(err, STATUS_INVALID,
                             "\"%.*s\" is not a limit of a run: give a number of steps, failure, "
                             "slower or $X",
                             (int)len, word);
        word += len;
    }
    *limits = read;
    return STATUS_OK;
}
