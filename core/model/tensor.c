#include "core/model/tensor.h"

#include <math.h>
#include <string.h>

#include "core/base/mem.h"

enum status name_check(const struct json_ref *at, const char *name, struct error *err)
{
    static const char letters[] = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    size_t len = strlen(name);

    if (len == 0 || strspn(name, letters) != len || (name[0] >= '0' && name[0] <= '9'))
        return json_ref_error(at, err, "\"%s\" is not a valid name: expected letters, digits and _",
                              name);
    if (len > NAME_MAX_LENGTH)
        return json_ref_error(at, err, "the name has more than %d characters", NAME_MAX_LENGTH);
    return STATUS_OK;
}

/* The roles that a file can declare. */
static const char *const role_names[] = {
    [TENSOR_INPUT] = "input", [TENSOR_PARAM] = "param", [TENSOR_OUTPUT] = "output", NULL};

const char *tensor_role_name(enum tensor_role role)
{
    if (role <= TENSOR_OUTPUT)
        return role_names[role];
    return role == TENSOR_INNER ? "inner" : "constant";
}

static enum status read_role(const struct json_ref *at, enum tensor_role *role, struct error *err)
{
    size_t choice = 0;
    enum status st = json_read_choice(at, role_names, &choice, err);

    if (!st)
        *role = (enum tensor_role)choice;
    return st;
}

static enum status check_rank(const struct json_ref *at, struct error *err)
{
    enum status st = json_expect(at, JSON_ARRAY, err);

    if (!st && json_count(at->value) > SHAPE_MAX_RANK)
        st = json_ref_error(at, err, "more than %d dimensions", SHAPE_MAX_RANK);
    return st;
}

static enum status check_fill(const struct json_ref *at, enum tensor_role role, struct error *err)
{
    if (role == TENSOR_OUTPUT && at->value)
        return json_ref_error(at, err, "an output is computed, not filled");
    if (role != TENSOR_OUTPUT && !at->value)
        return json_ref_error(at, err, "missing, expected how to fill it: {\"uniform\": [-1, 1]}");
    return STATUS_OK;
}

enum status tensor_read(const struct json_ref *at, struct tensor *tensor, struct error *err)
{
    static const char *const keys[] = {"role", "dtype", "shape", "fill", NULL};
    struct json_ref role_at = json_ref_member(at, "role");
    struct json_ref dtype_at = json_ref_member(at, "dtype");
    struct json_ref shape_at = json_ref_member(at, "shape");
    struct json_ref fill_at = json_ref_member(at, "fill");
    struct tensor read = {.shape = shape_at.value, .fill = fill_at.value};
    enum status st;

    if ((st = name_check(at, at->name, err)) || (st = json_expect_keys(at, keys, err)) ||
        (st = read_role(&role_at, &read.role, err)) ||
        (st = dtype_read(&dtype_at, &read.dtype, err)) || (st = check_rank(&shape_at, err)) ||
        (st = check_fill(&fill_at, read.role, err)))
        return st;
    read.name = mem_strdup(at->name);
    *tensor = read;
    return STATUS_OK;
}

bool tensor_is_given(enum tensor_role role)
{
    return role == TENSOR_INPUT || role == TENSOR_PARAM;
}

void tensor_release(struct tensor *tensor)
{
    free(tensor->name);
    *tensor = (struct tensor){0};
}

static enum status resolve_shape(const struct json_ref *at, const struct scope *scope,
                                 struct shape *shape, struct error *err)
{
    char text[SHAPE_TEXT_SIZE];
    enum status st = STATUS_OK;

    for (struct json_ref e = json_ref_first(at); e.value; e = json_ref_next(&e)) {
        int64_t *dim = &shape->dims[shape->rank++];

        if ((st = expr_read(&e, scope, dim, err)))
            return st;
        if (*dim < 1)
            return json_ref_error(&e, err, "expected at least 1, found %lld", (long long)*dim);
    }
    if (!shape_is_valid(shape))
        st = json_ref_error(at, err, "%s is more than %lld elements", shape_text(shape, text),
                            (long long)SHAPE_MAX_ELEMENTS);
    return st;
}

/* The number of arguments of a kind of fill, and their check: it returns NULL or the error. */
struct fill_rule {
    size_t arguments;
    const char *(*check)(const struct fill *fill, const struct value *value);
};

/* True when both the type and f32, in which fills are computed, represent the number. */
static bool is_held(enum dtype dtype, double number)
{
    return dtype_holds(dtype, number) && dtype_holds(DTYPE_F32, number);
}

static const char not_held[] = "the element type cannot represent these numbers";

static const char *check_uniform(const struct fill *fill, const struct value *value)
{
    if (!dtype_is_float(value->dtype))
        return "only floating types are uniform: expected \"integers\"";
    if (fill->a > fill->b)
        return "the low end is above the high end";
    return is_held(value->dtype, fill->a) && is_held(value->dtype, fill->b) ? NULL : not_held;
}

static const char *check_normal(const struct fill *fill, const struct value *value)
{
    if (!dtype_is_float(value->dtype))
        return "only floating types are normal: expected \"integers\"";
    if (fill->b < 0)
        return "the standard deviation is negative";
    return is_held(value->dtype, fabs(fill->a) + 5 * fill->b) ? NULL : not_held;
}

static const char *check_integers(const struct fill *fill, const struct value *value)
{
    if (fill->a > fill->b)
        return "the lowest is above the highest";
    if (fill->b - fill->a >= 0x1p32)
        return "more than 2^32 different integers";
    if (fmax(fabs(fill->a), fabs(fill->b)) > 0x1p53)
        return "integers beyond 2^53";
    return is_held(value->dtype, fill->a) && is_held(value->dtype, fill->b) ? NULL : not_held;
}

static const char *check_constant(const struct fill *fill, const struct value *value)
{
    return is_held(value->dtype, fill->a) ? NULL : not_held;
}

static const char *check_permutation(const struct fill *fill, const struct value *value)
{
    (void)fill;
    return value->shape.rank == 0 ? "a scalar has no axis to permute along" : NULL;
}

static const char *check_mask(const struct fill *fill, const struct value *value)
{
    (void)value;
    return fill->a < 0 || fill->a > 1 ? "expected a probability between 0 and 1" : NULL;
}

static const char *check_signs(const struct fill *fill, const struct value *value)
{
    return dtype_holds(value->dtype, -1) ? check_mask(fill, value)
                                         : "expected a type with negative numbers";
}

/* The PyTorch file's contents need no check. */
static const char *check_model(const struct fill *fill, const struct value *value)
{
    (void)fill;
    (void)value;
    return NULL;
}

static const char *const fill_names[] = {
    [FILL_UNIFORM] = "uniform",
    [FILL_NORMAL] = "normal",
    [FILL_INTEGERS] = "integers",
    [FILL_CONSTANT] = "constant",
    [FILL_PERMUTATION] = "permutation",
    [FILL_MASK] = "mask",
    [FILL_SIGNS] = "signs",
    [FILL_MODEL] = "model",
    NULL,
};

const char *fill_name(enum fill_kind kind)
{
    return fill_names[kind];
}

static const struct fill_rule fill_rules[] = {
    [FILL_UNIFORM] = {2, check_uniform},
    [FILL_NORMAL] = {2, check_normal},
    [FILL_INTEGERS] = {2, check_integers},
    [FILL_CONSTANT] = {1, check_constant},
    [FILL_PERMUTATION] = {0, check_permutation},
    [FILL_MASK] = {1, check_mask},
    [FILL_SIGNS] = {1, check_signs},
    [FILL_MODEL] = {0, check_model},
};

/*
 * Read an argument. Those of integers are expressions, so that an index can stay below a dimension.
 */
static enum status read_argument(const struct json_ref *at, enum fill_kind kind,
                                 const struct scope *scope, double *argument, struct error *err)
{
    int64_t integer = 0;
    enum status st;

    if (kind != FILL_INTEGERS)
        return json_read_number(at, argument, err);
    st = expr_read(at, scope, &integer, err);
    *argument = (double)integer;
    return st;
}

/* {"constant": 2}, {"uniform": [-1, 1]} */
static enum status read_arguments(const struct json_ref *at, const struct scope *scope,
                                  struct fill *fill, struct error *err)
{
    size_t expected = fill_rules[fill->kind].arguments;
    struct json_ref low = json_ref_element(at, 0), high = json_ref_element(at, 1);
    enum status st;

    if (expected == 1)
        return read_argument(at, fill->kind, scope, &fill->a, err);
    if ((st = json_expect(at, JSON_ARRAY, err)))
        return st;
    if (json_count(at->value) != expected)
        return json_ref_error(at, err, "expected %zu numbers, found %zu", expected,
                              json_count(at->value));
    if (expected == 2 && !(st = read_argument(&low, fill->kind, scope, &fill->a, err)))
        st = read_argument(&high, fill->kind, scope, &fill->b, err);
    return st;
}

static enum status resolve_fill(const struct json_ref *at, const struct scope *scope,
                                struct value *value, struct error *err)
{
    struct json_ref arguments = json_ref_first(at);
    struct fill fill = {0};
    const char *problem;
    enum status st;

    if ((st = json_expect(at, JSON_OBJECT, err)) || (st = json_expect_keys(at, fill_names, err)))
        return st;
    if (json_count(at->value) != 1)
        return json_ref_error(at, err, "expected one way to fill, found %zu",
                              json_count(at->value));
    while (strcmp(fill_names[fill.kind], arguments.name) != 0)
        fill.kind++;
    if ((st = read_arguments(&arguments, scope, &fill, err)))
        return st;
    problem = fill_rules[fill.kind].check(&fill, value);
    if (problem)
        return json_ref_error(&arguments, err, "%s", problem);
    value->fill = fill;
    return STATUS_OK;
}

size_t value_elements(const struct value *value)
{
    return (size_t)shape_elements(&value->shape);
}

bool tensor_is_from_model(const struct tensor *tensor)
{
    return json_get(tensor->fill, fill_name(FILL_MODEL)) != NULL;
}

enum status tensor_resolve(const struct tensor *tensor, const struct json_ref *at,
                           const struct scope *scope, struct value *value, struct error *err)
{
    struct json_ref shape_at = json_ref_member(at, "shape");
    struct json_ref fill_at = json_ref_member(at, "fill");
    struct value resolved = {.name = tensor->name, .role = tensor->role, .dtype = tensor->dtype};
    enum status st = resolve_shape(&shape_at, scope, &resolved.shape, err);

    if (!st && tensor->role != TENSOR_OUTPUT)
        st = resolve_fill(&fill_at, scope, &resolved, err);
    resolved.given = tensor->given;
    if (!st)
        *value = resolved;
    return st;
}
