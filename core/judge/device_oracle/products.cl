/*
 * Sums of products, with the variances of spread_bilinear.c. The kernel adds TERMS products of a
 * and b, which have the variances va and vb. GROWTH is a factor of the errors; `ratio` is the
 * common ratio of the variances of the second operand to its squares, 0 if there is none. ALIKE_SUM
 * is what equal terms add to the variance of y (oracle_kernel_alike.c).
 */
#define OWN (UNIT_VARIANCE * (TERMS + 64) * GROWTH + ratio)
#define PRODUCT_START double total = 0, squares = 0, more = 0;
#define PRODUCT_ADD(a, va, b, vb)                                                  \
    {                                                                              \
        const double aa = a, bb = b, vaa = va, vbb = vb;                           \
        total += aa * bb;                                                          \
        squares += (OWN * aa * aa + vaa) * bb * bb;                                \
        more += ratio != 0 ? 0 : (aa * aa + vaa) * vbb;                            \
    }
/*
 * What the partial sums of an element of a product with one row or column err more than the
 * variance of its products says (products/spread_vector.c). PRODUCT(k) is its product k.
 */
#define VECTOR_EXCESS                                                              \
    struct sum s;                                                                  \
    double own = 0;                                                                \
    float turned = 0;                                                              \
    sum_start(&s);                                                                 \
    for (int k = 0; k < TERMS; k++) {                                              \
        const double x = PRODUCT(k);                                               \
        sum_add(&s, x);                                                            \
        own += x * x;                                                              \
    }                                                                              \
    for (int k = TERMS - 1; k >= 0; k--)                                           \
        turned = add_single(turned, PRODUCT(k));                                   \
    sum_turn(&s, turned);                                                          \
    const double less = sum_variance(&s) - UNIT_VARIANCE * (TERMS + 64) * own;     \
    const double excess = less > 0 && is_finite(less) ? less : 0;
#define PRODUCT_END(bias, variance)                                                \
    const double y = total + bias;                                                 \
    const double spread = squares + UNIT_VARIANCE * TERMS / 2 * y * y +            \
                          sum_bias(y, squares / OWN, TERMS) + more + variance;     \
    const double v = spread + ALIKE_SUM(y, spread);

/* Find the common ratio of an operand with COUNT elements, by PARTS work-items. */
#define PARTS 4096
#define RATIO_SUMS                                                                 \
    double squares = 0, variances = 0;                                             \
    for (long j = i; j < COUNT; j += PARTS) {                                       \
        squares += square(X1(j));                                                  \
        variances += V1(j);                                                        \
    }                                                                              \
    state[2 * i] = squares;                                                        \
    state[2 * i + 1] = variances;
#define RATIO_TOTALS                                                               \
    double squares = 0, variances = 0;                                             \
    for (int j = 0; j < PARTS; j++) {                                              \
        squares += state[2 * j];                                                   \
        variances += state[2 * j + 1];                                             \
    }                                                                              \
    state[2 * PARTS] = squares > 0 ? variances / squares : 0;                      \
    state[2 * PARTS + 1] = 1e-3 * squares / COUNT;
#define RATIO_CHECKS                                                               \
    int exceeds = 0;                                                               \
    for (long j = i; j < COUNT; j += PARTS)                                         \
        exceeds |= V1(j) > 4 * state[2 * PARTS] * (square(X1(j)) + state[2 * PARTS + 1]); \
    state[i] = exceeds;
#define RATIO_RESULT                                                               \
    double exceeds = 0;                                                            \
    for (int j = 0; j < PARTS; j++)                                                \
        exceeds += state[j];                                                       \
    state[2 * PARTS] = exceeds > 0 ? 0 : 1.25 * state[2 * PARTS];
