#include "core/judge/inspect.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/verify.h"

/* What the candidate has no business to write. */
static bool is_constant(enum tensor_role role)
{
    return role == TENSOR_INPUT || role == TENSOR_PARAM;
}

static bool guard_is_intact(const unsigned char *guard)
{
    for (size_t i = 0; i < BUFFER_GUARD_BYTES; i++)
        if (guard[i] != BUFFER_GUARD_BYTE)
            return false;
    return true;
}

static bool check_guards(const struct inspection *in, struct verdict *verdict)
{
    for (size_t i = 0; i < in->dispatch->buffers.count; i++) {
        const char *name = in->dispatch->buffers.items[i].name;
        size_t bytes;
        const unsigned char *at = executor_allocation(in->executor, in->slot, i, &bytes);
        bool before = guard_is_intact(at);

        if (before && guard_is_intact(at + BUFFER_GUARD_BYTES + bytes))
            continue;
        verdict_conclude(verdict, OUTCOME_OUT_OF_BOUNDS, "wrote outside of %s, %s it", name,
                         before ? "behind" : "before");
        return false;
    }
    return true;
}

/* Whether tensor `index` still holds what was put into it. */
static bool is_unchanged(const struct inspection *in, size_t index)
{
    const struct value *value = &in->shape->graph.values.items[index];
    size_t bytes;
    const unsigned char *at = executor_allocation(in->executor, in->slot, index, &bytes);

    return fill_is_made(value, value->role == TENSOR_PARAM ? in->param_seed : in->input_seed,
                        (uint32_t)index, at + BUFFER_GUARD_BYTES);
}

static bool check_constants(const struct inspection *in, struct verdict *verdict)
{
    for (size_t i = 0; i < in->problem->tensors.count; i++) {
        const struct tensor *tensor = &in->problem->tensors.items[i];

        if (is_constant(tensor->role) && !is_unchanged(in, i)) {
            verdict_conclude(verdict, OUTCOME_CHANGED_INPUTS, "changed its input %s", tensor->name);
            return false;
        }
    }
    return true;
}

static void conclude_wrong(const struct trial *trial, const char *where, struct verdict *verdict)
{
    const struct mismatch *worst = &trial->worst[0];
    struct strbuf text = {0};

    strbuf_addf(&text, "%s: %lld of %lld elements off%s", trial->output,
                (long long)trial->mismatched, (long long)trial->elements, where);
    for (size_t d = 0; trial->worst_count && d < worst->rank; d++)
        strbuf_addf(&text, "%s%lld", d ? "," : ", worst [", (long long)worst->index[d]);
    if (trial->worst_count)
        strbuf_addf(&text, "%s got %.7g want %.7g", worst->rank ? "]" : ", worst", worst->got,
                    worst->want);
    verdict_conclude(verdict, OUTCOME_WRONG_VALUES, "%s (%s)", strbuf_cstr(&text), trial->dims);
    strbuf_release(&text);
}

/* The map of a run that is off, or the first one, is the verdict's. */
static void offer_map(struct verdict *verdict, struct error_map *map, bool passes)
{
    if (verdict->map.cells && passes) {
        free(map->cells);
        return;
    }
    free(verdict->map.cells);
    verdict->map = *map;
}

static const unsigned char *output_now(const struct inspection *in, size_t index, size_t *bytes)
{
    return executor_allocation(in->executor, in->slot, index, bytes) + BUFFER_GUARD_BYTES;
}

static struct trial trial_new(const struct inspection *in, const struct value *value)
{
    return (struct trial){.seed_id = in->seed_id,
                          .output = mem_strdup(value->name),
                          .dims = mem_strdup(in->shape->text)};
}

/* Compare output `index` with what is expected. */
static bool check_output(const struct inspection *in, size_t index, struct verdict *verdict)
{
    const struct value *value = &in->shape->graph.values.items[index];
    struct trial trial = trial_new(in, value);
    struct wanted want = {in->expected->outputs[index], expectation_dtype(value)};
    struct error_map map = {0};
    size_t bytes;
    bool passes;

    verify_output(&(struct output){value, output_now(in, index, &bytes), want},
                  &in->problem->tolerance, &trial, &map);
    passes = verify_passes(&trial, &in->problem->tolerance);
    if (!passes)
        conclude_wrong(&trial, in->is_timed ? " in a timed run" : "", verdict);
    offer_map(verdict, &map, passes);
    if (passes && in->is_timed)
        trial_release(&trial);
    else
        vec_push(&verdict->trials, trial);
    return passes;
}

static bool is_output(const struct inspection *in, size_t index)
{
    return in->problem->tensors.items[index].role == TENSOR_OUTPUT;
}

bool inspect_surroundings(const struct inspection *in, struct verdict *verdict)
{
    return check_guards(in, verdict) && check_constants(in, verdict);
}

bool inspect_run(const struct inspection *in, struct verdict *verdict)
{
    bool passes = inspect_surroundings(in, verdict);

    for (size_t i = 0; passes && i < in->problem->tensors.count; i++)
        if (is_output(in, i))
            passes = check_output(in, i, verdict);
    return passes;
}

struct outputs outputs_copy(const struct inspection *in)
{
    size_t count = in->problem->tensors.count;
    struct outputs copy = {.items = mem_alloc_zeroed(count, sizeof(*copy.items)), .count = count};

    for (size_t i = 0; i < count; i++) {
        size_t bytes;
        const unsigned char *now = output_now(in, i, &bytes);

        if (!is_output(in, i))
            continue;
        copy.items[i] = mem_alloc_zeroed(bytes, 1);
        memcpy(copy.items[i], now, bytes);
    }
    return copy;
}

void outputs_release(struct outputs *outputs)
{
    for (size_t i = 0; i < outputs->count; i++)
        free(outputs->items[i]);
    free(outputs->items);
    *outputs = (struct outputs){0};
}

static bool has_same_bits(const struct inspection *in, const struct outputs *before, size_t index)
{
    size_t bytes;
    const unsigned char *now = output_now(in, index, &bytes);

    return memcmp(now, before->items[index], bytes) == 0;
}

/* Compare `got` with `want`, both as the device left them. */
static void compare_runs(const struct inspection *in, size_t index, const void *got,
                         const void *want, struct trial *trial)
{
    const struct value *value = &in->shape->graph.values.items[index];

    verify_output(&(struct output){value, got, {want, value->dtype}}, &in->problem->tolerance,
                  trial, NULL);
}

double inspect_distance(const struct inspection *in, const struct outputs *before)
{
    double distance = 0;

    for (size_t i = 0; i < before->count; i++) {
        struct trial trial = {0};
        size_t bytes;

        if (!before->items[i] || has_same_bits(in, before, i))
            continue;
        compare_runs(in, i, output_now(in, i, &bytes), before->items[i], &trial);
        distance = fmax(distance, fmax(trial.rel_norm, DBL_MIN));
    }
    return distance;
}

bool inspect_before(const struct inspection *in, const struct outputs *before, const char *what,
                    struct verdict *verdict)
{
    bool passes = true;

    for (size_t i = 0; passes && i < before->count; i++) {
        struct trial trial;
        size_t bytes;

        if (!before->items[i] || has_same_bits(in, before, i))
            continue;
        trial = trial_new(in, &in->shape->graph.values.items[i]);
        compare_runs(in, i, before->items[i], output_now(in, i, &bytes), &trial);
        passes = verify_passes(&trial, &in->problem->tolerance);
        if (!passes)
            conclude_wrong(&trial, what, verdict);
        if (passes)
            trial_release(&trial);
        else
            vec_push(&verdict->trials, trial);
    }
    return passes;
}
