#include "core/agent/prompt/prompt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/agent/prompt/attachment.h"
#include "core/agent/prompt/profiler_panels.h"
#include "core/agent/prompt/shortening.h"
#include "core/agent/prompt/verdict_summary.h"
#include "core/base/array.h"
#include "core/base/formats/fence.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/model/graph.h"
#include "core/model/language.h"
#include "core/system/file.h"
#include "core/template/template.h"

enum {
    PLATFORM_FILE_MAX_BYTES = 1 << 20,
    /* the beginning of a compiler's log, because the first errors are the most useful */
    LOG_MAX_BYTES = 16 << 10,
    IMAGE_TOKENS = 1600,      /* about the count of services for the largest image */
    REPLY_MAX_TOKENS = 32000, /* reserved for the reply; at most a quarter of the context */
};

static const char *const templates[] = {
    [TASK_GENERATE] = "generate.j2",
    [TASK_ANALYSE] = "analyse.j2",
};

/* A text that others wrote, as {"text", "bytes", "fence"}; it ends with a newline. */
static struct json *text_variables(const char *text, size_t len)
{
    struct json *object = json_object_new();
    struct strbuf whole = {0}, fence = {0};

    utf8_add_whole(&whole, text, len, true);
    if (len > 0 && text[len - 1] != '\n')
        strbuf_adds(&whole, "\n");
    json_put_string(object, "text", strbuf_cstr(&whole));
    json_put_number(object, "bytes", (double)whole.len);
    fence_add_marks(strbuf_cstr(&whole), &fence);
    json_put_string(object, "fence", strbuf_cstr(&fence));
    strbuf_release(&whole);
    strbuf_release(&fence);
    return object;
}

static struct json *list_dims(const struct problem *problem)
{
    struct json *dims = json_array_new();

    for (size_t i = 0; i < problem->dims.count; i++) {
        struct json *dim = json_push(dims, json_object_new());

        json_put_string(dim, "name", problem->dims.items[i].name);
        json_put_number(dim, "value", (double)problem->dims.items[i].value);
        json_put_bool(dim, "dynamic", problem->dims.items[i].is_dynamic);
    }
    return dims;
}

static struct json *list_tensors(const struct problem *problem)
{
    struct json *tensors = json_array_new();

    for (size_t i = 0; i < problem->tensors.count; i++) {
        const struct tensor *tensor = &problem->tensors.items[i];
        struct json *object = json_push(tensors, json_object_new());

        json_put_string(object, "name", tensor->name);
        json_put_string(object, "role", tensor_role_name(tensor->role));
        json_put_string(object, "dtype", dtype_name(tensor->dtype));
        json_put(object, "shape", json_dup(tensor->shape));
    }
    return tensors;
}

/* The members of a node other than its operation and operands. */
static struct json *list_attributes(const struct node *node)
{
    static const char *const others = " op in out ";
    struct json *attributes = json_array_new();

    for (const struct json *m = json_first(node->attributes); m; m = json_next(m)) {
        struct strbuf name = {0};
        struct json *attribute;

        strbuf_addf(&name, " %s ", json_key(m));
        if (!strstr(others, strbuf_cstr(&name))) {
            attribute = json_push(attributes, json_object_new());
            json_put_string(attribute, "name", json_key(m));
            json_put(attribute, "value", json_dup(m));
        }
        strbuf_release(&name);
    }
    return attributes;
}

static struct json *list_sizes(const struct shape *shape)
{
    struct json *sizes = json_array_new();

    for (size_t i = 0; i < shape->rank; i++)
        json_push(sizes, json_number_new((double)shape->dims[i]));
    return sizes;
}

/* The nodes, with the shapes of their results at the main dimensions. */
static struct json *list_nodes(const struct problem *problem, const struct graph *graph)
{
    struct json *nodes = json_array_new();

    for (size_t i = 0; i < graph->nodes.count; i++) {
        const struct node *node = &problem->nodes.items[i];
        const struct value *out = &graph->values.items[graph->nodes.items[i].out];
        struct json *object = json_push(nodes, json_object_new());

        json_put_string(object, "out", node->out);
        json_put_string(object, "op", node->op);
        json_put(object, "in", json_dup(node->in));
        json_put(object, "attributes", list_attributes(node));
        json_put_string(object, "dtype", dtype_name(out->dtype));
        json_put(object, "sizes", list_sizes(&out->shape));
    }
    return nodes;
}

/* The PyTorch file, and the operations that the graph lacks; null for other problems. */
static struct json *torch_variables(const struct problem *problem)
{
    struct json *object;

    if (!problem->torch.source)
        return json_null_new();
    object = text_variables(problem->torch.source, strlen(problem->torch.source));
    json_put(object, "unknown",
             problem->torch.unknown ? json_dup(problem->torch.unknown) : json_array_new());
    return object;
}

static struct json *problem_variables(const struct problem *problem, const struct graph *graph)
{
    struct json *object = json_object_new();
    struct strbuf text = {0};

    json_print_pretty(problem->document, &text);
    json_put_string(object, "name", problem->name);
    json_put_string(object, "summary", problem->summary);
    json_put_string(object, "document", strbuf_cstr(&text));
    json_put(object, "dims", list_dims(problem));
    json_put(object, "tensors", list_tensors(problem));
    json_put(object, "graph", list_nodes(problem, graph));
    json_put(object, "torch", torch_variables(problem));
    json_put_number(object, "atol", problem->tolerance.atol);
    json_put_number(object, "rtol", problem->tolerance.rtol);
    json_put_bool(object, "scaled", !problem->tolerance.kernelbench);
    json_put_bool(object, "derived", problem->tolerance.is_derived && graph->nodes.count > 0);
    json_put_bool(object, "mixed", problem->tolerance.allows_mixed);
    strbuf_release(&text);
    return object;
}

/* The time of the graph as it is written; null if the roofs are unknown. */
static struct json *bound_variables(const struct brief *brief, const struct graph *graph)
{
    struct bound bound = {0};
    struct json *object;

    bound_compute(graph, &brief->problem->tolerance, brief->roofs, NULL, &bound);
    if (!bound.is_present)
        return json_null_new();
    object = json_object_new();
    verdict_summary_put(object, "us", bound.us);
    verdict_summary_put(object, "mflop", bound.flops * 1e-6);
    verdict_summary_put(object, "mbytes", bound.bytes * 1e-6);
    json_put_string(object, "limiter", limiter_name(bound.limiter));
    return object;
}

/* The problem and its bound, at the main dimensions. */
static enum status task_variables(const struct brief *brief, struct json *object, struct error *err)
{
    struct binding *bindings = mem_alloc_zeroed(brief->problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(brief->problem, 0, bindings);
    struct graph graph = {0};
    enum status st = graph_build(&graph, brief->problem, &scope, err);

    if (!st) {
        json_put(object, "problem", problem_variables(brief->problem, &graph));
        json_put(object, "bound", bound_variables(brief, &graph));
    }
    graph_release(&graph);
    free(bindings);
    return st;
}

/* Put the verdict and summaries of it; nulls without a verdict. */
static void put_verdict(struct json *object, const struct brief *brief)
{
    static const struct verdict none = {0};
    const struct verdict *verdict = brief->verdict ? brief->verdict : &none;
    const char *log = verdict->build.log ? verdict->build.log : "";
    struct json *whole_log = text_variables(log, strlen(log));
    struct verdict shown = *verdict;

    /* The error map and the log have variables of their own; the raw profile is never shown. */
    shown.map = (struct error_map){0};
    shown.build.log = NULL;
    shown.profile.raw = NULL;
    json_put(object, "verdict", brief->verdict ? verdict_encode(&shown) : json_null_new());
    json_put(object, "log", *log ? shortening_text(whole_log, LOG_MAX_BYTES) : json_null_new());
    json_free(whole_log);
    json_put(object, "mismatches", verdict_summary_mismatches(verdict));
    json_put(object, "passed", verdict_summary_passed(verdict));
    json_put(object, "places", verdict_summary_places(verdict));
    json_put(object, "share", verdict_summary_share(verdict));
    json_put(object, "profile", verdict_summary_profile(verdict, brief->roofs));
}

static struct json *candidate_variables(const struct brief *brief)
{
    struct json *object;

    if (!brief->previous_reply)
        return json_null_new();
    object = json_object_new();
    json_put_string(object, "reply", brief->previous_reply);
    json_put_bool(object, "has_kernel", brief->previous != NULL);
    return object;
}

static struct json *recommendation_variables(const struct recommendation *advice)
{
    struct json *object;

    if (!advice)
        return json_null_new();
    object = json_object_new();
    json_put_string(object, "bottleneck", advice->bottleneck ? advice->bottleneck : "");
    json_put_string(object, "evidence", advice->evidence ? advice->evidence : "");
    json_put_string(object, "change", advice->change ? advice->change : "");
    json_put_string(object, "prose", advice->prose ? advice->prose : "");
    return object;
}

/* The changes tried; `calibration` is the geometric mean of gained over promised speedups. */
static void put_records(struct json *object, const struct brief *brief)
{
    struct json *list = json_put(object, "records", json_array_new());
    double sum = 0;
    size_t count = 0;

    for (size_t i = 0; i < brief->record_count; i++) {
        const struct brief_record *record = &brief->records[i];
        struct json *entry = json_push(list, json_object_new());

        json_put_string(entry, "change", record->change);
        verdict_summary_put(entry, "promised", record->promised);
        verdict_summary_put(entry, "gained", record->gained);
        json_put_string(entry, "outcome", outcome_name(record->outcome));
        if (record->promised > 0 && record->gained > 0) {
            sum += log(record->gained / record->promised);
            count++;
        }
    }
    verdict_summary_put(object, "calibration", count ? exp(sum / (double)count) : 1);
}

static struct json *list_texts(const char *const *texts, size_t count)
{
    struct json *list = json_array_new();

    for (size_t i = 0; i < count; i++)
        json_push(list, json_string_new(texts[i]));
    return list;
}

/*
 * Add an attached file, with the meaning of the panels if its name begins with that of a known
 * profiler.
 */
static enum status push_attachment(struct json *list, const struct brief_attachment *attached,
                                   struct error *err)
{
    bool is_image = attachment_is_image(attached);
    struct json *entry = json_push(list, is_image ? json_object_new()
                                                  : text_variables(attached->bytes, attached->len));
    struct strbuf panels = {0};
    enum status st = profiler_panels_add(attached->name, &panels, err);

    json_put_string(entry, "name", attached->name);
    json_put_bool(entry, "image", is_image);
    json_put_bool(entry, "of_candidate", attached->is_of_candidate);
    json_put_string(entry, "panels", strbuf_cstr(&panels));
    strbuf_release(&panels);
    return st;
}

/* Put the engineer's material: a reference, an edit, attached files. */
static enum status put_enclosures(struct json *object, const struct brief *brief, struct error *err)
{
    enum status st = STATUS_OK;
    struct json *reference = json_null_new(), *list;

    if (brief->reference) {
        json_free(reference);
        reference = text_variables(brief->reference, strlen(brief->reference));
        json_put_string(reference, "name", brief->reference_name);
        json_put(reference, "verdict",
                 brief->reference_verdict ? json_string_new(brief->reference_verdict)
                                          : json_null_new());
        json_put_bool(reference, "correct", brief->reference_is_correct);
    }
    json_put(object, "reference", reference);
    json_put(object, "edit",
             brief->edit ? text_variables(brief->edit, strlen(brief->edit)) : json_null_new());
    list = json_put(object, "attachments", json_array_new());
    for (size_t i = 0; !st && i < brief->attachment_count; i++)
        st = push_attachment(list, &brief->attachments[i], err);
    return st;
}

/*
 * The path of a platform's file: the user's own if there is one, else the shipped one. The caller
 * frees it.
 */
static char *platform_file(const char *language, const char *part)
{
    char *config = file_place_folder(FILE_CONFIG), *own;
    struct strbuf name = {0};

    strbuf_addf(&name, "platforms/%s/%s.md", language, part);
    own = file_join(config, strbuf_cstr(&name));
    free(config);
    if (!file_exists(own)) {
        struct strbuf shipped = {0};

        free(own);
        strbuf_addf(&shipped, "prompts/%s", strbuf_cstr(&name));
        own = file_shipped(strbuf_cstr(&shipped));
        strbuf_release(&shipped);
    }
    strbuf_release(&name);
    return own;
}

/* The files of the platform's folder, as texts. */
static enum status put_platform(struct json *object, const char *language, struct error *err)
{
    static const char *const parts[] = {"facts", "rules", "example"};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < COUNT(parts); i++) {
        struct strbuf text = {0};
        char *path = platform_file(language, parts[i]);

        st = file_read(path, PLATFORM_FILE_MAX_BYTES, &text, err);
        json_put_string(object, parts[i], strbuf_cstr(&text));
        free(path);
        strbuf_release(&text);
    }
    return st;
}

/* The stage: "first" attempt, "repair" a wrong candidate, "optimize" a correct one. */
static const char *find_stage(const struct brief *brief)
{
    if (!brief->previous_reply)
        return "first";
    return brief->verdict && brief->verdict->outcome != OUTCOME_CORRECT ? "repair" : "optimize";
}

struct json *prompt_variables(const struct brief *brief, struct error *err)
{
    struct json *object = json_object_new();
    enum status st = put_platform(object, brief_language(brief), err);

    if (!st)
        st = task_variables(brief, object, err);
    if (st) {
        json_free(object);
        return NULL;
    }
    json_put_string(object, "language", brief_language(brief));
    json_put_string(object, "language_title", language_title(brief_language(brief)));
    json_put_string(object, "stage", find_stage(brief));
    json_put(object, "device", device_info_encode(brief->device));
    json_put(object, "previous", candidate_variables(brief));
    put_verdict(object, brief);
    json_put(object, "recommendation", recommendation_variables(brief->recommendation));
    put_records(object, brief);
    json_put(object, "refused", list_texts(brief->refused, brief->refused_count));
    json_put(object, "notes", list_texts(brief->notes, brief->note_count));
    if (put_enclosures(object, brief, err)) {
        json_free(object);
        return NULL;
    }
    return object;
}

/* The tokens available to the prompt's text; SIZE_MAX if the model's context is unknown. */
static size_t tokens_for_text(const struct brief *brief)
{
    size_t reply = brief->context / 4 < REPLY_MAX_TOKENS ? brief->context / 4 : REPLY_MAX_TOKENS;
    size_t images = 0;

    for (size_t i = 0; i < brief->attachment_count; i++)
        images += attachment_is_image(&brief->attachments[i]) ? IMAGE_TOKENS : 0;
    if (brief->context == 0)
        return SIZE_MAX;
    return brief->context > reply + images ? brief->context - reply - images : 0;
}

static enum status fail_too_long(const struct brief *brief, size_t tokens, struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "the shortest prompt has about %zu tokens, and the context of %u has room for "
                     "%zu: correct --context, or choose a model with a larger context",
                     tokens, brief->context, tokens_for_text(brief));
}

enum status prompt_render(enum agent_task task, const struct brief *brief, struct strbuf *out,
                          struct error *err)
{
    struct json *variables = prompt_variables(brief, err);
    char *folder = file_shipped("prompts/templates");
    size_t most = tokens_for_text(brief), step = 0;
    struct strbuf text = {0};
    enum status st = variables ? STATUS_OK : err->code;

    if (!st)
        st = template_render(folder, templates[task], variables, &text, err);
    while (!st && shortening_tokens(text.len) > most && shortening_next(variables, &step)) {
        strbuf_release(&text);
        st = template_render(folder, templates[task], variables, &text, err);
    }
    if (!st && shortening_tokens(text.len) > most)
        st = fail_too_long(brief, shortening_tokens(text.len), err);
    if (!st)
        strbuf_add(out, text.data, text.len);
    strbuf_release(&text);
    free(folder);
    json_free(variables);
    return st;
}
