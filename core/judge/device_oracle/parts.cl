/*
 * Few long lines in LINE_PARTS parts, each the work of a work-item. A part writes PART_STATE
 * numbers, OF_PART: some that its operation names, then SUM_NUMBERS for each of its float32 sums.
 * Each step PART_... of an operation is a kernel, which reads the numbers that earlier steps wrote
 * for all parts. WHOLE_op computes from them the same results as LINE_op, ROW_op or SCAN_op in
 * lines.cl from a whole line. oracle_kernel_lines.c has the steps of each operation.
 */
#define OF_PART(p, number) parts[(p) * PART_STATE + number]
#define SUM_OF_PART(p, sum) (parts + (p) * PART_STATE + PART_NUMBERS + (sum) * SUM_NUMBERS)
#define PART_FIRST(part) ((INDEX)((long)(part) * N / LINE_PARTS))
#define PART(body) for (INDEX j = PART_FIRST(part); j < PART_FIRST(part + 1); j++) { body }
#define EACH_PART(body) for (int p = 0; p < LINE_PARTS; p++) { body }

/* A sum over a part, which begins at 0; `running` is the sum of its partial sums. */
struct part_sum {
    double total, magnitude, running, squares, terms;
};
FN void part_sum_start(struct part_sum *s)
{
    s->total = s->magnitude = s->running = s->squares = s->terms = 0;
}
FN void part_sum_add(struct part_sum *s, double x)
{
    s->total += x;
    s->magnitude += fabs(x);
    s->running += s->total;
    s->squares += s->total * s->total;
    s->terms += 1;
}
FN void part_sum_leave(const struct part_sum *s, __global double *to)
{
    to[0] = s->total;
    to[1] = s->magnitude;
    to[2] = s->running;
    to[3] = s->squares;
    to[4] = s->terms;
    to[7] = 0;
}

/*
 * A float32 loop over a part. Its error is the sum of the errors gathered in each part. The loop is
 * assumed to be exact at the beginning of a part, so the largest error is an estimate.
 */
struct part_loop {
    double total, lead, drift;
    float loop;
};
FN void part_loop_start(struct part_loop *l, double total)
{
    l->total = total;
    l->loop = (float)total;
    l->lead = (double)l->loop - total;
    l->drift = 0;
}
FN void part_loop_add(struct part_loop *l, double x)
{
    l->total += x;
    l->loop = add_single(l->loop, x);
    l->drift = fmax(l->drift, fabs((double)l->loop - l->total - l->lead));
}
FN void part_loop_leave(const struct part_loop *l, __global double *to)
{
    to[5] = (double)l->loop - l->total - l->lead;
    to[6] = l->drift;
}
/* Leave the error of a loop from the last element. */
FN void part_loop_turn(const struct part_loop *l, __global double *to)
{
    to[7] = (double)l->loop - l->total - l->lead;
}

/* The sum of the parts so far; `off` is the error of the loop at their end, `turned` of the other. */
struct gathered {
    struct sum sum;
    double off, turned;
};
FN void gather_start(struct gathered *g)
{
    sum_start(&g->sum);
    g->off = g->turned = 0;
}
FN void gather(struct gathered *g, __global const double *from)
{
    struct sum *s = &g->sum;

    s->squares += from[4] * s->total * s->total + 2 * s->total * from[2] + from[3];
    s->total += from[0];
    s->magnitude += from[1];
    s->drift = fmax(s->drift, fabs(g->off) + from[6]);
    g->off += from[5];
    g->turned += from[7];
}
#define GATHER(g, number)                                                          \
    struct gathered g;                                                             \
    gather_start(&g);                                                              \
    EACH_PART(gather(&g, SUM_OF_PART(p, number));)                                 \
    g.sum.drift = fmax(g.sum.drift, fabs(g.turned));

#define START_LOOP(loop, number)                                                   \
    struct part_loop loop;                                                         \
    part_loop_start(&loop, 0);                                                     \
    for (int p = 0; p < part; p++)                                                 \
        loop.total += SUM_OF_PART(p, number)[0];                                   \
    part_loop_start(&loop, loop.total);
#define PART_DRIFT(term)                                                           \
    START_LOOP(l, 0)                                                               \
    PART(const double x = X(j); part_loop_add(&l, term);)                          \
    part_loop_leave(&l, SUM_OF_PART(part, 0));

/* The same from the last element. */
#define PART_DOWN(body)                                                            \
    for (INDEX j = PART_FIRST(part + 1); j-- > PART_FIRST(part);) { body }
#define START_TURN(loop, number)                                                   \
    struct part_loop loop;                                                         \
    part_loop_start(&loop, 0);                                                     \
    for (int p = LINE_PARTS; --p > part;)                                          \
        loop.total += SUM_OF_PART(p, number)[0];                                   \
    part_loop_start(&loop, loop.total);
#define PART_TURN(term)                                                            \
    START_TURN(turned, 0)                                                          \
    PART_DOWN(const double x = X(j); part_loop_add(&turned, term);)                \
    part_loop_turn(&turned, SUM_OF_PART(part, 0));

/*
 * Both, and sum 1 is that of the terms times `factor`: it differs in how a float32 loop rounds.
 * Its numbers besides the drift follow from those of sum 0.
 */
FN double total_of_parts(__global const double *parts, int count, int distance)
{
    double total = 0;

    for (int p = 0; p < count; p++)
        total += parts[p * distance];
    return total;
}
#define TOTAL_OF_PARTS total_of_parts(SUM_OF_PART(0, 0), LINE_PARTS, PART_STATE)
FN void part_sum_scale(__global const double *from, double factor, __global double *to)
{
    to[0] = from[0] * factor;
    to[1] = from[1] * factor;
    to[2] = from[2] * factor;
    to[3] = from[3] * factor * factor;
    to[4] = from[4];
    to[7] = 0;
}
#define PART_DRIFTS(term, factor)                                                  \
    const double scale = factor;                                                   \
    START_LOOP(l, 0)                                                               \
    struct part_loop scaled;                                                       \
    part_loop_start(&scaled, l.total * scale);                                     \
    PART(const double x = X(j); const double added = term; part_loop_add(&l, added); \
         part_loop_add(&scaled, added * scale);)                                   \
    part_loop_leave(&l, SUM_OF_PART(part, 0));                                     \
    part_sum_scale(SUM_OF_PART(part, 0), scale, SUM_OF_PART(part, 1));             \
    part_loop_leave(&scaled, SUM_OF_PART(part, 1));                                \
    START_TURN(turned, 0)                                                          \
    part_loop_start(&scaled, turned.total * scale);                                \
    PART_DOWN(const double x = X(j); const double added = term;                    \
              part_loop_add(&turned, added); part_loop_add(&scaled, added * scale);) \
    part_loop_turn(&turned, SUM_OF_PART(part, 0));                                 \
    part_loop_turn(&scaled, SUM_OF_PART(part, 1));

/* Sum up `term`, an expression of the element x. `spread` adds to variances and deviations. */
#define PART_SUMS(term, spread)                                                    \
    double variances = 0, deviations = 0;                                          \
    struct part_sum s;                                                             \
    part_sum_start(&s);                                                            \
    PART(const double x = X(j); const double vj = V(j); const double added = term; \
         spread part_sum_add(&s, added);)                                          \
    part_sum_leave(&s, SUM_OF_PART(part, 0));                                      \
    OF_PART(part, 0) = variances;                                                  \
    OF_PART(part, 1) = deviations;
#define GATHER_PARTS                                                               \
    double variances = 0, deviations = 0;                                          \
    GATHER(g, 0)                                                                   \
    EACH_PART(variances += OF_PART(p, 0); deviations += OF_PART(p, 1);)            \
    const struct sum s = g.sum;

#define SPREAD_sum variances += vj; deviations += sqrt(vj);
#define SPREAD_cumsum variances += OF_TERM(x, vj);
#define WHOLE_sum GATHER_PARTS RESULT_sum
#define WHOLE_mean                                                                 \
    GATHER_PARTS                                                                   \
    GATHER(scaled_sums, 1)                                                         \
    const struct sum scaled = scaled_sums.sum;                                     \
    RESULT_mean

/*
 * The elements of a running sum are computed part by part, once the sums of all earlier parts are
 * known.
 */
#define WHOLE_cumsum                                                               \
    double variances = 0;                                                          \
    struct part_loop l;                                                            \
    struct gathered g;                                                             \
    gather_start(&g);                                                              \
    for (int p = 0; p < part; p++) {                                               \
        gather(&g, SUM_OF_PART(p, 0));                                             \
        variances += OF_PART(p, 0);                                                \
    }                                                                              \
    const double drift = g.sum.drift;                                              \
    part_loop_start(&l, g.sum.total);                                              \
    PART(const double x = X(j); sum_add(&g.sum, x); part_loop_add(&l, x);          \
         g.sum.drift = fmax(drift, fabs(g.off) + l.drift);                         \
         variances += OF_TERM(x, V(j));                                            \
         const double y = g.sum.total;                                             \
         const double v = variances + (IS_INTEGER ? 0 : sum_variance(&g.sum)); STORE(j))

/*
 * Exponentials: PART_MOST leaves the largest element, PART_TOTAL the sum of the exponentials below
 * it, and the largest magnitude of an element that is not negligible. The terms of the sums are
 * SHIFTED, with the shift of the operation.
 */
#define PART_MOST                                                                  \
    double most = X(PART_FIRST(part));                                             \
    PART(const double x = X(j); most = MORE(most, x);)                             \
    OF_PART(part, 2) = most;
#define MOST_OF_PARTS                                                              \
    double most = OF_PART(0, 2);                                                   \
    EACH_PART(const double x = OF_PART(p, 2); most = MORE(most, x);)
#define PART_TOTAL                                                                 \
    MOST_OF_PARTS                                                                  \
    double total = 0, farthest = 0;                                                \
    PART(const double x = X(j); const double added = exp(x - most); total += added; \
         if (added > 0) farthest = fmax(farthest, fabs(x));)                       \
    OF_PART(part, 3) = total;                                                      \
    OF_PART(part, 4) = farthest;
#define LOG_OF_PARTS                                                               \
    MOST_OF_PARTS                                                                  \
    double log_total = 0;                                                          \
    EACH_PART(log_total += OF_PART(p, 3);)                                         \
    log_total = log(log_total);
#define SHIFT_softmax MOST_OF_PARTS const double shift = most;
#define SHIFT_log_softmax LOG_OF_PARTS const double shift = most + log_total;
#define SHIFT_logsumexp LOG_OF_PARTS const double shift = LOG_SUM(most, log_total);
#define SHIFTED exp(ERRING(x, shift) - shift)
/* `deviations` is the largest term, `variances` the sum of the others. */
#define SPREAD_softmax                                                             \
    if (added > 0) {                                                               \
        const double kept = added * added * relative_variance(x, most, vj);        \
        variances += fmin(kept, deviations);                                       \
        deviations = fmax(kept, deviations);                                       \
    }
#define WHOLE_softmax                                                              \
    SHIFT_softmax                                                                  \
    double others = 0, largest = 0;                                                \
    GATHER(g, 0)                                                                   \
    EACH_PART(others += OF_PART(p, 0); KEEP_LARGEST(OF_PART(p, 1)))                \
    const struct sum s = g.sum;                                                    \
    st[0] = shift;                                                                 \
    GATHER(scaled, 1)                                                              \
    st[2] = others / square(s.total) + shares_variance(&scaled.sum, &s) + UNIT_VARIANCE; \
    st[3] = largest / square(s.total);                                             \
    st[1] = s.total * (1 + MOVED(sqrt(st[2] + st[3])));
#define WHOLE_log_softmax                                                          \
    LOG_OF_PARTS                                                                   \
    GATHER_PARTS                                                                   \
    st[0] = most;                                                                  \
    GATHER(scaled, 1)                                                              \
    st[2] = variances + deviations + shares_variance(&s, &scaled.sum) +            \
            UNIT_VARIANCE * most * most;                                           \
    st[1] = log_total + MOVED(sqrt(st[2]));

#define SPREAD_logsumexp                                                           \
    if (added == 0)                                                                \
        continue;                                                                  \
    variances += added * added * ((IS_MIXED ? vj : 0) + UNIT_VARIANCE * x * x);    \
    deviations += IS_MIXED ? 0 : added * sqrt(vj);
#define WHOLE_logsumexp                                                            \
    SHIFT_logsumexp                                                                \
    GATHER_PARTS                                                                   \
    double farthest = 0;                                                           \
    EACH_PART(farthest = fmax(farthest, OF_PART(p, 4));)                           \
    y = shift;                                                                     \
    GATHER(scaled, 1)                                                              \
    v = is_finite(y) ? variances + deviations * deviations +                       \
                           shares_variance(&s, &scaled.sum) + LOG_SUM_SPREAD(farthest, y) : 0;

/*
 * PART_EXTREME writes the extreme element, its place, and a bound that the true extreme certainly
 * reaches.
 */
#define PART_EXTREME(sign)                                                         \
    INDEX place = PART_FIRST(part);                                                  \
    double most = X(place), sure = BOTTOM;                                         \
    PART(const double x = X(j); sure = fmax(sure, SURELY(sign, j));                \
         if (IS_BEYOND(sign, x, most)) { place = j; most = x; })                   \
    OF_PART(part, 0) = most;                                                       \
    OF_PART(part, 1) = place;                                                      \
    OF_PART(part, 2) = sure;
#define EXTREME_OF_PARTS(sign)                                                     \
    INDEX place = 0;                                                                \
    double most = OF_PART(0, 0), sure = BOTTOM;                                    \
    EACH_PART(const double x = OF_PART(p, 0); sure = fmax(sure, OF_PART(p, 2));    \
              if (p == 0 || IS_BEYOND(sign, x, most)) {                            \
                  place = (INDEX)OF_PART(p, 1);                                      \
                  most = x;                                                        \
              })
#define PART_VARIANCE(sign)                                                        \
    EXTREME_OF_PARTS(sign)                                                         \
    double v = 0;                                                                  \
    PART(SPREAD_OF_EXTREME(sign, j))                                               \
    OF_PART(part, 3) = v;
#define PART_DISTANCE(sign)                                                        \
    EXTREME_OF_PARTS(sign)                                                         \
    const int is_sure = V(place) == 0;                                             \
    double far = 0;                                                                \
    PART(SPREAD_OF_PLACE(sign, j))                                                 \
    OF_PART(part, 3) = far;
#define WHOLE_EXTREME(sign) EXTREME_OF_PARTS(sign) y = most; EACH_PART(v = fmax(v, OF_PART(p, 3));)
#define WHOLE_PLACE(sign)                                                          \
    EXTREME_OF_PARTS(sign)                                                         \
    y = place;                                                                     \
    EACH_PART(v = fmax(v, square(OF_PART(p, 3) / DEVIATIONS));)
#define WHOLE_max WHOLE_EXTREME(+)
#define WHOLE_min WHOLE_EXTREME(-)
#define WHOLE_argmax WHOLE_PLACE(+)
#define WHOLE_argmin WHOLE_PLACE(-)

/*
 * Moments: the sums are those of the elements, of their squares, and of their squares around the
 * mean.
 */
#define MEAN_OF_PARTS(is_centred)                                                  \
    double mean = 0;                                                               \
    if (is_centred)                                                                \
        EACH_PART(mean += SUM_OF_PART(p, 0)[0];)                                   \
    mean /= N;
#define PART_MOMENTS                                                               \
    double variances = 0, variance_squares = 0, fourth = 0, most = 0;              \
    struct part_sum s, squares;                                                    \
    part_sum_start(&s);                                                            \
    part_sum_start(&squares);                                                      \
    PART(const double x = X(j); const double vj = V(j); part_sum_add(&s, x);       \
         part_sum_add(&squares, x * x); variances += vj;                           \
         variance_squares += vj * vj; fourth += x * x * x * x;                     \
         most = fmax(most, fabs(x));)                                              \
    part_sum_leave(&s, SUM_OF_PART(part, 0));                                      \
    part_sum_leave(&squares, SUM_OF_PART(part, 1));                                \
    OF_PART(part, 0) = variances;                                                  \
    OF_PART(part, 1) = variance_squares;                                           \
    OF_PART(part, 2) = fourth;                                                     \
    OF_PART(part, 4) = most;
#define PART_CENTRED(is_centred)                                                   \
    MEAN_OF_PARTS(is_centred)                                                      \
    double weighted = 0;                                                           \
    struct part_sum centred;                                                       \
    part_sum_start(&centred);                                                      \
    PART(const double x = X(j) - mean; part_sum_add(&centred, x * x);              \
         weighted += x * x * V(j);)                                                \
    part_sum_leave(&centred, SUM_OF_PART(part, 2));                                \
    OF_PART(part, 3) = weighted;
#define PART_MOMENTS_DRIFT(is_centred)                                             \
    MEAN_OF_PARTS(is_centred)                                                      \
    START_LOOP(l, 0)                                                               \
    START_LOOP(squares, 1)                                                         \
    START_LOOP(centred, 2)                                                         \
    PART(const double x = X(j); part_loop_add(&l, x);                              \
         part_loop_add(&squares, x * x); part_loop_add(&centred, square(x - mean));) \
    part_loop_leave(&l, SUM_OF_PART(part, 0));                                     \
    part_loop_leave(&squares, SUM_OF_PART(part, 1));                               \
    part_loop_leave(&centred, SUM_OF_PART(part, 2));                               \
    START_TURN(turned, 2)                                                          \
    PART_DOWN(part_loop_add(&turned, square(X(j) - mean));)                        \
    part_loop_turn(&turned, SUM_OF_PART(part, 2));
/* Sum 3 is that of the squares of elements that are divided by the largest one. */
#define LARGEST_OF_PARTS                                                           \
    double most = 0;                                                               \
    EACH_PART(most = fmax(most, OF_PART(p, 4));)
#define PART_SCALED_DRIFT                                                          \
    LARGEST_OF_PARTS                                                               \
    const double factor = most > 0 ? 1 / most : 0;                                 \
    START_LOOP(l, 1)                                                               \
    part_loop_start(&l, l.total * square(factor));                                 \
    PART(part_loop_add(&l, square(X(j) * factor));)                                \
    part_sum_scale(SUM_OF_PART(part, 1), square(factor), SUM_OF_PART(part, 3));    \
    part_loop_leave(&l, SUM_OF_PART(part, 3));
#define MOMENTS_OF_PARTS(is_centred)                                               \
    double variances = 0, variance_squares = 0, fourth = 0, weighted = 0;          \
    GATHER(sums, 0)                                                                \
    GATHER(square_sums, 1)                                                         \
    GATHER(centred_sums, 2)                                                        \
    GATHER(scaled_sums, is_centred ? 2 : 3)                                        \
    LARGEST_OF_PARTS                                                               \
    const struct sum s = sums.sum, squares = square_sums.sum,                      \
                     centred = centred_sums.sum, scaled = scaled_sums.sum;         \
    EACH_PART(variances += OF_PART(p, 0); variance_squares += OF_PART(p, 1);       \
              fourth += OF_PART(p, 2); weighted += OF_PART(p, 3);)                 \
    MEAN_OF_PARTS(is_centred)                                                      \
    MOMENTS_FROM_SUMS(is_centred)
#define WHOLE_var MOMENTS_OF_PARTS(1) RESULT_var
#define WHOLE_NORM(is_centred) MOMENTS_OF_PARTS(is_centred) NORM_OF_MOMENTS(is_centred)
#define WHOLE_layer_norm WHOLE_NORM(1)
#define WHOLE_rms_norm WHOLE_NORM(0)
