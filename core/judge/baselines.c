#include "core/judge/baselines.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/codegen/plain.h"
#include "core/judge/batches/timing_repeats.h"
#include "core/judge/companion.h"
#include "core/judge/host_library/host_library.h"
#include "core/judge/model_check.h"
#include "core/judge/oracle/fill.h"
#include "core/model/baseline_label.h"
#include "core/model/roofline/floor.h"
#include "core/system/clock.h"

static const struct graph *main_graph(const struct evaluation_context *context)
{
    return &expectations_case(context->expectations, EXPECTATIONS_MAIN)->graph;
}

/* The host library runs on the host's cores, so only candidates on CPUs are compared with it. */
static bool has_host_library(const struct evaluation_context *context)
{
    struct error lacks;

    return context->device->is_cpu &&
           !host_library_check(context->problem, main_graph(context), &lacks);
}

/*
 * On a GPU the plain kernels of a convolution take thirty times as long as a good candidate, and
 * their times are steady, so two of them are enough.
 */
enum { FIRST_PLAIN_US = 120000 };

void baselines_make(struct baselines *b, const struct evaluation_context *context,
                    struct bridge *bridge)
{
    *b = (struct baselines){
        .plain_times.name = BASELINE_PLAIN, .host_times.name = BASELINE_HOST, .bridge = bridge};
    b->plain_times.is_broken =
        plain_candidate(context->problem,
                        &(struct plain_target){context->device->language, !context->device->is_cpu},
                        &b->plain, &b->no_plain);
    b->plain_times.rounds.shares_work = b->plain_times.rounds.is_even = true;
    b->plain_times.first_us = context->device->is_cpu ? 0 : FIRST_PLAIN_US;
    b->host_times.is_broken = !has_host_library(context);
}

void baselines_release(struct baselines *b)
{
    host_library_free(b->library);
    candidate_release(&b->plain);
    model_baselines_release(&b->model);
    *b = (struct baselines){0};
}

void baselines_begin(struct baselines *b)
{
    b->began_us = clock_now_us();
    b->host_run_us = b->host_data_us = 0;
    b->has_plain_failed = false;
    baseline_begin(&b->plain_times);
    baseline_begin(&b->host_times);
    model_baselines_begin(&b->model);
}

static double elapsed_us(const struct baselines *b)
{
    return (double)(clock_now_us() - b->began_us);
}

static struct companion plain_companion(const struct baselines *b, uint64_t param_seed)
{
    return (struct companion){SLOT_PLAIN, &b->plain, param_seed};
}

static const char does_not_run[] = "the plain kernels do not run on this device";

static void drop_plain(struct baselines *b, const char *why)
{
    b->plain_times.is_broken = true;
    error_set(&b->no_plain, STATUS_UNAVAILABLE, "%s", why);
}

/*
 * Handle a failure of the plain kernels. A candidate in the same process may have damaged it, so
 * the plain kernels are tried once more in a new process.
 */
static void fail_plain(struct baselines *b, const struct evaluation_context *context,
                       const char *why)
{
    if (b->has_plain_failed)
        drop_plain(b, why);
    b->has_plain_failed = true;
    executor_distrust(context->executor);
}

/* Plain kernels that fail here or take too long are dropped: they would do so again. */
enum status baselines_keep_plain(struct baselines *b, const struct evaluation_context *context,
                                 struct error *err)
{
    const struct companion companion = plain_companion(b, fill_secret_seed());
    struct companion_run run = {.us = -1};
    enum status st;

    if (b->plain_times.is_broken || context->options->without_baselines)
        return STATUS_OK;
    st = companion_keep(context, &companion, &run, err);
    if (!st && run.us < 0)
        drop_plain(b, does_not_run);
    return st;
}

/* True if the candidate or one of its rivals is on the scale. */
static bool keeps_scale(const struct baselines *b, const struct baselines_scene *scene)
{
    bool is_known = relative_times_find(&b->candidates, scene->candidate) > 0;

    for (unsigned i = 0; i < TIMING_RIVALS; i++)
        is_known |= relative_times_find(&b->candidates, scene->rivals[i]) > 0;
    return is_known;
}

static void restart(struct baselines *b)
{
    b->candidates.count = 0;
    baseline_restart(&b->plain_times);
    baseline_restart(&b->host_times);
    model_baselines_restart(&b->model);
}

/* If the plain kernels fail or take too long, the candidate is not to blame. */
static enum status place_plain(struct baselines *b, const struct evaluation_context *context,
                               uint64_t param_seed, bool *is_lost, struct error *err)
{
    const struct companion companion = plain_companion(b, param_seed);
    struct companion_run run = {0};
    enum status st;

    baseline_allow(&b->plain_times, elapsed_us(b));
    if (!baseline_is_due(&b->plain_times))
        return STATUS_OK;
    st = companion_place(context, &companion, &run, err);
    if (!st && run.us <= 0) {
        fail_plain(b, context, does_not_run);
        *is_lost = true;
    }
    b->plain_times.rounds.core_share = run.core_share;
    baseline_place(&b->plain_times, run.us);
    return st;
}

/* The tensors take as much memory as the device's, so they exist only while they are needed. */
static void place_host_library(struct baselines *b, const struct graph *graph)
{
    int64_t began_us = clock_now_us();
    double took_us;

    baseline_allow(&b->host_times, elapsed_us(b));
    if (!baseline_is_due(&b->host_times) || b->library)
        return;
    b->library = host_library_new(graph, fill_secret_seed());
    took_us = (double)(clock_now_us() - began_us);
    b->host_data_us += took_us;
    baseline_place(&b->host_times, took_us);
}

enum status baselines_compile(struct baselines *b, const struct evaluation_context *context,
                              struct error *err)
{
    struct model_check check;
    struct model_place place;
    enum status st = STATUS_OK;

    if (!context->problem->torch.source || context->options->without_baselines)
        return STATUS_OK;
    st = model_check_make(&check, context, err);
    if (st)
        return st;
    place = model_check_place(&check, context);
    return model_baselines_compile(&b->model, b->bridge, &place, err);
}

bool baselines_are_compiling(const struct baselines *b, int *fd)
{
    return model_baselines_are_compiling(&b->model, fd);
}

void baselines_pause(struct baselines *b, bool is_paused)
{
    model_baselines_pause(&b->model, is_paused);
}

void baselines_settle(const struct baselines *b)
{
    model_baselines_settle(&b->model);
}

static enum status place_model(struct baselines *b, const struct evaluation_context *context,
                               struct error *err)
{
    struct model_check check;
    struct model_place place;
    enum status st = model_check_make(&check, context, err);

    if (st)
        return st;
    place = model_check_place(&check, context);
    return model_baselines_place(&b->model, b->bridge, &place, elapsed_us(b), err);
}

enum status baselines_place(struct baselines *b, const struct baselines_scene *scene,
                            uint64_t param_seed, bool *is_lost, struct error *err)
{
    const struct evaluation_context *context = scene->context;
    const struct evaluation_progress progress = {.stage = "baselines"};
    enum status st;

    if (context->options->without_baselines)
        return STATUS_OK;
    context->options->progress(context->options->data, &progress);
    b->context = context;
    if (!keeps_scale(b, scene))
        restart(b);
    st = place_plain(b, context, param_seed, is_lost, err);
    if (!st)
        place_host_library(b, main_graph(context));
    if (!st && context->problem->torch.source)
        st = place_model(b, context, err);
    return st;
}

void baselines_put_away(struct baselines *b)
{
    if (b->context && !b->context->device->is_cpu && b->context->problem->torch.source)
        model_baselines_rest(&b->model, b->bridge);
    host_library_free(b->library);
    b->library = NULL;
    b->context = NULL;
}

void baselines_repeat(struct baselines *b)
{
    baseline_begin(&b->plain_times);
    baseline_begin(&b->host_times);
    model_baselines_begin(&b->model);
}

/* A run of a baseline in this process or in the executor. */
typedef enum status run_once(struct baselines *b, struct run_time *time, struct error *err);

static enum status run_plain(struct baselines *b, struct run_time *time, struct error *err)
{
    const struct executor_run run = {
        .slot = SLOT_PLAIN, .input_seed = fill_secret_seed(), .is_watched = b->is_watched};
    struct executor_times times = {0};
    enum status st = executor_run(b->context->executor, &run, &times, err);

    *time = (struct run_time){times.span_us, times.work};
    return st;
}

static enum status run_host_library(struct baselines *b, struct run_time *time, struct error *err)
{
    struct thread_clocks before = {0};

    (void)err;
    thread_clocks_read(&before);
    time->us = host_library_run_us(b->library);
    time->work = thread_work_since(&before, 0);
    thread_clocks_release(&before);
    b->host_run_us += time->us;
    return STATUS_OK;
}

/*
 * A sample repeats a run for about SAMPLE_US, at most SAMPLE_RUNS times. A baseline whose run is
 * shorter than SHORT_US first makes a run that is not counted, because the candidate has filled the
 * caches with its own data.
 */
enum { SAMPLE_US = 4000, SAMPLE_RUNS = 16, SHORT_US = 5000 };

/* The time of a run without what other programs took. */
static double undisturbed_us(const struct baselines *b, const struct run_time *time, double wall_us)
{
    return b->is_watched && time->work.total_us > 0 ? fmin(time->work.total_us, wall_us) : wall_us;
}

/* Take a sample by `run`. */
static enum status sample(struct baselines *b, struct baseline *baseline, run_once *run,
                          size_t round, struct error *err)
{
    int64_t began_us = clock_now_us();
    struct run_time times[SAMPLE_RUNS] = {0};
    enum status st = run(b, &times[0], err);
    double once_us = undisturbed_us(b, &times[0], (double)(clock_now_us() - began_us)),
           runs = SAMPLE_US / (once_us + 1);
    size_t count = runs < 1 ? 1 : runs > SAMPLE_RUNS ? SAMPLE_RUNS : (size_t)runs;

    for (size_t i = 0; !st && once_us < SHORT_US && i < count; i++)
        st = run(b, &times[i], err);
    if (!st)
        baseline_add(baseline, round, times, count, (double)(clock_now_us() - began_us));
    return st;
}

/* While other programs empty the caches, repeat the last run of the plain kernels. */
static enum status repeat_plain(struct baselines *b, struct error *err)
{
    struct program_rounds *rounds = &b->plain_times.rounds;
    struct timing_repeats repeats = {0};
    enum status st;

    if (!b->repeats || !rounds->count)
        return STATUS_OK;
    st = timing_repeats_take(b->context->executor, SLOT_PLAIN,
                             rounds->items[rounds->count - 1].median.work.total_us, &repeats, err);
    program_rounds_add_repeats(rounds, repeats.times, repeats.count);
    return st;
}

static enum status sample_plain(struct baselines *b, size_t round, struct error *err)
{
    enum status st = sample(b, &b->plain_times, run_plain, round, err);

    if (!st)
        st = repeat_plain(b, err);

    if (st && executor_outcome(b->context->executor) != OUTCOME_NONE)
        fail_plain(b, b->context, err->text);
    return st;
}

enum status baselines_time(struct baselines *b, size_t round, struct error *err)
{
    enum status st = STATUS_OK;

    if (baseline_is_due(&b->plain_times))
        st = sample_plain(b, round, err);
    if (!st && b->library && baseline_is_due(&b->host_times))
        st = sample(b, &b->host_times, run_host_library, round, err);
    if (!st && b->context->problem->torch.source)
        st = model_baselines_sample(&b->model, b->bridge, round, err);
    return st;
}

/*
 * The shortest time that a baseline may have, 0 if unknown. On a CPU some baselines are functions
 * of the host, which need no launch.
 */
static double least_us(const struct evaluation_context *context)
{
    bool is_cpu = context->device->is_cpu;
    struct roofs roofs = *context->roofs;
    struct time_floor limit = {0};

    roofs.launch_us = is_cpu ? 0 : roofs.launch_us;
    floor_compute(main_graph(context), NULL, &roofs, &limit);
    return floor_least_us(&limit, &roofs, is_cpu ? context->device->compute_units : 0);
}

static void reject(struct verdict *verdict, const char *name, const struct error *why)
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s: %s", baseline_label(name), why->text);
    verdict_add_hazard(verdict, "no_baseline", strbuf_cstr(&text));
    strbuf_release(&text);
}

static void compare(const struct baseline *baseline, const struct baseline_scale *scale,
                    double least, struct verdict *verdict)
{
    struct error why;

    if (!baseline->count)
        return;
    if (baseline_check(baseline, least, &why))
        reject(verdict, baseline->name, &why);
    else
        vec_push(&verdict->against, baseline_compare(baseline, scale, &verdict->timing.time));
}

/* The verdict's comparison with a rival, or NULL. */
static const struct comparison *find_comparison(const struct verdict *verdict, const char *name)
{
    for (size_t i = 0; i < verdict->against.count; i++)
        if (strcmp(verdict->against.items[i].name, name) == 0)
            return &verdict->against.items[i];
    return NULL;
}

/* Put the candidate on the scale by its ratio to a rival that is on it; false if it is not. */
static bool scale_by_rival(const struct baselines *b, const struct candidate *rival,
                           const struct comparison *ratio, struct baseline_scale *scale)
{
    double known = relative_times_find(&b->candidates, rival);

    if (known <= 0 || !ratio || ratio->speedup <= 0)
        return false;
    scale->time = known / ratio->speedup;
    scale->low = ratio->speedup_low / ratio->speedup;
    scale->high = ratio->speedup_high / ratio->speedup;
    return true;
}

/*
 * On a CPU the ratio depends on where the memory of a process happens to lie, and on where its
 * threads run: ratios of two verdicts differ by more than their runs do (BENCHMARKS.md). Rivals of
 * a candidate have the same buffers.
 */
static const double unseen_on_cpu = 0.08;

/* The place of the candidate on the scale. If it has none, a new scale begins with it. */
static struct baseline_scale find_scale(struct baselines *b, const struct baselines_scene *scene,
                                        const struct verdict *verdict)
{
    bool is_cpu = scene->context->device->is_cpu;
    struct baseline_scale scale = {.low = 1, .high = 1, .unseen = is_cpu ? unseen_on_cpu : 0};

    for (unsigned i = 0; i < TIMING_RIVALS; i++)
        if (scale_by_rival(b, scene->rivals[i],
                           find_comparison(verdict, timing_rival_name((enum timing_rival)i)),
                           &scale))
            return scale;
    scale.time = relative_times_find(&b->candidates, scene->candidate);
    if (scale.time > 0)
        return scale;
    restart(b);
    scale.time = 1;
    return scale;
}

static void compare_model(struct baselines *b, const struct evaluation_context *context,
                          const struct baseline_scale *scale, struct verdict *verdict)
{
    model_baselines_compare(&b->model, scale, least_us(context), verdict);
    if (bridge_is_coarse(b->bridge))
        verdict_add_hazard(verdict, "coarse_oracle",
                           "the model does not run in double precision: the expected values were "
                           "computed in float32, and the tolerance is four times as wide");
}

void baselines_compare(struct baselines *b, const struct baselines_scene *scene,
                       const struct timing_result *result, struct verdict *verdict)
{
    struct baseline *own[] = {&b->plain_times, &b->host_times};
    const struct evaluation_context *context = scene->context;
    struct baseline_scale scale;

    if (context->options->without_baselines)
        return;
    scale = find_scale(b, scene, verdict);
    relative_times_add(&b->candidates, scene->candidate, scale.time);
    if (b->plain_times.is_broken)
        verdict_add_hazard(verdict, "no_reference", b->no_plain.text);
    model_baselines_fold(&b->model, &result->own, result->is_busy, scale.time);
    if (context->problem->torch.source)
        compare_model(b, context, &scale, verdict);
    for (size_t i = 0; i < COUNT(own); i++) {
        baseline_fold(own[i], &result->own, result->is_busy, scale.time);
        compare(own[i], &scale, least_us(context), verdict);
    }
}
