#include "core/model/plan/plan_resolution.h"

#include <ctype.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/model/language.h"

/* An axis of a launch or of scratch; devices have limits of their own for a launch. */
static const int64_t max_size = PLAN_MAX_WORK_ITEMS;

enum status resolution_expr(const struct resolution *r, const struct json_ref *at, int64_t lowest,
                            int64_t *value)
{
    int64_t result = 0;
    enum status st = expr_read(at, r->scope, &result, r->err);

    if (st)
        return st;
    if (result < lowest || result > max_size)
        return json_ref_error(at, r->err, "is %lld, expected %lld to %lld", (long long)result,
                              (long long)lowest, (long long)max_size);
    *value = result;
    return STATUS_OK;
}

static void add_tensors(struct resolution *r)
{
    for (size_t i = 0; i < r->graph->values.count; i++) {
        const struct value *value = &r->graph->values.items[i];
        struct buffer_spec buffer = {.dtype = value->dtype};

        if (value->role != TENSOR_INPUT && value->role != TENSOR_PARAM &&
            value->role != TENSOR_OUTPUT)
            continue;
        buffer.name = mem_strdup(value->name);
        buffer.elements = shape_elements(&value->shape);
        vec_push(&r->dispatch->buffers, buffer);
    }
    r->dispatch->tensor_count = r->dispatch->buffers.count;
}

/* A new name must differ from all other names. */
static enum status check_new_name(const struct resolution *r, const struct json_ref *at,
                                  const struct scope *scope)
{
    if (dispatch_find(r->dispatch, at->name) < r->dispatch->buffers.count)
        return json_ref_error(at, r->err, "there is a tensor or scratch of this name already");
    if (scope_find(scope, at->name))
        return json_ref_error(at, r->err, "there is a dimension or tunable of this name already");
    return STATUS_OK;
}

static enum status check_tunables(const struct resolution *r, const struct json_ref *root)
{
    struct json_ref tune = json_ref_member(root, "tune");
    enum status st = STATUS_OK;

    for (struct json_ref t = json_ref_first(&tune); !st && t.value; t = json_ref_next(&t))
        st = check_new_name(r, &t, r->scope->outer);
    return st;
}

/* Scratch may be larger than tensors: a kernel can hold several copies of one there. */
static const int64_t scratch_max_elements = 4 * SHAPE_MAX_ELEMENTS;

/* The number of elements of a scratch buffer; 0 if they are too many. */
static int64_t scratch_elements(const struct shape *shape)
{
    int64_t elements = 1;

    for (size_t i = 0; i < shape->rank; i++) {
        if (shape->dims[i] > scratch_max_elements / elements)
            return 0;
        elements *= shape->dims[i];
    }
    return elements;
}

static enum status read_elements(const struct resolution *r, const struct json_ref *at,
                                 int64_t *elements)
{
    struct shape shape = {0};
    enum status st = json_expect(at, JSON_ARRAY, r->err);

    if (!st && json_count(at->value) > SHAPE_MAX_RANK)
        st = json_ref_error(at, r->err, "more than %d dimensions", SHAPE_MAX_RANK);
    if (st)
        return st;
    for (struct json_ref d = json_ref_first(at); !st && d.value; d = json_ref_next(&d))
        st = resolution_expr(r, &d, 1, &shape.dims[shape.rank++]);
    if (!st)
        *elements = scratch_elements(&shape);
    if (!st && !*elements)
        st = json_ref_error(at, r->err, "more than %lld elements", (long long)scratch_max_elements);
    return st;
}

static enum status add_scratch(struct resolution *r, const struct json_ref *at)
{
    struct json_ref dtype = json_ref_member(at, "dtype"), shape = json_ref_member(at, "shape");
    struct buffer_spec buffer = {0};
    enum status st = name_check(at, at->name, r->err);

    if (!st)
        st = check_new_name(r, at, r->scope);
    if (!st)
        st = dtype_read(&dtype, &buffer.dtype, r->err);
    if (!st)
        st = read_elements(r, &shape, &buffer.elements);
    if (st)
        return st;
    buffer.name = mem_strdup(at->name);
    vec_push(&r->dispatch->buffers, buffer);
    return STATUS_OK;
}

static enum status add_buffers(struct resolution *r, const struct json_ref *root)
{
    struct json_ref scratch = json_ref_member(root, "scratch");
    enum status st;

    add_tensors(r);
    st = check_tunables(r, root);
    for (struct json_ref s = json_ref_first(&scratch); !st && s.value; s = json_ref_next(&s))
        st = add_scratch(r, &s);
    return st;
}

/* Append the option, with every {NAME} replaced by its value. */
static enum status expand(const struct resolution *r, const struct json_ref *at, struct strbuf *out)
{
    const char *text = NULL, *open;
    enum status st = json_read_string(at, &text, r->err);

    if (st)
        return st;
    for (; (open = strchr(text, '{')); text = strchr(open, '}') + 1) {
        char name[NAME_MAX_LENGTH + 1] = "";
        size_t len = strcspn(open + 1, "}");
        const struct binding *binding;

        if (len < sizeof(name))
            memcpy(name, open + 1, len);
        binding = scope_find(r->scope, name);
        if (!binding || !open[1 + len])
            return json_ref_error(at, r->err, "no dimension or tunable \"%s\"", name);
        strbuf_add(out, text, (size_t)(open - text));
        strbuf_addf(out, "%lld", (long long)binding->value);
    }
    strbuf_adds(out, text);
    return STATUS_OK;
}

static bool is_known_option(const char *option)
{
    if (strncmp(option, "-D", 2) == 0)
        return isalpha((unsigned char)option[2]) || option[2] == '_';
    return language_allows_option(option);
}

/* Allow only options that read no files, and only characters that cannot start a second option. */
static bool option_is_allowed(const char *option)
{
    const char *rest = option + 2;

    if (!is_known_option(option))
        return false;
    while (isalnum((unsigned char)*rest) || (*rest && strchr("_-+=.,*/()", *rest)))
        rest++;
    return *rest == '\0';
}

static enum status refuse_option(const struct resolution *r, const struct json_ref *at,
                                 const char *option)
{
    struct strbuf known = {0};

    language_list_options(&known);
    json_ref_error(
        at, r->err,
        "\"%.80s\" is not allowed: an option is -DNAME, -DNAME=VALUE, %s, without blanks "
        "and quotes",
        option, strbuf_cstr(&known));
    strbuf_release(&known);
    return STATUS_INVALID;
}

static enum status add_option(const struct resolution *r, const struct json_ref *at,
                              struct strbuf *options)
{
    struct strbuf option = {0};
    enum status st = expand(r, at, &option);

    if (!st && !option_is_allowed(strbuf_cstr(&option)))
        st = refuse_option(r, at, strbuf_cstr(&option));
    if (!st)
        strbuf_addf(options, "%s%s", options->len ? " " : "", strbuf_cstr(&option));
    strbuf_release(&option);
    return st;
}

static enum status add_options(struct resolution *r, const struct json_ref *root)
{
    struct json_ref build = json_ref_member(root, "build");
    struct strbuf options = {0};
    enum status st = STATUS_OK;

    for (struct json_ref o = json_ref_first(&build); !st && o.value; o = json_ref_next(&o))
        st = add_option(r, &o, &options);
    r->dispatch->options = mem_strdup(strbuf_cstr(&options));
    strbuf_release(&options);
    return st;
}

static bool takes_buffer(const struct launch *launch, size_t buffer)
{
    for (size_t i = 0; i < launch->arg_count; i++)
        if (launch->args[i].kind == ARG_BUFFER && launch->args[i].buffer == buffer)
            return true;
    for (size_t i = 0; i < launch->tensor_map_count; i++)
        if (launch->tensor_maps[i].buffer == buffer)
            return true;
    return false;
}

static bool any_takes_buffer(const struct launch_list *list, size_t buffer)
{
    for (size_t i = 0; i < list->count; i++)
        if (takes_buffer(&list->items[i], buffer))
            return true;
    return false;
}

/* Fail if no launch takes an output, because that output would stay unwritten. */
static enum status check_outputs(const struct resolution *r, const struct json_ref *launches)
{
    for (size_t i = 0; i < r->graph->values.count; i++) {
        const struct value *value = &r->graph->values.items[i];

        if (value->role == TENSOR_OUTPUT &&
            !any_takes_buffer(&r->dispatch->launches, dispatch_find(r->dispatch, value->name)))
            return json_ref_error(launches, r->err, "no launch takes the output \"%s\"",
                                  value->name);
    }
    return STATUS_OK;
}

static enum status resolve_launches(struct resolution *r, const struct json_ref *root)
{
    struct json_ref prepare = json_ref_member(root, "prepare");
    struct json_ref launches = json_ref_member(root, "launches");
    enum status st;

    r->in_prepare = true;
    st = resolution_launches(r, &prepare, &r->dispatch->prepare);
    r->in_prepare = false;
    if (!st)
        st = resolution_launches(r, &launches, &r->dispatch->launches);
    return st ? st : check_outputs(r, &launches);
}

enum status plan_resolve(const struct plan *plan, const struct graph *graph,
                         const struct scope *scope, struct dispatch *dispatch, struct error *err)
{
    struct dispatch made = {0};
    struct json_ref root = json_ref_root(plan->document, "plan");
    struct resolution r = {.graph = graph, .scope = scope, .dispatch = &made, .err = err};
    enum status st = add_buffers(&r, &root);

    if (!st)
        st = add_options(&r, &root);
    if (!st)
        st = resolve_launches(&r, &root);
    if (st)
        dispatch_release(&made);
    else
        *dispatch = made;
    return st;
}
