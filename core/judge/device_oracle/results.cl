/*
 * The results: how far elements may be off, as in rounding.c. PARTS is that of products.cl.
 */
#define WIDEN_SUMS                                                                 \
    double ratios = 0, counted = 0;                                                \
    for (int j = i; j < COUNT; j += PARTS) {                                       \
        const double off = b0[j] - b1[j], v = b2[j];                               \
        if (!is_finite(off) || !(v > 0) || !is_finite(v))                          \
            continue;                                                              \
        ratios += off * off / v;                                                   \
        counted++;                                                                 \
    }                                                                              \
    b3[2 * i] = ratios;                                                            \
    b3[2 * i + 1] = counted;
#define WIDEN_TOTALS                                                               \
    double ratios = 0, counted = 0;                                                \
    for (int j = 0; j < PARTS; j++) {                                              \
        ratios += b3[2 * j];                                                       \
        counted += b3[2 * j + 1];                                                  \
    }                                                                              \
    b3[2 * PARTS] = counted > 0 && ratios > counted ? ratios / counted : 1;
FN float allow_float(double x, double variance, double relative, double smallest)
{
    const double off = (variance > 0 ? DEVIATIONS * sqrt(variance) : 0) +
                       spacing_at(x, relative, smallest);

    return off < 3.4028234663852886e38 ? (float)off : 3.402823466e38f;
}
FN float allow_integer(double variance)
{
    return variance > 0 ? (float)floor(DEVIATIONS * sqrt(variance) + 1e-6) : 0;
}
