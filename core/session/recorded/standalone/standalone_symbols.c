#include "core/session/recorded/standalone/standalone_symbols.h"

#include <string.h>

#include "core/base/text.h"

/* True if the text has this name as a word. */
static bool has_word(const char *text, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !text_is_of_name(at[-1])) && !text_is_of_name(at[len]))
            return true;
    return false;
}

static bool mentions(const struct json *value, const char *name)
{
    struct strbuf text = {0};
    bool does;

    if (!value)
        return false;
    json_print(value, &text);
    does = has_word(strbuf_cstr(&text), name);
    strbuf_release(&text);
    return does;
}

/* The expression of a tensor's first axis, if it is a name alone; else NULL. */
static const char *first_dimension(const struct tensor *tensor)
{
    const struct json *first = json_at(tensor->shape, 0);

    return json_type(first) == JSON_STRING ? json_string(first, NULL) : NULL;
}

/*
 * The dimension that is the size of the batch: dynamic, the first axis of all tensors with samples,
 * and part of no other size. NULL if there is none.
 */
static const char *dimension_of(const struct standalone_batch *batch, const struct problem *problem)
{
    const char *name = NULL;

    for (size_t i = 0; !name && i < problem->tensors.count; i++)
        name = batch->is_batched[i] ? first_dimension(&problem->tensors.items[i]) : NULL;
    for (size_t i = 0; name && i < problem->tensors.count; i++) {
        const struct tensor *tensor = &problem->tensors.items[i];
        size_t rank = json_count(tensor->shape);

        if (batch->is_batched[i] &&
            (!first_dimension(tensor) || strcmp(first_dimension(tensor), name) != 0))
            return NULL;
        for (size_t axis = batch->is_batched[i]; axis < rank; axis++)
            if (mentions(json_at(tensor->shape, axis), name))
                return NULL;
    }
    for (size_t i = 0; name && i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic && strcmp(problem->dims.items[i].name, name) == 0)
            return name;
    return NULL;
}

/* True if only the grid and whole numbers among the arguments of a launch depend on the dimension.
 */
static bool is_launch_free(const struct json *launch, const char *name)
{
    static const char *const fixed[] = {"local", "block", "shared", "cluster"};
    const struct json *args = json_get(launch, "args");

    for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
        if (mentions(json_get(launch, fixed[i]), name))
            return false;
    for (size_t i = 0; i < json_count(args); i++)
        if (json_type(json_at(args, i)) == JSON_OBJECT && mentions(json_at(args, i), name))
            return false;
    return json_get(launch, "local") || json_get(launch, "block");
}

static bool is_plan_free(const struct json *plan, const char *name)
{
    const struct json *launches = json_get(plan, "launches");

    for (size_t i = 0; i < json_count(launches); i++)
        if (!is_launch_free(json_at(launches, i), name))
            return false;
    return !mentions(json_get(plan, "build"), name) && !mentions(json_get(plan, "tune"), name) &&
           !mentions(json_get(plan, "prepare"), name);
}

static void put_launches(struct json *object, const struct json *launches)
{
    struct json *array = json_put(object, "launches", json_array_new());

    for (size_t i = 0; i < json_count(launches); i++) {
        const struct json *launch = json_at(launches, i);
        struct json *put = json_push(array, json_object_new());

        json_put_copy(put, "grid", json_get(launch, "grid"));
        json_put_copy(put, "global", json_get(launch, "global"));
        json_put_copy(put, "args", json_get(launch, "args"));
    }
}

/* Put the shape of each scratch buffer, in the plan's order. */
static void put_scratch(struct json *object, const struct json *scratch)
{
    struct json *array = json_put(object, "scratch", json_array_new());

    for (size_t i = 0; i < json_count(scratch); i++)
        json_push(array, json_dup(json_get(json_at(scratch, i), "shape")));
}

static void put_dims(struct json *object, const struct scope *scope)
{
    struct json *dims = json_put(object, "dims", json_object_new());

    for (; scope; scope = scope->outer)
        for (size_t i = 0; i < scope->count; i++)
            json_put_number(dims, scope->items[i].name, (double)scope->items[i].value);
}

struct json *standalone_symbols(const struct standalone_batch *batch, const struct problem *problem,
                                const struct candidate *candidate, const struct scope *scope)
{
    const char *name = batch->reason.len ? NULL : dimension_of(batch, problem);
    struct json *plan = name ? json_parse(candidate->plan, strlen(candidate->plan), NULL) : NULL;
    struct json *symbols = NULL;

    if (plan && is_plan_free(plan, name)) {
        symbols = json_object_new();
        json_put_string(symbols, "dimension", name);
        put_dims(symbols, scope);
        put_scratch(symbols, json_get(plan, "scratch"));
        put_launches(symbols, json_get(plan, "launches"));
    }
    json_free(plan);
    return symbols;
}
