#include "core/agent/builtin/generator.h"

#include <math.h>
#include <string.h>

#include "core/agent/builtin/emit/emit_candidate.h"
#include "core/agent/builtin/plan/algebra/algebra.h"
#include "core/agent/builtin/plan/drawn_step.h"
#include "core/agent/builtin/plan/family.h"
#include "core/agent/builtin/plan/fusion.h"
#include "core/agent/builtin/plan/half_range.h"
#include "core/agent/builtin/plan/time_estimate.h"
#include "core/agent/builtin/transfer.h"
#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/codegen/dialect.h"

/* Append the meanings of the knobs that differ. */
static void explain(const struct schedule *from, const struct schedule *to, struct strbuf *remark)
{
    for (size_t k = 0; k < KNOB_COUNT; k++)
        if (from->of[k] != to->of[k])
            strbuf_addf(remark, "`%s`: %s. ", knob_table[k].name, knob_table[k].meaning);
}

static bool was_tried_or_refused(const struct brief *brief, const char *change)
{
    for (size_t i = 0; i < brief->refused_count; i++)
        if (strcmp(brief->refused[i], change) == 0)
            return true;
    for (size_t i = 0; i < brief->record_count; i++)
        if (strcmp(brief->records[i].change, change) == 0)
            return true;
    return false;
}

/*
 * Without a recommendation, draw a step of a knob that was not tried or refused before, without
 * regard to measurements. After MOST_DRAWS draws, any step is taken.
 */
static void draw(const struct brief *brief, struct schedule *schedule, struct strbuf *remark)
{
    enum { MOST_DRAWS = 64 };
    const struct schedule before = *schedule;
    struct strbuf change = {0};
    unsigned families = 0;

    if (!fusion_find_families(brief->problem, brief->device->language, schedule, &families, NULL))
        for (unsigned i = 0;
             i < MOST_DRAWS && (!change.len || was_tried_or_refused(brief, strbuf_cstr(&change)));
             i++) {
            *schedule = before;
            change.len = 0;
            if (drawn_step_take(schedule, families, MOST_DRAWS * brief->attempt + i) &&
                schedule_differs(&before, schedule, dialect_of(brief->device->language)))
                schedule_difference(&before, schedule, ~0U, &change);
        }
    if (change.len)
        strbuf_addf(remark, "%s\n\nA random step, because %s. ", strbuf_cstr(&change),
                    brief->is_unadvised ? "this session has no analyst"
                                        : "there is no recommendation to follow");
    else
        strbuf_adds(remark, "Schedule unchanged\n\nNo step of the schedule is legal. ");
    explain(&before, schedule, remark);
    strbuf_release(&change);
}

/*
 * Apply the recommended change. If it is not a change of a schedule (schedule.h), keep the schedule
 * and say so in the remark.
 */
static void follow(const struct brief *brief, struct schedule *schedule, struct strbuf *remark)
{
    const struct schedule before = *schedule;
    struct error why = {0};

    if (brief->is_unadvised || !brief->recommendation) {
        draw(brief, schedule, remark);
    } else if (schedule_change(schedule, brief->recommendation->change, &why)) {
        strbuf_addf(remark, "Schedule unchanged\n\n%s. ", why.text);
    } else {
        strbuf_addf(remark, "%s\n\n", brief->recommendation->change);
        explain(&before, schedule, remark);
    }
}

/*
 * Choose a schedule after a failure: half of the change that failed, or the schedule before it. If
 * no change caused the failure, turn off matrix units, fast functions and fusion, one of them for
 * each failure.
 */
static void repair(const struct brief *brief, struct schedule *schedule, struct strbuf *remark)
{
    const struct brief_record *last =
        brief->record_count ? &brief->records[brief->record_count - 1] : NULL;

    bool is_change = last && last->outcome == brief->verdict->outcome;

    if (is_change && !schedule_halve(schedule, last->change)) {
        strbuf_addf(remark, "Half of %s\n\nThe kernel failed with the whole change. ",
                    last->change);
        return;
    }
    if (is_change && !schedule_undo(schedule, last->change, NULL)) {
        strbuf_addf(
            remark,
            "Without %s\n\nThe change is dropped: the kernel failed with it, and there is no "
            "schedule in between. ",
            last->change);
        return;
    }
    if (schedule->of[KNOB_MATRIX]) {
        schedule->of[KNOB_MATRIX] =
            schedule->of[KNOB_MATRIX] == MATRIX_HALVES ? MATRIX_BFLOATS : MATRIX_NONE;
        strbuf_adds(remark,
                    schedule->of[KNOB_MATRIX]
                        ? "Operands in bf16\n\nThe kernel failed with operands in f16, "
                          "which has a smaller range. "
                        : "Operands in f32\n\nThe kernel failed with operands in 16 bits. ");
        schedule->of[KNOB_ORDER] = schedule->of[KNOB_MATRIX] != MATRIX_NONE;
        return;
    }
    if (schedule->of[KNOB_FAST]) {
        schedule->of[KNOB_FAST] = 0;
        strbuf_adds(remark, "Exact functions\n\nThe kernel failed with the faster functions. ");
        return;
    }
    schedule->of[KNOB_FUSE] = 0;
    strbuf_adds(remark, "Plain kernels\n\nThe fused kernels failed. ");
}

static bool has_failed(const struct brief *brief)
{
    return brief->verdict && brief->verdict->outcome != OUTCOME_NONE &&
           brief->verdict->outcome != OUTCOME_CORRECT;
}

/* Faster functions need a relative tolerance of at least this; their own error is about 1.5e-7. */
static const double fast_error = 1e-5;

/*
 * Knobs that determine the first tile of a product, without and with matrix units. KNOB_COUNT ends
 * a list.
 */
static const enum knob tile_knobs[] = {KNOB_GROUP, KNOB_TILE_M, KNOB_TILE_N, KNOB_SLICES,
                                       KNOB_COUNT};
static const enum knob matrix_knobs[] = {KNOB_GROUP, KNOB_SPAN, KNOB_COUNT};
static const enum knob parts_knobs[] = {KNOB_GROUP, KNOB_SPAN, KNOB_CLUSTER, KNOB_COUNT};

/* Set the knobs to combination `choice` of their values; false if there is none. */
static bool take_choice(struct schedule *schedule, const enum knob *knobs, size_t choice)
{
    for (; *knobs != KNOB_COUNT; knobs++) {
        const struct knob_row *row = &knob_table[*knobs];

        schedule->of[*knobs] = row->values[choice % row->count];
        choice /= row->count;
    }
    return choice == 0;
}

/*
 * True for work-groups that are large enough. Smaller ones are excluded, because the time estimate
 * does not include the cost of scheduling many of them.
 */
static bool is_large(const struct schedule *schedule)
{
    return schedule->of[KNOB_GROUP] >= (schedule->of[KNOB_MATRIX] ? 128 : 64);
}

/*
 * The shape of the problem's product on a GPU. False for other problems, and for those with
 * convolutions or attention, for which the estimate is less exact.
 */
static bool find_product(const struct brief *brief, const struct schedule *schedule,
                         struct product_shape *shape)
{
    const unsigned others = FAMILY_CONVOLUTION | FAMILY_ATTENTION;
    unsigned families = 0;
    bool is_found = false;

    return !brief->device->is_cpu &&
           !fusion_find_families(brief->problem, brief_language(brief), schedule, &families,
                                 NULL) &&
           families & FAMILY_PRODUCT && !(families & others) &&
           !time_estimate_shape(brief->problem, brief->device, shape, &is_found, NULL) && is_found;
}

/* Change the knobs to the values for which the estimated time is shortest. */
static void fit(struct schedule *schedule, const enum knob *knobs,
                const struct product_shape *shape)
{
    struct schedule to = *schedule;

    for (size_t choice = 0; take_choice(&to, knobs, choice); choice++)
        if (is_large(&to) && !schedule_check(&to, NULL) &&
            time_estimate(&to, shape) < time_estimate(schedule, shape))
            *schedule = to;
}

/* True if kernels of the problem are convolutions. */
static bool has_convolution(const struct brief *brief, const struct schedule *schedule)
{
    unsigned families = 0;

    return !fusion_find_families(brief->problem, brief_language(brief), schedule, &families,
                                 NULL) &&
           families & FAMILY_CONVOLUTION;
}

/* True if the product runs on matrix units under the schedule. */
static bool has_matrix(const struct brief *brief, const struct schedule *schedule)
{
    struct algebra algebra = {0};
    bool found = !algebra_open(&algebra, brief->problem, algebra_rules(schedule), NULL) &&
                 family_finds_matrix(algebra.problem, brief_language(brief), schedule);

    algebra_close(&algebra);
    return found;
}

/*
 * Split the operands of an f32 product for the matrix units of Hopper, if six products there take
 * less time than one without them.
 */
static void consider_parts(const struct brief *brief, struct schedule *schedule,
                           const struct product_shape *shape)
{
    struct schedule to = *schedule;

    if (to.of[KNOB_MATRIX] || schedule_matrix_units(brief->device) != MATRIX_UNITS_WARPGROUP)
        return;
    to.of[KNOB_MATRIX] = MATRIX_PARTS;
    to.of[KNOB_GROUP] = 256;
    to.of[KNOB_SPAN] = 128;
    to.of[KNOB_STAGES] = 6;
    to.of[KNOB_CLUSTER] = 1;
    to.of[KNOB_ORDER] = 1;
    fit(&to, parts_knobs, shape);
    if (time_estimate(&to, shape) < time_estimate(schedule, shape) && has_matrix(brief, &to))
        *schedule = to;
}

/*
 * Split the operands of f32 convolutions for the matrix units of Hopper, if one of them takes less
 * time there. The tile of products is one that suits three parts.
 */
static void split_convolutions(const struct brief *brief, struct schedule *schedule)
{
    struct schedule to = *schedule;
    struct brief rewritten = *brief;
    struct algebra algebra = {0};

    if (to.of[KNOB_MATRIX] || schedule_matrix_units(brief->device) != MATRIX_UNITS_WARPGROUP)
        return;
    to.of[KNOB_MATRIX] = MATRIX_PARTS;
    to.of[KNOB_SPAN] = 128;
    to.of[KNOB_STAGES] = 6;
    if (schedule_check(&to, NULL))
        return;
    if (!algebra_open(&algebra, brief->problem, algebra_rules(&to), NULL)) {
        rewritten.problem = algebra.problem;
        if (family_finds_matrix(rewritten.problem, brief_language(brief), &to) &&
            has_convolution(&rewritten, &to))
            *schedule = to;
    }
    algebra_close(&algebra);
}

/* The rounds in which work-groups, or pairs of them, take all tiles in turn. */
static double rounds_of(double down, double across, double cluster, double units)
{
    return ceil(ceil(down / cluster) * across / floor(units / cluster));
}

/*
 * Let work-groups stay where a product has tiles for several rounds: they start once, copy the next
 * tile's operands while they store sums, and round rows in the background. Pairs of them share
 * columns, unless rows have few tiles and an odd number of them, because the last pair has one tile
 * then. Measured on an H100, products of four rounds or more gain 2 to 14 %. With fewer rounds,
 * pairs with long sums gain as much if tiles do not divide the result, and lose up to 1 % if they
 * do. If pairs need a round more, the product is slower.
 */
static void let_groups_stay(const struct product_shape *shape, struct schedule *schedule)
{
    enum { MANY_TILES = 16, LEAST_ROUNDS = 3, LONG_SUM = 512 };
    struct schedule to = *schedule;
    double down = ceil(shape->m / schedule_tile_rows(schedule));
    double across = ceil(shape->n / schedule->of[KNOB_SPAN]), units = fmax(shape->units, 1);
    double cluster = down >= MANY_TILES || fmod(down, 2) == 0 ? 2 : 1, tiles = down * across;
    bool is_whole = fmod(shape->m, schedule_tile_rows(schedule)) == 0 &&
                    fmod(shape->n, schedule->of[KNOB_SPAN]) == 0;
    bool is_long = !is_whole && cluster > 1 && shape->k >= LONG_SUM && tiles >= units * 3 / 4;

    to.of[KNOB_PERSIST] = (int)shape->units;
    to.of[KNOB_CLUSTER] = (int)cluster;
    if (shape->count == 1 && (tiles >= LEAST_ROUNDS * units || is_long) &&
        rounds_of(down, across, cluster, units) <= rounds_of(down, across, 1, units) &&
        knob_has(KNOB_PERSIST, to.of[KNOB_PERSIST]) && !schedule_check(&to, NULL))
        *schedule = to;
}

/* Choose the first tile of a product on a GPU by the time estimate. */
static void fit_tiles(const struct brief *brief, struct schedule *schedule)
{
    struct product_shape shape;
    struct brief rewritten = *brief;
    struct algebra algebra = {0};

    if (!algebra_open(&algebra, brief->problem, algebra_rules(schedule), NULL)) {
        rewritten.problem = algebra.problem;
        if (find_product(&rewritten, schedule, &shape)) {
            fit(schedule, schedule->of[KNOB_MATRIX] ? matrix_knobs : tile_knobs, &shape);
            if (schedule->of[KNOB_MATRIX])
                let_groups_stay(&shape, schedule);
            consider_parts(brief, schedule, &shape);
        }
    }
    algebra_close(&algebra);
}

/* True if a product may have rounded operands, or there is none: no decision depends on it. */
static bool may_round(const struct brief *brief)
{
    struct writer writer = {0};
    bool found = false, is_one_free = false;

    if (writer_open(&writer, brief->problem, brief_language(brief), NULL))
        return true;
    for (size_t n = 0; n < writer.graph.nodes.count; n++) {
        const struct graph_node *node = &writer.graph.nodes.items[n];

        if (node->op->kind != OP_PRODUCT && node->op->kind != OP_CONVOLUTION)
            continue;
        found = true;
        is_one_free |= !writer.decides[node->out];
    }
    writer_release(&writer);
    return is_one_free || !found;
}

/* The type of 16 bits whose range suffices. */
static int operands_for(const struct brief *brief)
{
    struct writer writer = {0};
    bool needs_range;

    if (writer_open(&writer, brief->problem, brief_language(brief), NULL))
        return MATRIX_HALVES;
    needs_range = half_range_is_exceeded(&writer.graph);
    writer_release(&writer);
    return needs_range ? MATRIX_BFLOATS : MATRIX_HALVES;
}

/*
 * Turn on matrix units. KNOB_ORDER becomes 1, so that consecutive work-groups share columns and
 * read the params from memory once.
 */
static void take_matrix_units(const struct brief *brief, struct schedule *schedule)
{
    enum matrix_units units = schedule_matrix_units(brief->device);
    struct schedule on_units;

    if (!brief->problem->tolerance.allows_mixed || units == MATRIX_UNITS_NONE)
        return;
    schedule->of[KNOB_WARPGROUP] = units == MATRIX_UNITS_WARPGROUP;
    if (units == MATRIX_UNITS_WARP)
        schedule->of[KNOB_SPAN] = 128;
    schedule->of[KNOB_FAST] = FAST_DEVICE;
    if (!may_round(brief))
        return;
    on_units = *schedule;
    on_units.of[KNOB_MATRIX] = operands_for(brief);
    on_units.of[KNOB_ORDER] = 1;
    if (has_matrix(brief, &on_units))
        *schedule = on_units;
}

static void choose(const struct brief *brief, struct schedule *schedule, struct strbuf *remark)
{
    *schedule = schedule_first(brief->device);
    schedule->of[KNOB_FAST] = brief->problem->tolerance.rtol >= fast_error;
    if (schedule_matrix_units(brief->device) == MATRIX_UNITS_WARP)
        schedule->of[KNOB_WARPGROUP] = 0;
    take_matrix_units(brief, schedule);
    fit_tiles(brief, schedule);
    split_convolutions(brief, schedule);
    if (!brief->previous || !schedule_read(schedule, brief->previous->source)) {
        if (!transfer_take(brief, schedule, remark))
            strbuf_adds(remark, "First schedule\n\nA cautious schedule for this device. ");
    } else if (has_failed(brief)) {
        repair(brief, schedule, remark);
    } else {
        follow(brief, schedule, remark);
    }
}

enum status generator_reply(const struct brief *brief, struct strbuf *reply, struct error *err)
{
    struct schedule schedule;
    struct candidate candidate = {0};
    struct strbuf remark = {0};
    enum status st;

    choose(brief, &schedule, &remark);
    st = emit_candidate(brief->problem, brief_language(brief), &schedule, &candidate, err);
    if (!st) {
        strbuf_adds(&remark, candidate.remark);
        free(candidate.remark);
        candidate.remark = strbuf_take(&remark);
        reply_format(&candidate, reply);
    }
    candidate_release(&candidate);
    strbuf_release(&remark);
    return st;
}
