#include "core/judge/executor/program_launches.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/vec.h"

enum { WARP = 32, MULTIPLE = 16 };

/* "*f32" of a buffer, "i32" of a number; and whether it is a multiple of 16, which loads can use.
 */
static struct json *describe_argument(const struct dispatch *dispatch, const struct launch_arg *arg)
{
    struct json *object = json_object_new();
    struct strbuf type = {0};
    bool is_aligned = false;

    if (arg->kind == ARG_BUFFER) {
        strbuf_addf(&type, "*%s", dtype_name(dispatch->buffers.items[arg->buffer].dtype));
        is_aligned = true;
    } else if (arg->kind == ARG_INTEGER) {
        strbuf_adds(&type, dtype_name(DTYPE_I32));
        is_aligned = arg->integer % MULTIPLE == 0;
    } else {
        strbuf_adds(&type, dtype_name(arg->dtype));
        is_aligned = !dtype_is_float(arg->dtype) && (int64_t)arg->number % MULTIPLE == 0;
    }
    json_put_string(object, "type", strbuf_cstr(&type));
    json_put_bool(object, "aligned", is_aligned);
    strbuf_release(&type);
    return object;
}

static struct json *describe(const struct dispatch *dispatch, const struct launch *launch)
{
    struct json *kernel = json_object_new();
    struct json *args = json_put(kernel, "args", json_array_new());
    const char *constants = launch->constants ? launch->constants : "{}";

    json_put_string(kernel, "kernel", launch->kernel);
    for (size_t i = 0; i < launch->arg_count; i++)
        json_push(args, describe_argument(dispatch, &launch->args[i]));
    json_put(kernel, "constants", json_parse(constants, strlen(constants), NULL));
    json_put_number(kernel, "warps", launch->warps);
    json_put_number(kernel, "stages", launch->stages);
    json_put_number(kernel, "ctas", launch->ctas);
    return kernel;
}

/* "softmax: {"BLOCK":1024}, 4 warps" */
static void add_description(const struct launch *launch, struct strbuf *out)
{
    strbuf_addf(out, "%s%s: %s, %u warps", out->len ? "; " : "", launch->kernel,
                launch->constants ? launch->constants : "{}", launch->warps);
    if (launch->stages)
        strbuf_addf(out, ", %u stages", launch->stages);
}

/* The index of an equal kernel, or of a new one. */
static size_t enter(struct program_variants *variants, struct json *kernel, bool *is_new)
{
    struct strbuf wanted = {0}, other = {0};
    size_t index = 0;
    const struct json *at = json_first(variants->kernels);

    json_print(kernel, &wanted);
    for (; at; at = json_next(at), index++) {
        other.len = 0;
        json_print(at, &other);
        if (strcmp(strbuf_cstr(&wanted), strbuf_cstr(&other)) == 0)
            break;
    }
    *is_new = !at;
    if (at)
        json_free(kernel);
    else
        json_push(variants->kernels, kernel);
    strbuf_release(&wanted);
    strbuf_release(&other);
    return index;
}

static void find_in(const struct dispatch *dispatch, const struct launch_list *list,
                    struct program_variants *variants)
{
    for (size_t i = 0; i < list->count; i++) {
        bool is_new = false;
        size_t index = enter(variants, describe(dispatch, &list->items[i]), &is_new);

        vec_push(&variants->of_launch, index);
        if (is_new)
            add_description(&list->items[i], &variants->described);
    }
}

void program_variants_find(const struct dispatch *dispatch, struct program_variants *variants)
{
    if (!variants->kernels)
        variants->kernels = json_array_new();
    variants->text.len = 0;
    find_in(dispatch, &dispatch->prepare, variants);
    find_in(dispatch, &dispatch->launches, variants);
    json_print(variants->kernels, &variants->text);
}

void program_variants_release(struct program_variants *variants)
{
    json_free(variants->kernels);
    vec_release(&variants->of_launch);
    strbuf_release(&variants->text);
    strbuf_release(&variants->described);
    *variants = (struct program_variants){0};
}

struct json *program_variants_encode(const struct program_variants *variants)
{
    return json_dup(variants->kernels);
}

/* The name of variant `index`: that of the kernel, with its number from the second one on. */
static void add_name(const struct program_variants *variants, size_t index, struct strbuf *name)
{
    const char *kernel = json_get_string(json_at(variants->kernels, index), "kernel", "");
    unsigned number = 1;

    for (size_t i = 0; i < index; i++)
        number += strcmp(json_get_string(json_at(variants->kernels, i), "kernel", ""), kernel) == 0;
    strbuf_adds(name, kernel);
    if (number > 1)
        strbuf_addf(name, "@%u", number);
}

void program_variants_name(const struct program_variants *variants, struct json *binary)
{
    struct json *named = json_array_new();
    size_t index = 0;

    for (const struct json *p = json_first(json_get(binary, "parts")); p; p = json_next(p)) {
        struct json *part = json_dup(p);
        struct strbuf name = {0};

        add_name(variants, index++, &name);
        json_put_string(part, "kernel", strbuf_cstr(&name));
        json_push(named, part);
        strbuf_release(&name);
    }
    json_put(binary, "parts", named);
}

/* Set the launch of a part's code; `name` is kept by the caller. */
static void suit(struct launch *launch, const struct json *part)
{
    size_t ctas = (size_t)json_get_number(part, "ctas", 1);
    size_t hidden = (size_t)json_get_number(part, "hidden", 0);

    for (unsigned axis = 0; axis < LAUNCH_MAX_RANK; axis++)
        launch->local[axis] = axis < launch->rank;
    launch->local[0] = (size_t)json_get_number(part, "warps", 1) * WARP;
    launch->global[0] *= launch->local[0] * ctas;
    launch->shared = (int64_t)json_get_number(part, "shared", 0);
    for (unsigned axis = 0; ctas > 1 && axis < launch->rank; axis++)
        launch->cluster[axis] = axis ? 1 : ctas;
    for (; hidden > 0 && launch->arg_count < LAUNCH_MAX_ARGS; hidden--)
        launch->args[launch->arg_count++] =
            (struct launch_arg){.kind = ARG_NUMBER, .dtype = DTYPE_I64};
}

static struct launch_list suited(const struct launch_list *list, const size_t *variants,
                                 const struct json *parts)
{
    struct launch_list made = {0};

    for (size_t i = 0; i < list->count; i++) {
        const struct json *part = json_at(parts, variants[i]);
        struct launch launch = list->items[i];

        launch.kernel = (char *)(uintptr_t)json_get_string(part, "kernel", launch.kernel);
        suit(&launch, part);
        vec_push(&made, launch);
    }
    return made;
}

struct json *program_launches_encode(const struct dispatch *dispatch,
                                     const struct program_variants *variants,
                                     const struct json *binary)
{
    const struct json *parts = json_get(binary, "parts");
    struct dispatch made = *dispatch; /* shares all but the lists of launches */
    struct json *encoded;

    made.options = (char *)(uintptr_t)strbuf_cstr(&variants->text);
    made.prepare = suited(&dispatch->prepare, variants->of_launch.items, parts);
    made.launches =
        suited(&dispatch->launches, variants->of_launch.items + dispatch->prepare.count, parts);
    encoded = dispatch_encode(&made);
    vec_release(&made.prepare);
    vec_release(&made.launches);
    return encoded;
}
