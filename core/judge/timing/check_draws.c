#include "core/judge/timing/check_draws.h"

#include "core/judge/oracle/fill.h"

bool check_draws_one_in(size_t count)
{
    return fill_secret_seed() % count == 0;
}

size_t check_draws_secret(const struct check_draws *draws, size_t count)
{
    if (draws->is_last)
        return count - 1;
    return draws->since_secret + 1 < CHECK_DRAWS_ROUNDS ? count : fill_secret_seed() % count;
}

/*
 * The number of runs that a timing draws to be sampled, on average: twice as many as it takes,
 * which may drop some, and one more than it has expected values for.
 */
static size_t count_sampled(const struct check_draws *draws)
{
    size_t known = 0;

    while (known < EXPECTATIONS_SAMPLED && draws->known[EXPECTATIONS_SECRETS + known])
        known++;
    return 2 * draws->sample > known ? 2 * draws->sample : known + 1;
}

enum timed_check check_draws_take(const struct check_draws *draws, size_t index, size_t chosen,
                                  size_t count)
{
    if (index == chosen || (!draws->is_last && check_draws_one_in(CHECK_DRAWS_ROUNDS * count)))
        return CHECK_AGAIN;
    return fill_secret_seed() % (draws->least_rounds * count) < count_sampled(draws) ? CHECK_SAMPLE
                                                                                     : CHECK_NONE;
}

/* Only the first and the last secret run have expected values, and the first sampled ones. */
const struct expectation *check_draws_known(struct check_draws *draws, enum timed_check check)
{
    if (check == CHECK_SAMPLE)
        return draws->sampled < EXPECTATIONS_SAMPLED
                   ? draws->known[EXPECTATIONS_SECRETS + draws->sampled++]
                   : NULL;
    if (check != CHECK_AGAIN)
        return NULL;
    if (draws->is_last)
        return draws->known[EXPECTATIONS_SECRETS - 1];
    return draws->secrets < EXPECTATIONS_SECRETS - 1 ? draws->known[draws->secrets] : NULL;
}
