#include "core/judge/torch/model_baselines.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "core/system/clock.h"
#include "core/system/log.h"

static const char eager[] = "eager", compile[] = "compile";

static bool needs_compiler(const char *name)
{
    return !text_begins(name, eager);
}

/* Store the error that broke a baseline; a cancellation is moved to `err` instead. */
static enum status keep(struct error *broken, struct error *err)
{
    if (broken->code != STATUS_CANCELLED)
        return STATUS_OK;
    *err = *broken;
    *broken = (struct error){0};
    return err->code;
}

/* Find the place of the model's files in the cache. */
static void open_cache(struct model_baselines *b, const struct bridge *bridge,
                       const struct model_place *place)
{
    const struct compiled_origin origin = {.source = place->source.text,
                                           .pytorch = bridge_pytorch(bridge),
                                           .python = bridge_command(bridge)[2],
                                           .allows_mixed = place->tolerance->allows_mixed,
                                           .device = place->device};

    compiled_cache_open(&b->cache, &origin);
}

/* Return whether a list of names with commas has this one; NULL has every one. */
static bool is_listed(const char *names, const char *name)
{
    size_t len = strlen(name);

    for (const char *at = names; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, len) == 0 && (at[len] == ',' || !at[len]))
            return true;
    }
    return !names;
}

/* Move the model to the device, once. */
static enum status put(struct model_baselines *b, struct bridge *bridge,
                       const struct model_place *place, struct error *err)
{
    if (b->names || b->missing.code)
        return STATUS_OK;
    if (bridge_place(bridge, place->device, place->tolerance->allows_mixed, &b->names, &b->missing))
        return keep(&b->missing, err);
    for (const struct json *name = json_first(b->names); name && b->count < MODEL_BASELINES_MAX;
         name = json_next(name))
        if (is_listed(place->names, json_string(name, "")))
            b->items[b->count++].name = json_string(name, "");
    if (place->names && !b->count)
        error_set(&b->missing, STATUS_INVALID, "it has no baseline of %s", place->names);
    open_cache(b, bridge, place);
    return STATUS_OK;
}

void model_baselines_begin(struct model_baselines *b)
{
    for (size_t i = 0; i < b->count; i++)
        baseline_begin(&b->items[i]);
}

void model_baselines_restart(struct model_baselines *b)
{
    for (size_t i = 0; i < b->count; i++)
        baseline_restart(&b->items[i]);
}

/* An error leaves a baseline out, unless it is a cancellation. */
static enum status drop(struct model_baselines *b, size_t index, struct error *err)
{
    if (keep(&b->broken[index], err))
        return err->code;
    b->items[index].is_broken = true;
    return STATUS_OK;
}

static double tensors_bytes(const struct graph *graph)
{
    double bytes = 0;

    for (size_t i = 0; i < graph->values.count; i++) {
        const struct value *value = &graph->values.items[i];

        if (tensor_is_given(value->role) || value->role == TENSOR_OUTPUT)
            bytes += (double)shape_elements(&value->shape) * (double)dtype_bytes(value->dtype);
    }
    return bytes;
}

/*
 * Tensors beyond this size in bytes are not copied: a baseline in full precision is then used
 * without a check.
 */
static const double most_bytes = 2e9;

static bool is_large(const struct graph *graph)
{
    return tensors_bytes(graph) > most_bytes;
}

/* Prepare a baseline whose tensors are too large. */
static enum status prepare_large(const char *name, struct bridge *bridge, const struct graph *graph,
                                 struct error *err)
{
    if (strchr(name, '_'))
        return error_set(err, STATUS_UNAVAILABLE,
                         "what it computes is not checked, because its tensors take %.3g GB",
                         tensors_bytes(graph) * 1e-9);
    return bridge_compile(bridge, name, err);
}

/* Prepare a baseline, and judge what it computes. */
static enum status prepare(const char *name, struct bridge *bridge, const struct model_place *place,
                           struct error *err)
{
    const struct graph *graph = place->run.graph;
    void **outputs = mem_alloc_zeroed(graph->values.count + 1, sizeof(*outputs));
    enum status st = is_large(graph) ? prepare_large(name, bridge, graph, err)
                                     : bridge_prepare(bridge, name, &place->run, outputs, err);

    if (!st && !is_large(graph))
        st = place->judge(place->data, outputs, err);
    for (size_t i = 0; i < graph->values.count; i++)
        free(outputs[i]);
    free(outputs);
    return st;
}

/* The bridge that times a baseline now; NULL if it is not compiled, or compiles another one. */
static struct bridge *bridge_of(const struct model_baselines *b, size_t index,
                                struct bridge *bridge)
{
    if (!needs_compiler(b->items[index].name))
        return bridge;
    return b->compiler ? compiler_bridge(b->compiler) : NULL;
}

/* Leave out a baseline that does not compile. Returns true if it is compiled. */
static bool is_compiled(struct model_baselines *b, size_t index)
{
    enum compiler_state state = COMPILER_WAITING;

    if (!needs_compiler(b->items[index].name))
        return true;
    if (b->compiler)
        state = compiler_state(b->compiler, b->items[index].name, &b->broken[index]);
    b->items[index].is_broken |= state == COMPILER_FAILED;
    return state == COMPILER_READY;
}

static enum status warm_up(struct model_baselines *b, size_t index, struct bridge *main,
                           const struct model_place *place, struct error *err)
{
    struct bridge *bridge = bridge_of(b, index, main);

    if (b->is_warm[index] || !baseline_is_due(&b->items[index]) || !is_compiled(b, index) ||
        !bridge)
        return STATUS_OK;
    b->is_warm[index] = true;
    if (prepare(b->items[index].name, bridge, place, &b->broken[index]))
        return drop(b, index, err);
    return STATUS_OK;
}

static enum status sample(struct model_baselines *b, size_t index, struct bridge *bridge,
                          size_t round, struct error *err)
{
    struct baseline *baseline = &b->items[index];
    int64_t began_us = clock_now_us();
    struct run_time time = {0};

    if (bridge_time(bridge, baseline->name, 1, &time, &b->broken[index]))
        return drop(b, index, err);
    baseline_add(baseline, round, &time, 1, (double)(clock_now_us() - began_us));
    return STATUS_OK;
}

/* Begin to compile the baselines that need it and are not compiled yet. */
static void compile_all(struct model_baselines *b, const struct bridge *bridge,
                        const struct model_place *place)
{
    struct compiler_spec spec = {
        .argv = bridge_command(bridge),
        .limit_us = place->limit_us,
        .source = place->source,
        .kept = b->cache.folder,
        .device = place->device,
        .allows_mixed = place->tolerance->allows_mixed,
    };

    if (!is_large(place->run.graph))
        spec.run = place->run;
    for (size_t i = 0; i < b->count; i++) {
        if (!needs_compiler(b->items[i].name) || b->is_wanted[i])
            continue;
        if (!b->compiler)
            b->compiler = compiler_new(&spec);
        compiler_want(b->compiler, b->items[i].name);
        b->is_wanted[i] = true;
    }
}

enum status model_baselines_compile(struct model_baselines *b, struct bridge *bridge,
                                    const struct model_place *place, struct error *err)
{
    enum status st = put(b, bridge, place, err);

    if (!st)
        compile_all(b, bridge, place);
    return st;
}

void model_baselines_pause(struct model_baselines *b, bool is_paused)
{
    compiler_pause(b->compiler, is_paused);
}

void model_baselines_settle(const struct model_baselines *b)
{
    compiler_settle(b->compiler);
}

bool model_baselines_are_compiling(const struct model_baselines *b, int *fd)
{
    if (!b->compiler)
        return false;
    *fd = compiler_fd(b->compiler);
    return !compiler_is_done(b->compiler);
}

/* The fastest of those that torch.compile made, or NULL. */
static const struct baseline *fastest_compiled(const struct model_baselines *b)
{
    const struct baseline *fastest = NULL;

    for (size_t i = 0; i < b->count; i++) {
        const struct baseline *item = &b->items[i];

        if (item->is_broken || !item->count || !text_begins(item->name, compile))
            continue;
        if (!fastest || baseline_relative(item).median_us < baseline_relative(fastest).median_us)
            fastest = item;
    }
    return fastest;
}

/* Add the baseline that searches for kernels, at the precision of the fastest compiled one. */
static void add_autotune(struct model_baselines *b, const struct model_place *place)
{
    const struct baseline *fastest = fastest_compiled(b);
    char name[MODEL_BASELINE_NAME];

    if (*b->autotune || !fastest || b->count == MODEL_BASELINES_MAX)
        return;
    snprintf(name, sizeof(name), "autotune%s", fastest->name + strlen(compile));
    if (!is_listed(place->names, name))
        return;
    memcpy(b->autotune, name, sizeof(name));
    b->items[b->count++].name = b->autotune;
}

enum status model_baselines_place(struct model_baselines *b, struct bridge *bridge,
                                  const struct model_place *place, double elapsed_us,
                                  struct error *err)
{
    enum status st = put(b, bridge, place, err);

    if (b->was_timed && !place->device->is_cpu)
        add_autotune(b, place);
    b->was_timed = true;
    for (size_t i = 0; !st && i < b->count; i++) {
        baseline_allow(&b->items[i], elapsed_us);
        st = warm_up(b, i, bridge, place, err);
    }
    return st;
}

enum status model_baselines_sample(struct model_baselines *b, struct bridge *bridge, size_t round,
                                   struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < b->count; i++) {
        struct bridge *own = bridge_of(b, i, bridge);

        if (!b->is_warm[i] || !own || !baseline_is_due(&b->items[i]))
            continue;
        *(own == bridge ? &b->holds_memory : &b->compiler_holds_memory) = true;
        st = sample(b, i, own, round, err);
    }
    return st;
}

static void rest(struct bridge *bridge)
{
    struct error why;

    if (bridge_rest(bridge, &why)) /* its next request fails, too, and says so to the user */
        log_line("PyTorch: memory is not given back: %s", why.text);
}

void model_baselines_rest(struct model_baselines *b, struct bridge *bridge)
{
    struct bridge *compiled = b->compiler_holds_memory ? compiler_bridge(b->compiler) : NULL;

    if (b->holds_memory)
        rest(bridge);
    if (compiled)
        rest(compiled);
    b->holds_memory = b->compiler_holds_memory = false;
}

void model_baselines_fold(struct model_baselines *b, const struct program_rounds *own, bool is_busy,
                          double time)
{
    for (size_t i = 0; i < b->count; i++)
        baseline_fold(&b->items[i], own, is_busy, time);
}

static void add_hazard(struct verdict *verdict, const char *name, const struct error *why)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s: %s", name, why->text);
    verdict_add_hazard(verdict, "no_baseline", strbuf_cstr(&text));
    strbuf_release(&text);
}

static void await(const struct model_baselines *b, const char *name, struct verdict *verdict)
{
    struct awaited awaited = {.name = mem_strdup(name)};

    compiled_cache_recall_time(&b->cache, &awaited);
    vec_push(&verdict->awaited, awaited);
}

/* Compare with a baseline that has samples, and keep the first time of one that was compiled. */
static void compare(struct model_baselines *b, size_t index, const struct baseline_scale *scale,
                    struct verdict *verdict)
{
    struct baseline *baseline = &b->items[index];
    struct comparison made = baseline_compare(baseline, scale, &verdict->timing.time);

    if (needs_compiler(baseline->name) && !b->is_kept[index])
        compiled_cache_keep_time(&b->cache, baseline->name, made.time.median_us);
    b->is_kept[index] = true;
    vec_push(&verdict->against, made);
}

void model_baselines_compare(struct model_baselines *b, const struct baseline_scale *scale,
                             double least_us, struct verdict *verdict)
{
    struct error why;

    if (b->missing.code)
        add_hazard(verdict, "PyTorch", &b->missing);
    for (size_t i = 0; i < b->count; i++) {
        const struct baseline *item = &b->items[i];

        if (item->is_broken)
            add_hazard(verdict, item->name, &b->broken[i]);
        else if (!item->count && needs_compiler(item->name))
            await(b, item->name, verdict);
        if (!item->count)
            continue;
        if (baseline_check(item, least_us, &why))
            add_hazard(verdict, item->name, &why);
        else
            compare(b, i, scale, verdict);
    }
}

void model_baselines_release(struct model_baselines *b)
{
    compiler_free(b->compiler);
    compiled_cache_release(&b->cache);
    json_free(b->names);
    *b = (struct model_baselines){0};
}
