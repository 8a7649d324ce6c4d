#include "core/judge/inspect.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/judge/oracle/variation.h"
#include "core/judge/oracle/variation/variation_kind.h"
#include "core/system/log.h"
#include "core/system/parallel.h"

static bool guard_is_intact(const unsigned char *guard, unsigned char byte)
{
    for (size_t i = 0; i < BUFFER_GUARD_BYTES; i++)
        if (guard[i] != byte)
            return false;
    return true;
}

static bool check_guards(const struct inspection *in, struct verdict *verdict)
{
    for (size_t i = 0; i < in->dispatch->buffers.count; i++) {
        const char *name = in->dispatch->buffers.items[i].name;
        size_t bytes;
        const unsigned char *at = executor_allocation(in->executor, in->side, i, &bytes);
        unsigned char byte = buffer_guard_byte(i);
        bool before = guard_is_intact(at, byte);

        if (before && guard_is_intact(at + BUFFER_GUARD_BYTES + bytes, byte))
            continue;
        verdict_conclude(verdict, OUTCOME_OUT_OF_BOUNDS, "wrote outside of %s, %s it", name,
                         before ? "after" : "before");
        executor_distrust(in->executor);
        return false;
    }
    return true;
}

static bool check_constants(const struct inspection *in, struct verdict *verdict)
{
    for (size_t i = 0; i < in->problem->tensors.count; i++) {
        const struct tensor *tensor = &in->problem->tensors.items[i];

        if (tensor_is_given(tensor->role) && executor_has_changed(in->executor, i)) {
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

/* The kind of run, as text after "elements off". */
static const char *run_in_words(const struct inspection *in)
{
    if (in->is_again)
        return " in a second run on the same data";
    return in->is_timed ? " in a timed run" : "";
}

static const unsigned char *output_on(const struct inspection *in, unsigned side, size_t index)
{
    size_t bytes;

    return executor_allocation(in->executor, side, index, &bytes) + BUFFER_GUARD_BYTES;
}

static bool is_kept(const struct inspection *in, size_t index)
{
    return in->outputs && in->outputs[index];
}

const unsigned char *inspect_output(const struct inspection *in, size_t index)
{
    return is_kept(in, index) ? in->outputs[index] : output_on(in, in->side, index);
}

bool inspect_is_in_place(const struct inspection *in, size_t index)
{
    return !is_kept(in, index) && executor_handle(in->executor, index);
}

bool inspect_any_is_in_place(const struct inspection *in)
{
    for (size_t i = 0; i < in->problem->tensors.count; i++)
        if (inspect_is_in_place(in, i))
            return true;
    return false;
}

enum status inspect_collect(const struct inspection *in, struct error *err)
{
    return in->expected && in->expected->deferred.data
               ? executor_collect_in_place(in->executor, in->side, err)
               : executor_collect(in->executor, in->side, err);
}

/* The dimensions, and the variation of the data if there is one: "M=5 N=7, ties". */
static char *describe_data(const struct inspection *in)
{
    enum variation variation = variation_of(in->input_seed);
    struct strbuf text = {0};

    strbuf_adds(&text, in->shape->text);
    if (variation)
        strbuf_addf(&text, "%s%s", text.len ? ", " : "", variation_name(variation));
    return strbuf_take(&text);
}

static struct trial trial_new(const struct inspection *in, const struct value *value)
{
    return (struct trial){
        .seed_id = in->seed_id, .output = mem_strdup(value->name), .dims = describe_data(in)};
}

/*
 * Compare output `index` with its expected values. If it cannot be compared on the device, all
 * outputs are copied to the host; they are still on the device, because nothing has run since.
 */
static enum status compare(const struct inspection *in, size_t index, struct trial *trial,
                           struct error_map *map, struct error *err)
{
    struct expected_comparison comparison = {.problem = in->problem,
                                             .graph = &in->shape->graph,
                                             .expected = in->expected,
                                             .output = index};

    if (inspect_is_in_place(in, index)) {
        comparison.handle = executor_handle(in->executor, index);
        if (!expected_outputs_compare(&comparison, trial, map, err))
            return STATUS_OK;
        log_line("%s: outputs are copied to the host: %s", in->problem->name, err->text);
        if (executor_fetch(in->executor, in->side, err))
            return err->code;
    }
    comparison.handle = NULL;
    comparison.got = inspect_output(in, index);
    return expected_outputs_compare(&comparison, trial, map, err);
}

/*
 * Check output `index`. The verdict keeps the error map of the first output, or of one that is
 * wrong.
 */
static enum status check_output(const struct inspection *in, size_t index, struct verdict *verdict,
                                struct error *err)
{
    struct trial trial = trial_new(in, &in->shape->graph.values.items[index]);
    bool is_first = !verdict->map.cells, passes;
    enum status st = compare(in, index, &trial, is_first ? &verdict->map : NULL, err);

    passes = !st && verify_passes(&trial, &in->problem->tolerance);
    if (!st && !passes && !is_first)
        st = compare(in, index, &trial, &verdict->map, err);
    if (!st && !passes)
        conclude_wrong(&trial, run_in_words(in), verdict);
    if (st || (passes && in->is_timed))
        trial_release(&trial);
    else
        vec_push(&verdict->trials, trial);
    return st;
}

static bool is_output(const struct inspection *in, size_t index)
{
    return in->problem->tensors.items[index].role == TENSOR_OUTPUT;
}

bool inspect_surroundings(const struct inspection *in, struct verdict *verdict)
{
    return check_guards(in, verdict) && check_constants(in, verdict);
}

enum status inspect_outputs(const struct inspection *in, struct verdict *verdict, struct error *err)
{
    enum outcome before = verdict->outcome;
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && verdict->outcome == before && i < in->problem->tensors.count; i++)
        if (is_output(in, i))
            st = check_output(in, i, verdict, err);
    return st;
}

enum status inspect_run(const struct inspection *in, struct verdict *verdict, struct error *err)
{
    return inspect_surroundings(in, verdict) ? inspect_outputs(in, verdict, err) : STATUS_OK;
}

/* The elements of an output in two runs. */
struct run_pair {
    const unsigned char *a, *b;
    atomic_bool differ;
};

static void compare_bytes(void *data, size_t first, size_t last)
{
    struct run_pair *pair = data;

    if (memcmp(pair->a + first, pair->b + first, last - first) != 0)
        pair->differ = true;
}

enum { GRAIN_BYTES = 1 << 18 }; /* size of a piece that is worth a thread of its own */

static bool has_same_bits(const struct inspection *in, unsigned side, size_t index)
{
    struct run_pair pair = {.a = inspect_output(in, index), .b = output_on(in, side, index)};
    size_t bytes;

    (void)executor_allocation(in->executor, side, index, &bytes);
    parallel_for(bytes, GRAIN_BYTES, compare_bytes, &pair);
    return !pair.differ;
}

/* Compare `got` with `want`, both in the output's own type. */
static void compare_runs(const struct inspection *in, size_t index, const void *got,
                         const void *want, struct trial *trial)
{
    const struct value *value = &in->shape->graph.values.items[index];
    const struct expectation *expected = in->expected;
    struct output output = {value, got, {.elements = want, .dtype = value->dtype}};

    if (expected && expected->outputs)
        output.want.allowed = expected->outputs[index].allowed;

    verify_output(&output, &in->problem->tolerance, trial, NULL);
}

/*
 * Relative distance ||now - before|| / ||before|| between the outputs of this run and of one that
 * was copied to `side`; 0 only if all bits are equal.
 */
static double distance_of(const struct inspection *in, unsigned side)
{
    double distance = 0;

    for (size_t i = 0; i < in->problem->tensors.count; i++) {
        struct trial trial = {0};

        if (!is_output(in, i) || has_same_bits(in, side, i))
            continue;
        compare_runs(in, i, inspect_output(in, i), output_on(in, side, i), &trial);
        distance = fmax(distance, fmax(trial.rel_norm, DBL_MIN));
    }
    return distance;
}

static const char differs[] = "two runs on the same data differ";

static void add_hazard(struct verdict *verdict, double distance)
{
    char evidence[128];

    snprintf(evidence, sizeof(evidence), "%s by %.2g (relative norm), within tolerance", differs,
             distance);
    verdict_add_hazard(verdict, "nondeterministic", evidence);
}

/*
 * Verify the run on the device, because the outputs of the earlier run are gone. If the errors of
 * the two runs differ, some bits differ. The trials of a run with equal errors are dropped.
 */
static enum status repeat_in_place(const struct inspection *in, struct verdict *verdict,
                                   struct error *err)
{
    enum outcome before = verdict->outcome;
    size_t first = verdict->trials.count;
    enum status st = inspect_run(in, verdict, err);
    size_t outputs = verdict->trials.count - first;
    bool is_same = true;

    if (st || verdict->outcome != before)
        return st;
    for (size_t i = first; i < verdict->trials.count; i++)
        is_same &= verdict->trials.items[i].rel_norm == verdict->trials.items[i - outputs].rel_norm;
    for (size_t i = first; i < verdict->trials.count && is_same; i++)
        trial_release(&verdict->trials.items[i]);
    if (is_same)
        verdict->trials.count = first;
    else
        verdict_add_hazard(verdict, "nondeterministic", differs);
    return st;
}

enum status inspect_repetition(const struct inspection *in, unsigned side, struct verdict *verdict,
                               struct error *err)
{
    enum outcome before = verdict->outcome;
    double distance;
    enum status st;

    if (inspect_any_is_in_place(in))
        return repeat_in_place(in, verdict, err);
    distance = distance_of(in, side);
    if (distance <= 0)
        return STATUS_OK;
    st = inspect_run(in, verdict, err);
    if (!st && verdict->outcome == before)
        add_hazard(verdict, distance);
    return st;
}

/* Make the digest of output `index`, which has stayed on the device. */
static enum status digest_output(const struct inspection *in, size_t index, bool is_followed,
                                 uint64_t *digest, struct error *err)
{
    const struct expected_comparison output = {.problem = in->problem,
                                               .graph = &in->shape->graph,
                                               .expected = in->expected,
                                               .output = index,
                                               .handle = executor_handle(in->executor, index),
                                               .is_followed = is_followed};

    return expected_outputs_digest(&output, digest, err);
}

enum status inspect_digest(const struct inspection *in, struct run_digests *digests,
                           struct error *err)
{
    size_t count = in->problem->tensors.count;
    enum status st = STATUS_OK;

    digests->items = mem_alloc_zeroed(count + 1, sizeof(*digests->items));
    for (size_t i = 0; !st && i < count; i++)
        if (is_output(in, i) && inspect_is_in_place(in, i))
            st = digest_output(in, i, digests->is_followed, &digests->items[i], err);
    return st;
}

void run_digests_release(struct run_digests *digests)
{
    free(digests->items);
    *digests = (struct run_digests){0};
}

enum status inspect_is_same(const struct inspection *in, unsigned side,
                            const struct run_digests *digests, bool *is_same, struct error *err)
{
    struct run_digests now = {.is_followed = digests->is_followed};
    enum status st = inspect_digest(in, &now, err);

    *is_same = true;
    for (size_t i = 0; !st && i < in->problem->tensors.count; i++)
        if (is_output(in, i))
            *is_same &= inspect_is_in_place(in, i) ? now.items[i] == digests->items[i]
                                                   : has_same_bits(in, side, i);
    run_digests_release(&now);
    return st;
}
