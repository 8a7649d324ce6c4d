#include "core/session/recorded/counterfactual.h"

#include <math.h>

#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/session/state/fold.h"

/* The resources that the session had used when a step was proposed. */
struct moment {
    unsigned attempts; /* number of attempts by agents */
    double used[RESOURCES];
};

/* A budget of 0 means that there is none, so a budget that is used up becomes this small amount. */
static const double nothing_left = 1e-9;

static unsigned agent_attempts(const struct session *session)
{
    return session->now.functional_attempts + session->now.optimize_attempts;
}

/* Fold the events again and note the moment of each step, from step 1 on. */
static enum status find_moments(const struct recording *recording, struct moment *moments,
                                struct error *err)
{
    struct session session = {0};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < recording->events.count; i++) {
        struct event event = {0};

        st = recording_event(recording, i, &event, err);
        if (!st)
            st = fold_apply(&session, &event, err);
        if (!st && event.type == EVENT_STEP_PROPOSED) {
            struct moment *moment = &moments[session.steps.count - 1];

            moment->attempts = agent_attempts(&session);
            for (size_t r = 0; r < RESOURCES; r++)
                moment->used[r] = session.used[r];
        }
        event_release(&event);
    }
    session_release(&session);
    return st;
}

static bool is_steered(const struct step *step)
{
    return step->decider == DECIDER_ENGINEER && !step->is_undone &&
           (step->decision == DECISION_EDITED || step->decision == DECISION_VETOED);
}

static struct counterfactual describe(const struct session *session, const struct step *step,
                                      const struct moment *moment)
{
    bool is_about_kernel = step->kind == STEP_CANDIDATE || step->kind == STEP_KEEP;
    struct counterfactual found = {.step = step,
                                   .limits = session->limits,
                                   .followed = agent_attempts(session) - moment->attempts};

    found.limits.functional = session->now.functional_attempts;
    found.limits.optimize = session->now.optimize_attempts;
    for (size_t r = 0; r < RESOURCES; r++)
        if (found.limits.budget[r] > 0)
            found.limits.budget[r] = fmax(found.limits.budget[r] - moment->used[r], nothing_left);
    found.is_comparable = is_about_kernel || found.followed > 0;
    return found;
}

enum status counterfactual_find(const struct recording *recording, struct counterfactual_list *list,
                                struct error *err)
{
    const struct session *session = &recording->session;
    struct moment *moments = mem_alloc_zeroed(session->steps.count + 1, sizeof(*moments));
    enum status st = find_moments(recording, moments, err);

    for (size_t i = 0; !st && i < session->steps.count; i++)
        if (is_steered(&session->steps.items[i]))
            vec_push(list, describe(session, &session->steps.items[i], &moments[i]));
    free(moments);
    return st;
}

void counterfactual_release(struct counterfactual_list *list)
{
    vec_release(list);
    *list = (struct counterfactual_list){0};
}
