#include "core/agent/reply/reply_derive.h"

#include <stdio.h>
#include <string.h>

#include "core/agent/reply/reply_block.h"
#include "core/model/plan/c_token.h"

/* The next token but directives, in which there is no kernel; empty at the end of the source. */
static struct c_token next_token(const char **at)
{
    struct c_token token = c_token_next(at);

    while (token.kind == C_TOKEN_DIRECTIVE)
        token = c_token_next(at);
    return token;
}

static bool next_is(const char **at, const char *text)
{
    struct c_token token = next_token(at);

    return c_token_is(&token, text);
}

/* The state of a derivation. */
struct derivation {
    const struct problem *problem;
    struct c_token kernel; /* name of the kernel */
    struct json *args;
    struct error *err;
};

static enum status refuse(const struct derivation *d, const char *reason)
{
    return error_set(d->err, STATUS_INVALID,
                     "launch plan: there is no fenced block marked \"json\", expected exactly one; "
                     "and kforge cannot derive it from the kernel: %s",
                     reason);
}

static enum status refuse_token(const struct derivation *d, const char *reason,
                                struct c_token token)
{
    char text[160];

    snprintf(text, sizeof(text), "%s \"%.*s\"", reason, (int)(token.len < 60 ? token.len : 60),
             token.text);
    return refuse(d, text);
}

/* Refuse a source whose work-items use any index but get_global_id(0), or local memory. */
static enum status check_indices(const struct derivation *d, const char *source)
{
    static const char *const grouped[] = {
        "__local",
        "local",
        "barrier",
        "work_group_barrier",
        "reqd_work_group_size",
        "get_local_id",
        "get_local_size",
        "get_local_linear_id",
        "get_group_id",
        "get_num_groups",
        "get_global_linear_id",
        "get_work_dim",
        NULL,
    };

    for (struct c_token t = next_token(&source); t.len; t = next_token(&source)) {
        if (c_token_is_one_of(&t, grouped))
            return refuse_token(d, "its index space depends on", t);
        if (!c_token_is(&t, "get_global_id"))
            continue;
        next_token(&source);
        if (!next_is(&source, "0") || !next_is(&source, ")"))
            return refuse(d, "it uses an index other than get_global_id(0)");
    }
    return STATUS_OK;
}

/* Find the text after the parenthesis that opens the kernel's parameters. */
static enum status find_kernel(struct derivation *d, const char *source, const char **parameters)
{
    static const char *const qualifiers[] = {"__kernel", "kernel", NULL};
    size_t count = 0;

    for (struct c_token t = next_token(&source); t.len; t = next_token(&source)) {
        if (!c_token_is_one_of(&t, qualifiers))
            continue;
        if (++count > 1)
            return refuse(d, "there is more than one kernel");
        if (!next_is(&source, "void"))
            return refuse(d, "\"__kernel\" is not followed by \"void\" and a name");
        d->kernel = next_token(&source);
        if (!next_is(&source, "("))
            return refuse_token(d, "no parameters follow", d->kernel);
        *parameters = source;
    }
    return count ? STATUS_OK : refuse(d, "there is no function marked __kernel");
}

static bool is_dim(const struct problem *problem, const char *name)
{
    for (size_t i = 0; i < problem->dims.count; i++)
        if (strcmp(problem->dims.items[i].name, name) == 0)
            return true;
    return false;
}

struct parameter {
    struct c_token name; /* the last word of the parameter, its name */
    bool is_pointer;
    bool is_integer; /* an integer of 32 bits: only `const` and integer types precede the name */
};

/* Read a parameter; returns the comma or the parenthesis after it. */
static struct c_token read_parameter(const char **at, struct parameter *parameter)
{
    static const char *const integers[] = {"const", "int", "uint", "unsigned", NULL};
    struct c_token t = next_token(at);

    *parameter = (struct parameter){.name = {.text = ""}, .is_integer = true};
    for (; t.len && !c_token_is(&t, ",") && !c_token_is(&t, ")"); t = next_token(at)) {
        if (c_token_is(&t, "*"))
            parameter->is_pointer = true;
        if (t.kind != C_TOKEN_WORD)
            continue;
        if (parameter->name.len && !c_token_is_one_of(&parameter->name, integers))
            parameter->is_integer = false;
        parameter->name = t;
    }
    return t;
}

static enum status add_argument(const struct derivation *d, const struct parameter *parameter)
{
    struct strbuf name = {0};
    bool is_known;

    if (parameter->name.len == 0)
        return refuse(d, "it has no parameters, or one without a name");
    strbuf_add(&name, parameter->name.text, parameter->name.len);
    is_known = parameter->is_pointer
                   ? problem_tensor(d->problem, strbuf_cstr(&name)) != NULL
                   : parameter->is_integer && is_dim(d->problem, strbuf_cstr(&name));
    if (is_known)
        json_push(d->args, json_string_new(strbuf_cstr(&name)));
    strbuf_release(&name);
    if (is_known)
        return STATUS_OK;
    return refuse_token(d,
                        "the problem has no tensor (for a pointer) and no dimension (for an int) "
                        "called",
                        parameter->name);
}

static enum status read_arguments(const struct derivation *d, const char *at)
{
    struct parameter parameter;
    struct c_token end;
    enum status st;

    do {
        end = read_parameter(&at, &parameter);
        st = end.len ? add_argument(d, &parameter) : refuse(d, "its list of parameters has no end");
    } while (!st && c_token_is(&end, ","));
    return st;
}

static const struct tensor *only_output(const struct problem *problem)
{
    const struct tensor *output = NULL;

    for (size_t i = 0; i < problem->tensors.count; i++) {
        if (problem->tensors.items[i].role != TENSOR_OUTPUT)
            continue;
        if (output)
            return NULL;
        output = &problem->tensors.items[i];
    }
    return output;
}

/* Append the number of elements, as an expression. */
static void add_elements(const struct json *shape, struct strbuf *out)
{
    if (json_count(shape) == 0)
        strbuf_adds(out, "1");
    for (const struct json *size = json_first(shape); size; size = json_next(size)) {
        strbuf_adds(out, size == json_first(shape) ? "" : " * ");
        if (json_type(size) == JSON_NUMBER)
            strbuf_addf(out, "%.0f", json_number(size, 0));
        else
            strbuf_addf(out, "(%s)", json_string(size, ""));
    }
}

/* The plan as JSON.  It takes over the arguments. */
static struct json *make_plan(struct derivation *d, const struct tensor *output)
{
    struct json *plan = json_object_new();
    struct json *launches = json_put(plan, "launches", json_array_new());
    struct json *launch = json_push(launches, json_object_new());
    struct json *global = json_array_new();
    struct strbuf text = {0};

    strbuf_add(&text, d->kernel.text, d->kernel.len);
    json_put_string(launch, "kernel", strbuf_cstr(&text));
    strbuf_release(&text);
    add_elements(output->shape, &text);
    json_push(global, json_string_new(strbuf_cstr(&text)));
    strbuf_release(&text);
    json_put(launch, "global", global);
    json_put(launch, "args", d->args);
    d->args = NULL;
    return plan;
}

static void complete(const char *reply, const struct tensor *output, const struct json *plan,
                     struct strbuf *completed)
{
    struct strbuf text = {0};

    json_print_pretty(plan, &text);
    strbuf_addf(completed,
                "%s\n\nThere was no launch plan. This one follows from the kernel, with one "
                "work-item for each element of %s.\n\n",
                reply, output->name);
    reply_add_block("json", strbuf_cstr(&text), completed);
    strbuf_release(&text);
}

static enum status derive(struct derivation *d, const char *source, struct json **plan)
{
    const struct tensor *output = only_output(d->problem);
    const char *parameters = NULL;
    enum status st;

    if (!output)
        return refuse(d, "the problem has more than one output");
    if ((st = check_indices(d, source)) || (st = find_kernel(d, source, &parameters)))
        return st;
    d->args = json_array_new();
    st = read_arguments(d, parameters);
    if (!st)
        *plan = make_plan(d, output);
    json_free(d->args);
    return st;
}

enum status reply_derive_plan(const char *reply, const char *language,
                              const struct problem *problem, struct strbuf *completed,
                              struct error *err)
{
    struct derivation d = {.problem = problem, .err = err};
    struct reply_kernel kernel = {0};
    struct fence fence = {0};
    struct strbuf source = {0};
    struct json *plan = NULL;
    enum status st;

    if (reply_find_kernel(reply, language, &kernel, err))
        return STATUS_INVALID;
    st = reply_find_plan(reply, &fence, err);
    if (!st)
        strbuf_adds(completed, reply);
    if (st != STATUS_NOT_FOUND)
        return st;
    fence_add_lines(kernel.fence.text, kernel.fence.text + kernel.fence.len, &source);
    st = derive(&d, strbuf_cstr(&source), &plan);
    strbuf_release(&source);
    if (!st)
        complete(reply, only_output(problem), plan, completed);
    json_free(plan);
    return st;
}
