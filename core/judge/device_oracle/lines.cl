/*
 * Reductions and row-wise operations. A work-item goes along a line of N elements; X(j) is element
 * j, V(j) its variance. The kernel defines these macros, and stores what a macro here leaves in y
 * and v, or computes the elements of a row from what it leaves in st[] (see oracle_lines.c).
 * The formulas are those of spread_reduction.c and spread_rowwise.c.
 */
#define LINE(body) for (int j = 0; j < N; j++) { body }

#define SUM_ALONG_LINE                                                             \
    double variances = 0, deviations = 0;                                          \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(const double vj = V(j); sum_add(&s, X(j)); variances += vj;               \
         deviations += sqrt(vj);)                                                  \
    const double off = (IS_MIXED ? variances : deviations * deviations) +          \
                       (IS_INTEGER ? 0 : sum_variance(&s));

/*
 * The same for a line in LINE_PARTS parts, each the work of a work-item, which leaves PART_STATE
 * numbers: PART_SUMS, then PART_DRIFT, which begins where the parts before it end, and
 * SUM_OF_PARTS. Both add `term`, made of the element x. `spread` adds to variances and
 * deviations. A float32 loop is in error by the sum of what it gathers in each part; it is taken to
 * be exact where a part begins, so that the largest error is an estimate.
 */
#define PART_STATE 10
#define OF_PART(p, number) parts[(p) * PART_STATE + number]
#define PART_FIRST(part) ((int)((long)(part) * N / LINE_PARTS))
#define PART(body) for (int j = PART_FIRST(part); j < PART_FIRST(part + 1); j++) { body }
#define EACH_PART(body) for (int p = 0; p < LINE_PARTS; p++) { body }
#define PART_SUMS(term, spread)                                                    \
    double total = 0, magnitude = 0, running = 0, squares = 0;                     \
    double variances = 0, deviations = 0;                                          \
    PART(const double x = X(j); const double vj = V(j); const double added = term; \
         spread total += added; magnitude += fabs(added); running += total;        \
         squares += total * total;)                                                \
    OF_PART(part, 0) = total;                                                      \
    OF_PART(part, 1) = magnitude;                                                  \
    OF_PART(part, 2) = running;                                                    \
    OF_PART(part, 3) = squares;                                                    \
    OF_PART(part, 4) = variances;                                                  \
    OF_PART(part, 5) = deviations;
#define PART_DRIFT(term)                                                           \
    double total = 0, drift = 0;                                                   \
    for (int p = 0; p < part; p++)                                                 \
        total += OF_PART(p, 0);                                                    \
    float loop = (float)total;                                                     \
    const double lead = (double)loop - total;                                      \
    PART(const double x = X(j); const double added = term; total += added;         \
         loop += (float)added;                                                     \
         drift = fmax(drift, fabs((double)loop - total - lead));)                  \
    OF_PART(part, 6) = (double)loop - total - lead;                                \
    OF_PART(part, 7) = drift;
#define GATHER_PARTS                                                               \
    double variances = 0, deviations = 0, gathered = 0;                            \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    EACH_PART(const double count = PART_FIRST(p + 1) - PART_FIRST(p);              \
              s.squares += count * s.total * s.total +                             \
                           2 * s.total * OF_PART(p, 2) + OF_PART(p, 3);            \
              s.total += OF_PART(p, 0); s.magnitude += OF_PART(p, 1);              \
              s.drift = fmax(s.drift, fabs(gathered) + OF_PART(p, 7));             \
              gathered += OF_PART(p, 6); variances += OF_PART(p, 4);               \
              deviations += OF_PART(p, 5);)
#define SUM_OF_PARTS                                                               \
    GATHER_PARTS                                                                   \
    const double off = (IS_MIXED ? variances : deviations * deviations) +          \
                       (IS_INTEGER ? 0 : sum_variance(&s));
#define SPREAD_sum variances += vj; deviations += sqrt(vj);

#define RESULT_sum y = s.total; v = is_finite(y) ? off : 0;
#define RESULT_mean y = s.total / N; v = is_finite(y) ? off / ((double)N * N) : 0;
#define LINE_sum SUM_ALONG_LINE RESULT_sum
#define LINE_mean SUM_ALONG_LINE RESULT_mean
#define WHOLE_sum SUM_OF_PARTS RESULT_sum
#define WHOLE_mean SUM_OF_PARTS RESULT_mean

/*
 * Exponentials of a line in parts: PART_MOST leaves the largest element, PART_TOTAL the sum of the
 * exponentials below it. The terms of the sums are SHIFTED, with the shift of the operation.
 */
#define MORE(a, b) (is_nan(a) || (a) > (b) ? (a) : (b))
#define PART_MOST                                                                  \
    double most = X(PART_FIRST(part));                                             \
    PART(const double x = X(j); most = MORE(most, x);)                             \
    OF_PART(part, 8) = most;
#define MOST_OF_PARTS                                                              \
    double most = OF_PART(0, 8);                                                   \
    EACH_PART(const double x = OF_PART(p, 8); most = MORE(most, x);)
#define PART_TOTAL                                                                 \
    MOST_OF_PARTS                                                                  \
    double total = 0;                                                              \
    PART(total += exp(X(j) - most);)                                               \
    OF_PART(part, 9) = total;
#define LOG_OF_PARTS                                                               \
    MOST_OF_PARTS                                                                  \
    double log_total = 0;                                                          \
    EACH_PART(log_total += OF_PART(p, 9);)                                         \
    log_total = log(log_total);
#define SHIFT_softmax MOST_OF_PARTS const double shift = most;
#define SHIFT_log_softmax LOG_OF_PARTS const double shift = most + log_total;
#define SHIFTED exp(x - shift)
#define SPREAD_softmax                                                             \
    if (added > 0)                                                                 \
        variances += added * added * relative_variance(x, most, vj);
#define WHOLE_softmax                                                              \
    SHIFT_softmax                                                                  \
    GATHER_PARTS                                                                   \
    st[0] = shift;                                                                 \
    st[1] = s.total;                                                               \
    st[2] = (sum_variance(&s) + variances) / square(s.total) + UNIT_VARIANCE;
#define WHOLE_log_softmax                                                          \
    LOG_OF_PARTS                                                                   \
    GATHER_PARTS                                                                   \
    st[0] = most;                                                                  \
    st[1] = log_total;                                                             \
    st[2] = variances + sum_variance(&s) + UNIT_VARIANCE * most * most;

#define LINE_prod                                                                  \
    double off = 0;                                                                \
    y = 1;                                                                         \
    LINE(const double x = X(j); off = off * x * x + (y * y + off) * V(j); y *= x;  \
         off += IS_INTEGER ? 0 : UNIT_VARIANCE * y * y;)                           \
    v = is_finite(y) ? off : 0;

#define EXTREME(sign)                                                              \
    int place = 0;                                                                 \
    double most = X(0);                                                            \
    for (int j = 1; j < N && !is_nan(most); j++) {                                 \
        const double x = X(j);                                                     \
        if (is_nan(x) || sign x > sign most) {                                     \
            place = j;                                                             \
            most = x;                                                              \
        }                                                                          \
    }                                                                              \
    double sure = BOTTOM;                                                          \
    LINE(sure = fmax(sure, sign X(j) - DEVIATIONS * sqrt(V(j)));)
#define LARGEST_VARIANCE(sign)                                                     \
    EXTREME(sign)                                                                  \
    y = most;                                                                      \
    LINE(const double vj = V(j);                                                   \
         if (vj > v && sign X(j) + DEVIATIONS * sqrt(vj) >= sure) v = vj;)
#define FARTHEST(sign)                                                             \
    EXTREME(sign)                                                                  \
    const int is_sure = V(place) == 0;                                             \
    double far = 0;                                                                \
    y = place;                                                                     \
    LINE(const double vj = V(j);                                                   \
         if ((vj > 0 || !is_sure) && sign X(j) + DEVIATIONS * sqrt(vj) >= sure)    \
             far = fmax(far, fabs(j - y));)                                        \
    v = far * far / (DEVIATIONS * DEVIATIONS);
#define LINE_max LARGEST_VARIANCE(+)
#define LINE_min LARGEST_VARIANCE(-)
#define LINE_argmax FARTHEST(+)
#define LINE_argmin FARTHEST(-)

#define LINE_logsumexp                                                             \
    double most = X(0), total = 0, off = 0, farthest = 0;                          \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(const double x = X(j); most = MORE(most, x);)                             \
    LINE(total += exp(X(j) - most);)                                               \
    y = fabs(most) > LARGEST ? most : most + log(total);                           \
    LINE(const double x = X(j); const double share = exp(x - y);                   \
         if (share == 0) continue;                                                 \
         sum_add(&s, share);                                                       \
         off += share * share * (V(j) + UNIT_VARIANCE * x * x);                    \
         farthest = fmax(farthest, fabs(x));)                                      \
    farthest = UNIT * (4 * farthest + 6 * fabs(y) + 6) / DEVIATIONS;               \
    v = is_finite(y) ? off + sum_variance(&s) + farthest * farthest : 0;

/*
 * The moments around the mean, or around 0 (spread_sum.c). `average` is over the N elements;
 * `own_squares` are the squares around it, of which the values are made.
 */
#define MOMENTS(is_centred)                                                        \
    double variances = 0, variance_squares = 0, fourth = 0, weighted = 0;          \
    struct sum s, squares, centred;                                                \
    sum_start(&s);                                                                 \
    sum_start(&squares);                                                           \
    sum_start(&centred);                                                           \
    LINE(const double x = X(j); const double vj = V(j); sum_add(&s, x);            \
         sum_add(&squares, x * x); variances += vj; variance_squares += vj * vj;   \
         fourth += x * x * x * x;)                                                 \
    const double mean = is_centred ? s.total / N : 0;                              \
    LINE(const double x = X(j) - mean; sum_add(&centred, x * x);                   \
         weighted += x * x * V(j);)                                                \
    const double mean_variance =                                                   \
        is_centred ? (sum_variance(&s) + variances) / ((double)N * N) : 0;         \
    const double mean_square = centred.total / N;                                  \
    const double square_variance =                                                 \
        (4 * weighted + 2 * variance_squares + variances * variances +             \
         sum_variance(&squares) + sum_variance(&centred) + UNIT_VARIANCE * fourth + \
         4 * mean * mean * sum_variance(&s)) / ((double)N * N) +                   \
        UNIT_VARIANCE * mean * mean * mean * mean;

#define LINE_var                                                                   \
    MOMENTS(1)                                                                     \
    const double freedom = N - CORRECTION, factor = N / freedom;                   \
    y = freedom > 0 ? centred.total / freedom : NOT_A_NUMBER;                       \
    v = is_finite(y) ? square_variance * factor * factor : 0;

/* Row-wise operations leave up to four numbers for the elements of the row. */
#define ROW_softmax                                                                \
    double most = X(0), shared;                                                    \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(most = fmax(most, X(j));)                                                 \
    LINE(sum_add(&s, exp(X(j) - most));)                                           \
    shared = sum_variance(&s) / square(s.total) + UNIT_VARIANCE;                   \
    LINE(const double x = X(j); const double share = exp(x - most) / s.total;      \
         if (share > 0) shared += share * share * relative_variance(x, most, V(j));) \
    st[0] = most;                                                                  \
    st[1] = s.total;                                                               \
    st[2] = shared;
#define ELEMENT_softmax                                                            \
    y = exp(X(j) - st[0]) / st[1];                                                 \
    const double own = y > 0 ? relative_variance(X(j), st[0], V(j)) : 0;           \
    v = fmin(y * y * (square(1 - y) * own + st[2] - y * y * own),                  \
             1 / (DEVIATIONS * DEVIATIONS));

#define ROW_log_softmax                                                            \
    double most = X(0), total = 0, shared = 0;                                     \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(most = fmax(most, X(j));)                                                 \
    LINE(total += exp(X(j) - most);)                                               \
    const double log_total = log(total);                                           \
    LINE(const double x = X(j); const double share = exp(x - most - log_total);    \
         sum_add(&s, share);                                                       \
         if (share > 0) shared += share * share * relative_variance(x, most, V(j));) \
    st[0] = most;                                                                  \
    st[1] = log_total;                                                             \
    st[2] = shared + sum_variance(&s) + UNIT_VARIANCE * most * most;
#define ELEMENT_log_softmax                                                        \
    y = X(j) - st[0] - st[1];                                                      \
    const double own = UNIT * (4 * fabs(X(j)) + 4 * fabs(y) + 8) / DEVIATIONS;     \
    v = is_finite(y) ? V(j) + st[2] + own * own : 0;

#define ROW_NORM(is_centred)                                                       \
    MOMENTS(is_centred)                                                            \
    NORM_FROM(mean, mean_variance + (is_centred ? UNIT_VARIANCE * mean * mean : 0), \
              mean_square, square_variance)
#define NORM_FROM(mean, mean_variance, mean_square, square_variance)               \
    st[0] = mean;                                                                  \
    st[1] = 1 / sqrt(mean_square + EPS);                                           \
    st[2] = scale_deviation(mean_square, square_variance, EPS);                    \
    st[3] = mean_variance;
#define ROW_rms_norm ROW_NORM(0)
#define ROW_layer_norm ROW_NORM(1)
/* W(j) and B(j) are weight and bias of element j, VW(j) and VB(j) their variances. */
#define ELEMENT_norm                                                               \
    const double x = X(j), centred = x - st[0];                                    \
    const double widest_scale = st[1] + DEVIATIONS * st[2];                        \
    y = centred * st[1] * W(j) + B(j);                                             \
    v = square(W(j)) * ((V(j) + st[3] + UNIT_VARIANCE * x * x) * square(widest_scale) + \
                        square(centred * st[2])) +                                 \
        VW(j) * square(centred * st[1]) + VB(j);

/* Running results are stored by STORE(j) as they are made. */
#define SCAN_cumsum                                                                \
    double variances = 0;                                                          \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    LINE(sum_add(&s, X(j)); variances += V(j); const double y = s.total;           \
         const double v = variances + (IS_INTEGER ? 0 : sum_variance(&s)); STORE(j))
#define SCAN_cumprod                                                               \
    double product = 1, off = 0;                                                   \
    LINE(const double x = X(j);                                                    \
         off = off * x * x + (product * product + off) * V(j); product *= x;       \
         off += IS_INTEGER ? 0 : UNIT_VARIANCE * product * product;                \
         const double y = product; const double v = is_finite(y) ? off : 0; STORE(j))
