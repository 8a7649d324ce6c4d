/*
 * The comparison of an output with its expected elements, as in core/judge/compare/verify.c. b0 has
 * the expected elements, b1 their tolerances, and b2 the candidate's elements, which GOT(n) loads.
 * KEPT(x) is x rounded to the output's type; RELATIVE and SMALLEST are the spacings of that type.
 * COUNT is the number of elements.
 */
#define LEAST 2.2250738585072014e-308
FN int is_same_kind(double got, double want)
{
    return (is_nan(got) && is_nan(want)) || (!is_nan(got) && !is_finite(got) && got == want);
}
/* A tolerance, rounded up as tolerance16.h does. Its sign is negative where others are right too. */
FN double tolerance_of(double exact)
{
    const double unit = power_below(exact) * 0x1p-7;

    return unit > 0 ? ceil(exact / unit) * unit : exact;
}
#define COMPARE(n)                                                                 \
    const double got = GOT(n), want = b0[n], gap = fabs(got - want);               \
    const double may = fmax(tolerance_of(fabs((double)b1[n])), spacing_at(want, RELATIVE, SMALLEST)); \
    const int is_alike = is_finite(gap) || is_same_kind(got, KEPT(want)) ||        \
                         (b1[n] < 0 && !is_finite(got));                           \
    const double off = is_finite(gap) ? gap : 0;                                   \
    const double over = is_alike ? off / (may + LEAST) : (double)INFINITY;

/*
 * Run by PARTS work-items. Each writes its results into b3, in the order of enum found_field in
 * oracle_comparison.c.
 */
#define COMPARE_ELEMENTS                                                           \
    double mismatched = 0, strange = 0, max_abs = 0, max_rel = 0, worst = 0;       \
    double off_squares = 0, want_squares = 0;                                      \
    long at = -1;                                                                  \
    for (long n = i; n < COUNT; n += PARTS) {                                      \
        COMPARE(n)                                                                 \
        const double size = fabs(want);                                            \
        mismatched += over > 1;                                                    \
        strange += !is_alike;                                                      \
        max_abs = fmax(max_abs, off);                                              \
        max_rel = size > 0 && size <= LARGEST ? fmax(max_rel, off / size) : max_rel; \
        off_squares += off * off;                                                  \
        want_squares += size <= LARGEST ? size * size : 0;                         \
        at = over > worst ? n : at;                                                \
        worst = over > worst ? over : worst;                                       \
    }                                                                              \
    b3[i] = mismatched;                                                            \
    b3[PARTS + i] = strange;                                                       \
    b3[2 * PARTS + i] = max_abs;                                                   \
    b3[3 * PARTS + i] = max_rel;                                                   \
    b3[4 * PARTS + i] = worst;                                                     \
    b3[5 * PARTS + i] = off_squares;                                               \
    b3[6 * PARTS + i] = want_squares;                                              \
    b3[7 * PARTS + i] = (double)at;                                                \
    b3[8 * PARTS + i] = at < 0 ? 0.0 : GOT(at);                                    \
    b3[9 * PARTS + i] = at < 0 ? 0.0 : (double)b0[at];

/* Merge the results of PARTS work-items in b0 into those of FOUND work-items in b1. */
#define MERGE_PARTS                                                                \
    double mismatched = 0, strange = 0, max_abs = 0, max_rel = 0, worst = 0;       \
    double off_squares = 0, want_squares = 0;                                      \
    long at = i;                                                                   \
    for (long p = i; p < PARTS; p += FOUND) {                                      \
        const double over = b0[4 * PARTS + p];                                     \
        mismatched += b0[p];                                                       \
        strange += b0[PARTS + p];                                                  \
        max_abs = fmax(max_abs, b0[2 * PARTS + p]);                                \
        max_rel = fmax(max_rel, b0[3 * PARTS + p]);                                \
        off_squares += b0[5 * PARTS + p];                                          \
        want_squares += b0[6 * PARTS + p];                                         \
        at = over > worst ? p : at;                                                \
        worst = over > worst ? over : worst;                                       \
    }                                                                              \
    b1[i] = mismatched;                                                            \
    b1[FOUND + i] = strange;                                                       \
    b1[2 * FOUND + i] = max_abs;                                                   \
    b1[3 * FOUND + i] = max_rel;                                                   \
    b1[4 * FOUND + i] = worst;                                                     \
    b1[5 * FOUND + i] = off_squares;                                               \
    b1[6 * FOUND + i] = want_squares;                                              \
    for (int field = 7; field < 10; field++)                                       \
        b1[field * FOUND + i] = b0[field * PARTS + at];

/*
 * Find the largest error in each cell of the error map (heatmap.c); LANES work-items share a cell.
 * The output has ROWS rows of COLS elements, the map MAP_ROWS rows of MAP_COLS cells.
 */
#define COMPARE_CELLS                                                              \
    const long row = i / LANES / MAP_COLS, col = i / LANES % MAP_COLS;             \
    const long first_row = row * ROWS / MAP_ROWS, first_col = col * COLS / MAP_COLS; \
    const long rows = (row + 1) * ROWS / MAP_ROWS - first_row;                     \
    const long cols = (col + 1) * COLS / MAP_COLS - first_col;                     \
    double worst = 0;                                                              \
    for (long e = i % LANES; e < rows * cols; e += LANES) {                        \
        COMPARE((first_row + e / cols) * COLS + first_col + e % cols)              \
        worst = over > worst ? over : worst;                                       \
    }                                                                              \
    b3[i] = worst;

/*
 * Add up a digest of all bits of the candidate's elements in b0: WORD is an unsigned type of their
 * size. PARTS work-items write their sums, as two halves of 32 bits, into b1.
 */
FN ulong mixed_bits(ulong x)
{
    x ^= x >> 33;
    x *= 0xff51afd7ed558ccdUL;
    x ^= x >> 33;
    x *= 0xc4ceb9fe1a85ec53UL;
    return x ^ x >> 33;
}
#define DIGEST_ELEMENTS                                                            \
    ulong digest = 0;                                                              \
    for (long n = i; n < COUNT; n += PARTS)                                        \
        digest += mixed_bits(mixed_bits((ulong)n + 1) ^ (ulong)((__global const WORD *)b0)[n]);   \
    b1[i] = (double)(digest >> 32);                                                \
    b1[PARTS + i] = (double)(digest & 0xffffffffUL);

/* Add up the halves of PARTS work-items in b0; FOUND work-items write their sums into b1. */
#define MERGE_DIGESTS                                                              \
    double high = 0, low = 0;                                                      \
    for (long p = i; p < PARTS; p += FOUND) {                                      \
        high += b0[p];                                                             \
        low += b0[PARTS + p];                                                      \
    }                                                                              \
    b1[i] = high;                                                                  \
    b1[FOUND + i] = low;
