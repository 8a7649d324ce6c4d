#include "core/judge/baselines.h"

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/codegen/plain.h"
#include "core/judge/companion.h"
#include "core/judge/host_library/host_library.h"
#include "core/judge/oracle/fill.h"
#include "core/model/baseline_label.h"
#include "core/model/floor.h"
#include "core/system/clock.h"

static const struct graph *main_graph(const struct evaluation_context *context)
{
    return &expectations_case(context->expectations, EXPECTATIONS_MAIN)->graph;
}

/* The host library runs on the cores of the host, so it is compared with on CPUs only. */
static bool has_host_library(const struct evaluation_context *context)
{
    struct error lacks;

    return context->device->is_cpu &&
           !host_library_check(context->problem, main_graph(context), &lacks);
}

void baselines_make(struct baselines *b, const struct evaluation_context *context,
                    struct bridge *bridge)
{
    *b = (struct baselines){
        .plain_times.name = BASELINE_PLAIN, .host_times.name = BASELINE_HOST, .bridge = bridge};
    b->plain_times.is_broken =
        plain_candidate(context->problem, context->device->language, &b->plain, &b->no_plain);
    b->host_times.is_broken = !has_host_library(context);
}

void baselines_release(struct baselines *b)
{
    candidate_release(&b->plain);
    model_baselines_release(&b->model);
    *b = (struct baselines){0};
}

void baselines_begin(struct baselines *b)
{
    b->began_us = clock_now_us();
    b->host_run_us = b->host_data_us = 0;
}

static double elapsed_us(const struct baselines *b)
{
    return (double)(clock_now_us() - b->began_us);
}

static struct companion plain_companion(const struct baselines *b)
{
    return (struct companion){SLOT_PLAIN, &b->plain, fill_secret_seed()};
}

static enum status time_plain_once(struct baselines *b, const struct evaluation_context *context,
                                   struct error *err)
{
    const struct executor_run run = {.slot = SLOT_PLAIN, .input_seed = fill_secret_seed()};
    struct executor_times times = {0};
    int64_t began_us = clock_now_us();
    enum status st = executor_run(context->executor, &run, &times, err);

    if (!st)
        baseline_add(&b->plain_times, times.span_us, (double)(clock_now_us() - began_us));
    return st;
}

static const char does_not_run[] = "the plain kernels do not run on this device";

static void drop_plain(struct baselines *b, const char *why)
{
    b->plain_times.is_broken = true;
    error_set(&b->no_plain, STATUS_UNAVAILABLE, "%s", why);
}

/* Plain kernels that fail here, or take too long, would do so again: they are dropped. */
enum status baselines_keep_plain(struct baselines *b, const struct evaluation_context *context,
                                 struct error *err)
{
    const struct companion companion = plain_companion(b);
    double run_us = -1;
    enum status st;

    if (b->plain_times.is_broken || context->options->without_baselines)
        return STATUS_OK;
    st = companion_keep(context, &companion, &run_us, err);
    if (!st && run_us < 0)
        drop_plain(b, does_not_run);
    return st;
}

/* Plain kernels that fail or take too long are dropped: the candidate is not to blame. */
static enum status time_plain(struct baselines *b, const struct evaluation_context *context,
                              struct error *err)
{
    const struct companion companion = plain_companion(b);
    double run_us = 0;
    enum status st;

    if (!baseline_is_due(&b->plain_times))
        return STATUS_OK;
    st = companion_place(context, &companion, &run_us, err);
    if (!st && run_us <= 0)
        drop_plain(b, does_not_run);
    while (!st && baseline_is_due(&b->plain_times))
        st = time_plain_once(b, context, err);
    if (!st || executor_outcome(context->executor) == OUTCOME_NONE)
        return st;
    drop_plain(b, err->text);
    return STATUS_OK;
}

/* The tensors take as much memory as the device's, so they exist only while this runs. */
static void time_host_library(struct baselines *b, const struct graph *graph)
{
    int64_t began_us = clock_now_us();
    struct host_library *library;
    double data_us;

    if (!baseline_is_due(&b->host_times))
        return;
    library = host_library_new(graph, fill_secret_seed());
    data_us = (double)(clock_now_us() - began_us);
    b->host_data_us += data_us;
    while (baseline_is_due(&b->host_times)) {
        double run_us = host_library_run_us(library);

        baseline_add(&b->host_times, run_us, data_us + run_us);
        b->host_run_us += run_us;
    }
    host_library_free(library);
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

static void compare(const struct baseline *baseline, double least, struct verdict *verdict)
{
    struct error why;

    if (!baseline->count)
        return;
    if (baseline_check(baseline, least, &why))
        reject(verdict, baseline->name, &why);
    else
        vec_push(&verdict->against, baseline_compare(baseline, &verdict->timing.time));
}

static enum status time_model(struct baselines *b, const struct evaluation_context *context,
                              struct verdict *verdict, struct error *err)
{
    const struct model_place place = {context->device, &context->problem->tolerance};
    enum status st = model_baselines_time(&b->model, b->bridge, &place, elapsed_us(b), err);

    if (st)
        return st;
    model_baselines_compare(&b->model, least_us(context), verdict);
    if (bridge_is_coarse(b->bridge))
        verdict_add_hazard(verdict, "coarse_oracle",
                           "the model does not run in double precision: the expected values were "
                           "computed in float32, and the tolerance is four times as wide");
    return STATUS_OK;
}

enum status baselines_compare(struct baselines *b, const struct evaluation_context *context,
                              struct verdict *verdict, struct error *err)
{
    struct baseline *own[] = {&b->plain_times, &b->host_times};
    const struct evaluation_progress progress = {.stage = "baselines"};
    enum status st;

    if (context->options->without_baselines)
        return STATUS_OK;
    context->options->progress(context->options->data, &progress);
    for (size_t i = 0; i < COUNT(own); i++)
        baseline_allow(own[i], elapsed_us(b));
    st = time_plain(b, context, err);
    if (st)
        return st;
    if (b->plain_times.is_broken)
        verdict_add_hazard(verdict, "no_reference", b->no_plain.text);
    time_host_library(b, main_graph(context));
    if (context->problem->torch.source)
        st = time_model(b, context, verdict, err);
    for (size_t i = 0; !st && i < COUNT(own); i++)
        compare(own[i], least_us(context), verdict);
    return st;
}
