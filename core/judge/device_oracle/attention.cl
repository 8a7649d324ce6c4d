/*
 * Attention, with the formulas of oracle_attention.c. The steps are: the scores, in tiles
 * (tiles.cl); SHARES, a work-item for each row of scores; WEIGHT, one for each score; WEIGHTS, one
 * for each row of weights; and the result, in tiles. state[] has the SCORES scores, then their
 * variances, then seven numbers for each row, of which WEIGHTS takes the fourth again, and at last
 * two for each column of a matrix of values, which ALIKE_VALUES finds, a work-item for each. The
 * kernel defines QUERIES, KEYS, WIDTH, OUT_WIDTH, SCALE, ROWS_OF_SCORES and GROUP, the number of
 * query heads that share a key. SPREADS is 1 if variances are computed, and ALIKES if they also
 * depend on equal terms.
 */
#define OF_ROW(i) (state + 2 * SCORES + 7 * (long)(i))
#define QUERY_TERMS                                                                \
    const int at = (matrix * QUERIES + row) * WIDTH + k;                           \
    const double q = X0(at);                                                       \
    x[0] = q;                                                                      \
    if (SPREADS) {                                                                 \
        x[1 * SPREADS] = UNIT_VARIANCE * (WIDTH + 64) * q * q + V0(at);            \
        x[2 * SPREADS] = q * q;                                                    \
    }
#define KEY_TERMS                                                                  \
    const int at = (matrix / GROUP * KEYS + column) * WIDTH + k;                   \
    const double key = X1(at);                                                     \
    x[0] = key;                                                                    \
    if (SPREADS) {                                                                 \
        x[1 * SPREADS] = key * key;                                                \
        x[2 * SPREADS] = V1(at);                                                   \
    }
#define SCORE                                                                      \
    double score = sum_0, off = sum_1 + sum_2;                                     \
    score *= SCALE;                                                                \
    off = SCALE * SCALE * off + UNIT_VARIANCE * WIDTH / 2 * score * score;

/*
 * Statistics of a row's softmax: the largest score, the sum of exponentials, and the variance that
 * all weights of the row share.
 */
#define SHARES                                                                     \
    __global const double *row = state + (long)i * KEYS;                           \
    double most = BOTTOM, total = 0, top = 0, largest = 0, others;                 \
    struct sum s, plain;                                                           \
    sum_start(&s);                                                                 \
    sum_start(&plain);                                                             \
    for (int j = 0; j < KEYS; j++)                                                 \
        most = MORE(most, row[j]);                                                 \
    for (int j = 0; j < KEYS; j++)                                                 \
        total += share_of(row[j], most, 1);                                        \
    for (int j = 0; j < KEYS; j++)                                                 \
        top = fmax(top, share_of(row[j], most, total));                            \
    float loop = 0, plain_loop = 0;                                                \
    for (int j = 0; j < KEYS && top > 0; j++) {                                    \
        const double share = share_of(row[j], most, total);                        \
        sum_add(&plain, share);                                                    \
        sum_add(&s, share / top);                                                  \
    }                                                                              \
    for (int j = KEYS; j-- > 0 && top > 0;) {                                      \
        const double share = share_of(row[j], most, total);                        \
        plain_loop = add_single(plain_loop, share);                                \
        loop = add_single(loop, share / top);                                      \
    }                                                                              \
    sum_turn(&plain, plain_loop);                                                  \
    sum_turn(&s, loop);                                                            \
    others = shares_variance(&plain, &s) + UNIT_VARIANCE;                          \
    for (int j = 0; j < KEYS; j++) {                                               \
        const double share = share_of(row[j], most, total);                        \
        if (share > 0)                                                             \
            KEEP_LARGEST(share * share *                                           \
                         relative_variance(row[j], most, row[SCORES + j]))         \
    }                                                                              \
    OF_ROW(i)[0] = most;                                                           \
    OF_ROW(i)[1] = total;                                                          \
    OF_ROW(i)[2] = others;                                                         \
    OF_ROW(i)[3] = largest;
FN double share_of(double score, double most, double total)
{
    return most == BOTTOM ? 0 : exp(score - most) / (total > 0 ? total : 1);
}

/* Replace a score and its variance by the weight and the variance of the weight. */
#define WEIGHT                                                                     \
    __global const double *of_row = OF_ROW(i / KEYS);                              \
    const double score = state[i], y = share_of(score, of_row[0], of_row[1]);      \
    const double own = y > 0 ? relative_variance(score, of_row[0], state[SCORES + i]) : 0; \
    const double v = share_variance(y, own, of_row[2] + (of_row[3] - y * y * own)) + \
                     WEIGHT_STORED(y);                                             \
    state[SCORES + i] = v + UNIT_VARIANCE * KEYS * y * y;                          \
    state[i] = y;

/* The sum of the squares of a row's weights, and the number of weights that are not negligible. */
#define WEIGHTS                                                                    \
    __global const double *row = state + (long)i * KEYS;                           \
    double squares = 0, terms = 0;                                                 \
    for (int j = 0; j < KEYS; j++) {                                               \
        squares += row[j] * row[j];                                                \
        terms += row[j] * row[j] > 0;                                              \
    }                                                                              \
    OF_ROW(i)[3] = squares;                                                        \
    OF_ROW(i)[4] = terms;                                                          \
    if (ALIKES) {                                                                  \
        ALIKE(WEIGHT_AT, KEYS, KEYS, OF_ROW(i) + 5)                                \
    }
#define WEIGHT_AT(j) row[j]

/* The most frequent number of a column of values. */
#define OF_COLUMN(matrix, column)                                                  \
    (state + 2 * SCORES + 7 * (long)ROWS_OF_SCORES + 2 * ((long)(matrix) * OUT_WIDTH + (column)))
#define ALIKE_VALUES                                                               \
    const INDEX first = i / OUT_WIDTH * KEYS * OUT_WIDTH + i % OUT_WIDTH;          \
    ALIKE(VALUE_AT, KEYS, KEYS, OF_COLUMN(0, i))
#define VALUE_AT(j) X2(first + (j) * OUT_WIDTH)

/* The weighted sums of the values. */
#define ROUNDS (UNIT_VARIANCE * (KEYS + 64))
#define WEIGHT_TERMS                                                               \
    const long at = (long)(matrix * QUERIES + row) * KEYS + k;                     \
    const double w = state[at];                                                    \
    x[0] = w;                                                                      \
    if (SPREADS) {                                                                 \
        x[1 * SPREADS] = w * w;                                                    \
        x[2 * SPREADS] = state[SCORES + at];                                       \
    }
#define VALUE_TERMS                                                                \
    const int at = (matrix / GROUP * KEYS + k) * OUT_WIDTH + column;               \
    const double value = X2(at);                                                   \
    x[0] = value;                                                                  \
    if (SPREADS) {                                                                 \
        x[1 * SPREADS] = ROUNDS * value * value + V2(at);                          \
        x[2 * SPREADS] = value * value;                                            \
    }
#define WEIGHTED                                                                   \
    __global const double *of_row = OF_ROW(matrix * QUERIES + row);                \
    const double y = sum_0, off = sum_1, squares = of_row[3], terms = of_row[4];   \
    double v = off + sum_2;                                                        \
    if (squares > 0)                                                               \
        v += sum_bias(y, off / ROUNDS, 1 / squares) + UNIT_VARIANCE * terms / 2 * y * y + \
             (ALIKES ? alike_variance(of_row + 5, OF_COLUMN(matrix / GROUP, column), KEYS, y, \
                                      off / ROUNDS)                                \
                     : 0);

/*
 * Rotary embedding: the product of element `x` of the first operand and the cosine (k = 1, at f1)
 * or sine (k = 2, at f2) of its angle, and the variance of this product.
 */
#define TURN(x, k) (X0(x) * X##k(f##k))
#define TURN_OFF(x, k)                                                             \
    (V0(x) * square(X##k(f##k)) +                                                  \
     square(X0(x)) * (V##k(f##k) + UNIT_VARIANCE * square(X##k(f##k))))
