#include "core/agent/builtin/analyst.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "core/agent/builtin/obstacle.h"
#include "core/agent/builtin/plan/fusion.h"
#include "core/agent/builtin/plan/knob_reasons.h"
#include "core/agent/builtin/plan/remedies.h"
#include "core/agent/builtin/plan/rewrites.h"
#include "core/agent/builtin/plan/time_estimate.h"
#include "core/base/array.h"
#include "core/base/format.h"
#include "core/base/mem.h"
#include "core/codegen/dialect.h"

/*
 * Single steps to try if no time estimate ranks schedules, the best first. `gain` is the mean
 * speedup over the shipped problems; the distance to the bound limits it.
 */
static const struct step {
    enum knob knob;
    int direction;
    double gain;
    unsigned families; /* families of kernels to which the step applies */
    enum { ANYWHERE, ON_GPU, WITH_MATRIX } where;
} steps[] = {
    {KNOB_FUSE, 1, 1.8, ~0U, ANYWHERE},
    {KNOB_STORE, 1, 1.1, FAMILY_ROWWISE, ANYWHERE},
    {KNOB_BLOCK, 1, 1.08, FAMILY_TRANSPOSE, ANYWHERE},
    {KNOB_ITEMS, 1, 1.06, FAMILY_ELEMENTWISE | FAMILY_MOVEMENT, ANYWHERE},
    {KNOB_VEC, 1, 1.2, FAMILY_ELEMENTWISE | FAMILY_ROWWISE | FAMILY_MOVEMENT, ANYWHERE},
    {KNOB_LANES, 1, 1.03, FAMILY_ROWWISE, ON_GPU},
    {KNOB_HOLD, 1, 1.04, FAMILY_ROWWISE, ON_GPU},
    {KNOB_HOLD, -1, 1.04, FAMILY_ROWWISE, ON_GPU},
    {KNOB_ITEMS, -1, 1.05, FAMILY_ELEMENTWISE | FAMILY_MOVEMENT | FAMILY_POOLING, ANYWHERE},
    {KNOB_GROUP, 1, 1.02, FAMILY_ELEMENTWISE | FAMILY_ROWWISE, ANYWHERE},
    {KNOB_VEC, -1, 1.02, FAMILY_ELEMENTWISE | FAMILY_ROWWISE | FAMILY_POOLING, ANYWHERE},
    {KNOB_BLOCK, -1, 1.02, FAMILY_TRANSPOSE, ANYWHERE},
    {KNOB_LANES, -1, 1.06, FAMILY_ROWWISE, ON_GPU},
    {KNOB_STORE, -1, 1.05, FAMILY_ROWWISE, ANYWHERE},
    {KNOB_GROUP, -1, 1.05, FAMILY_ELEMENTWISE | FAMILY_ROWWISE, ON_GPU},
    {KNOB_GROUP, 1, 1.03, FAMILY_PRODUCT, ON_GPU},
    {KNOB_LOCAL, 1, 1.03, FAMILY_PRODUCT, ON_GPU},
    {KNOB_SPAN, -1, 1.04, FAMILY_PRODUCT, WITH_MATRIX},
    {KNOB_SPAN, 1, 1.04, FAMILY_PRODUCT, WITH_MATRIX},
    {KNOB_STAGES, 1, 1.03, FAMILY_PRODUCT, WITH_MATRIX},
    {KNOB_STAGES, -1, 1.02, FAMILY_PRODUCT, WITH_MATRIX},
    {KNOB_LOCAL, -1, 1.02, FAMILY_PRODUCT, ON_GPU},
};

/* Families whose kernels keep tiles of sums in registers. */
static const unsigned tiled = FAMILY_PRODUCT | FAMILY_CONVOLUTION | FAMILY_ATTENTION;

/* A smaller promised gain would be less than the noise of a measurement. */
static const double least_gain = 1.005;

/* The analyst's inputs, and the best change so far. */
struct analysis {
    const struct brief *brief;
    struct schedule current;
    unsigned families;
    bool has_shape;
    struct product_shape shape;    /* sizes of the product that decides */
    const struct profile *profile; /* NULL if the verdict has no profile */
    double headroom;               /* the largest gain that a change may have */
    double trust; /* mean ratio of measured to promised gains of earlier changes, 0.1 to 1.5 */
    struct schedule best;
    double gain;
    /* operations of the best change: array of {"before", "after"}; NULL if it is not a rewrite */
    struct json *rewrites;
    /* the number of operations that the best change moves to `prepare`; 0 without rewrites */
    size_t ahead;
};

/*
 * The mean of measured over promised gains of the earlier changes. Each ratio is limited to 0 to
 * 1.5, so that one outlier does not dominate.
 */
static double trust_in(const struct brief *brief)
{
    double sum = 1;
    size_t count = 1;

    for (size_t i = 0; i < brief->record_count; i++) {
        const struct brief_record *r = &brief->records[i];

        if (r->promised <= 1)
            continue;
        sum += fmin(fmax((r->gained - 1) / (r->promised - 1), 0), 1.5);
        count++;
    }
    return fmax(sum / (double)count, 0.1);
}

static bool is_same(const struct schedule *a, const struct schedule *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

static bool leads_to(const struct schedule *from, const char *change, const struct schedule *to)
{
    struct schedule changed = *from;

    return !schedule_change(&changed, change, NULL) && is_same(&changed, to);
}

/* True if an earlier or a refused change leads to the schedule, or an earlier one started from it.
 */
static bool is_known(const struct analysis *a, const struct schedule *to)
{
    for (size_t i = 0; i < a->brief->refused_count; i++)
        if (leads_to(&a->current, a->brief->refused[i], to))
            return true;
    for (size_t i = 0; i < a->brief->record_count; i++) {
        struct schedule before = a->current;

        if (leads_to(&a->current, a->brief->records[i].change, to))
            return true;
        if (!schedule_undo(&before, a->brief->records[i].change, NULL) && is_same(&before, to))
            return true;
    }
    return false;
}

/*
 * Keep the schedule if its promised gain is larger than that of the best so far, and if the kernels
 * differ.
 */
static void consider(struct analysis *a, const struct schedule *to, double gain)
{
    const struct dialect *dialect = dialect_of(brief_language(a->brief));

    gain = fmin(1 + (gain - 1) * a->trust, a->headroom);
    if (gain <= a->gain || !schedule_differs(to, &a->current, dialect) ||
        schedule_check(to, NULL) || is_known(a, to))
        return;
    a->best = *to;
    a->gain = gain;
}

/* Move the knob to its next or previous value; false at the end of its values. */
static bool move_knob(struct schedule *schedule, enum knob knob, int direction)
{
    const struct knob_row *row = &knob_table[knob];

    for (size_t i = 0; i < row->count; i++) {
        size_t next =
            i + (size_t)direction; /* wraps around below zero, which fails the next test */

        if (row->values[i] != schedule->of[knob] || next >= row->count)
            continue;
        schedule->of[knob] = row->values[next];
        return true;
    }
    return false;
}

static bool is_there(const struct analysis *a, int where)
{
    if (where == WITH_MATRIX)
        return a->current.of[KNOB_MATRIX];
    return where == ANYWHERE || !a->brief->device->is_cpu;
}

/*
 * True if the time estimate predicts that a tiled kernel becomes much slower. The table's gains are
 * means over problems, and may not hold for this problem's shape.
 */
static bool is_worse(const struct analysis *a, unsigned families, const struct schedule *to)
{
    const double much = 1.1;

    return a->has_shape && families & tiled &&
           time_estimate(to, &a->shape) > much * time_estimate(&a->current, &a->shape);
}

static void consider_steps(struct analysis *a)
{
    for (size_t i = 0; i < COUNT(steps); i++) {
        struct schedule to = a->current;

        if (!is_there(a, (int)steps[i].where))
            continue;
        if (steps[i].families & a->families && move_knob(&to, steps[i].knob, steps[i].direction) &&
            !is_worse(a, steps[i].families, &to))
            consider(a, &to, steps[i].gain);
    }
}

/*
 * Steps that the profile suggests if no time estimate ranks schedules. Counters do not show how
 * large a change should be, so each one is a single step.
 */
static void consider_remedies(struct analysis *a)
{
    const struct remedy *remedy;

    for (size_t i = 0; (remedy = remedies_at(i)); i++) {
        const struct profile_rule *rule = remedies_rule(a->profile, remedy->rule);
        struct schedule to = a->current;

        if (rule && remedies_apply(remedy, &a->current, a->families) &&
            move_knob(&to, remedy->knob, remedy->direction))
            consider(a, &to, remedies_gain(rule));
    }
}

/*
 * The time estimate models registers and caches, but not everything that limits a kernel. In
 * measurements the real gain was about the square root of the estimated ratio. The ranking is not
 * exact either, so schedules that are estimated up to 20 % slower remain candidates with a small
 * gain.
 */
static void consider_tile(struct analysis *a, const struct schedule *to)
{
    double ratio = time_estimate(&a->current, &a->shape) / time_estimate(to, &a->shape);

    consider(a, to, ratio > 1 ? sqrt(ratio) : 1 + 0.1 * (ratio - 0.8));
}

/* Schedules with all pairs of values of two knobs. */
static void consider_sizes(struct analysis *a, enum knob rows, enum knob columns)
{
    const struct knob_row *m = &knob_table[rows], *n = &knob_table[columns];
    struct schedule to = a->current;

    for (size_t i = 0; i < m->count; i++)
        for (size_t j = 0; j < n->count; j++) {
            to.of[rows] = m->values[i];
            to.of[columns] = n->values[j];
            consider_tile(a, &to);
        }
}

/*
 * Schedules of a convolution on matrix units. The time estimate is that of a product, so that each
 * step has the same small gain.
 */
static void consider_matrix_convolution(struct analysis *a)
{
    const double gain = 1.03;

    for (int direction = -1; direction <= 1; direction += 2) {
        struct schedule to = a->current;

        if (move_knob(&to, KNOB_SPAN, direction))
            consider(a, &to, gain);
    }
}

/*
 * As many work-groups as there are multiprocessors, if there are more tiles, or one for each tile
 * again. The first schedule has what is usually faster.
 */
static void consider_persistent(struct analysis *a)
{
    const double gain = 1.01;
    struct schedule to = a->current;
    double tiles;

    to.of[KNOB_TURNS] = 1;
    to.of[KNOB_PERSIST] = (int)a->shape.units;
    tiles = a->shape.count * ceil(a->shape.m / schedule_tile_rows(&to)) *
            ceil(a->shape.n / to.of[KNOB_SPAN]);
    if (a->current.of[KNOB_PERSIST])
        to.of[KNOB_PERSIST] = 0;
    else if (!knob_has(KNOB_PERSIST, to.of[KNOB_PERSIST]) || tiles <= a->shape.units)
        return;
    consider(a, &to, gain);
}

/*
 * Schedules of tiled kernels: all sizes of the tile, and then the order and the unrolling, each
 * changed alone.
 */
static void consider_tiles(struct analysis *a)
{
    struct schedule to = a->current;

    if (a->current.of[KNOB_MATRIX] && a->families & FAMILY_CONVOLUTION) {
        consider_matrix_convolution(a);
        return;
    }
    if (a->current.of[KNOB_MATRIX]) {
        consider_sizes(a, KNOB_GROUP, KNOB_SPAN);
        consider_sizes(a, KNOB_CLUSTER, KNOB_TURNS);
        consider_persistent(a);
        return;
    }
    consider_sizes(a, KNOB_TILE_M, KNOB_TILE_N);
    if (!(a->families & FAMILY_PRODUCT))
        return;
    if (!a->brief->device->is_cpu)
        consider_sizes(a, KNOB_GROUP, KNOB_SLICES);
    to = a->current;
    to.of[KNOB_ORDER] = !to.of[KNOB_ORDER];
    consider_tile(a, &to);
    to = a->current;
    if (move_knob(&to, KNOB_UNROLL, 1))
        consider_tile(a, &to);
}

/* A rewrite is not limited by the bound of the graph as it is written. */
static const double least_of_rewrite = 1.01, most_of_rewrite = 8;

/*
 * Propose a rewrite that saves work before any step of the schedule, because the steps depend on
 * the graph.
 */
static enum status consider_rewrites(struct analysis *a, struct error *err)
{
    struct rewrite_found found = {0};
    size_t next = 0;
    enum status st = rewrites_find(a->brief->problem, &a->current, &next, &found, err);

    while (!st && found.steps && is_known(a, &found.to)) {
        json_free(found.steps);
        st = rewrites_find(a->brief->problem, &a->current, &next, &found, err);
    }
    if (st || !found.steps)
        return st;
    a->best = found.to;
    a->gain = fmin(fmax(1 + (found.gain - 1) * a->trust, least_of_rewrite), most_of_rewrite);
    a->rewrites = found.steps;
    a->ahead = found.ahead;
    return STATUS_OK;
}

/* The largest gain that is promised if the bound sets no limit. */
static const double unknown_headroom = 2;

/*
 * The distance to the bound. A candidate that beats the bound needs less work than the graph, so
 * the bound does not limit it.
 */
static double headroom_of(const struct verdict *verdict)
{
    double fraction = verdict && verdict->bound.is_present ? verdict->bound.fraction : 0;

    return fraction > 0 && fraction <= 1 ? fmax(1 / fraction, 1.02) : unknown_headroom;
}

static enum status analyse(struct analysis *a, struct error *err)
{
    const struct brief *brief = a->brief;
    enum status st;

    a->current = schedule_first(brief->device);
    if (!brief->previous || !schedule_read(&a->current, brief->previous->source))
        a->current.of[KNOB_FUSE] = 0;
    if (brief->verdict && brief->verdict->profile.is_present)
        a->profile = &brief->verdict->profile;
    a->headroom = headroom_of(brief->verdict);
    a->trust = trust_in(brief);
    a->gain = least_gain;
    st =
        fusion_find_families(brief->problem, brief_language(brief), &a->current, &a->families, err);
    if (!st)
        st = time_estimate_shape(brief->problem, brief->device, &a->shape, &a->has_shape, err);
    if (st)
        return st;
    st = consider_rewrites(a, err);
    if (st || a->rewrites)
        return st;
    if (a->has_shape && a->families & tiled)
        consider_tiles(a);
    else if (a->profile)
        consider_remedies(a);
    consider_steps(a);
    return STATUS_OK;
}

/* The rule of the profile that the best change answers; NULL for none. */
static const struct profile_rule *rule_of(const struct analysis *a)
{
    return a->profile ? remedies_answered_rule(a->profile, &a->current, &a->best) : NULL;
}

/*
 * The reason of the rule that the change answers. Without a rule it is the reason of the first knob
 * that the change moves.
 */
static const struct reason *reason_of(const struct analysis *a)
{
    const struct profile_rule *rule = rule_of(a);
    size_t k = 0;

    if (rule)
        return remedies_reason(rule);
    while (k + 1 < KNOB_COUNT && a->best.of[k] == a->current.of[k])
        k++;
    return knob_reason((enum knob)k, a->best.of[k] > a->current.of[k]);
}

static void push_evidence(struct json *evidence, const char *fmt, ...) PRINTF_LIKE(2, 3);

static void push_evidence(struct json *evidence, const char *fmt, ...)
{
    struct strbuf text = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    json_push(evidence, json_string_new(strbuf_cstr(&text)));
    strbuf_release(&text);
}

/* Say why operations have no matrix units, or only the plain kernel. Nothing depends on that. */
static void put_obstacles(const struct analysis *a, struct json *evidence)
{
    struct obstacles found;

    if (obstacles_find(&found, a->brief->problem, a->brief->device, &a->current, NULL))
        return;
    for (size_t i = 0; i < found.count; i++)
        push_evidence(evidence, "%s %s: %s", found.items[i].operation, found.items[i].instead,
                      found.items[i].why);
}

static void put_evidence(const struct analysis *a, struct json *advice)
{
    struct json *evidence = json_put(advice, "evidence", json_array_new());
    const struct verdict *verdict = a->brief->verdict;
    const struct profile_rule *rule = rule_of(a);
    char time[FORMAT_SIZE];

    if (rule)
        push_evidence(evidence, "%s, %s in %s: %s", a->profile->source, rule->name, rule->kernel,
                      rule->text);
    if (verdict && verdict->timing.is_present)
        push_evidence(evidence, "time = %s", format_time(time, verdict->timing.time.median_us));
    if (verdict && verdict->bound.is_present) {
        push_evidence(evidence, "bound = %s", format_time(time, verdict->bound.us));
        push_evidence(evidence, "fraction of bound = %.2f", verdict->bound.fraction);
        push_evidence(evidence, "limiter = %s", limiter_name(verdict->bound.limiter));
    }
    rewrites_describe(a->rewrites, evidence);
    if (a->ahead && a->best.of[KNOB_AHEAD] != a->current.of[KNOB_AHEAD])
        push_evidence(evidence, "operations only on params, computed in advance = %zu", a->ahead);
    put_obstacles(a, evidence);
    push_evidence(evidence, "changes tried = %zu", a->brief->record_count);
    for (size_t k = 0; k < KNOB_COUNT; k++)
        if (a->best.of[k] != a->current.of[k])
            push_evidence(evidence, "%s = %d", knob_table[k].name, a->current.of[k]);
}

static void write_advice(const struct analysis *a, const struct reason *reason, const char *change,
                         struct strbuf *reply)
{
    struct json *advice = json_object_new();

    json_put_string(advice, "bottleneck", reason->bottleneck);
    put_evidence(a, advice);
    json_put_string(advice, "change", change);
    json_put_number(advice, "expect", round(a->gain * 100) / 100);
    json_push(json_put(advice, "tags", json_array_new()), json_string_new(reason->tag));
    strbuf_addf(reply, "%s: %s.\n\n```json\n", change, reason->why);
    json_print_pretty(advice, reply);
    strbuf_adds(reply, "\n```\n");
    json_free(advice);
}

enum status analyst_reply(const struct brief *brief, struct strbuf *reply, struct error *err)
{
    static const struct reason nothing = {
        "none that a schedule can change",
        "all neighbouring schedules have been tried or promise no gain", "exhausted"};
    struct analysis a = {.brief = brief};
    struct strbuf change = {0};
    enum status st = analyse(&a, err);

    if (st)
        return st;
    if (a.gain > least_gain) {
        schedule_difference(&a.current, &a.best, ~0U, &change);
        write_advice(&a, reason_of(&a), strbuf_cstr(&change), reply);
    } else {
        a.best = a.current;
        a.gain = 1;
        write_advice(&a, &nothing, RECOMMENDATION_NOTHING, reply);
    }
    strbuf_release(&change);
    json_free(a.rewrites);
    return STATUS_OK;
}
