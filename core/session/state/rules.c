#include "core/session/state/rules.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

void rules_release(struct rules *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        free(rules->items[i].tag);
        free(rules->items[i].reason);
        free(rules->items[i].text);
    }
    vec_release(rules);
}

/* True if the list of tags, separated by commas, has the tag. */
static bool has_tag(const char *tags, const char *tag)
{
    size_t len = strlen(tag);

    for (const char *at = tags ? tags : ""; *at; at += strcspn(at, ",")) {
        at += strspn(at, ", ");
        if (strncmp(at, tag, len) == 0 && strchr(", ", at[len]))
            return true;
    }
    return false;
}

static bool is_within(const struct rule *rule, double gain)
{
    return (rule->above <= 0 || gain > rule->above) &&
           (rule->below <= 0 || (gain > 0 && gain < rule->below));
}

static bool matches(const struct rule *rule, const struct step *step, const struct attempt *attempt)
{
    double measured = attempt ? attempt->gain : 0;
    double gain = step->kind == STEP_RECOMMENDATION ? step->gain : measured;

    if ((rule->has_kind && step->kind != rule->kind) || (rule->step && rule->step != step->number))
        return false;
    if (rule->attempt && rule->attempt != step->attempt)
        return false;
    if (rule->has_outcome &&
        (!attempt || !attempt->is_evaluated || attempt->outcome != rule->outcome))
        return false;
    return is_within(rule, gain) && (!rule->tag || has_tag(step->tags, rule->tag));
}

/* True if the decision leads to the same kind of step again without using an attempt. */
static bool repeats(enum step_kind kind, enum decision decision)
{
    return decision == DECISION_RETRIED || (decision == DECISION_VETOED && kind == STEP_PROMPT);
}

/* True if the rule would repeat the decision of a policy that led to this step again. */
static bool holds_up(const struct rule *rule, const struct session *session,
                     const struct step *step)
{
    const struct step *before = session_step(session, step->before);

    while (before && before->kind != step->kind)
        before = session_step(session, before->before);
    return before && before->decider == DECIDER_POLICY && repeats(step->kind, before->decision) &&
           repeats(step->kind, rule->decision);
}

const struct rule *rules_find(const struct rules *rules, const struct session *session)
{
    const struct step *step = session_pending(session);
    const struct attempt *attempt = session_attempt(session, step->attempt);

    for (size_t i = 0; i < rules->count; i++)
        if (matches(&rules->items[i], step, attempt) && !holds_up(&rules->items[i], session, step))
            return &rules->items[i];
    return NULL;
}
