#include "core/suite/statistics/paired.h"

#include <math.h>

#include "core/base/mem.h"

/*
 * A difference other than 0.  Ranks are doubled, so that the mean of two ranks is a whole number.
 */
struct ranked {
    double size;
    bool is_positive;
    size_t doubled_rank;
};

static int compare_sizes(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->size, y = ((const struct ranked *)b)->size;

    return (x > y) - (x < y);
}

/* Assign ranks from 1 on.  Return the sum of t^3 - t over all groups of t equal sizes. */
static double rank(struct ranked *items, size_t count)
{
    double ties = 0;

    qsort(items, count, sizeof(*items), compare_sizes);
    for (size_t first = 0, end; first < count; first = end) {
        double group;

        for (end = first + 1; end < count && items[end].size <= items[first].size;)
            end++;
        for (size_t i = first; i < end; i++)
            items[i].doubled_rank = first + 1 + end;
        group = (double)(end - first);
        ties += group * group * group - group;
    }
    return ties;
}

/*
 * The probability, over all choices of signs, that the doubled ranks of the positive differences
 * sum to at most `least`.  shares[s] is the probability of the sum s, updated rank by rank.
 */
static double exact_tail(const struct ranked *items, size_t count, size_t least)
{
    size_t most = count * (count + 1);
    double *shares = mem_alloc_zeroed(most + 1, sizeof(*shares)), tail = 0;

    shares[0] = 1;
    for (size_t i = 0; i < count; i++) {
        size_t rank_of = items[i].doubled_rank;

        for (size_t s = most + 1; s-- > 0;)
            shares[s] = (shares[s] + (s >= rank_of ? shares[s - rank_of] : 0)) / 2;
    }
    for (size_t s = 0; s <= least && s <= most; s++)
        tail += shares[s];
    free(shares);
    return tail;
}

/* The two-sided p of the smaller rank sum, by the normal approximation. */
static double normal_p(double smaller, size_t count, double ties)
{
    double n = (double)count, mean = n * (n + 1) / 4;
    double variance = n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
    double distance = fmax(mean - smaller - 0.5, 0);

    return erfc(distance / sqrt(2 * variance));
}

static void find_p(struct paired_test *test, const struct ranked *items, double ties)
{
    double smaller = fmin(test->positive, test->negative);

    test->is_exact = test->count <= PAIRED_MOST_EXACT;
    if (test->count == 0)
        test->p = 1;
    else if (test->is_exact)
        test->p = fmin(1, 2 * exact_tail(items, test->count, (size_t)lround(2 * smaller)));
    else
        test->p = normal_p(smaller, test->count, ties);
}

struct paired_test paired_test(const double *differences, size_t count)
{
    struct ranked *items = mem_alloc_zeroed(count + 1, sizeof(*items));
    struct paired_test test = {0};
    double ties;

    for (size_t i = 0; i < count; i++) {
        if (differences[i] > 0 || differences[i] < 0)
            items[test.count++] =
                (struct ranked){.size = fabs(differences[i]), .is_positive = differences[i] > 0};
        else
            test.zeros++;
    }
    ties = rank(items, test.count);
    for (size_t i = 0; i < test.count; i++)
        *(items[i].is_positive ? &test.positive : &test.negative) +=
            (double)items[i].doubled_rank / 2;
    find_p(&test, items, ties);
    if (test.count)
        test.effect = (test.positive - test.negative) / (test.positive + test.negative);
    free(items);
    return test;
}

void paired_correct(double *p, size_t count)
{
    bool *is_done = mem_alloc_zeroed(count + 1, sizeof(*is_done));
    double highest = 0;

    for (size_t left = count; left > 0; left--) {
        size_t least = count;

        for (size_t i = 0; i < count; i++)
            if (!is_done[i] && (least == count || p[i] < p[least]))
                least = i;
        highest = fmax(highest, fmin(1, p[least] * (double)left));
        p[least] = highest;
        is_done[least] = true;
    }
    free(is_done);
}
