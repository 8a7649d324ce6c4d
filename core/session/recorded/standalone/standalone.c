#include "core/session/recorded/standalone/standalone.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/codegen/plain.h"
#include "core/model/language.h"
#include "core/model/plan/plan.h"
#include "core/session/recorded/standalone/standalone_batch.h"
#include "core/session/recorded/standalone/standalone_program.h"
#include "core/session/recorded/standalone/standalone_rounding.h"
#include "core/session/recorded/standalone/standalone_symbols.h"
#include "core/system/file.h"
#include "core/template/template.h"

/*
 * Put the role of a tensor and its place in a PyTorch model: the position of an input, the key of a
 * parameter, or the number of a constant that forward() makes.
 */
static void put_place(struct json *object, const struct problem *problem, const struct value *value,
                      size_t inputs)
{
    const struct json *key = json_get(problem->torch.keys, value->name);
    bool is_constant = problem->torch.keys && !key && value->role == TENSOR_PARAM;

    json_put_string(object, "role", is_constant ? "constant" : tensor_role_name(value->role));
    if (key)
        json_put(object, "where", json_dup(key));
    else if (is_constant || value->role == TENSOR_INPUT)
        json_put_number(object, "where", is_constant ? value->fill.a : (double)inputs);
    else
        json_put_string(object, "where", value->name);
}

static struct json *describe_tensor(const struct value *value, size_t index)
{
    struct json *object = json_object_new();
    size_t rank = value->shape.rank;

    json_put_string(object, "name", value->name);
    json_put_number(object, "index", (double)index);
    json_put_string(object, "dtype", dtype_name(value->dtype));
    json_put_number(object, "elements", (double)shape_elements(&value->shape));
    json_put_number(object, "row", rank ? (double)value->shape.dims[rank - 1] : 1);
    json_put_integers(object, "shape", value->shape.dims, rank);
    json_put_string(object, "fill", fill_name(value->fill.kind));
    json_put_number(object, "a", value->fill.a);
    json_put_number(object, "b", value->fill.b);
    return object;
}

/* The problem at its main dimensions. */
struct setting {
    struct binding *bindings;
    struct scope dims;
    struct graph graph;
};

static enum status setting_make(struct setting *setting, const struct problem *problem,
                                struct error *err)
{
    setting->bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*setting->bindings));
    setting->dims = problem_scope(problem, 0, setting->bindings);
    return graph_build(&setting->graph, problem, &setting->dims, err);
}

static void setting_release(struct setting *setting)
{
    graph_release(&setting->graph);
    free(setting->bindings);
}

static enum status resolve(const struct candidate *candidate, const char *tuned,
                           const struct setting *setting, struct dispatch *dispatch,
                           struct error *err)
{
    struct binding chosen[PLAN_MAX_TUNABLES];
    struct plan plan = {0};
    size_t choice = 0;
    enum status st = plan_parse(&plan, candidate->plan, strlen(candidate->plan), err);

    if (!st && tuned && !plan_find_choice(&plan, tuned, &choice))
        st = error_set(err, STATUS_INVALID, "the plan has no choice of tunables %s", tuned);
    if (!st) {
        struct scope scope = plan_scope(&plan, choice, &setting->dims, chosen);

        st = plan_resolve(&plan, &setting->graph, &scope, dispatch, err);
    }
    plan_release(&plan);
    return st;
}

static enum status put_program(struct json *object, const char *key, const struct standalone *s,
                               const struct setting *setting, struct error *err)
{
    struct dispatch dispatch = {0};
    enum status st = resolve(s->candidate, s->tuned, setting, &dispatch, err);
    struct strbuf file = {0};

    strbuf_addf(&file, "%s%s", strcmp(key, "reference") == 0 ? "plain_" : "",
                language_of(s->candidate->language)->source_file);
    if (!st)
        json_put(object, key,
                 standalone_program_describe(s->candidate, &dispatch, strbuf_cstr(&file)));
    strbuf_release(&file);
    dispatch_release(&dispatch);
    return st;
}

/* Put the plain kernels, or null if they cannot be generated. */
static enum status put_plain(struct json *object, const struct standalone *s,
                             const struct setting *setting, struct error *err)
{
    struct candidate plain = {0};
    const struct standalone reference = {.problem = s->problem, .candidate = &plain};
    enum status st = STATUS_OK;

    if (plain_candidate(s->problem, &(struct plain_target){s->candidate->language, false}, &plain,
                        NULL))
        json_put(object, "reference", json_null_new());
    else
        st = put_program(object, "reference", &reference, setting, err);
    candidate_release(&plain);
    return st;
}

static struct json *describe_problem(const struct problem *problem)
{
    struct json *object = json_object_new();
    struct json *dims = json_put(object, "dims", json_object_new());

    json_put_string(object, "name", problem->name);
    json_put_string(object, "summary", problem->summary);
    for (size_t i = 0; i < problem->dims.count; i++)
        json_put_number(dims, problem->dims.items[i].name, (double)problem->dims.items[i].value);
    json_put_number(object, "atol", problem->tolerance.atol);
    json_put_number(object, "rtol", problem->tolerance.rtol);
    json_put_bool(object, "scaled", !problem->tolerance.kernelbench);
    json_put_string(object, "source", problem->torch.keys ? problem->torch.source : "");
    json_put(object, "numbers",
             problem->torch.numbers ? json_dup(problem->torch.numbers) : json_array_new());
    json_put_copy(object, "inputs", problem->torch.inputs);
    json_put_copy(object, "outputs", problem->torch.outputs);
    json_put_copy(object, "graph", json_get(problem->document, "graph"));
    return object;
}

/*
 * Put the tensors. A program in C makes its own data, so it cannot have data that only a PyTorch
 * file makes.
 */
static enum status put_tensors(struct json *object, const struct problem *problem,
                               const struct graph *graph, bool has_model, struct error *err)
{
    struct json *tensors = json_put(object, "tensors", json_array_new());
    size_t inputs = 0;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < problem->tensors.count && i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];
        struct json *tensor = json_push(tensors, describe_tensor(value, i));

        if (!has_model && value->fill.kind == FILL_MODEL)
            st = error_set(err, STATUS_INVALID,
                           "%s: only its PyTorch file makes the values of \"%s\", so its "
                           "candidates cannot be exported as programs in C",
                           problem->name, value->name);
        put_place(tensor, problem, value, inputs);
        inputs += value->role == TENSOR_INPUT;
    }
    return st;
}

/* Put the plan's expressions over the size of the batch, or null. */
static void put_symbols(struct json *object, const struct standalone *s,
                        const struct setting *setting, const struct standalone_batch *batch)
{
    const struct language *language = language_of(s->candidate->language);
    struct binding chosen[PLAN_MAX_TUNABLES];
    struct json *symbols = NULL;
    struct plan plan = {0};
    size_t choice = 0;

    if (language->runs_in_torch && language->dialect != DIALECT_NONE && !s->tf32_convolutions &&
        !plan_parse(&plan, s->candidate->plan, strlen(s->candidate->plan), &(struct error){0}) &&
        (!s->tuned || plan_find_choice(&plan, s->tuned, &choice))) {
        struct scope scope = plan_scope(&plan, choice, &setting->dims, chosen);

        symbols = standalone_symbols(batch, s->problem, s->candidate, &scope);
    }
    json_put(object, "symbols", symbols ? symbols : json_null_new());
    plan_release(&plan);
}

/*
 * Put the samples that the kernels are made for and the tensors that have them, or why others
 * cannot be computed.
 */
static void put_batch(struct json *object, const struct standalone *s,
                      const struct setting *setting)
{
    struct json *put = json_put(object, "batch", json_object_new());
    struct json *tensors = json_put(put, "tensors", json_array_new());
    const struct problem *problem = s->problem;
    struct standalone_batch batch;

    standalone_batch_find(&batch, problem, &setting->graph);
    for (size_t i = 0; !batch.reason.len && i < problem->tensors.count; i++)
        if (batch.is_batched[i])
            json_push(tensors, json_string_new(problem->tensors.items[i].name));
    json_put_number(put, "size", (double)batch.size);
    json_put_string(put, "why_not", strbuf_cstr(&batch.reason));
    put_symbols(object, s, setting, &batch);
    standalone_batch_release(&batch);
}

/* Put the tensors that are rounded for convolutions; none if that was not asked for. */
static enum status put_rounding(struct json *object, const struct standalone *s,
                                const struct graph *graph, struct error *err)
{
    const struct language *language = language_of(s->candidate->language);
    struct json *rounding;

    if (s->tf32_convolutions && (!language->runs_in_torch || language->dialect == DIALECT_NONE))
        return error_set(err, STATUS_INVALID, "--tf32-convolutions: not for kernels in %s",
                         language->title);
    rounding = s->tf32_convolutions ? standalone_rounding(graph, err) : json_array_new();
    if (!rounding)
        return err->code;
    json_put(object, "rounding", rounding);
    if (!s->tf32_convolutions || json_count(rounding) > 0)
        return STATUS_OK;
    return error_set(err, STATUS_INVALID,
                     "--tf32-convolutions: %s has no convolution that PyTorch computes in TF32",
                     s->problem->name);
}

/*
 * The variables of the templates. `has_model`: the program contains the PyTorch file, which makes
 * the contents of all tensors. NULL with the error set on failure.
 */
static struct json *describe(const struct standalone *s, bool has_model, struct error *err)
{
    struct json *object = json_object_new();
    struct setting setting = {0};
    enum status st = setting_make(&setting, s->problem, err);

    json_put(object, "problem", describe_problem(s->problem));
    json_put_string(object, "language", s->candidate->language);
    if (!st)
        st = put_tensors(object, s->problem, &setting.graph, has_model, err);
    if (!st)
        put_batch(object, s, &setting);
    if (!st)
        st = put_rounding(object, s, &setting.graph, err);
    if (!st)
        st = put_program(object, "candidate", s, &setting, err);
    if (!st)
        st = put_plain(object, s, &setting, err);
    setting_release(&setting);
    if (!st)
        return object;
    json_free(object);
    return NULL;
}

/* Render a template of a shipped folder, and append the text. */
static enum status add_rendered(const char *shipped, const char *template,
                                const struct json *variables, struct strbuf *out, struct error *err)
{
    char *folder = file_shipped(shipped);
    enum status st = template_render(folder, template, variables, out, err);

    free(folder);
    return st;
}

static enum status write_rendered(const char *shipped, const char *template,
                                  const struct json *variables, const char *path, struct error *err)
{
    struct strbuf text = {0};
    enum status st = add_rendered(shipped, template, variables, &text, err);

    if (!st)
        st = file_write(path, strbuf_cstr(&text), text.len, err);
    strbuf_release(&text);
    return st;
}

/* Copy a file from a shipped folder. */
static enum status copy_shipped(const char *shipped, const char *folder, const char *name,
                                struct error *err)
{
    char *from = file_shipped(shipped);
    struct strbuf text = {0};
    enum status st = file_read(from, 1 << 20, &text, err);

    if (!st)
        st = file_write_text(folder, name, strbuf_cstr(&text), err);
    strbuf_release(&text);
    free(from);
    return st;
}

/* The path of a file in a language's folder for export; the caller frees. */
static char *language_path(const char *language, const char *file)
{
    struct strbuf path = {0};

    strbuf_addf(&path, "prompts/platforms/%s/export%s", language, file);
    return strbuf_take(&path);
}

static enum status copy_host(const char *language, const char *folder, struct error *err)
{
    char *main_file = language_path(language, "/main.c");
    enum status st = copy_shipped(main_file, folder, "main.c", err);

    free(main_file);
    if (!st)
        st = copy_shipped("prompts/export/c/data.c", folder, "data.c", err);
    if (!st)
        st = copy_shipped("prompts/export/c/data.h", folder, "data.h", err);
    return st ? st : copy_shipped("prompts/export/c/plan.h", folder, "plan.h", err);
}

static enum status write_source(const struct json *program, const char *folder, struct error *err)
{
    if (json_type(program) != JSON_OBJECT)
        return STATUS_OK;
    return file_write_text(folder, json_get_string(program, "file", ""),
                           json_get_string(program, "source", ""), err);
}

/* Tell the templates how the build finds the libraries of the language. */
static enum status put_libraries(struct json *variables, const char *language, struct error *err)
{
    char *folder = language_path(language, "");
    struct strbuf libraries = {0};
    enum status st = add_rendered(folder, "libraries.cmake.j2", variables, &libraries, err);

    if (!st)
        json_put_string(variables, "libraries", strbuf_cstr(&libraries));
    strbuf_release(&libraries);
    free(folder);
    return st;
}

static enum status write_plan(const struct json *variables, const char *folder, struct error *err)
{
    char *plan = file_join(folder, "plan.c"), *build = file_join(folder, "CMakeLists.txt");
    enum status st = write_rendered("prompts/export/c", "plan.c.j2", variables, plan, err);

    if (!st)
        st = write_rendered("prompts/export/c", "CMakeLists.txt.j2", variables, build, err);
    free(plan);
    free(build);
    return st;
}

enum status standalone_write_c(const struct standalone *s, const char *folder, struct error *err)
{
    struct json *variables;
    enum status st;

    if (!language_of(s->candidate->language)->runs_in_c)
        return error_set(err, STATUS_INVALID,
                         "there is no program in C for kernels in %s: leave --as out",
                         language_title(s->candidate->language));
    variables = describe(s, false, err);
    st = variables ? file_make_folder(folder, err) : err->code;

    if (!st)
        st = copy_host(s->candidate->language, folder, err);
    if (!st)
        st = write_source(json_get(variables, "candidate"), folder, err);
    if (!st)
        st = write_source(json_get(variables, "reference"), folder, err);
    if (!st)
        st = put_libraries(variables, s->candidate->language, err);
    if (!st)
        st = write_plan(variables, folder, err);
    json_free(variables);
    return st;
}

/* "model_reference.py" for "model.py"; the caller frees. */
static char *reference_path(const char *path)
{
    struct strbuf beside = {0};
    size_t ending = file_has_ending(path, ".py") ? strlen(".py") : 0;

    strbuf_add(&beside, path, strlen(path) - ending);
    strbuf_adds(&beside, "_reference.py");
    return strbuf_take(&beside);
}

/*
 * Write the reference file: the model's own file, or one that computes the graph by PyTorch's
 * functions.
 */
static enum status write_reference(const struct problem *problem, const struct json *variables,
                                   const char *path, struct error *err)
{
    if (problem->torch.keys)
        return file_write(path, problem->torch.source, strlen(problem->torch.source), err);
    return write_rendered("prompts/export/torch", "reference.py.j2", variables, path, err);
}

enum status standalone_write_torch(const struct standalone *s, const char *path, struct error *err)
{
    struct json *variables;
    char *beside;
    enum status st;

    if (!language_of(s->candidate->language)->runs_in_torch)
        return error_set(err, STATUS_INVALID,
                         "there is no PyTorch module for kernels in %s: export it as c",
                         language_title(s->candidate->language));
    variables = describe(s, s->problem->torch.keys != NULL, err);
    if (!variables)
        return err->code;
    beside = reference_path(path);
    st = write_rendered("prompts/export/torch", "model.py.j2", variables, path, err);
    if (!st)
        st = write_reference(s->problem, variables, beside, err);
    free(beside);
    json_free(variables);
    return st;
}
