/*
 * Reductions and row-wise operations. A work-item processes a line of N elements; X(j) is element
 * j, V(j) its variance. The kernel (oracle_kernel_lines.c) defines these macros. A reduction's
 * macro leaves its result in y and v; that of a row-wise operation leaves numbers in st[], from
 * which the kernel computes the elements of the row. The formulas are those of spread_reduction.c
 * and spread_rowwise.c.
 */
#define LINE(body) for (INDEX j = 0; j < N; j++) { body }
/* Count the error of a loop over `term` from the last element in `s`. */
#define LINE_TURN(s, term)                                                              \
    {                                                                              \
        float turned = 0;                                                          \
        for (INDEX j = N; j-- > 0;)                                                \
            turned = add_single(turned, term);                                     \
        sum_turn(&s, turned);                                                      \
    }

/*
 * The statistics of a line are off by this deviation if the kernel MOVES them (second_evaluation.h); the
 * elements are exact then.
 */
#define MOVED(deviation)                                                           \
    (MOVES ? (((unsigned int)line * 2654435761u) >> 31 ? -(deviation) : (deviation)) : 0.0)

/* The same for the error of an operation that errs itself. */
#define ERRED(deviation)                                                           \
    (ERRS ? (((unsigned int)line * 2654435761u) >> 31 ? -(deviation) : (deviation)) : 0.0)
/* The argument of an exponential, below `shift`, with the error of the operation. */
#define ERRING(x, shift) (ERRS ? (x) + argument_error(x, shift) : (x))

#define INHERITED_BY_SUM (IS_MIXED ? variances : deviations * deviations)
#define SUM_ALONG_LINE                                                             \
    double variances = 0, deviations = 0;                                          \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(const double vj = V(j); sum_add(&s, X(j)); variances += vj;               \
         deviations += sqrt(vj);)                                                  \
    LINE_TURN(s, X(j))
#define RESULT_sum                                                                 \
    y = s.total;                                                                   \
    v = is_finite(y) ? INHERITED_BY_SUM + (IS_INTEGER ? 0 : sum_variance(&s)) : 0;
/* `scaled` is the sum of the elements that are divided first. */
#define RESULT_mean                                                                \
    y = s.total / N;                                                               \
    v = is_finite(y) ? INHERITED_BY_SUM / ((double)N * N) +                        \
                           fmax(sum_variance(&s) / ((double)N * N), sum_variance(&scaled)) \
                     : 0;
#define LINE_sum SUM_ALONG_LINE RESULT_sum
#define LINE_mean                                                                  \
    SUM_ALONG_LINE                                                                 \
    struct sum scaled;                                                             \
    sum_start(&scaled);                                                            \
    LINE(sum_add(&scaled, X(j) * (1.0 / N));)                                      \
    LINE_TURN(scaled, X(j) * (1.0 / N))                                            \
    RESULT_mean

/* The variance of a product of which `alike` elements equal the one before (spread_sum.c). */
#define ALIKE_VARIANCE(product, alike) (UNIT_VARIANCE * (alike) * (alike) / 16 * (product) * (product))

#define LINE_prod                                                                  \
    double off = 0, last = 0, alike = 0;                                           \
    y = 1;                                                                         \
    LINE(const double x = X(j); off = off * x * x + (y * y + off) * V(j); y *= x;  \
         off += IS_INTEGER ? 0 : UNIT_VARIANCE * y * y;                            \
         alike += !IS_INTEGER && x == last; last = x;)                             \
    v = is_finite(y) ? off + ALIKE_VARIANCE(y, alike) : 0;

/*
 * Find the first of the extreme elements; a NaN counts as more extreme than any number. Every
 * element counts as a possible extreme whose error bound reaches the bound that the true extreme
 * certainly has.
 */
#define IS_BEYOND(sign, x, most) (!is_nan(most) && (is_nan(x) || sign (x) > sign (most)))
#define SURELY(sign, j) (sign X(j) - DEVIATIONS * sqrt(V(j)))
#define REACHES(sign, j, vj) (sign X(j) + DEVIATIONS * sqrt(vj) >= sure)
#define SPREAD_OF_EXTREME(sign, j)                                                 \
    const double vj = V(j);                                                        \
    if (vj > v && REACHES(sign, j, vj))                                            \
        v = vj;
#define SPREAD_OF_PLACE(sign, j)                                                   \
    const double vj = V(j);                                                        \
    if ((vj > 0 || !is_sure) && REACHES(sign, j, vj))                              \
        far = fmax(far, fabs((double)(j - place)));
#define EXTREME(sign)                                                              \
    INDEX place = 0;                                                                 \
    double most = X(0), sure = BOTTOM;                                             \
    LINE(const double x = X(j); sure = fmax(sure, SURELY(sign, j));                \
         if (IS_BEYOND(sign, x, most)) { place = j; most = x; })
#define LARGEST_VARIANCE(sign) EXTREME(sign) y = most; LINE(SPREAD_OF_EXTREME(sign, j))
#define FARTHEST(sign)                                                             \
    EXTREME(sign)                                                                  \
    const int is_sure = V(place) == 0;                                             \
    double far = 0;                                                                \
    y = place;                                                                     \
    LINE(SPREAD_OF_PLACE(sign, j))                                                 \
    v = square(far / DEVIATIONS);
#define LINE_max LARGEST_VARIANCE(+)
#define LINE_min LARGEST_VARIANCE(-)
#define LINE_argmax FARTHEST(+)
#define LINE_argmin FARTHEST(-)

#define MORE(a, b) (is_nan(a) || (a) > (b) ? (a) : (b))
#define LOG_SUM(most, log_total) (fabs(most) > LARGEST ? (most) : (most) + (log_total))
#define LOG_SUM_SPREAD(farthest, y)                                                \
    square(UNIT * (4 * (farthest) + 6 * fabs(y) + 6) / DEVIATIONS)
#define LINE_logsumexp                                                             \
    double most = X(0), total = 0, off = 0, farthest = 0;                          \
    double variances = 0, deviations = 0;                                          \
    struct sum s, scaled;                                                          \
    sum_start(&s);                                                                 \
    sum_start(&scaled);                                                            \
    LINE(const double x = X(j); most = MORE(most, x);)                             \
    LINE(total += exp(X(j) - most);)                                               \
    y = LOG_SUM(most, log(total));                                                 \
    LINE(const double x = X(j); const double share = exp(x - y);                   \
         if (share == 0) continue;                                                 \
         sum_add(&s, share);                                                       \
         sum_add(&scaled, exp(x - most));                                          \
         off += share * share * UNIT_VARIANCE * x * x;                             \
         const double vj = V(j);                                                   \
         variances += share * share * vj;                                          \
         deviations += share * sqrt(vj);                                           \
         farthest = fmax(farthest, fabs(x));)                                      \
    LINE_TURN(s, exp(X(j) - y))                                                         \
    LINE_TURN(scaled, exp(X(j) - most))                                                 \
    off += IS_MIXED ? variances : deviations * deviations;                         \
    v = is_finite(y) ? off + shares_variance(&s, &scaled) + LOG_SUM_SPREAD(farthest, y) : 0;

/*
 * The moments around the mean or around 0 (spread_sum.c). Around 0, the squares of elements that are
 * divided by the largest one count too.
 */
#define MOMENTS(is_centred)                                                        \
    double variances = 0, variance_squares = 0, fourth = 0, weighted = 0, most = 0; \
    struct sum s, squares, centred, scaled;                                        \
    sum_start(&s);                                                                 \
    sum_start(&squares);                                                           \
    sum_start(&centred);                                                           \
    sum_start(&scaled);                                                            \
    LINE(const double x = X(j); const double vj = V(j); sum_add(&s, x);            \
         sum_add(&squares, x * x); variances += vj; variance_squares += vj * vj;   \
         fourth += x * x * x * x; most = fmax(most, fabs(x));)                     \
    const double mean = is_centred ? s.total / N : 0;                              \
    LINE(const double x = X(j) - mean; sum_add(&centred, x * x);                   \
         weighted += x * x * V(j);)                                                \
    LINE_TURN(centred, square(X(j) - mean))                                             \
    if (!(is_centred) && most > 0)                                                 \
        LINE(sum_add(&scaled, square(X(j) / most));)                               \
    MOMENTS_FROM_SUMS(is_centred)
#define MOMENTS_FROM_SUMS(is_centred)                                              \
    const double spread_squares =                                                     \
        is_centred ? sum_variance(&centred)                                        \
                   : fmax(sum_variance(&centred), sum_variance(&scaled) * square(square(most))); \
    const double away = is_centred ? mean - X(0) : 0;                              \
    const double far = is_finite(away) ? away : 0;                                 \
    const double shifted = centred.total + N * far * far;                          \
    const double shifted_unit = is_centred && is_finite(away)                      \
                                    ? UNIT_VARIANCE * (N / 3.0 + 4) * shifted : 0; \
    const double mean_variance =                                                   \
        is_centred ? (fmax(sum_variance(&s), shifted_unit * N) + variances) / ((double)N * N) : 0; \
    const double mean_square = centred.total / N;                                  \
    const double own_variance =                                                    \
        fmax(sum_variance(&squares) + spread_squares + UNIT_VARIANCE * fourth +    \
                 4 * mean * mean * sum_variance(&s),                               \
             shifted_unit * (shifted + 4 * far * far * N) +                        \
                 UNIT_VARIANCE * square(N * far * far));                           \
    const double square_variance =                                                 \
        (4 * weighted + DEVIATIONS * DEVIATIONS * variance_squares +               \
         variances * variances + own_variance) / ((double)N * N) + UNIT_VARIANCE * mean * mean * mean * mean;

#define RESULT_var                                                                 \
    const double freedom = N - CORRECTION, factor = N / freedom;                   \
    y = freedom > 0 ? centred.total / freedom : NOT_A_NUMBER;                      \
    v = is_finite(y) ? square_variance * factor * factor : 0;
#define LINE_var MOMENTS(1) RESULT_var

/* Keep the largest term apart from the sum of the others (spread_rowwise.c). */
#define KEEP_LARGEST(term)                                                         \
    {                                                                              \
        const double kept = term;                                                  \
        others += fmin(kept, largest);                                             \
        largest = fmax(kept, largest);                                             \
    }

/* Row-wise operations leave up to four numbers in st[] for the elements of the row. */
#define ROW_softmax                                                                \
    double most = X(0), others = UNIT_VARIANCE, largest = 0;                       \
    struct sum s, plain;                                                           \
    sum_start(&s);                                                                 \
    sum_start(&plain);                                                             \
    LINE(most = fmax(most, X(j));)                                                 \
    LINE(sum_add(&s, exp(X(j) - most));)                                           \
    LINE(const double x = X(j); const double share = exp(x - most) / s.total;      \
         sum_add(&plain, share);                                                   \
         if (share > 0) KEEP_LARGEST(share * share * relative_variance(x, most, V(j)))) \
    LINE_TURN(s, exp(X(j) - most))                                                 \
    LINE_TURN(plain, exp(X(j) - most) / s.total)                                   \
    st[0] = most;                                                                  \
    const double sum_off = shares_variance(&plain, &s);                            \
    st[2] = others + sum_off;                                                      \
    st[3] = largest;                                                               \
    double total = 0;                                                              \
    LINE(total += exp(ERRING(X(j), most) - most);)                                 \
    st[1] = total * (1 + MOVED(sqrt(st[2] + largest)) + ERRED(sqrt(sum_off + UNIT_VARIANCE)));
#define ELEMENT_softmax                                                            \
    y = exp(ERRING(X(j), st[0]) - st[0]) / st[1];                                  \
    const double own = y > 0 ? relative_variance(X(j), st[0], V(j)) : 0;           \
    v = share_variance(y, own, st[2] + largest_of_others(st[3], y * y * own)) +    \
        (V(j) > 0 ? UNIT_VARIANCE * X(j) * X(j) * y * y : 0);

#define ROW_log_softmax                                                            \
    double most = X(0), total = 0, shared = 0;                                     \
    struct sum s, scaled;                                                          \
    sum_start(&s);                                                                 \
    sum_start(&scaled);                                                            \
    LINE(most = fmax(most, X(j));)                                                 \
    LINE(total += exp(X(j) - most);)                                               \
    const double log_total = log(total);                                           \
    LINE(const double x = X(j); const double share = exp(x - most - log_total);    \
         sum_add(&s, share);                                                       \
         sum_add(&scaled, exp(x - most));                                          \
         if (share > 0) shared += share * share * relative_variance(x, most, V(j));) \
    LINE_TURN(s, exp(X(j) - most - log_total))                                          \
    LINE_TURN(scaled, exp(X(j) - most))                                                 \
    st[0] = most;                                                                  \
    st[2] = shared + shares_variance(&s, &scaled) + UNIT_VARIANCE * most * most;   \
    st[1] = log_total + MOVED(sqrt(st[2]));
#define ELEMENT_log_softmax                                                        \
    y = X(j) - st[0] - st[1];                                                      \
    const double own = UNIT * (4 * fabs(X(j)) + 4 * fabs(y) + 8) / DEVIATIONS;     \
    v = is_finite(y) ? V(j) + st[2] + own * own : 0;

#define NORM_OF_MOMENTS(is_centred)                                                \
    NORM_FROM(mean, mean_variance + (is_centred ? UNIT_VARIANCE * mean * mean : 0), \
              mean_square, square_variance)
#define NORM_FROM(mean, mean_variance, mean_square, square_variance)               \
    st[3] = mean_variance;                                                         \
    st[2] = scale_deviation(mean_square, square_variance, EPS);                    \
    st[1] = 1 / sqrt(mean_square + EPS) + MOVED(st[2]);                            \
    st[0] = mean + MOVED(sqrt(st[3]));
#define ROW_rms_norm MOMENTS(0) NORM_OF_MOMENTS(0)
#define ROW_layer_norm MOMENTS(1) NORM_OF_MOMENTS(1)
/*
 * W(j) and B(j) are the weight and bias of element j, VW(j) and VB(j) their variances. NORMALIZED is
 * the number of elements whose mean square becomes 1, or infinite if the statistics are given.
 */
#define ELEMENT_norm                                                               \
    const double x = X(j), centred = x - st[0];                                    \
    const double widest_scale = st[1] + DEVIATIONS * st[2];                        \
    y = centred * st[1] * W(j) + B(j);                                             \
    const double off = (V(j) + st[3] + UNIT_VARIANCE * x * x) * square(widest_scale) + \
                       square(centred * st[2]);                                    \
    v = square(W(j)) * fmin(off, norm_most(centred * st[1], NORMALIZED)) +         \
        VW(j) * square(centred * st[1]) + VB(j);

/*
 * Scans store each running result with STORE(j). LATER_INHERITED and LATER_OWN are the additions for
 * a product that follows.
 */
#define OF_TERM(x, v) ((v) * (1 + LATER_INHERITED) + LATER_OWN * (x) * (x))
#define SCAN_cumsum                                                                \
    double variances = 0;                                                          \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(const double x = X(j); sum_add(&s, x); variances += OF_TERM(x, V(j));     \
         const double y = s.total;                                                 \
         const double v = variances + (IS_INTEGER ? 0 : sum_variance(&s)); STORE(j))
#define SCAN_cumprod                                                               \
    double product = 1, off = 0, last = 0, alike = 0;                              \
    LINE(const double x = X(j);                                                    \
         off = off * x * x + (product * product + off) * V(j); product *= x;       \
         off += IS_INTEGER ? 0 : UNIT_VARIANCE * product * product;                \
         alike += !IS_INTEGER && x == last; last = x;                              \
         const double y = product;                                                 \
         const double v = is_finite(y) ? off + ALIKE_VARIANCE(y, alike) : 0; STORE(j))

/* The formulas of spread_scans.c. */
#define SCAN_cummax                                                                \
    double most = X(0), sure = BOTTOM, reach = BOTTOM, widest = 0;                 \
    LINE(const double x = X(j); const double off = DEVIATIONS * sqrt(V(j));        \
         if (x > most || is_nan(x)) most = x;                                      \
         if (x - off > reach) { reach = x + off; widest = V(j); }                  \
         else if (x + off >= sure) { reach = fmax(reach, x + off); widest = fmax(widest, V(j)); } \
         sure = fmax(sure, x - off);                                               \
         const double y = most; const double v = widest; STORE(j))
#define SCAN_logcumsumexp                                                          \
    double most = BOTTOM, total = 0, variances = 0, deviations = 0, own = 0;       \
    double result = BOTTOM, farthest = 0, drift = 0;                               \
    float loop = -INFINITY;                                                        \
    LINE(const double x = X(j); double y = most; double v = 0;                     \
         if (x > most || is_nan(x)) {                                              \
             const double less = is_finite(most) ? exp(most - x) : 0;              \
             total *= less; variances *= less * less; deviations *= less; most = x; \
         }                                                                         \
         const double term = is_finite(x) ? exp(x - most) : x == most;             \
         total += term;                                                            \
         y = is_finite(most) ? most + log(total) : most;                           \
         if (is_finite(x) && is_finite(y)) {                                       \
             const double kept = is_finite(result) ? exp(result - y) : 0;          \
             variances += term * term * (V(j) + UNIT_VARIANCE * x * x);            \
             deviations += term * sqrt(V(j));                                      \
             farthest = fmax(farthest, fabs(x));                                   \
             own = fmax(kept * kept * own + UNIT_VARIANCE * (1 + y * y),           \
                        LOG_SUM_SPREAD(farthest, y));                              \
             result = y;                                                           \
             loop = log_add_single(loop, (float)x);                                \
             drift = fmax(drift * kept, fabs((double)loop - y));                   \
         }                                                                         \
         if (is_finite(y))                                                         \
             v = (IS_MIXED ? variances : variances + deviations * deviations) / (total * total) + \
                 own + (is_finite(drift) ? square(2 * drift / DEVIATIONS) : 0);    \
         STORE(j))
