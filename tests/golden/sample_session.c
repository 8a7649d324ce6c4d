#include "tests/golden/sample_session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/session/state/event.h"
#include "core/session/state/event_summary.h"
#include "core/session/state/scale.h"
#include "tests/golden/sample_verdict.h"

enum { MAX_TEXTS = 16 };

struct sample_session {
    enum sample_session_stage stage;
    struct session session;
    struct driver_live live;
    struct device_info device;
    struct view_model view_model;
    struct {
        const char *id;
        struct strbuf text;
    } texts[MAX_TEXTS];
    size_t text_count;
};

static const char first_reply[] =
    "One work-item for each row.\n\n"
    "```opencl\n"
    "/* Softmax over rows: three passes over each. */\n"
    "__kernel void softmax(__global const float *x, __global float *y, int N)\n"
    "{\n"
    "    int row = get_global_id(0);\n"
    "    float top = -INFINITY, sum = 0.0f;\n"
    "\n"
    "    for (int i = 0; i < N; i++)\n"
    "        top = fmax(top, x[row * N + i]);\n"
    "    for (int i = 0; i < N; i++)\n"
    "        sum += exp(x[row * N + i] - top);\n"
    "    for (int i = 0; i < N; i++)\n"
    "        y[row * N + i] = exp(x[row * N + i] - top) / sum;\n"
    "}\n"
    "```\n\n"
    "```json\n{\"launches\": [{\"kernel\": \"softmax\", \"global\": [\"M\"], \"args\": "
    "[\"x\", \"y\", \"N\"]}]}\n```\n";

static const char vetoed_reply[] =
    "All loops unrolled sixteen times.\n\n"
    "```opencl\n"
    "#pragma unroll 16\n"
    "__kernel void softmax(__global const float *x, __global float *y, int N) {}\n"
    "```\n\n"
    "```json\n{\"launches\": [{\"kernel\": \"softmax\", \"global\": [\"M\"], \"args\": "
    "[\"x\", \"y\", \"N\"]}]}\n```\n";

static const char second_reply[] =
    "Loads of eight values, and one division for each row.\n\n"
    "```opencl\n"
    "/* Softmax over rows: three passes over each. */\n"
    "__kernel void softmax(__global const float *x, __global float *y, int N)\n"
    "{\n"
    "    int row = get_global_id(0), unused;\n"
    "    float top = -INFINITY, sum = 0.0f;\n"
    "\n"
    "    for (int i = 0; i < N / 8; i++) {\n"
    "        float8 v = vload8(i, x + row * N);\n"
    "        top = fmax(top, max8(v));\n"
    "    }\n"
    "    for (int i = 0; i < N; i++)\n"
    "        sum += exp(x[row * N + i] - top);\n"
    "    sum = 1.0f / sum;\n"
    "    for (int i = 0; i < N; i++)\n"
    "        y[row * N + i] = exp(x[row * N + i] - top) * sum;\n"
    "}\n"
    "```\n\n"
    "```json\n{\"launches\": [{\"kernel\": \"softmax\", \"global\": [\"M\"], \"args\": "
    "[\"x\", \"y\", \"N\"]}]}\n```\n";

static struct strbuf *add_text(struct sample_session *sample, const char *id)
{
    sample->texts[sample->text_count].id = id;
    return &sample->texts[sample->text_count++].text;
}

static enum status text_of(void *data, const char *id, struct strbuf *out, struct error *err)
{
    const struct sample_session *sample = data;

    for (size_t i = 0; i < sample->text_count; i++) {
        if (strcmp(sample->texts[i].id, id) == 0) {
            strbuf_add(out, strbuf_cstr(&sample->texts[i].text), sample->texts[i].text.len);
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_NOT_FOUND, "no text %s", id);
}

/* Steps and attempts. */

static void add_step(struct sample_session *sample, struct step step, const char *title,
                     const char *text)
{
    step.number = (unsigned)sample->session.steps.count + 1;
    snprintf(step.at, sizeof(step.at), "2026-11-20T21:47:%02u.125Z", step.number);
    if (step.kind == STEP_CANDIDATE || step.kind == STEP_RECOMMENDATION)
        step.effort = (struct effort){.latency_us = 12300000,
                                      .has_tokens = true,
                                      .prompt_tokens = 9100,
                                      .reply_tokens = 610,
                                      .has_cost = true,
                                      .cost_usd = 0.0174};
    step.title = session_keep(&sample->session, title);
    snprintf(step.text, sizeof(step.text), "%s", text);
    vec_push(&sample->session.steps, step);
}

static struct attempt *add_attempt(struct sample_session *sample, const char *title,
                                   const char *candidate)
{
    struct attempt attempt = {.number = (unsigned)sample->session.attempts.count + 1,
                              .parent = sample->session.now.best,
                              .asked_by = (unsigned)sample->session.steps.count,
                              .title = session_keep(&sample->session, title)};

    snprintf(attempt.candidate, sizeof(attempt.candidate), "%s", candidate);
    vec_push(&sample->session.attempts, attempt);
    sample->session.now.subject = attempt.number;
    return &sample->session.attempts.items[sample->session.attempts.count - 1];
}

static void put_verdict(struct sample_session *sample, struct attempt *attempt,
                        struct verdict *verdict, const char *id)
{
    const struct evaluation_finished finished = event_summary_of(verdict);
    struct json *encoded = verdict_encode(verdict);

    json_print(encoded, add_text(sample, id));
    json_free(encoded);
    snprintf(attempt->verdict, sizeof(attempt->verdict), "%s", id);
    attempt->is_evaluated = true;
    attempt->outcome = verdict->outcome;
    attempt->wall_us = 1310000;
    attempt->bound_fraction = verdict->bound.fraction;
    scale_place(&sample->session, attempt, &finished);
    verdict_release(verdict);
}

/* Parts of the session. */

static void record_opening(struct sample_session *sample)
{
    struct session *session = &sample->session;

    session->id = "made-up";
    session->problem_name = "softmax";
    session->agent = "scripted agent";
    session->language = "opencl";
    session->gate.modes[STEP_KEEP] = GATE_ASK;
    session->has_tokens = true;
    session->prompt_tokens = 39000;
    session->reply_tokens = 2100;
    sample->device.id = mem_strdup("opencl:0");
    sample->device.name = mem_strdup("invented device");
}

/* Add the steps of a correct kernel that takes `us` microseconds and was kept. */
static void record_kept_version(struct sample_session *sample, struct attempt *attempt, double us,
                                const char *verdict_id)
{
    struct step done = {.kind = STEP_CANDIDATE,
                        .attempt = attempt->number,
                        .decision = DECISION_ACCEPTED,
                        .decider = DECIDER_POLICY};
    struct verdict verdict = {.outcome = OUTCOME_CORRECT,
                              .detail = mem_strdup("correct"),
                              .build = {.is_present = true, .ms = 190}};

    add_step(sample, done, attempt->title, attempt->candidate);
    done.kind = STEP_KEEP;
    done.decider = DECIDER_ENGINEER;
    add_step(sample, done, attempt->title, attempt->candidate);
    sample_verdict_time(&verdict, us, 412);
    if (sample->stage == SAMPLE_ROUND)
        sample_verdict_count(&verdict, 31);
    put_verdict(sample, attempt, &verdict, verdict_id);
    attempt->is_kept = true;
    sample->session.now.best = attempt->number;
}

static void record_first_versions(struct sample_session *sample)
{
    struct step prompt = {.decision = DECISION_ACCEPTED, .decider = DECIDER_POLICY};
    struct attempt *attempt;

    strbuf_adds(add_text(sample, "problem"), "{}");
    snprintf(sample->session.problem, sizeof(sample->session.problem), "problem");
    strbuf_adds(add_text(sample, "prompt1"), "Write softmax over the rows of x.\n");
    strbuf_adds(add_text(sample, "reply1"), first_reply);
    add_step(sample, prompt, "a first version", "prompt1");
    attempt = add_attempt(sample, "One work-item for each row", "reply1");
    record_kept_version(sample, attempt, 412, "verdict1");
    snprintf(attempt->commit, sizeof(attempt->commit), "c7e2aa41b0");
    attempt = add_attempt(sample, "Rows in local memory", "reply1");
    record_kept_version(sample, attempt, 81.4, "verdict2");
    snprintf(attempt->commit, sizeof(attempt->commit), "9b40d7f2ce");
}

static void record_veto(struct sample_session *sample)
{
    struct step veto = {.kind = STEP_CANDIDATE,
                        .attempt = 3,
                        .decision = DECISION_VETOED,
                        .decider = DECIDER_ENGINEER,
                        .reason = "it spills"};

    strbuf_adds(add_text(sample, "reply3"), vetoed_reply);
    add_attempt(sample, "Unroll by sixteen", "reply3");
    add_step(sample, veto, "Unroll by sixteen", "reply3");
}

static void record_advice(struct sample_session *sample)
{
    struct step advice = {.kind = STEP_RECOMMENDATION,
                          .attempt = 2,
                          .decision = DECISION_ACCEPTED,
                          .decider = DECIDER_POLICY,
                          .change = "load eight values at a time",
                          .gain = 1.2};
    struct step prompt = {.attempt = 2, .decision = DECISION_ACCEPTED, .decider = DECIDER_POLICY};

    strbuf_adds(
        add_text(sample, "advice"),
        "The kernel waits for memory: each work-item loads one value at a time.\n\n"
        "```json\n{\"bottleneck\": \"memory\", \"change\": \"load eight values at a time\",\n"
        " \"evidence\": [\"bandwidth = 51.6 GB/s\", \"bound = 36 %\"], \"expect\": 1.2,\n"
        " \"tags\": [\"vector\"]}\n```\n");
    add_step(sample, advice, "load eight values at a time", "advice");
    strbuf_adds(add_text(sample, "prompt4"),
                "Speed up the kernel below. It takes 81.4 us; the bound is 29.6 us, by memory.\n"
                "Load eight values at a time.\n");
    add_step(sample, prompt, "load eight values", "prompt4");
}

/* Add two further answers to the fourth attempt's prompt: one is wrong, one is slower. */
static void record_rivals(struct sample_session *sample)
{
    static const char *const titles[] = {"Loads of sixteen values", "Two rows for each work-item"};
    struct step step = {
        .kind = STEP_CANDIDATE, .decision = DECISION_ACCEPTED, .decider = DECIDER_POLICY};

    sample->session.limits.attempts = 3;
    for (unsigned i = 0; i < 2; i++) {
        struct attempt *attempt = add_attempt(sample, titles[i], "reply4");
        struct verdict verdict = {.outcome = i ? OUTCOME_CORRECT : OUTCOME_WRONG_VALUES};

        step.attempt = attempt->number;
        add_step(sample, step, titles[i], "reply4");
        if (i)
            sample_verdict_time(&verdict, 76.9, 81.4);
        put_verdict(sample, attempt, &verdict, i ? "verdict6" : "verdict5");
    }
    for (unsigned i = 3; i < 6; i++)
        sample->session.attempts.items[i].asked_by = 8;
    sample->session.attempts.items[3].is_chosen = true;
    sample->session.now.subject = 4;
}

static void record_last_version(struct sample_session *sample, enum sample_session_stage stage)
{
    struct step step = {.kind = STEP_CANDIDATE,
                        .attempt = 4,
                        .decision = DECISION_ACCEPTED,
                        .decider = DECIDER_POLICY};
    struct attempt *attempt;
    struct verdict verdict = {0};

    strbuf_adds(add_text(sample, "reply4"), second_reply);
    add_step(sample, step, "Loads of eight values", "reply4");
    attempt = add_attempt(sample, "Loads of eight values", "reply4");
    sample_verdict_fill(&verdict, stage);
    put_verdict(sample, attempt, &verdict, "verdict4");
    if (stage < SAMPLE_KEEP)
        return;
    if (stage == SAMPLE_ROUND)
        record_rivals(sample);
    step.kind = STEP_KEEP;
    step.decision = DECISION_PENDING;
    add_step(sample, step, "Loads of eight values", "reply4");
}

struct sample_session *sample_session_new(enum sample_session_stage stage)
{
    struct sample_session *sample = mem_alloc_zeroed(1, sizeof(*sample));

    sample->stage = stage;
    record_opening(sample);
    record_first_versions(sample);
    record_veto(sample);
    record_advice(sample);
    if (stage != SAMPLE_STREAMING)
        record_last_version(sample, stage);
    sample->session.now.stage = stage >= SAMPLE_KEEP ? STAGE_KEEP_GATE : STAGE_GENERATE;
    sample->view_model = (struct view_model){.session = &sample->session,
                                             .live = &sample->live,
                                             .device = &sample->device,
                                             .is_paused = true,
                                             .source = {.text = text_of, .data = sample}};
    view_model_refresh(&sample->view_model);
    return sample;
}

void sample_session_free(struct sample_session *sample)
{
    view_model_release(&sample->view_model);
    session_release(&sample->session);
    device_info_release(&sample->device);
    strbuf_release(&sample->live.streams[0]);
    for (size_t i = 0; i < sample->text_count; i++)
        strbuf_release(&sample->texts[i].text);
    free(sample);
}

struct view_model *sample_session_scene(struct sample_session *sample)
{
    return &sample->view_model;
}

struct session *sample_session_session(struct sample_session *sample)
{
    return &sample->session;
}

void sample_session_say(struct sample_session *sample, const char *text)
{
    strbuf_release(&sample->live.streams[0]);
    strbuf_adds(&sample->live.streams[0], text);
    sample->live.stream_count = 1;
    sample->live.first_part_us = INT64_MAX; /* not yet a second ago: no rate */
}
