#include <math.h>

#include "core/judge/host_library/host_library_family.h"
#include "core/system/parallel.h"

/* Elements are computed in chunks that stay in the first-level cache. */
enum { CHUNK = 1024, MAX_OPERANDS = 3 };

/* Copy elements [first, first + n) of an operand that is broadcast to the result's shape. */
static void broadcast(const struct host_library_step *step, size_t operand, size_t first, size_t n,
                      float *elements)
{
    struct walk walk = {.shape = step->op.out->shape};

    walk_add_broadcast(&walk, &step->op.in[operand]->shape);
    host_library_take(&walk, step->in[operand], first, n, elements);
}

static void run_chunk(const struct host_library_step *step, size_t first, size_t n)
{
    float room[MAX_OPERANDS][CHUNK];
    struct host_library_map map = {
        .out = step->out + first,
        .n = n,
        .attributes = step->op.attributes,
    };

    for (size_t i = 0; i < step->op.in_count; i++) {
        if (shape_elements(&step->op.in[i]->shape) == shape_elements(&step->op.out->shape)) {
            map.in[i] = step->in[i] + first;
        } else {
            broadcast(step, i, first, n, room[i]);
            map.in[i] = room[i];
        }
    }
    for (size_t i = step->op.in_count; i < MAX_OPERANDS; i++)
        map.in[i] = map.in[0]; /* read but not used */
    step->rule->map(&map);
}

static void run_elements(void *data, size_t first, size_t last)
{
    const struct host_library_step *step = data;

    for (; first < last; first += CHUNK)
        run_chunk(step, first, last - first < CHUNK ? last - first : CHUNK);
}

static void compute_elements(struct host_library_step *step)
{
    parallel_for((size_t)shape_elements(&step->op.out->shape), 1 << 15, run_elements, step);
}

/* Clamp to two bounds; NaN stays NaN. */
static inline float limit(float x, float low, float high)
{
    float most = x > high ? high : x;

    return x < low ? (low < high ? low : high) : most;
}

static inline float positive(float x)
{
    return x < 0 ? 0 : x;
}

static inline float negative(float x)
{
    return x > 0 ? 0 : x;
}

static inline float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

/* log(1 + exp(x)) without overflow. */
static inline float log_one_plus_exp(float x)
{
    return positive(x) + log1pf(expf(-fabsf(x)));
}

/*
 * Elementwise operations: a, b and c are the operands' elements at the same place, p and q the
 * first two attributes. oracle_elementwise.c defines their meaning.
 */
#define OPERATIONS(OPERATION)                                                      \
    OPERATION(add, a + p * b)                                                      \
    OPERATION(sub, a - p * b)                                                      \
    OPERATION(mul, (a * b))                                                        \
    OPERATION(div, a / b)                                                          \
    OPERATION(pow, powf(a, b))                                                     \
    OPERATION(minimum, a != a || a < b ? a : b)                                    \
    OPERATION(maximum, a != a || a > b ? a : b)                                    \
    OPERATION(eq, a == b ? 1.0F : 0.0F)                                            \
    OPERATION(ne, a != b ? 1.0F : 0.0F)                                            \
    OPERATION(lt, a < b ? 1.0F : 0.0F)                                             \
    OPERATION(le, a <= b ? 1.0F : 0.0F)                                            \
    OPERATION(gt, a > b ? 1.0F : 0.0F)                                             \
    OPERATION(ge, a >= b ? 1.0F : 0.0F)                                            \
    OPERATION(where, a != 0 ? b : c)                                               \
    OPERATION(dropout, a)                                                          \
    OPERATION(abs, fabsf(a))                                                       \
    OPERATION(neg, -a)                                                             \
    OPERATION(sign, (float)((a > 0) - (a < 0)))                                    \
    OPERATION(relu, positive(a))                                                   \
    OPERATION(clamp, limit(a, p, q))                                               \
    OPERATION(leaky_relu, a < 0 ? p * a : a)                                       \
    OPERATION(elu, positive(a) + p * expm1f(negative(a)))                          \
    OPERATION(selu, 1.05070099F * positive(a) + 1.75809934F * expm1f(negative(a))) \
    OPERATION(silu, (a * sigmoid(a)))                                              \
    OPERATION(mish, (a * tanhf(log_one_plus_exp(a))))                              \
    OPERATION(sigmoid, sigmoid(a))                                                 \
    OPERATION(softplus, (p * a > q ? a : log_one_plus_exp(p * a) / p))             \
    OPERATION(softsign, a / (1 + fabsf(a)))                                        \
    OPERATION(hardtanh, limit(a, p, q))                                            \
    OPERATION(hardswish, (a * limit(a + 3, 0, 6) / 6))                             \
    OPERATION(hardsigmoid, limit(a + 3, 0, 6) / 6)                                 \
    OPERATION(tanh, tanhf(a))                                                      \
    OPERATION(exp, expf(a))                                                        \
    OPERATION(log, logf(a))                                                        \
    OPERATION(sqrt, sqrtf(a))                                                      \
    OPERATION(rsqrt, 1 / sqrtf(a))                                                 \
    OPERATION(sin, sinf(a))                                                        \
    OPERATION(cos, cosf(a))                                                        \
    OPERATION(atan, atanf(a))                                                      \
    OPERATION(erf, erff(a))

#define DEFINE(name, element)                                                    \
    WIDE static void map_##name(const struct host_library_map *map)              \
    {                                                                            \
        const float p = (float)map->attributes[0].number;                        \
        const float q = (float)map->attributes[1].number;                        \
                                                                                 \
        (void)p, (void)q;                                                        \
        _Pragma("omp simd") for (size_t i = 0; i < map->n; i++)                  \
        {                                                                        \
            const float a = map->in[0][i], b = map->in[1][i], c = map->in[2][i]; \
                                                                                 \
            (void)b, (void)c;                                                    \
            map->out[i] = (element);                                             \
        }                                                                        \
    }
#define RULE(name, element) {#name, compute_elements, .map = map_##name},

OPERATIONS(DEFINE)
DEFINE(gelu_none, 0.5F * a * (1 + erff(0.707106781F * a)))
DEFINE(gelu_tanh, 0.5F * a * (1 + tanhf(0.797884561F * (a + 0.044715F * a * a * a))))

static void map_gelu(const struct host_library_map *map)
{
    if (map->attributes[0].integers[0])
        map_gelu_tanh(map);
    else
        map_gelu_none(map);
}

/* Rounds as storage does: toward zero for integers. */
static void map_cast(const struct host_library_map *map)
{
    enum dtype dtype = (enum dtype)map->attributes[0].integers[0];
    bool is_whole = dtype == DTYPE_I32 || dtype == DTYPE_I64;
    double wide[CHUNK], stored[CHUNK];

    for (size_t i = 0; i < map->n; i++)
        wide[i] = (double)(is_whole ? truncf(map->in[0][i]) : map->in[0][i]);
    dtype_from_double(dtype, wide, stored, map->n);
    dtype_to_double(dtype, stored, wide, map->n);
    for (size_t i = 0; i < map->n; i++)
        map->out[i] = (float)wide[i];
}

const struct host_library_rule host_library_elementwise[] = {
    {"cast", compute_elements, .map = map_cast},
    {"gelu", compute_elements, .map = map_gelu},
    OPERATIONS(RULE){0},
};
