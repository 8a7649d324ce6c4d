#include "core/judge/companion.h"

typedef enum status companion_step(struct evaluation *e, uint64_t param_seed, struct error *err);

/* Take the choice of its tunables with which it was judged; false if that is not known. */
static bool find_choice(struct evaluation *e)
{
    const char *tuned = e->candidate->tuned;

    return plan_choices(&e->plan) < 2 || (tuned && plan_find_choice(&e->plan, tuned, &e->choice));
}

/* The companion gets a verdict of its own, which is dropped. */
static enum status run(const struct evaluation_context *context, const struct companion *companion,
                       companion_step *step, struct companion_run *made, struct error *err)
{
    struct verdict unread = {0};
    struct evaluation e = evaluation_make(context, companion->slot, companion->candidate, &unread);
    enum status st = evaluation_parse(&e, err);

    bool is_ready = !st && unread.outcome == OUTCOME_NONE && find_choice(&e);

    if (is_ready)
        st = step(&e, companion->param_seed, err);
    if (is_ready && !st && unread.outcome == OUTCOME_NONE)
        *made = (struct companion_run){e.expected_us, evaluation_core_share(&e)};
    evaluation_release(&e);
    verdict_release(&unread);
    return st;
}

static enum status place(struct evaluation *e, uint64_t param_seed, struct error *err)
{
    return evaluation_place(e, param_seed, false, err);
}

enum status companion_place(const struct evaluation_context *context,
                            const struct companion *companion, struct companion_run *made,
                            struct error *err)
{
    return run(context, companion, place, made, err);
}

enum status companion_keep(const struct evaluation_context *context,
                           const struct companion *companion, struct companion_run *made,
                           struct error *err)
{
    return run(context, companion, evaluation_keep, made, err);
}
