#include "core/agent/prompt.h"

#include <math.h>
#include <stdlib.h>

#include "core/agent/template.h"
#include "core/base/file.h"
#include "core/base/mem.h"
#include "core/judge/bound.h"
#include "core/model/graph.h"

enum { PLATFORM_FILE_MAX_BYTES = 1 << 20 };

static const char *const templates[] = {
    [TASK_GENERATE] = "generate.j2",
    [TASK_ANALYSE] = "analyse.j2",
};

/* Three significant digits are all that a reader, or a model, has a use for. */
static void put_rounded(struct json *object, const char *key, double number)
{
    double scale = number > 0 ? pow(10, 2 - floor(log10(number))) : 1;

    json_put_number(object, key, round(number * scale) / scale);
}

static struct json *problem_variables(const struct problem *problem)
{
    struct json *object = json_object_new();
    struct json *dims = json_put(object, "dims", json_array_new());
    struct strbuf text = {0};

    json_put_string(object, "name", problem->name);
    json_put_string(object, "summary", problem->summary);
    json_print_pretty(problem->document, &text);
    json_put_string(object, "document", strbuf_cstr(&text));
    strbuf_release(&text);
    for (size_t i = 0; i < problem->dims.count; i++) {
        struct json *dim = json_push(dims, json_object_new());

        json_put_string(dim, "name", problem->dims.items[i].name);
        json_put_number(dim, "value", (double)problem->dims.items[i].value);
        json_put_bool(dim, "dynamic", problem->dims.items[i].is_dynamic);
    }
    json_put_number(object, "atol", problem->tolerance.atol);
    json_put_number(object, "rtol", problem->tolerance.rtol);
    json_put_bool(object, "mixed", problem->tolerance.allows_mixed);
    return object;
}

/* What no version can beat; null where the roofs are unknown. */
static struct json *bound_variables(const struct brief *brief)
{
    struct binding *bindings = mem_alloc_zeroed(brief->problem->dims.count + 1, sizeof(*bindings));
    struct scope scope = problem_scope(brief->problem, 0, bindings);
    struct graph graph = {0};
    struct bound bound = {0};
    struct json *object = NULL;

    if (!graph_build(&graph, brief->problem, &scope, NULL))
        bound_compute(&graph, brief->roofs, NULL, &bound);
    graph_release(&graph);
    free(bindings);
    if (!bound.is_present)
        return json_null_new();
    object = json_object_new();
    put_rounded(object, "us", bound.us);
    put_rounded(object, "mflop", bound.flops * 1e-6);
    put_rounded(object, "mbytes", bound.bytes * 1e-6);
    json_put_string(object, "limiter", limiter_name(bound.limiter));
    return object;
}

static struct json *verdict_variables(const struct verdict *verdict)
{
    struct verdict shown = *verdict;

    /* The map is a picture for people; who reads text has the worst elements. */
    shown.map = (struct error_map){0};
    return verdict_encode(&shown);
}

static struct json *candidate_variables(const struct brief *brief)
{
    struct json *object = json_object_new();

    json_put_string(object, "reply", brief->previous_reply);
    json_put_bool(object, "has_kernel", brief->previous != NULL);
    return object;
}

static struct json *recommendation_variables(const struct recommendation *advice)
{
    struct json *object = json_object_new();

    json_put_string(object, "bottleneck", advice->bottleneck ? advice->bottleneck : "");
    json_put_string(object, "evidence", advice->evidence ? advice->evidence : "");
    json_put_string(object, "change", advice->change ? advice->change : "");
    json_put_string(object, "prose", advice->prose ? advice->prose : "");
    return object;
}

static struct json *record_variables(const struct brief *brief)
{
    struct json *array = json_array_new();

    for (size_t i = 0; i < brief->record_count; i++) {
        struct json *object = json_push(array, json_object_new());

        json_put_string(object, "change", brief->records[i].change);
        put_rounded(object, "promised", brief->records[i].promised);
        put_rounded(object, "gained", brief->records[i].gained);
        json_put_string(object, "outcome", outcome_name(brief->records[i].outcome));
    }
    return array;
}

static struct json *note_variables(const struct brief *brief)
{
    struct json *array = json_array_new();

    for (size_t i = 0; i < brief->note_count; i++)
        json_push(array, json_string_new(brief->notes[i]));
    return array;
}

/* The files of the platform's folder, as texts. */
static enum status platform_variables(const char *language, struct json *object, struct error *err)
{
    static const char *const parts[] = {"facts", "rules", "example"};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < sizeof(parts) / sizeof(*parts); i++) {
        struct strbuf name = {0}, text = {0};
        char *path;

        strbuf_addf(&name, "prompts/platforms/%s/%s.md", language, parts[i]);
        path = file_shipped(strbuf_cstr(&name));
        st = file_read(path, PLATFORM_FILE_MAX_BYTES, &text, err);
        json_put_string(object, parts[i], strbuf_cstr(&text));
        free(path);
        strbuf_release(&name);
        strbuf_release(&text);
    }
    return st;
}

struct json *prompt_variables(const struct brief *brief, struct error *err)
{
    struct json *object = json_object_new();
    struct json *platform = json_put(object, "platform", json_object_new());
    enum status st = platform_variables(brief->device->language, platform, err);

    if (st) {
        json_free(object);
        return NULL;
    }
    json_put_string(platform, "language", brief->device->language);
    json_put(object, "problem", problem_variables(brief->problem));
    json_put(object, "device", device_info_encode(brief->device));
    json_put(object, "bound", bound_variables(brief));
    json_put(object, "previous",
             brief->previous_reply ? candidate_variables(brief) : json_null_new());
    json_put(object, "verdict",
             brief->verdict ? verdict_variables(brief->verdict) : json_null_new());
    json_put(object, "recommendation",
             brief->recommendation ? recommendation_variables(brief->recommendation)
                                   : json_null_new());
    json_put(object, "records", record_variables(brief));
    json_put(object, "notes", note_variables(brief));
    return object;
}

enum status prompt_render(enum agent_task task, const struct brief *brief, struct strbuf *out,
                          struct error *err)
{
    struct json *variables = prompt_variables(brief, err);
    char *folder;
    enum status st;

    if (!variables)
        return err->code;
    folder = file_shipped("prompts/templates");
    st = template_render(folder, templates[task], variables, out, err);
    free(folder);
    json_free(variables);
    return st;
}
