#include "core/agent/builtin/obstacle.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_recurrence.h"
#include "core/agent/builtin/plan/algebra/algebra.h"
#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/time_estimate.h"

static const char ordinary[] = "on the ordinary cores", plain[] = "by the plain kernel";

static void add(struct obstacles *found, const struct obstacle *one)
{
    for (size_t i = 0; i < found->count; i++)
        if (!strcmp(found->items[i].operation, one->operation) &&
            !strcmp(found->items[i].why, one->why))
            return;
    if (one->why && found->count < OBSTACLES_MAX)
        found->items[found->count++] = *one;
}

/* The schedule with the matrix units that the class permits, if it has none. */
static struct schedule with_matrix(const struct schedule *schedule, const struct problem *problem)
{
    struct schedule with = *schedule;

    if (with.of[KNOB_MATRIX])
        return with;
    with.of[KNOB_MATRIX] = problem->tolerance.allows_mixed ? MATRIX_HALVES : MATRIX_PARTS;
    with.of[KNOB_WARPGROUP] = 1;
    return with;
}

/* Why an f32 product has no matrix units although nothing prevents them: the estimated time. */
static const char *estimate_obstacle(const struct problem *problem,
                                     const struct device_info *device,
                                     const struct schedule *schedule)
{
    struct schedule parts = with_matrix(schedule, problem);
    struct product_shape shape;
    bool is_found = false;

    if (schedule->of[KNOB_MATRIX] || problem->tolerance.allows_mixed ||
        time_estimate_shape(problem, device, &shape, &is_found, NULL) || !is_found)
        return NULL;
    parts.of[KNOB_GROUP] = 256;
    parts.of[KNOB_SPAN] = 128;
    parts.of[KNOB_STAGES] = 6;
    return time_estimate(&parts, &shape) < time_estimate(schedule, &shape)
               ? NULL
               : "operands in three parts are estimated to take longer";
}

static const char *recurrence_obstacle(const struct writer *writer, size_t node,
                                       const struct schedule *schedule)
{
    return emit_recurrence_fits(writer, node, schedule)
               ? NULL
               : "its weight does not divide into the registers of eight work-groups";
}

/* Why an operation of this kind has no kernel but the plain one. */
static const char *plain_obstacle(const struct op_call *call)
{
    if (!family_is_f32(call))
        return "a value is not f32";
    if (call->op->kind == OP_PRODUCT)
        return "an operand is a vector";
    if (call->op->kind == OP_ROWWISE && !family_rowwise_axes(call))
        return "its rows are not along the last axes";
    return "other kernels do not have its form, or its rows may change their length";
}

/* Why operations whose plain kernel is their fast one have a slower one. */
static const char *indexed_obstacle(const struct writer *writer, const struct graph_node *node,
                                    const struct op_call *call)
{
    enum dtype dtype = call->in[0]->dtype;

    if (call->op->kind == OP_SCATTER)
        return dtype == DTYPE_F32 || dtype == DTYPE_I32
                   ? NULL
                   : "its elements are not changed atomically, so a work-item adds a whole column";
    return writer->extents.is_fixed[node->out][__builtin_ctz(call->op->axes(call))] &&
                   dtype != DTYPE_F64
               ? NULL
               : "its rows may change their length, so each element is compared with all others";
}

static bool is_indexed(const struct op_call *call)
{
    return call->op->kind == OP_SCATTER || strcmp(call->op->name, "argsort") == 0;
}

static struct obstacle obstacle_of(const struct writer *writer, size_t number,
                                   const struct op_call *call, const struct schedule *schedule)
{
    const struct graph_node *node = &writer->graph.nodes.items[number];
    const enum family family = family_of(writer, node, call);
    struct obstacle found = {.operation = call->op->name, .instead = ordinary};

    if (call->op->kind == OP_RECURRENCE) {
        found.instead = plain;
        found.why = recurrence_obstacle(writer, number, schedule);
    } else if (family == FAMILY_PLAIN) {
        found.instead = plain;
        found.why = is_indexed(call) ? indexed_obstacle(writer, node, call) : plain_obstacle(call);
    } else if (family == FAMILY_PRODUCT) {
        found.why = family_product_obstacle(writer, schedule, node, call);
    } else if (family == FAMILY_CONVOLUTION) {
        found.why = family_convolution_obstacle(writer, schedule, node, call);
    }
    return found;
}

static enum status look(struct obstacles *found, const struct problem *problem,
                        const struct device_info *device, const struct schedule *schedule,
                        struct error *err)
{
    const struct schedule with = with_matrix(schedule, problem);
    struct writer writer = {0};
    enum status st = writer_open(&writer, problem, device->language, err);

    for (size_t n = 0; !st && n < writer.graph.nodes.count; n++) {
        const struct op_call call = graph_call(&writer.graph, n);
        struct obstacle one = obstacle_of(&writer, n, &call, &with);

        if (!one.why && call.op->kind == OP_PRODUCT)
            one.why = estimate_obstacle(problem, device, schedule);
        if (one.why)
            add(found, &one);
    }
    writer_release(&writer);
    return st;
}

enum status obstacles_find(struct obstacles *found, const struct problem *problem,
                           const struct device_info *device, const struct schedule *schedule,
                           struct error *err)
{
    struct algebra algebra = {0};
    enum status st;

    *found = (struct obstacles){0};
    if (schedule_matrix_units(device) != MATRIX_UNITS_WARPGROUP)
        return STATUS_OK;
    st = algebra_open(&algebra, problem, algebra_rules(schedule), err);
    if (!st)
        st = look(found, algebra.problem, device, schedule, err);
    algebra_close(&algebra);
    return st;
}
