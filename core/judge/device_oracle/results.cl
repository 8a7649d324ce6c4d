/*
 * The tolerances of elements, as in rounding.c. b3 gets the factors by octave, then the totals of
 * the sums, then the sums of FIT_PARTS work-items. FIT_VARIANCE(x) is the variance that x
 * stands for; variances exceed squared errors by FIT_MARGIN at most.
 */
#define OCTAVES 32
#define FIT_TOTAL OCTAVES
#define FIT_SUM (3 * OCTAVES)
#define OCTAVE_OF(variance) ((int)(as_ulong(variance) >> 53 & (OCTAVES - 1)))
#define FIT_SUMS                                                                   \
    double sums[2 * OCTAVES];                                                      \
    for (int o = 0; o < 2 * OCTAVES; o++)                                          \
        sums[o] = 0;                                                               \
    for (long j = i; j < COUNT; j += FIT_PARTS) {                                  \
        const double off = (double)b0[j] - (double)b1[j], v = FIT_VARIANCE(b2[j]); \
        if (!is_finite(off) || !(v > 0) || !is_finite(v))                          \
            continue;                                                              \
        sums[2 * OCTAVE_OF(v)] += off * off / v;                                   \
        sums[2 * OCTAVE_OF(v) + 1]++;                                              \
    }                                                                              \
    for (int o = 0; o < 2 * OCTAVES; o++)                                          \
        b3[FIT_SUM + (long)o * FIT_PARTS + i] = sums[o];
/* Run by 2 * OCTAVES work-items. */
#define FIT_TOTALS                                                                 \
    double total = 0;                                                              \
    for (int j = 0; j < FIT_PARTS; j++)                                            \
        total += b3[FIT_SUM + (long)i * FIT_PARTS + j];                            \
    b3[FIT_TOTAL + i] = total;
/* Run by OCTAVES work-items. */
#define FIT_FACTORS                                                                \
    double ratios = 0, counted = 0, ratios_near = 0, counted_near = 0;             \
    for (int o = 0; o < OCTAVES; o++) {                                            \
        const int distance = (o - (int)i + OCTAVES + 1) % OCTAVES;                 \
        const double more = b3[FIT_TOTAL + 2 * o];                                 \
        const double elements = b3[FIT_TOTAL + 2 * o + 1];                         \
        ratios += more;                                                            \
        counted += elements;                                                       \
        ratios_near += distance < 3 ? more : 0;                                    \
        counted_near += distance < 3 ? elements : 0;                               \
    }                                                                              \
    b3[i] = ratios > 0 ? fmax(factor_of(ratios, counted, FIT_MARGIN),              \
                              factor_of(ratios_near, counted_near, FIT_MARGIN))    \
                       : 1;
FN double factor_of(double ratios, double counted, double margin)
{
    const double ratio = counted > 0 ? ratios / counted : 1;

    return ratio > 1 ? ratio : fmin(1.0, ratio * margin);
}
FN float allow_float(double x, double variance, double relative, double smallest)
{
    const double off = (variance > 0 ? DEVIATIONS * sqrt(variance) : 0) +
                       spacing_at(x, relative, smallest);

    return off < 3.4028234663852886e38 ? (float)off : 3.402823466e38f;
}
/*
 * The variance of an error that lines share (second_evaluation.h): x is `moved` by it. Both may be off
 * by half of `rounding`.
 */
FN double shared_variance(double x, double moved, double rounding)
{
    const double off = fmax(fabs(moved - x) - rounding, 0.0);

    return is_finite(off) ? off * off : 0;
}
FN float allow_integer(double variance)
{
    return variance > 0 ? (float)floor(DEVIATIONS * sqrt(variance) + 1e-6) : 0;
}
