/*
 * Functions of the oracle's kernels, in the common part of OpenCL C and CUDA C++. They compute what
 * the functions of core/judge/oracle compute, where each formula has its source: values in
 * oracle_elementwise.c, variances of rounding errors in the spread_*.c files and rounding.c.
 */
#ifdef __OPENCL_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
#define FN static
#define LOCAL __local
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define BOTTOM ((double)-INFINITY)
#else
#define FN static __device__
#define LOCAL __shared__
#define BARRIER __syncthreads()
#define BOTTOM ((double)-INFINITY)
#define as_ulong(x) ((ulong)__double_as_longlong(x))
#define as_double(x) __longlong_as_double((long long)(x))
#endif
/* The type of an index of an element; `long` where a tensor has 2^31 elements or more. */
#ifndef INDEX
#define INDEX int
#endif
#define UNIT 0x1p-24
#define UNIT_VARIANCE (UNIT * UNIT / 3)
#define DEVIATIONS 8.0
#define NOT_A_NUMBER as_double(0x7ff8000000000000UL)
#define LARGEST 1.7976931348623157e308

/*
 * Matrix units for double precision. A warp adds the product of an 8x4 and a 4x8 matrix to an 8x8
 * one. Lane n has the element at row n / 4 and column n % 4 of the first, that at row n % 4 and
 * column n / 4 of the second, and those at row n / 4 and columns 2 (n % 4) and 2 (n % 4) + 1 of the
 * sums (PTX ISA, "Matrix fragments for mma.m8n8k4 with .f64 floating point type").
 */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HAS_MATRIX_UNITS 1
FN void add_matrix_product(double *sums, double a, double b)
{
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(a), "d"(b));
}
#else
#define HAS_MATRIX_UNITS 0
#endif

FN int is_finite(double x) { return fabs(x) <= LARGEST; }
FN int is_nan(double x) { return x != x; }
FN double square(double x) { return x * x; }

/* Spacings of the type in which a value may be stored (struct rounding_storage). */
FN double power_below(double x) { return as_double(as_ulong(x) & 0x7ff0000000000000UL); }
FN double spacing_at(double x, double relative, double smallest)
{
    return fmax(power_below(x) * relative, smallest);
}
FN double stored_variance(double x, double relative, double smallest)
{
    return is_finite(x) ? square(spacing_at(x, relative, smallest)) / 12 : 0;
}
/* That of an element that is given: both 16-bit types hold short ones (rounding_is_short()). */
FN double given_variance(double x, double relative, double smallest)
{
    const int is_short = as_ulong(x) << 19 == 0 && fabs(x) >= 0x1p-17 && fabs(x) <= 65504;

    return is_short ? 0 : stored_variance(x, relative, smallest);
}
/*
 * Round to the nearest number of a type, ties to even; `largest` is the type's largest finite
 * number.
 */
FN double round_to(double x, double relative, double smallest, double largest)
{
    const double spacing = spacing_at(x, relative, smallest), y = rint(x / spacing) * spacing;

    if (!is_finite(x))
        return x;
    return fabs(y) > largest ? (y > 0 ? (double)INFINITY : BOTTOM) : y;
}

/*
 * Add as a loop over float32 numbers does. In CUDA C++ a compiler may make one operation of this and
 * the product that `x` is, which then is not rounded.
 */
FN float add_single(float loop, double x)
{
#ifdef __OPENCL_VERSION__
    return loop + (float)x;
#else
    return __fadd_rn(loop, (float)x);
#endif
}

/* The sign of the error that an operation makes in the second evaluation (second_evaluation.c). */
FN int error_sign(double x)
{
    const float single = (float)x;
    unsigned bits = as_uint(single);

    bits = (bits ^ bits >> 16) * 0x7feb352dU;
    bits = (bits ^ bits >> 15) * 0x846ca68bU;
    return bits >> 31 ? 1 : -1;
}

/* Round to a multiple of the smallest spacing, if x is below `tiny` (rounding_apply()). */
FN double round_tiny(double x, double tiny, double smallest)
{
    return fabs(x) < tiny ? rint(x / smallest) * smallest : x;
}

/* A float32 sum (spread_sum.h). */
struct sum {
    double total, magnitude, squares, drift;
    float loop;
};
FN void sum_start(struct sum *s)
{
    s->total = s->magnitude = s->squares = s->drift = 0;
    s->loop = 0;
}
/* The logarithm of the sum of two exponentials, as libraries compute it. */
FN float log_add_single(float a, float b)
{
    const float most = fmax(a, b);

    const float share = (float)exp(-fabs((double)(a - b)));

    return a == b && fabs((double)a) > LARGEST ? most : most + (float)log1p((double)share);
}

FN void sum_add(struct sum *s, double x)
{
    s->total += x;
    s->magnitude += fabs(x);
    s->squares += s->total * s->total;
    s->loop = add_single(s->loop, x);
    const double off = fabs((double)s->loop - s->total);
    s->drift = off > s->drift ? off : s->drift;
}
/* Count the error of a loop over the same elements from the last one. */
FN void sum_turn(struct sum *s, float loop)
{
    const double off = fabs((double)loop - s->total);

    s->drift = off > s->drift ? off : s->drift;
}
FN double sum_variance(const struct sum *s)
{
    const double drift = is_finite(s->drift) ? 2 * s->drift / DEVIATIONS : 0;

    return UNIT_VARIANCE * (s->squares + s->magnitude * s->magnitude) + drift * drift;
}
FN double sum_relative(const struct sum *s)
{
    return s->total > 0 ? sum_variance(s) / (s->total * s->total) : 0;
}
/* Of a sum of shares and one of exponentials of which the largest is 1, as in spread_sum.c. */
FN double shares_variance(const struct sum *plain, const struct sum *scaled)
{
    return fmax(sum_relative(plain), sum_relative(scaled));
}
FN double sum_bias(double total, double squares, double terms)
{
    const double likeness = total * total / (terms * squares);
    const double ties = UNIT * terms * total / (2 * DEVIATIONS);
    const double lost = fmin(UNIT * UNIT * terms * terms / 6, 1e-3) * total / DEVIATIONS;

    return lost * lost + (likeness > 0.9 ? ties * ties * fmin(10 * (likeness - 0.9), 1.0) : 0);
}

/*
 * Sums with many equal terms (rounding/alike.h). alike_find() writes the share of the most frequent
 * number of a sample, and the number.
 */
#define ALIKE_SAMPLE 64
#define ALIKE_PLACE(i, n) ((INDEX)((ulong)((uint)(i) * 2654435769u) * (ulong)(n) >> 32))
FN void alike_find(const double *sample, double terms, __global double *to)
{
    const double near = fmin(terms * 0x1p-26, 0x1p-12);
    int most = 3;

    to[0] = to[1] = 0;
    for (int i = 0; i < ALIKE_SAMPLE; i++) {
        int count = 0;
        for (int j = 0; j < ALIKE_SAMPLE; j++)
            count += fabs(sample[j] - sample[i]) <= near * fabs(sample[i]);
        if (count > most && sample[i] != 0 && is_finite(sample[i])) {
            most = count;
            to[0] = fmin((count + 4) / (double)ALIKE_SAMPLE, 1.0);
            to[1] = fabs(sample[i]);
        }
    }
}
FN double alike_variance(__global const double *a, __global const double *b, double terms,
                         double total, double squares)
{
    const double count = fmin(a[0], b[0]) * terms, term = a[1] * b[1];
    const double sum = fmax(fabs(total), fmin(count * term, sqrt(count * squares)));
    const double off = count * fmin(UNIT * sum / 2, term) / DEVIATIONS;

    return count > 0 && is_finite(off) ? off * off : 0;
}
/* Find the most frequent number of the elements ELEMENT(j), for j below n, and leave it at `to`. */
#define ALIKE(ELEMENT, n, terms, to)                                               \
    double sample[ALIKE_SAMPLE];                                                   \
    for (int s = 0; s < ALIKE_SAMPLE; s++) {                                       \
        const INDEX j = ALIKE_PLACE(s, n);                                         \
        sample[s] = ELEMENT(j);                                                    \
    }                                                                              \
    alike_find(sample, terms, to);
FN double relative_variance(double x, double shift, double variance)
{
    const double reach = DEVIATIONS * sqrt(variance + UNIT_VARIANCE * (x * x + shift * shift));

    return square((expm1(fmin(reach, 40.0)) + 8 * UNIT) / DEVIATIONS);
}
/*
 * The largest term of a softmax without an element's own, and the variance of a share
 * (spread_rowwise.c).
 */
FN double largest_of_others(double largest, double own)
{
    return own < largest * (1 - 0x1p-20) ? largest - own : 0;
}
FN double share_variance(double y, double own, double others)
{
    const double grown = 1 + y * DEVIATIONS * sqrt(own);

    return fmin(y * y * (square((1 - y) / grown) * own + others),
                square(fmax(y, 1 - y) / DEVIATIONS));
}
/* The largest variance of an element of a norm of n elements (spread_sum.h). */
FN double norm_most(double y, double n)
{
    return square((fabs(y) + sqrt(n)) / DEVIATIONS);
}
/* The error of the argument x - shift of an exponential, and of the latter (second_evaluation.c). */
FN double argument_error(double x, double shift)
{
    return is_finite(x)
               ? error_sign(x) * (UNIT + sqrt(UNIT_VARIANCE * (x * x + shift * shift)))
               : 0;
}
/*
 * The relative standard deviation of 1 / sqrt(mean_square + eps), where mean_square has `variance`.
 */
FN double scale_deviation(double mean_square, double variance, double eps)
{
    const double scale = 1 / sqrt(mean_square + eps);
    const double least = fmax(mean_square - DEVIATIONS * sqrt(variance), 0.0) + eps;

    return ((least > 0 ? 1 / sqrt(least) - scale : (double)INFINITY) + 16 * UNIT * scale) / DEVIATIONS;
}

/*
 * Values of elementwise operations: a, b and c are the operands, p and q the operation's
 * attributes.
 */
#define VALUE(name) FN double f_##name(double a, double b, double c, double p, double q)
FN double limit(double x, double low, double high)
{
    if (x < low)
        return low < high ? low : high;
    return x > high ? high : x;
}
FN double log_one_plus_exp(double x) { return fmax(x, 0.0) + log1p(exp(-fabs(x))); }
VALUE(add) { return a + p * b; }
VALUE(sub) { return a - p * b; }
VALUE(mul) { return a * b; }
VALUE(div) { return a / b; }
VALUE(pow) { return pow(a, b); }
VALUE(minimum) { return is_nan(a) || a < b ? a : b; }
VALUE(maximum) { return is_nan(a) || a > b ? a : b; }
VALUE(eq) { return a == b; }
VALUE(ne) { return a != b; }
VALUE(lt) { return a < b; }
VALUE(le) { return a <= b; }
VALUE(gt) { return a > b; }
VALUE(ge) { return a >= b; }
VALUE(where) { return a != 0 ? b : c; }
VALUE(cast_f32) { return (double)(float)a; }
VALUE(cast_f64) { return a; }
VALUE(cast_f16) { return round_to(a, 0x1p-10, 0x1p-24, 65504.0); }
VALUE(cast_bf16) { return round_to(a, 0x1p-7, 0x1p-133, 0x1.fep127); }
VALUE(cast_i32) { return is_nan(a) ? 0 : limit(trunc(a), -2147483648.0, 2147483647.0); }
VALUE(cast_i64) { return is_nan(a) ? 0 : limit(trunc(a), -0x1p63, 0x1p63); }
VALUE(cast_bool) { return a != 0; }
VALUE(dropout) { return a; }
VALUE(abs) { return fabs(a); }
VALUE(neg) { return -a; }
VALUE(sign) { return (double)((a > 0) - (a < 0)); }
VALUE(relu) { return limit(a, 0.0, (double)INFINITY); }
VALUE(clamp) { return limit(a, p, q); }
VALUE(hardtanh) { return limit(a, p, q); }
VALUE(leaky_relu) { return a < 0 ? p * a : a; }
VALUE(elu) { return a < 0 ? p * expm1(a) : a; }
VALUE(selu)
{
    return 1.0507009873554804934193349852946 *
           (a < 0 ? 1.6732632423543772848170429916717 * expm1(a) : a);
}
VALUE(gelu)
{
    if (p != 0)
        return 0.5 * a * (1 + tanh(0.79788456080286535588 * (a + 0.044715 * a * a * a)));
    return 0.5 * a * erfc(-a * 0.70710678118654752440);
}
VALUE(silu) { return a / (1 + exp(-a)); }
VALUE(mish) { return a * tanh(log_one_plus_exp(a)); }
VALUE(sigmoid) { return 1 / (1 + exp(-a)); }
VALUE(softplus) { return p * a > q ? a : log_one_plus_exp(p * a) / p; }
VALUE(softsign) { return a / (1 + fabs(a)); }
VALUE(hardswish) { return a * limit(a + 3, 0.0, 6.0) / 6; }
VALUE(hardsigmoid) { return limit(a + 3, 0.0, 6.0) / 6; }
VALUE(tanh) { return tanh(a); }
VALUE(exp) { return exp(a); }
VALUE(log) { return log(a); }
VALUE(sqrt) { return sqrt(a); }
VALUE(rsqrt) { return 1 / sqrt(a); }
VALUE(sin) { return sin(a); }
VALUE(cos) { return cos(a); }
VALUE(atan) { return atan(a); }
VALUE(erf) { return erf(a); }

/* Variances of sums and products. */
FN double variance_add(const double *x, const double *v, double p) { return v[0] + p * p * v[1]; }
FN double variance_sub(const double *x, const double *v, double p) { return v[0] + p * p * v[1]; }
/* An exact 0 has no error, however large the other factor's is. */
FN double share(double square, double variance)
{
    return square * variance >= 0 ? square * variance : 0;
}

FN double variance_mul(const double *x, const double *v, double p)
{
    return share(x[1] * x[1], v[0]) + share(x[0] * x[0], v[1]) + share(v[0], v[1]);
}

/* A number beyond the range of integers, which are below `limit`, may become any (rounding.h). */
FN double cast_variance(double x, double v, double limit, double variance)
{
    const double step = DEVIATIONS * sqrt(v);

    return x + step < limit && x - step > -limit - 1 ? variance : square(2.02 / DEVIATIONS * limit);
}

/* The variance of rounding the two terms of a sum separately. */
FN double variance_of_terms(double x, double y)
{
    return is_finite(y) ? UNIT_VARIANCE * (x * x + (y - x) * (y - x)) : 0;
}

/*
 * Variances of an elementwise operation by finite differences (spread_elementwise.c). `own` is the
 * error of the function itself, if `is_function`, which is 2 for one that ends at 0;
 * `count` is the number of operands, which are dependent if they share an error.
 */
FN double change_of(double moved, double y)
{
    const double off = fabs(moved - y);

    return is_nan(off) ? 0 : off;
}
FN double step_of(double x, double variance, int is_function)
{
    return is_finite(x) ? DEVIATIONS * sqrt(variance + (is_function ? UNIT_VARIANCE * x * x : 0)) : 0;
}
FN double widest(double up, double down, double step, double x, int is_function)
{
    return is_function && up > 0 && step < 1e-3 * fabs(x) ? 1.01 * up : fmax(up, down);
}
/*
 * Elements at the edge of a function's domain (oracle/edge/edge.h). How far errors reach, without
 * the rounding on storing the argument, which keeps its sign.
 */
#define EDGE_ARGUMENT 0x1p-149
FN double edge_reach(double variance, double stored)
{
    return DEVIATIONS * sqrt(fmax(variance - (1 + 0x1p-20) * stored, 0.0));
}
/*
 * A tolerance, negative where the element is not finite if those at an edge are NaN. x may be off by
 * `rounding`.
 */
FN float stray_float(float allowed, double x, double strayed, double spacing, double rounding)
{
    const double gap = fabs(strayed - x), off = 1.25 * fmax(gap - rounding, 0.0);
    const double own = (double)allowed - spacing;

    if (is_finite(gap))
        return off > 0 ? (float)(sqrt(own * own + off * off) + spacing) : allowed;
    return !is_nan(x) && strayed != x ? -allowed : allowed;
}
FN float stray_integer(float allowed, double x, double strayed)
{
    const double off = 1.25 * fabs(strayed - x);

    return (float)floor(sqrt((double)allowed * allowed + off * off) + 1e-6);
}
/* A truth value has only another one. */
FN double moved_operand(double x, double step, int is_truth)
{
    return is_truth ? x == 0 : x + step;
}
/* Truth values that may change: where two numbers are within reach (spread_elementwise.c). */
FN double comparison_variance(const double *x, const double *v, int stay_equal, int but_zeros)
{
    const double reach = DEVIATIONS * sqrt(v[0] + v[1]);

    if (stay_equal && x[0] == x[1] && !(but_zeros && x[0] == 0))
        return 0;
    return reach > 0 && fabs(x[0] - x[1]) <= reach ? square(1.25 / DEVIATIONS) : 0;
}
/* The change of a truth value that another one selects, if both change. */
FN double flipped_choice(const double *x, const double *s, double y)
{
    const int chosen = x[0] == 0 ? 1 : 2;

    return s[0] != 0 && s[chosen] != 0 ? fabs((x[chosen] == 0) - y) : 0;
}
/* Bit k of `truths` is set if operand k is a truth value; `flip` is how much wider such changes are. */
#define SPREAD(f)                                                                                  \
    FN double spread_##f(const double *x, const double *v, double y, double p, double q,           \
                         double own, int is_function, int count, int is_binary, int is_dependent,  \
                         int truths, double flip)                                                  \
    {                                                                                              \
        double squares = own * own, sum = 0, s[3] = {0, 0, 0};                                     \
        if (!is_finite(y))                                                                         \
            return 0;                                                                              \
        for (int k = 0; k < count; k++) {                                                          \
            const int is_truth = truths >> k & 1;                                                  \
            double up[3] = {x[0], x[1], x[2]}, down[3] = {x[0], x[1], x[2]};                       \
            s[k] = step_of(x[k], v[k], is_function);                                               \
            if (s[k] == 0)                                                                         \
                continue;                                                                          \
            up[k] = moved_operand(x[k], s[k], is_truth);                                           \
            down[k] = moved_operand(x[k], -s[k], is_truth);                                        \
            down[k] = is_function > 1 && x[k] > 0 ? fmax(down[k], EDGE_ARGUMENT) : down[k];        \
            const double off = widest(change_of(f(up[0], up[1], up[2], p, q), y),                  \
                                      change_of(f(down[0], down[1], down[2], p, q), y), s[k],      \
                                      x[k], is_function) * (is_truth ? flip : 1);                  \
            sum += is_dependent ? off : 0;                                                         \
            squares += is_dependent ? 0 : square(off);                                             \
        }                                                                                          \
        if (count == 2 && is_binary && s[0] > 0 && s[1] > 0) {                                     \
            const double a = moved_operand(x[0], s[0], truths & 1);                                \
            const double b = moved_operand(x[1], s[1], truths >> 1 & 1);                           \
            const double off = change_of(f(a, b, 0, p, q) - f(a, x[1], 0, p, q) + y,               \
                                         f(x[0], b, 0, p, q));                                     \
            sum += is_dependent ? off : 0;                                                         \
            squares += is_dependent ? 0 : square(off);                                             \
        }                                                                                          \
        if (truths == 7)                                                                           \
            squares += square(flipped_choice(x, s, y));                                            \
        return (squares + square(sum)) / (DEVIATIONS * DEVIATIONS);                                \
    }
