/*
 * Attention, with the formulas of oracle_attention.c. First a work-item for each score, then one for
 * each row of scores, one for each score again, and one for each element of the result. SCORES is
 * the number of scores; state[] holds them, their variances behind them, and three numbers of each
 * row. The kernel defines KEYS, WIDTH, SCALE, and the operands' elements Q(j), K(j) and their
 * variances VQ(j), VK(j).
 */
#define SCORE                                                                      \
    double score = 0, off = 0;                                                     \
    for (int j = 0; j < WIDTH; j++) {                                              \
        const double q = Q(j), k = K(j);                                           \
        score += q * k;                                                            \
        off += (UNIT_VARIANCE * (WIDTH + 64) * q * q + VQ(j)) * k * k + q * q * VK(j); \
    }                                                                              \
    score *= SCALE;                                                                \
    off = SCALE * SCALE * off + UNIT_VARIANCE * WIDTH / 2 * score * score;

/* The shares of a row's softmax: its largest score, their sum, and the variance that all share. */
#define SHARES                                                                     \
    __global const double *row = state + (long)i * KEYS;                           \
    double most = BOTTOM, total = 0, largest = 0, shared;                          \
    struct sum s;                                                                  \
    sum_start(&s);                                                                 \
    for (int j = 0; j < KEYS; j++)                                                 \
        most = fmax(most, row[j]);                                                 \
    for (int j = 0; j < KEYS; j++)                                                 \
        total += share_of(row[j], most, 1);                                        \
    for (int j = 0; j < KEYS; j++)                                                 \
        largest = fmax(largest, share_of(row[j], most, total));                    \
    for (int j = 0; j < KEYS; j++)                                                 \
        sum_add(&s, share_of(row[j], most, total) / largest);                      \
    shared = sum_variance(&s) / square(s.total) + UNIT_VARIANCE;                   \
    for (int j = 0; j < KEYS; j++) {                                               \
        const double share = share_of(row[j], most, total);                        \
        if (share > 0)                                                             \
            shared += share * share *                                              \
                      relative_variance(row[j], most, row[SCORES + j]);            \
    }                                                                              \
    state[2 * SCORES + 3 * (long)i] = most;                                        \
    state[2 * SCORES + 3 * (long)i + 1] = total;                                   \
    state[2 * SCORES + 3 * (long)i + 2] = shared;
FN double share_of(double score, double most, double total)
{
    return is_finite(most) || most > 0 ? exp(score - most) / (total > 0 ? total : 1) : 0;
}

/* Replace a score and its variance by the weight and the variance of the weight. */
#define WEIGHT                                                                     \
    __global const double *of_row = state + 2 * SCORES + 3 * ((long)i / KEYS);     \
    const double score = state[i], y = share_of(score, of_row[0], of_row[1]);      \
    const double own = y > 0 ? relative_variance(score, of_row[0], state[SCORES + i]) : 0; \
    double v = y * y * (square(1 - y) * own + of_row[2] - y * y * own);            \
    v = fmin(v, 1 / (DEVIATIONS * DEVIATIONS)) + WEIGHT_STORED(y);                 \
    state[SCORES + i] = v + UNIT_VARIANCE * KEYS * y * y;                          \
    state[i] = y;

/* The weighted sum of the values VALUE(j), whose variances are V_VALUE(j). */
#define WEIGHTED                                                                   \
    __global const double *row = state + (long)(i / OUT_WIDTH) * KEYS;             \
    double y = 0, off = 0, more = 0, squares = 0, terms = 0;                       \
    const double rounds = UNIT_VARIANCE * (KEYS + 64);                             \
    for (int j = 0; j < KEYS; j++) {                                               \
        const double w = row[j], x = VALUE(j);                                     \
        y += w * x;                                                                \
        off += w * w * (rounds * x * x + V_VALUE(j));                              \
        more += row[SCORES + j] * x * x;                                           \
        squares += w * w;                                                          \
        terms += w * w > 0;                                                        \
    }                                                                              \
    double v = off + more;                                                         \
    if (squares > 0)                                                               \
        v += sum_bias(y, off / rounds, 1 / squares) + UNIT_VARIANCE * terms / 2 * y * y;

/*
 * The rotation of pairs: element `x` of the first operand times the cosine (k = 1, at f1) or the
 * sine (k = 2, at f2) of its angle, and the variance of this product.
 */
#define TURN(x, k) (X0(x) * X##k(f##k))
#define TURN_OFF(x, k)                                                             \
    (V0(x) * square(X##k(f##k)) +                                                  \
     square(X0(x)) * (V##k(f##k) + UNIT_VARIANCE * square(X##k(f##k))))
