/*
 * The tolerances of elements, as in rounding.c. b3 gets FIT_NUMBERS numbers, which fitted() reads,
 * then the totals of the sums, then the sums of FIT_PARTS work-items. FIT_VARIANCE(x) is the
 * variance that x stands for; variances exceed squared errors by FIT_MARGIN at most.
 */
#define OCTAVES 32
#define FEWEST 256
#define LIKENESS 16
#define FIT_NUMBERS (2 * OCTAVES)
#define FIT_SUM (FIT_NUMBERS + 3 * OCTAVES)
#define OCTAVE_OF(variance) ((int)(as_ulong(variance) >> 53 & (OCTAVES - 1)))
#define FIT_SUMS                                                                   \
    double sums[3 * OCTAVES];                                                      \
    for (int o = 0; o < 3 * OCTAVES; o++)                                          \
        sums[o] = 0;                                                               \
    for (long j = i; j < COUNT; j += FIT_PARTS) {                                  \
        const double off = (double)b0[j] - (double)b1[j], v = FIT_VARIANCE(b2[j]); \
        if (!is_finite(off) || !(v > 0) || !is_finite(v))                          \
            continue;                                                              \
        const int at = 3 * OCTAVE_OF(v);                                           \
        sums[at] += off * off;                                                     \
        sums[at + 1] += off * off / v;                                             \
        sums[at + 2]++;                                                            \
    }                                                                              \
    for (int o = 0; o < 3 * OCTAVES; o++)                                          \
        b3[FIT_SUM + (long)o * FIT_PARTS + i] = sums[o];
/* Run by 3 * OCTAVES work-items. */
#define FIT_TOTALS                                     \
    double total = 0;                                  \
    for (int j = 0; j < FIT_PARTS; j++)                \
        total += b3[FIT_SUM + (long)i * FIT_PARTS + j]; \
    b3[FIT_NUMBERS + i] = total;
/* Run by OCTAVES work-items. */
#define FIT_FACTORS                                                                \
    double all[3] = {0, 0, 0}, near[3] = {0, 0, 0}, enough[3] = {0, 0, 0};         \
    for (int o = 0; o < OCTAVES; o++)                                              \
        add_octave(all, b3 + FIT_NUMBERS, o);                                      \
    gather_octaves(near, b3 + FIT_NUMBERS, (int)i, 0);                             \
    gather_octaves(enough, b3 + FIT_NUMBERS, (int)i, FEWEST);                      \
    find_fit(all, near, enough, FIT_MARGIN, b3 + 2 * i);
FN void add_octave(double *sum, __global const double *totals, int octave)
{
    for (int s = 0; s < 3; s++)
        sum[s] += totals[3 * (octave % OCTAVES) + s];
}
FN void gather_octaves(double *sum, __global const double *totals, int octave, double least)
{
    add_octave(sum, totals, octave);
    for (int reach = 1; reach < OCTAVES / 2 && (reach == 1 || sum[2] < least); reach++) {
        add_octave(sum, totals, octave + reach);
        add_octave(sum, totals, octave + OCTAVES - reach);
    }
}
FN double ratio_of(const double *octave) { return octave[2] > 0 ? octave[1] / octave[2] : 0; }
/* Store the factor of the variances and the largest one. */
FN void find_fit(const double *all, const double *near, const double *enough, double margin,
                 __global double *to)
{
    const double largest = fmax(ratio_of(all), ratio_of(near));
    const double ratio = fmax(ratio_of(near), ratio_of(enough));

    to[0] = largest > 1 ? largest : ratio > 0 ? fmin(1.0, ratio * margin) : 1.0;
    to[1] = largest > 1 || !(ratio > 0) ? (double)INFINITY
                                        : margin * LIKENESS * enough[0] / enough[2];
}
FN double fitted(double variance, __global const double *fits)
{
    __global const double *fit = fits + 2 * OCTAVE_OF(variance);

    return fmin(variance * fit[0], fit[1]);
}
/* The error that an operation makes in the second evaluation (second_evaluation.c). */
FN double own_error(double x, double variance)
{
    return variance > 0 && is_finite(variance) ? error_sign(x) * sqrt(variance) : 0;
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
