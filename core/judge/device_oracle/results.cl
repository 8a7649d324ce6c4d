/*
 * The tolerances of elements, as in rounding.c. b3 gets the factors by octave, then the totals of
 * the sums, then the sums of WIDEN_PARTS work-items. WIDEN_VARIANCE(x) is the variance that x
 * stands for.
 */
#define OCTAVES 32
#define WIDEN_TOTAL OCTAVES
#define WIDEN_SUM (3 * OCTAVES)
#define OCTAVE_OF(variance) ((int)(as_ulong(variance) >> 53 & (OCTAVES - 1)))
#define WIDEN_SUMS                                                                 \
    double sums[2 * OCTAVES];                                                      \
    for (int o = 0; o < 2 * OCTAVES; o++)                                          \
        sums[o] = 0;                                                               \
    for (long j = i; j < COUNT; j += WIDEN_PARTS) {                                \
        const double off = (double)b0[j] - (double)b1[j], v = WIDEN_VARIANCE(b2[j]); \
        if (!is_finite(off) || !(v > 0) || !is_finite(v))                          \
            continue;                                                              \
        sums[2 * OCTAVE_OF(v)] += off * off / v;                                   \
        sums[2 * OCTAVE_OF(v) + 1]++;                                              \
    }                                                                              \
    for (int o = 0; o < 2 * OCTAVES; o++)                                          \
        b3[WIDEN_SUM + (long)o * WIDEN_PARTS + i] = sums[o];
/* Run by 2 * OCTAVES work-items. */
#define WIDEN_TOTALS                                                               \
    double total = 0;                                                              \
    for (int j = 0; j < WIDEN_PARTS; j++)                                          \
        total += b3[WIDEN_SUM + (long)i * WIDEN_PARTS + j];                        \
    b3[WIDEN_TOTAL + i] = total;
/* Run by OCTAVES work-items. */
#define WIDEN_FACTORS                                                              \
    double ratios = 0, counted = 0, ratios_near = 0, counted_near = 0;             \
    for (int o = 0; o < OCTAVES; o++) {                                            \
        const int distance = (o - (int)i + OCTAVES + 1) % OCTAVES;                 \
        const double more = b3[WIDEN_TOTAL + 2 * o];                               \
        const double elements = b3[WIDEN_TOTAL + 2 * o + 1];                       \
        ratios += more;                                                            \
        counted += elements;                                                       \
        ratios_near += distance < 3 ? more : 0;                                    \
        counted_near += distance < 3 ? elements : 0;                               \
    }                                                                              \
    b3[i] = fmax(ratio_of(ratios, counted), ratio_of(ratios_near, counted_near));
FN double ratio_of(double ratios, double counted)
{
    return ratios > counted ? ratios / counted : 1;
}
FN float allow_float(double x, double variance, double relative, double smallest)
{
    const double off = (variance > 0 ? DEVIATIONS * sqrt(variance) : 0) +
                       spacing_at(x, relative, smallest);

    return off < 3.4028234663852886e38 ? (float)off : 3.402823466e38f;
}
/*
 * The variance of an error that lines share (shared_error.h): x is `moved` by it. Both may be off
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
