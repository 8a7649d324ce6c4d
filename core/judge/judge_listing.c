#include "core/judge/judge.h"
#include "core/judge/judge_state.h"
#include "core/judge/listing.h"
#include "core/judge/tune.h"

/* Find the choice called `tuned`; if that is NULL, time all choices and take the fastest. */
static enum status find_choice(struct judge *judge, struct evaluation *e, const char *tuned,
                               struct error *err)
{
    enum status st;

    if (tuned)
        return plan_find_choice(&e->plan, tuned, &e->choice)
                   ? STATUS_OK
                   : error_set(err, STATUS_INVALID, "the plan has no choice %s", tuned);
    if (plan_choices(&e->plan) < 2)
        return STATUS_OK;
    st = judge_prepare(judge, err);
    if (st)
        return st;
    baselines_pause(&judge->baselines, true);
    st = judge_take_turn(judge, DEVICE_TIMED, err);
    if (!st)
        st = tune_candidate(e, err);
    device_turns_rest(&judge->turns);
    baselines_pause(&judge->baselines, false);
    return st;
}

enum status judge_listing(struct judge *judge, const struct judge_listing *listing,
                          struct strbuf *text, struct error *err)
{
    const struct evaluation_context context = judge_context(judge);
    struct verdict aside = {0};
    struct evaluation e;
    enum status st;

    if (!judge->expectations)
        return error_set(err, STATUS_INVALID, "no problem is loaded");
    e = evaluation_make(&context, SLOT_CANDIDATE, listing->candidate, &aside);
    st = evaluation_parse(&e, err);
    if (!st && aside.outcome != OUTCOME_NONE)
        st = error_set(err, STATUS_INVALID, "%s: %s", outcome_name(aside.outcome), aside.detail);
    if (!st)
        st = find_choice(judge, &e, listing->tuned, err);
    if (!st)
        st = listing_make(&e, listing->form, text, err);
    evaluation_release(&e);
    verdict_release(&aside);
    return st;
}
