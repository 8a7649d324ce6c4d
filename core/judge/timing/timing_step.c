#include "core/judge/timing/timing_step.h"

#include <math.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/batches/timing_repeats.h"
#include "core/judge/companion.h"
#include "core/judge/limits.h"
#include "core/judge/timing/closer_look.h"
#include "core/judge/timing/timing.h"
#include "core/system/clock.h"
#include "core/system/log.h"

/* The oracle may verify sampled runs, but at least one, for this share of the evaluation's time. */
static const double sample_share = 0.15;

/*
 * Secret runs with outputs that stay on the device are verified besides the sample, so the sample
 * is smaller. On a GPU the time of builds does not count, because some compilers take most of an
 * evaluation, and one that takes longer than LONG_US without them has waited for something.
 */
static const double deferred_share = 0.05;
enum { LONG_US = 2000000 };

/* The state of the step. */
struct state {
    const struct timing_step *step;
    struct evaluation *e;
    struct inspection inspection;
    struct timing_request request;
    struct timing_result *result;
    bool has_turn, is_placed; /* the device's turn and the candidate's buffers; see give_way() */
};

static void report_runs(void *data, unsigned runs, double median_us)
{
    const struct state *s = data;
    const struct judge_options *options = s->e->options;
    const struct evaluation_progress progress = {
        .stage = "timing", .done = runs, .median_us = median_us};

    options->progress(options->data, &progress);
}

static enum status verify_run(void *data, const struct sampled_run *run, struct error *err)
{
    const struct state *s = data;

    evaluation_make_room(s->e, s->inspection.expected);
    return evaluation_check_sampled_run(s->e, &s->inspection, run, err);
}

static enum status time_baselines(void *data, size_t round, struct error *err)
{
    const struct state *s = data;

    s->step->baselines->is_watched = s->result->is_watched;
    s->step->baselines->repeats =
        timing_repeats_are_due(s->result->is_disturbed, s->request.budget_us);
    return s->e->options->without_baselines ? STATUS_OK
                                            : baselines_time(s->step->baselines, round, err);
}

/* Load the candidate again, because loading another program has ended the executor. */
static enum status place_again(struct state *s, struct error *err)
{
    memset(s->request.rivals, 0, sizeof(s->request.rivals));
    return evaluation_place(s->e, s->inspection.param_seed, true, err);
}

/*
 * Load a rival besides the candidate. If that ends the executor, load the candidate again, without
 * the rivals that were loaded before.
 */
static enum status place_rival(struct state *s, enum timing_rival rival, struct error *err)
{
    static const unsigned slots[] = {[TIMING_BEST] = SLOT_BEST, [TIMING_FIRST] = SLOT_FIRST};
    const struct baselines_scene *scene = &s->step->scene;
    const struct companion companion = {slots[rival], scene->rivals[rival],
                                        s->inspection.param_seed};
    struct companion_run *run = &s->request.rivals[rival];
    enum status st = companion_place(scene->context, &companion, run, err);

    if (!st && run->us <= 0)
        st = place_again(s, err);
    if (!timing_can_afford(&s->request, rival))
        run->us = 0;
    return st;
}

/* Load the baselines. Those that end the executor twice are dropped, so this ends. */
static enum status place_baselines(struct state *s, struct error *err)
{
    bool is_lost = true;
    enum status st = STATUS_OK;

    while (!st && is_lost && s->e->verdict->outcome == OUTCOME_NONE) {
        is_lost = false;
        st = baselines_place(s->step->baselines, &s->step->scene, s->inspection.param_seed,
                             &is_lost, err);
        if (!st && is_lost)
            st = place_again(s, err);
    }
    return st;
}

/*
 * Load rivals and baselines. Reloading the candidate drops all that were loaded before. Therefore
 * those most likely to fail come first: the first candidate, then the best. Baselines have already
 * run before any candidate.
 */
static enum status place_others(struct state *s, struct error *err)
{
    static const enum timing_rival order[TIMING_RIVALS] = {TIMING_FIRST, TIMING_BEST};
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < TIMING_RIVALS; i++)
        if (s->step->scene.rivals[order[i]] && s->e->verdict->outcome == OUTCOME_NONE)
            st = place_rival(s, order[i], err);
    return st ? st : place_baselines(s, err);
}

static enum status time_runs(struct state *s, struct error *err)
{
    if (s->e->verdict->outcome != OUTCOME_NONE)
        return STATUS_OK;
    return evaluation_absorb(s->e, timing_run(&s->request, s->e->verdict, s->result, err), err);
}

/* A rival or a baseline failed: start over without rivals. */
static enum status time_alone(struct state *s, struct error *err)
{
    enum status st = place_again(s, err);

    timing_result_release(s->result);
    *s->result = (struct timing_result){0};
    baselines_repeat(s->step->baselines);
    if (!st && s->e->verdict->outcome == OUTCOME_NONE)
        st = place_baselines(s, err);
    return st ? st : time_runs(s, err);
}

/* The number of sampled runs that the oracle may verify in an evaluation of `us`. */
static size_t sample_size(const struct state *s, int64_t us)
{
    bool are_deferred = expectations_are_deferred(s->e->expectations);
    double counted_us =
        s->e->device->is_cpu ? (double)us : fmin((double)us - s->e->build_us, LONG_US);
    double runs = (are_deferred ? deferred_share : sample_share) * counted_us /
                  (expectations_cost_us(s->e->expectations) + 1);

    return runs < 1 ? 1 : runs > SAMPLED_RUNS_MAX ? SAMPLED_RUNS_MAX : (size_t)runs;
}

static int64_t spent_us(const struct state *s)
{
    return clock_now_us() - s->step->began_us;
}

/* The number of timed runs to sample. Runs that are kept are thinned out after the timing. */
static size_t draw_size(const struct state *s)
{
    return sample_size(s, spent_us(s) + evaluation_timing_us(s->e));
}

static enum status time_beside_others(struct state *s, struct error *err)
{
    enum status st = place_others(s, err);

    log_line("evaluation: rivals and baselines placed until %.3f s",
             (double)(clock_now_us() - s->step->began_us) * 1e-6);
    if (!st)
        st = time_runs(s, err);
    while (!st && s->result->rival_failed) /* the plain kernels fail twice at most */
        st = time_alone(s, err);
    baselines_put_away(s->step->baselines);
    return st;
}

/*
 * Give up what the check of the sample does not need on a GPU: the turn where the CPU computes the
 * expected values, else the buffers of all programs where the oracle's own take much memory.
 */
static enum status give_way(struct state *s, struct error *err)
{
    const struct evaluation *e = s->e;

    if (e->device->is_cpu)
        return STATUS_OK;
    s->has_turn = expectations_are_on_device(e->expectations);
    if (!s->has_turn)
        return s->step->turns->take(s->step->turns->data, DEVICE_HOST, err);
    s->is_placed = !expected_outputs_take_much(&s->inspection.shape->graph, e->device);
    if (!s->is_placed)
        executor_empty(e->executor);
    return STATUS_OK;
}

/* Take back what was given up for the check. */
static enum status come_back(struct state *s, struct error *err)
{
    if (!s->has_turn)
        return s->step->turns->take(s->step->turns->data, DEVICE_TIMED, err);
    return s->is_placed ? STATUS_OK : place_again(s, err);
}

/* Look closer at a candidate that beats the bound. */
static enum status look_closer(struct state *s, struct error *err)
{
    const struct limits limits = limits_of(s->step->scene.context);
    const struct closer_look look = {&s->inspection, &s->result->time};
    enum status st;

    if (!limits_bound_is_beaten(&limits, look.time))
        return STATUS_OK;
    st = come_back(s, err);
    if (st || s->e->verdict->outcome != OUTCOME_NONE)
        return st;
    return evaluation_absorb(s->e, closer_look_take(s->e, &look, err), err);
}

/* Check what the timed runs computed, and look closer. */
static enum status check(struct state *s, struct error *err)
{
    enum status st = STATUS_OK;

    sampled_runs_thin(&s->result->sample, sample_size(s, spent_us(s)));
    s->has_turn = s->is_placed = true;
    if (s->result->sample.count > 0)
        st = give_way(s, err);
    if (!st)
        st = evaluation_check_sample(s->e, &s->inspection, &s->result->sample, err);
    log_line("evaluation: sample of %zu until %.3f s", s->result->sample.count,
             (double)spent_us(s) * 1e-6);
    if (!st && s->e->verdict->outcome == OUTCOME_NONE)
        st = look_closer(s, err);
    return st;
}

static struct timing_request request_of(struct state *s)
{
    const struct evaluation *e = s->e;

    return (struct timing_request){
        .executor = e->executor,
        .inspection = &s->inspection,
        .sample = draw_size(s),
        .verify = verify_run,
        .precision = e->options->precision,
        .budget_us = e->options->timing_budget_us,
        .expected_us = e->expected_us,
        .core_share = evaluation_core_share(e),
        .cores = e->device->is_cpu ? e->device->compute_units : 0,
        .guests = {time_baselines, s},
        .progress = report_runs,
        .data = s,
    };
}

void timing_step_expect(struct executor *executor, const struct candidate *best,
                        const struct candidate *first)
{
    if (best)
        executor_expect(executor, best->language);
    if (first)
        executor_expect(executor, first->language);
}

enum status timing_step_take(const struct timing_step *step, struct evaluation *e,
                             struct error *err)
{
    struct state s = {.step = step,
                      .e = e,
                      .result = mem_alloc_zeroed(1, sizeof(struct timing_result)),
                      .has_turn = true,
                      .is_placed = true};
    enum status st =
        evaluation_inspection(e, EXPECTATIONS_MAIN, evaluation_last_trial(e), &s.inspection, err);

    s.request = request_of(&s);
    if (!st)
        st = evaluation_secrets(e, s.request.secrets, err);
    if (!st)
        st = time_beside_others(&s, err);
    log_line("evaluation: timing until %.3f s: %zu rounds, %zu samples of %.1f us, checks %.3f s, "
             "aside %.3f s",
             (double)(clock_now_us() - step->began_us) * 1e-6, s.result->rounds, s.result->count,
             s.result->time.median_us, (double)s.result->checks_us * 1e-6,
             (double)s.result->aside_us * 1e-6);
    if (!st)
        st = check(&s, err);
    log_line("evaluation: sampled runs until %.3f s",
             (double)(clock_now_us() - step->began_us) * 1e-6);
    if (!st && e->verdict->outcome == OUTCOME_NONE) {
        timing_result_keep(s.result, &e->dispatch.launches, e->verdict);
        baselines_compare(step->baselines, &step->scene, s.result, e->verdict);
        timing_result_report_load(s.result, e->verdict);
    }
    timing_result_release(s.result);
    free(s.result);
    return st;
}
