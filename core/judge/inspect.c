#include "core/judge/inspect.h"

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

    return fill_is_made(value, in->expectation->seed, (uint32_t)index, at + BUFFER_GUARD_BYTES);
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

static void conclude_wrong(const struct trial *trial, struct verdict *verdict)
{
    const struct mismatch *worst = &trial->worst[0];
    struct strbuf text = {0};

    strbuf_addf(&text, "%s: %lld of %lld elements off", trial->output, (long long)trial->mismatched,
                (long long)trial->elements);
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

/* Compare output `index`. */
static bool check_output(const struct inspection *in, size_t index, struct verdict *verdict)
{
    const struct value *value = &in->shape->graph.values.items[index];
    struct trial trial = {.seed_id = in->seed_id,
                          .output = mem_strdup(value->name),
                          .dims = mem_strdup(in->shape->text)};
    struct error_map map = {0};
    size_t bytes;
    const unsigned char *at = executor_allocation(in->executor, in->slot, index, &bytes);
    bool passes;

    verify_output(value, at + BUFFER_GUARD_BYTES, in->expectation->values.items[index],
                  &in->problem->tolerance, &trial, &map);
    passes = verify_passes(&trial, &in->problem->tolerance);
    if (!passes)
        conclude_wrong(&trial, verdict);
    offer_map(verdict, &map, passes);
    if (passes && in->only_if_off)
        trial_release(&trial);
    else
        vec_push(&verdict->trials, trial);
    return passes;
}

bool inspect_run(const struct inspection *in, struct verdict *verdict)
{
    bool passes = check_guards(in, verdict) && check_constants(in, verdict);

    for (size_t i = 0; passes && i < in->problem->tensors.count; i++)
        if (in->problem->tensors.items[i].role == TENSOR_OUTPUT)
            passes = check_output(in, i, verdict);
    return passes;
}

void inspect_digest(const struct inspection *in, char digest[DIGEST_HEX_SIZE])
{
    struct strbuf all = {0};

    for (size_t i = 0; i < in->problem->tensors.count; i++) {
        size_t bytes;
        const unsigned char *at = executor_allocation(in->executor, in->slot, i, &bytes);
        char one[DIGEST_HEX_SIZE];

        if (in->problem->tensors.items[i].role != TENSOR_OUTPUT)
            continue;
        digest_sha256(at + BUFFER_GUARD_BYTES, bytes, one);
        strbuf_adds(&all, one);
    }
    digest_sha256(strbuf_cstr(&all), all.len, digest);
    strbuf_release(&all);
}
