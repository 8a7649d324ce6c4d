#include "core/model/problem_reader.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/vec.h"
#include "core/model/graph.h"
#include "core/system/file.h"

enum { MAX_FILE_BYTES = 4 << 20, MAX_ITEMS = 4096, MAX_DIMS = 64, MAX_ALSO = 16 };

/* Fail unless `at` is of this container type and has at most `max` members. */
static enum status expect_items(const struct json_ref *at, enum json_type type, size_t max,
                                struct error *err)
{
    enum status st = json_expect(at, type, err);

    if (!st && json_count(at->value) > max)
        st = json_ref_error(at, err, "more than %zu items", max);
    return st;
}

static struct dim *find_dim(const struct problem *problem, const char *name)
{
    for (size_t i = 0; i < problem->dims.count; i++)
        if (strcmp(problem->dims.items[i].name, name) == 0)
            return &problem->dims.items[i];
    return NULL;
}

static enum status read_header(const struct json_ref *root, struct problem *problem,
                               struct error *err)
{
    static const char *const keys[] = {"kforge",  "name", "summary",   "dims",  "tensors", "graph",
                                       "dynamic", "also", "tolerance", "torch", NULL};
    struct json_ref version_at = json_ref_member(root, "kforge");
    struct json_ref name_at = json_ref_member(root, "name");
    struct json_ref summary_at = json_ref_member(root, "summary");
    const char *name = NULL, *summary = NULL;
    int64_t version = 0;
    enum status st;

    if ((st = json_expect_keys(root, keys, err)) ||
        (st = json_read_integer(&version_at, &version, err)))
        return st;
    if (version != 1)
        return json_ref_error(&version_at, err,
                              "expected version 1, found %lld: a newer kforge may read it",
                              (long long)version);
    if ((st = json_read_string(&name_at, &name, err)) || (st = name_check(&name_at, name, err)) ||
        (st = json_read_string(&summary_at, &summary, err)))
        return st;
    problem->name = mem_strdup(name);
    problem->summary = mem_strdup(summary);
    return STATUS_OK;
}

static enum status read_extent(const struct json_ref *at, int64_t *value, struct error *err)
{
    int64_t read = 0;
    enum status st = json_read_integer(at, &read, err);

    if (st)
        return st;
    if (read < 1 || read > SHAPE_MAX_ELEMENTS)
        return json_ref_error(at, err, "expected 1 to %lld, found %lld",
                              (long long)SHAPE_MAX_ELEMENTS, (long long)read);
    *value = read;
    return STATUS_OK;
}

static enum status read_dims(const struct json_ref *root, struct problem *problem,
                             struct error *err)
{
    struct json_ref dims = json_ref_member(root, "dims");
    enum status st = expect_items(&dims, JSON_OBJECT, MAX_DIMS, err);

    for (struct json_ref at = json_ref_first(&dims); !st && at.value; at = json_ref_next(&at)) {
        struct dim dim = {0};

        if ((st = name_check(&at, at.name, err)) || (st = read_extent(&at, &dim.value, err)))
            return st;
        if (find_dim(problem, at.name))
            return json_ref_error(&at, err, "declared twice");
        dim.name = mem_strdup(at.name);
        vec_push(&problem->dims, dim);
    }
    return st;
}

static enum status read_dynamic(const struct json_ref *root, struct problem *problem,
                                struct error *err)
{
    struct json_ref dynamic = json_ref_member(root, "dynamic");
    const char *name = NULL;
    enum status st = dynamic.value ? json_expect(&dynamic, JSON_ARRAY, err) : STATUS_OK;

    for (struct json_ref at = json_ref_first(&dynamic); !st && at.value; at = json_ref_next(&at)) {
        if ((st = json_read_string(&at, &name, err)))
            return st;

        struct dim *dim = find_dim(problem, name);

        if (!dim)
            return json_ref_error(&at, err, "no dimension \"%s\"", name);
        if (dim->is_dynamic)
            return json_ref_error(&at, err, "\"%s\" is given twice", name);
        dim->is_dynamic = true;
    }
    return st;
}

/* Replace the values of the dimensions that `set` names. */
static enum status read_values(const struct json_ref *set, const struct problem *problem,
                               int64_t *values, struct error *err)
{
    enum status st = json_expect(set, JSON_OBJECT, err);

    for (struct json_ref at = json_ref_first(set); !st && at.value; at = json_ref_next(&at)) {
        const struct dim *dim = find_dim(problem, at.name);

        if (!dim)
            return json_ref_error(&at, err, "no dimension \"%s\"", at.name);
        if (!dim->is_dynamic)
            return json_ref_error(&at, err, "\"%s\" is not among the dynamic dimensions", at.name);
        st = read_extent(&at, &values[dim - problem->dims.items], err);
    }
    return st;
}

static enum status read_also(const struct json_ref *root, struct problem *problem,
                             struct error *err)
{
    struct json_ref also = json_ref_member(root, "also");
    enum status st = also.value ? expect_items(&also, JSON_ARRAY, MAX_ALSO, err) : STATUS_OK;

    for (struct json_ref at = json_ref_first(&also); !st && at.value; at = json_ref_next(&at)) {
        struct dim_values set = {mem_alloc_zeroed(problem->dims.count + 1, sizeof(*set.values))};

        for (size_t i = 0; i < problem->dims.count; i++)
            set.values[i] = problem->dims.items[i].value;
        vec_push(&problem->also, set);
        st = read_values(&at, problem, set.values, err);
    }
    return st;
}

static enum status read_tensors(const struct json_ref *root, struct problem *problem,
                                struct error *err)
{
    struct json_ref tensors = json_ref_member(root, "tensors");
    enum status st = expect_items(&tensors, JSON_OBJECT, MAX_ITEMS, err);

    for (struct json_ref at = json_ref_first(&tensors); !st && at.value; at = json_ref_next(&at)) {
        struct tensor tensor = {0};

        if (find_dim(problem, at.name) || problem_tensor(problem, at.name))
            return json_ref_error(&at, err, "declared twice");
        if (!(st = tensor_read(&at, &tensor, err)))
            vec_push(&problem->tensors, tensor);
    }
    return st;
}

static enum status read_node(const struct json_ref *at, const struct problem *problem,
                             struct node *node, struct error *err)
{
    struct json_ref op_at = json_ref_member(at, "op");
    struct json_ref in_at = json_ref_member(at, "in");
    struct json_ref out_at = json_ref_member(at, "out");
    enum status st;

    if ((st = json_expect(at, JSON_OBJECT, err)) ||
        (st = json_read_string(&op_at, &node->op, err)) ||
        (st = json_expect(&in_at, JSON_ARRAY, err)) ||
        (st = json_read_string(&out_at, &node->out, err)) ||
        (st = name_check(&out_at, node->out, err)))
        return st;
    if (find_dim(problem, node->out))
        return json_ref_error(&out_at, err, "\"%s\" is a dimension", node->out);
    node->in = in_at.value;
    node->attributes = at->value;
    return STATUS_OK;
}

static enum status read_nodes(const struct json_ref *root, struct problem *problem,
                              struct error *err)
{
    struct json_ref nodes = json_ref_member(root, "graph");

    if (json_type(nodes.value) == JSON_NULL)
        return STATUS_OK;

    enum status st = expect_items(&nodes, JSON_ARRAY, MAX_ITEMS, err);

    if (!st && !json_first(nodes.value))
        st = json_ref_error(&nodes, err, "expected at least one operation");
    for (struct json_ref at = json_ref_first(&nodes); !st && at.value; at = json_ref_next(&at)) {
        struct node node = {0};

        if (!(st = read_node(&at, problem, &node, err)))
            vec_push(&problem->nodes, node);
    }
    return st;
}

static enum status read_tolerance_class(const struct json_ref *at, struct tolerance *tolerance,
                                        struct error *err)
{
    static const char *const names[] = {"f32", "mixed", NULL};
    size_t choice = 0;
    enum status st = json_read_choice(at, names, &choice, err);

    tolerance->allows_mixed = choice == 1;
    tolerance->atol = tolerance->rtol = choice == 1 ? 1e-2 : 1e-4;
    return st;
}

static enum status read_share(const struct json_ref *at, double *share, struct error *err)
{
    double read = 0;
    enum status st = json_read_number(at, &read, err);

    if (!st && (read < 0 || read > 1))
        st = json_ref_error(at, err, "expected 0 to 1, found %g", read);
    if (!st)
        *share = read;
    return st;
}

/* Read a tolerance class, or atol and rtol. */
static enum status read_tolerance(const struct json_ref *root, struct problem *problem,
                                  struct error *err)
{
    static const char *const keys[] = {"class", "atol", "rtol", "matched", "compat", NULL};
    static const char *const rules[] = {"kernelbench", NULL};
    struct json_ref at = json_ref_member(root, "tolerance");
    struct json_ref class_at = json_ref_member(&at, "class");
    struct json_ref atol_at = json_ref_member(&at, "atol"), rtol_at = json_ref_member(&at, "rtol");
    struct json_ref matched_at = json_ref_member(&at, "matched");
    struct json_ref compat_at = json_ref_member(&at, "compat");
    struct tolerance *tolerance = &problem->tolerance;
    size_t rule = 0;
    enum status st;

    if (!at.value)
        return json_ref_error(&at, err,
                              "missing: add {\"class\": \"f32\"} or \"mixed\", or atol and rtol");
    st = json_expect_keys(&at, keys, err);
    tolerance->matched = 1;
    tolerance->kernelbench = compat_at.value;
    tolerance->is_derived = class_at.value && !atol_at.value && !rtol_at.value && !compat_at.value;
    if (!st && class_at.value)
        st = read_tolerance_class(&class_at, tolerance, err);
    if (!st && (atol_at.value || !class_at.value))
        st = read_share(&atol_at, &tolerance->atol, err);
    if (!st && (rtol_at.value || !class_at.value))
        st = read_share(&rtol_at, &tolerance->rtol, err);
    if (!st && matched_at.value)
        st = read_share(&matched_at, &tolerance->matched, err);
    if (!st && compat_at.value)
        st = json_read_choice(&compat_at, rules, &rule, err);
    return st;
}

/* Read the part that only PyTorch problems have. */
static enum status read_torch(const struct json_ref *root, struct problem *problem,
                              struct error *err)
{
    static const char *const keys[] = {"file",    "source", "unknown", "keys",
                                       "numbers", "inputs", "outputs", NULL};
    struct json_ref at = json_ref_member(root, "torch");
    struct json_ref file_at = json_ref_member(&at, "file");
    struct json_ref source_at = json_ref_member(&at, "source");
    struct json_ref unknown_at = json_ref_member(&at, "unknown");
    struct json_ref keys_at = json_ref_member(&at, "keys");
    enum status st = at.value ? json_expect_keys(&at, keys, err) : STATUS_OK;

    if (st || !at.value)
        return st;
    if ((st = json_read_string(&file_at, &problem->torch.file, err)) ||
        (st = json_read_string(&source_at, &problem->torch.source, err)))
        return st;
    problem->torch.unknown = unknown_at.value;
    problem->torch.keys = keys_at.value;
    problem->torch.numbers = json_get(at.value, "numbers");
    problem->torch.inputs = json_get(at.value, "inputs");
    problem->torch.outputs = json_get(at.value, "outputs");
    if (keys_at.value && (st = json_expect(&keys_at, JSON_OBJECT, err)))
        return st;
    return unknown_at.value ? json_expect(&unknown_at, JSON_ARRAY, err) : STATUS_OK;
}

static enum status read_document(const struct json_ref *root, struct problem *problem,
                                 struct error *err)
{
    static enum status (*const readers[])(const struct json_ref *root, struct problem *problem,
                                          struct error *err) = {
        read_header,  read_dims,  read_dynamic,   read_also,
        read_tensors, read_nodes, read_tolerance, read_torch,
    };
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < COUNT(readers); i++)
        st = readers[i](root, problem, err);
    return st;
}

/* The graph must be valid at all dimensions that the file names. */
static enum status check_graphs(const struct problem *problem, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(problem->dims.count + 1, sizeof(*bindings));
    struct error why = {0};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i <= problem->also.count; i++) {
        struct scope scope = problem_scope(problem, i, bindings);
        struct graph graph = {0};

        st = graph_build(&graph, problem, &scope, &why);
        graph_release(&graph);
        if (st && i == 0)
            error_set(err, st, "%s", why.text);
        else if (st)
            error_set(err, st, "%.400s (at the dimensions of also[%zu])", why.text, i - 1);
    }
    free(bindings);
    return st;
}

enum status problem_parse(struct problem *problem, const char *text, size_t len, const char *file,
                          struct error *err)
{
    struct error why = {0};
    struct problem read = {.document = json_parse(text, len, &why), .file = mem_strdup(file)};
    struct json_ref root = json_ref_root(read.document, read.file);
    enum status st = STATUS_OK;

    if (!read.document)
        st = error_set(err, STATUS_INVALID, "%s: %s", file, why.text);
    if (!st)
        st = read_document(&root, &read, err);
    if (!st)
        st = check_graphs(&read, err);
    if (st)
        problem_release(&read);
    else
        *problem = read;
    return st;
}

enum status problem_load(struct problem *problem, const char *path, struct error *err)
{
    struct strbuf text = {0};
    enum status st = file_read(path, MAX_FILE_BYTES, &text, err);

    if (!st)
        st = problem_parse(problem, strbuf_cstr(&text), text.len, path, err);
    strbuf_release(&text);
    return st;
}
