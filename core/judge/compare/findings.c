#include "core/judge/compare/findings.h"

#include <math.h>

bool findings_take(const struct findings *findings, double over)
{
    return findings->trial.worst_count < TRIAL_MAX_WORST ||
           over > findings->worst[TRIAL_MAX_WORST - 1];
}

static void insert(struct findings *findings, const struct mismatch *mismatch, double over)
{
    struct trial *trial = &findings->trial;
    bool is_full = trial->worst_count == TRIAL_MAX_WORST;
    size_t place = is_full ? TRIAL_MAX_WORST - 1 : trial->worst_count;

    trial->worst_count = place + 1;
    for (; place > 0 && findings->worst[place - 1] < over; place--) {
        findings->worst[place] = findings->worst[place - 1];
        trial->worst[place] = trial->worst[place - 1];
    }
    findings->worst[place] = over;
    trial->worst[place] = *mismatch;
}

void findings_add(struct findings *findings, const struct shape *shape,
                  const struct wrong_element *element)
{
    struct mismatch mismatch = {.got = element->got, .want = element->want, .rank = shape->rank};
    size_t rest = element->number;

    for (size_t axis = shape->rank; axis-- > 0;) {
        size_t size = (size_t)shape->dims[axis];

        mismatch.index[axis] = (int64_t)(rest % size);
        rest /= size;
    }
    insert(findings, &mismatch, element->over);
}

void findings_merge(struct findings *into, const struct findings *from)
{
    struct trial *all = &into->trial;
    const struct trial *some = &from->trial;

    into->off_squares += from->off_squares;
    all->max_abs = fmax(all->max_abs, some->max_abs);
    all->max_rel = fmax(all->max_rel, some->max_rel);
    all->worst_over_tolerance = fmax(all->worst_over_tolerance, some->worst_over_tolerance);
    all->mismatched += some->mismatched;
    all->nonfinite += some->nonfinite;
    for (size_t i = 0; i < some->worst_count && findings_take(into, from->worst[i]); i++)
        insert(into, &some->worst[i], from->worst[i]);
}

double findings_relative_norm(double off_squares, double want_squares)
{
    if (off_squares == 0)
        return 0;
    return want_squares > 0 ? sqrt(off_squares / want_squares) : (double)INFINITY;
}
