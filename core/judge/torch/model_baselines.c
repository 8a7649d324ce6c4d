#include "core/judge/torch/model_baselines.h"

#include <stdio.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/system/clock.h"

static const char compile[] = "compile";

/* Keep the error that broke a baseline, unless it is a cancellation: that is moved to `err`. */
static enum status keep(struct error *broken, struct error *err)
{
    if (broken->code != STATUS_CANCELLED)
        return STATUS_OK;
    *err = *broken;
    *broken = (struct error){0};
    return err->code;
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
        b->items[b->count++].name = json_string(name, "");
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

/* Tensors beyond this size are not copied: a baseline in full precision is taken as it is. */
static const double most_bytes = 2e9;

/* Prepare a baseline whose tensors are too large. */
static enum status prepare_large(const char *name, struct bridge *bridge, double bytes,
                                 struct error *err)
{
    if (strchr(name, '_'))
        return error_set(err, STATUS_UNAVAILABLE,
                         "what it computes is not checked, because its tensors take %.3g GB",
                         bytes * 1e-9);
    return bridge_time(bridge, name, 0, NULL, err);
}

/* Prepare a baseline, and judge what it computes. */
static enum status prepare(const char *name, struct bridge *bridge, const struct model_place *place,
                           struct error *err)
{
    double bytes = tensors_bytes(place->run.graph);
    size_t count = place->run.graph->values.count;
    void **outputs = mem_alloc_zeroed(count + 1, sizeof(*outputs));
    enum status st = bytes > most_bytes ? prepare_large(name, bridge, bytes, err)
                                        : bridge_prepare(bridge, name, &place->run, outputs, err);

    if (!st && bytes <= most_bytes)
        st = place->judge(place->data, outputs, err);
    for (size_t i = 0; i < count; i++)
        free(outputs[i]);
    free(outputs);
    return st;
}

static enum status warm_up(struct model_baselines *b, size_t index, struct bridge *bridge,
                           const struct model_place *place, struct error *err)
{
    if (b->is_warm[index] || !baseline_is_due(&b->items[index]))
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

/* The fastest of those that torch.compile made; NULL: there is none. */
static const struct baseline *fastest_compiled(const struct model_baselines *b)
{
    const struct baseline *fastest = NULL;

    for (size_t i = 0; i < b->count; i++) {
        const struct baseline *item = &b->items[i];

        if (item->is_broken || !item->count || strncmp(item->name, compile, strlen(compile)) != 0)
            continue;
        if (!fastest || baseline_relative(item).median_us < baseline_relative(fastest).median_us)
            fastest = item;
    }
    return fastest;
}

/* Add the baseline that searches for kernels, at the precision of the fastest compiled one. */
static void add_autotune(struct model_baselines *b)
{
    const struct baseline *fastest = fastest_compiled(b);

    if (*b->autotune || !fastest || b->count == MODEL_BASELINES_MAX)
        return;
    snprintf(b->autotune, sizeof(b->autotune), "autotune%s", fastest->name + strlen(compile));
    b->items[b->count++].name = b->autotune;
}

enum status model_baselines_place(struct model_baselines *b, struct bridge *bridge,
                                  const struct model_place *place, double elapsed_us,
                                  struct error *err)
{
    enum status st = put(b, bridge, place, err);

    if (b->was_timed && !place->device->is_cpu)
        add_autotune(b);
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

    for (size_t i = 0; !st && i < b->count; i++)
        if (baseline_is_due(&b->items[i]))
            st = sample(b, i, bridge, round, err);
    return st;
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

void model_baselines_compare(const struct model_baselines *b, const struct baseline_scale *scale,
                             double least_us, struct verdict *verdict)
{
    struct error why;

    if (b->missing.code)
        add_hazard(verdict, "PyTorch", &b->missing);
    for (size_t i = 0; i < b->count; i++) {
        if (b->items[i].is_broken)
            add_hazard(verdict, b->items[i].name, &b->broken[i]);
        if (!b->items[i].count)
            continue;
        if (baseline_check(&b->items[i], least_us, &why))
            add_hazard(verdict, b->items[i].name, &why);
        else
            vec_push(&verdict->against,
                     baseline_compare(&b->items[i], scale, &verdict->timing.time));
    }
}

void model_baselines_release(struct model_baselines *b)
{
    json_free(b->names);
    *b = (struct model_baselines){0};
}
