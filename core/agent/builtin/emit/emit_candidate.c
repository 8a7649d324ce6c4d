#include "core/agent/builtin/emit/emit_candidate.h"

#include <stdlib.h>
#include <string.h>

#include "core/agent/builtin/emit/attention/attention.h"
#include "core/agent/builtin/emit/convolution/convolution.h"
#include "core/agent/builtin/emit/emit_columns.h"
#include "core/agent/builtin/emit/emit_element.h"
#include "core/agent/builtin/emit/emit_elementwise.h"
#include "core/agent/builtin/emit/emit_pooling.h"
#include "core/agent/builtin/emit/emit_pooling_group.h"
#include "core/agent/builtin/emit/emit_recurrence.h"
#include "core/agent/builtin/emit/emit_threads.h"
#include "core/agent/builtin/emit/emit_transpose.h"
#include "core/agent/builtin/emit/movement/movement.h"
#include "core/agent/builtin/emit/product/product.h"
#include "core/agent/builtin/emit/rowwise/rowwise.h"
#include "core/agent/builtin/emit/scan/scan.h"
#include "core/agent/builtin/plan/algebra/algebra.h"
#include "core/agent/builtin/plan/fusion.h"
#include "core/agent/builtin/plan/fusion_epilogue.h"
#include "core/base/mem.h"
#include "core/codegen/flat_kernels.h"
#include "core/codegen/joined_kernels.h"
#include "core/codegen/matrix.h"
#include "core/codegen/plain.h"
#include "core/codegen/shared_kernels.h"
#include "core/codegen/wide_kernels.h"

static bool *flags_new(const struct writer *writer)
{
    return mem_alloc_zeroed(writer->graph.values.count + 1, sizeof(bool));
}

static void (*const families[])(struct emitter *e) = {
    [FAMILY_ELEMENTWISE] = emit_elementwise,
    [FAMILY_ROWWISE] = emit_rowwise,
    [FAMILY_PRODUCT] = emit_product,
    [FAMILY_MOVEMENT] = emit_movement,
    [FAMILY_CONVOLUTION] = emit_convolution,
    [FAMILY_ATTENTION] = emit_attention,
    [FAMILY_SCAN] = emit_scan,
    [FAMILY_TRANSPOSE] = emit_transpose,
    [FAMILY_POOLING] = emit_pooling,
    [FAMILY_COLUMNS] = emit_columns,
};

/* Pooling has kernels for one work-item and for many, but not for every size of work-groups. */
static bool is_plain(const struct writer *writer, const struct group *group,
                     const struct schedule *schedule)
{
    const struct op_call call = graph_call(&writer->graph, group->nodes[0]);

    return (group->family == FAMILY_PLAIN &&
            !emit_recurrence_fits(writer, group->nodes[0], schedule)) ||
           (group->family == FAMILY_POOLING && schedule->of[KNOB_GROUP] > 1 &&
            !emit_pooling_group_fits(&call, schedule));
}

static void write_group(struct emitter *e)
{
    e->is_needed = flags_new(e->writer);
    e->is_declared = flags_new(e->writer);
    e->is_preloaded = flags_new(e->writer);
    e->is_in_memory = flags_new(e->writer);
    e->has_element_in_memory = flags_new(e->writer);
    if (emit_recurrence_fits(e->writer, e->group->nodes[0], e->schedule))
        emit_recurrence(e);
    else
        families[e->group->family](e);
    free(e->is_needed);
    free(e->is_declared);
    free(e->is_preloaded);
    free(e->is_in_memory);
    free(e->has_element_in_memory);
    kernel_release(&e->kernel);
}

static enum status emit_group(struct writer *writer, const struct fusion *fusion, size_t number,
                              const struct schedule *schedule, struct error *err)
{
    const struct group *group = &fusion->groups.items[number];
    struct emitter e = {
        .writer = writer,
        .fusion = fusion,
        .group = group,
        .number = number,
        .schedule = schedule,
        .held = SIZE_MAX,
    };
    enum status st = STATUS_OK;

    writer->threads = emit_threads(&e);
    if (is_plain(writer, group, schedule))
        st = plain_write_node(writer, group->nodes[0], err);
    else
        write_group(&e);
    writer->threads = NULL;
    arena_release(&e.arena);
    return st;
}

static void declare_buffers(struct writer *writer, const struct fusion *fusion,
                            const struct schedule *schedule)
{
    for (size_t v = 0; v < writer->graph.values.count; v++)
        if (fusion->view_of[v] != SIZE_MAX)
            writer_view(writer, v, fusion->view_of[v]);
        else if (writer->graph.values.items[v].role == TENSOR_INNER && fusion->is_stored[v])
            writer_scratch_value(writer, v, fusion_storage(writer, schedule, fusion, v));
}

/* Add the group's launches: to `prepare` if its values depend on params alone. */
static enum status launch_group(struct writer *writer, const struct fusion *fusion, size_t number,
                                const struct schedule *schedule, struct error *err)
{
    struct json *launches = writer->launches;
    enum status st;

    if (fusion->groups.items[number].is_ahead)
        writer->launches = writer->prepare;
    st = emit_group(writer, fusion, number, schedule, err);
    writer->launches = launches;
    return st;
}

static enum status write_groups(struct writer *writer, const struct fusion *fusion,
                                const struct schedule *schedule, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t g = 0; !st && g < fusion->groups.count; g++) {
        if (fusion_has_kernel(writer, fusion, g))
            strbuf_adds(&writer->source, "\n");
        st = launch_group(writer, fusion, g, schedule, err);
    }
    return st;
}

/* The remark, such as "Kernels: add + rms_norm, linear + gelu." */
static char *describe(const struct writer *writer, const struct fusion *fusion)
{
    struct strbuf text = {0};

    for (size_t g = 0; g < fusion->groups.count; g++) {
        const struct group *group = &fusion->groups.items[g];

        strbuf_adds(&text, g == 0                                     ? "Kernels: "
                           : fusion_has_kernel(writer, fusion, g - 1) ? ", "
                                                                      : " + ");
        for (size_t n = 0; n < group->count; n++)
            strbuf_addf(&text, "%s%s", n ? " + " : "",
                        writer->graph.nodes.items[group->nodes[n]].op->name);
    }
    strbuf_adds(&text, ".");
    return strbuf_take(&text);
}

/*
 * Put the schedule's line, the prelude and the functions that the kernels call before the kernels.
 * A function is included if its name occurs in their text.
 */
static void write_head(struct writer *writer, const struct fusion *fusion,
                       const struct schedule *schedule)
{
    struct strbuf kernels = writer->source;
    const char *type = schedule->of[KNOB_MATRIX] == MATRIX_HALVES ? "f16" : "bf16";

    writer->source = (struct strbuf){0};
    schedule_print(schedule, fusion_families(fusion), &writer->source);
    strbuf_adds(&writer->source, "\n\n");
    writer_prelude(writer, strbuf_cstr(&kernels));
    if (schedule->of[KNOB_VEC] > 1 || schedule->of[KNOB_MATRIX])
        strbuf_adds(&writer->source, writer->dialect->vectors);
    if (strstr(strbuf_cstr(&kernels), "copy_later"))
        strbuf_adds(&writer->source, writer->dialect->copies);
    emit_element_functions(writer->dialect, strbuf_cstr(&kernels), &writer->source);
    if (strstr(strbuf_cstr(&kernels), "multiply_begin("))
        matrix_functions(strbuf_cstr(&kernels), type, &writer->source);
    else if (strstr(strbuf_cstr(&kernels), "multiply_8("))
        matrix_warp_functions(type, &writer->source);
    if (strstr(strbuf_cstr(&kernels), "share_store("))
        matrix_cluster_functions(&writer->source);
    strbuf_adds(&writer->source, strbuf_cstr(&kernels) + strspn(strbuf_cstr(&kernels), "\n"));
    strbuf_release(&kernels);
}

static enum status write_all(struct writer *writer, const struct schedule *wanted,
                             struct candidate *candidate, struct error *err)
{
    const struct schedule schedule = schedule_fit(wanted, writer->dialect);
    struct fusion fusion = {0};
    enum status st;

    if (schedule.of[KNOB_FAST] == FAST_DEVICE)
        writer->option = writer->dialect->approximate;
    fusion_plan(writer, &schedule, &fusion);
    declare_buffers(writer, &fusion, &schedule);
    st = write_groups(writer, &fusion, &schedule, err);
    if (!st) {
        write_head(writer, &fusion, &schedule);
        wide_kernels(writer);
        flat_kernels(writer);
        shared_kernels_merge(writer);
        joined_kernels(writer);
        writer_take(writer, candidate);
        candidate->remark = describe(writer, &fusion);
    }
    fusion_release(&fusion);
    return st;
}

static enum status emit_problem(const struct problem *problem, const char *language,
                                const struct schedule *schedule, struct candidate *candidate,
                                struct error *err)
{
    struct writer writer = {0};
    enum status st = writer_open(&writer, problem, language, err);

    if (st)
        return st;
    writer.is_specialized = true;
    writer.is_gpu =
        !writer.dialect->has_calls && (writer.dialect->warp > 0 || schedule->of[KNOB_GROUP] > 1);
    st = write_all(&writer, schedule, candidate, err);
    writer_release(&writer);
    return st;
}

enum status emit_candidate(const struct problem *problem, const char *language,
                           const struct schedule *schedule, struct candidate *candidate,
                           struct error *err)
{
    struct algebra algebra = {0};
    enum status st = algebra_open(&algebra, problem, algebra_rules(schedule), err);

    if (!st)
        st = emit_problem(algebra.problem, language, schedule, candidate, err);
    algebra_close(&algebra);
    return st;
}
