#include "tests/bench/programs/maker.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/session/state/engine.h"
#include "core/session/state/fold.h"
#include "core/session/store/catalog.h"
#include "core/session/store/commits.h"
#include "core/system/file.h"

enum {
    KEPT_ONE_IN = 10,   /* of the candidates, as in a long search */
    SHORT_KERNEL = 60,  /* lines */
    MARKED_LINES = 100, /* marked lines at either end of a long kernel; marked first steps */
    PROBLEM_MAX_BYTES = 1 << 20,
};

enum status maker_record(struct maker *maker, struct event event, struct error *err)
{
    enum status st = fold_check(&maker->session, &event, err);

    if (!st)
        st = journal_append(maker->journal, &event, err);
    if (!st)
        st = fold_apply(&maker->session, &event, err);
    event_release(&event);
    return st;
}

static enum status put(struct maker *maker, char id[OBJECT_ID_SIZE], struct error *err,
                       const char *fmt, ...) PRINTF_LIKE(4, 5);

static enum status put(struct maker *maker, char id[OBJECT_ID_SIZE], struct error *err,
                       const char *fmt, ...)
{
    struct strbuf text = {0};
    enum status st;
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&text, fmt, args);
    va_end(args);
    st = history_put(maker->history, text.data, text.len, id, err);
    strbuf_release(&text);
    return st;
}

static unsigned next_step(const struct maker *maker)
{
    return (unsigned)maker->session.steps.count + 1;
}

static enum status open_session(struct maker *maker, struct error *err)
{
    struct session_opened opened = {.session = maker->id,
                                    .problem = "softmax",
                                    .agent = maker->agent,
                                    .device = "opencl:0",
                                    .language = "opencl",
                                    .repository = maker->repository,
                                    .limits = {.functional = 1000000, .optimize = 1000000}};

    gate_preset("manual", &opened.policy);
    return maker_record(maker, event_make(EVENT_SESSION_OPENED, &opened), err);
}

static enum status load_problem(struct maker *maker, struct error *err)
{
    char *path = file_shipped("prompts/problems/softmax.json");
    struct problem_loaded loaded = {.name = "softmax"};
    struct strbuf text = {0};
    char id[OBJECT_ID_SIZE];
    enum status st = file_read(path, PROBLEM_MAX_BYTES, &text, err);

    if (!st)
        st = history_put(maker->history, text.data, text.len, id, err);
    loaded.text = id;
    if (!st)
        st = maker_record(maker, event_make(EVENT_PROBLEM_LOADED, &loaded), err);
    strbuf_release(&text);
    free(path);
    return st;
}

/*
 * Titles at the two ends of a session share no letter. A jump from end to end therefore changes
 * every cell, and screen.py finds the whole title in the output of the terminal.
 */
static const char *prompt_title(const struct maker *maker)
{
    return next_step(maker) <= MARKED_LINES ? "VYVYVYVY" : "HGHGHGHG";
}

static enum status propose_prompt(struct maker *maker, struct error *err)
{
    const struct attempt *last = session_last_attempt(&maker->session);
    struct step_proposed proposed = {.step = next_step(maker),
                                     .kind = STEP_PROMPT,
                                     .attempt = last ? last->number : 0,
                                     .title = prompt_title(maker)};
    char id[OBJECT_ID_SIZE];
    enum status st =
        put(maker, id, err, "Write a faster kernel than number %u.\n", proposed.attempt);

    proposed.text = id;
    return st ? st : maker_record(maker, event_make(EVENT_STEP_PROPOSED, &proposed), err);
}

static enum status decide(struct maker *maker, struct error *err)
{
    const struct step_decided decided = {.step = session_pending(&maker->session)->number,
                                         .decision = DECISION_ACCEPTED,
                                         .by = DECIDER_ENGINEER};

    return maker_record(maker, event_make(EVENT_STEP_DECIDED, &decided), err);
}

/* The marks at the two ends of a long kernel share no letter either. */
static const char *line_mark(unsigned line, unsigned lines)
{
    if (line <= MARKED_LINES)
        return "QWQWQWQW";
    return line + MARKED_LINES > lines ? "ZXZXZXZX" : "between";
}

static void write_kernel(const struct maker *maker, unsigned number, struct strbuf *out)
{
    bool is_long = maker->long_from > 0 && maker->session.steps.count >= maker->long_from;
    unsigned lines = is_long ? maker->lines : SHORT_KERNEL;

    strbuf_addf(out, "Number %u.\n\n```opencl\n", number);
    for (unsigned i = 1; i <= lines; i++)
        strbuf_addf(out, "float %s_%u = x[%u] * %u.5f; // %x\n", line_mark(i, lines), i, i * 7, i,
                    (i + number) * 2654435761u);
    strbuf_adds(out,
                "```\n\n```json\n{\"launches\": [{\"kernel\": \"softmax\", \"global\": [\"M\"], "
                "\"args\": [\"x\", \"y\"]}]}\n```\n");
}

static enum status ask_agent(struct maker *maker, const char *task, const char *reply_text,
                             struct error *err)
{
    struct model_request request = {.task = task, .agent = maker->agent};
    struct model_reply reply = {.task = task,
                                .has_tokens = true,
                                .prompt_tokens = 4000,
                                .reply_tokens = 1500,
                                .latency_us = 9000000};
    char id[OBJECT_ID_SIZE];
    enum status st = put(maker, id, err, "%s", reply_text);

    if (strcmp(task, "generate") == 0)
        request.step = next_step(maker) - 1;
    request.text = reply.text = id;
    if (!st)
        st = maker_record(maker, event_make(EVENT_MODEL_REQUEST, &request), err);
    return st ? st : maker_record(maker, event_make(EVENT_MODEL_REPLY, &reply), err);
}

static enum status generate(struct maker *maker, struct error *err)
{
    struct strbuf kernel = {0};
    enum status st;

    write_kernel(maker, (unsigned)maker->session.attempts.count, &kernel);
    st = ask_agent(maker, "generate", strbuf_cstr(&kernel), err);
    strbuf_release(&kernel);
    return st;
}

static enum status propose_candidate(struct maker *maker, struct error *err)
{
    char reply[OBJECT_ID_SIZE];
    const struct step_proposed proposed = {.step = next_step(maker),
                                           .kind = STEP_CANDIDATE,
                                           .attempt = (unsigned)maker->session.attempts.count + 1,
                                           .title = prompt_title(maker),
                                           .text = reply};

    memcpy(reply, maker->session.arrived[0].text, sizeof(reply));
    return maker_record(maker, event_make(EVENT_STEP_PROPOSED, &proposed), err);
}

static enum status finish_evaluation(struct maker *maker, unsigned attempt, struct error *err)
{
    bool is_gain = attempt % KEPT_ONE_IN == 1;
    double gain = is_gain ? 1.05 : 0.9, us = 1e6 / (attempt % 900 + 100);
    struct evaluation_finished finished = {.attempt = attempt,
                                           .outcome = OUTCOME_CORRECT,
                                           .detail = "made up",
                                           .is_timed = true,
                                           .median_us = us,
                                           .low_us = us * 0.99,
                                           .high_us = us * 1.01,
                                           .has_speedup = true,
                                           .speedup = 2,
                                           .has_gain = attempt > 1,
                                           .gain = gain,
                                           .gain_low = gain - 0.02};
    struct verdict verdict = {.outcome = OUTCOME_CORRECT};
    struct json *encoded;
    struct strbuf text = {0};
    char id[OBJECT_ID_SIZE];
    enum status st;

    verdict.timing.is_present = true;
    verdict.timing.time = (struct estimate){us, us * 0.99, us * 1.01};
    verdict.timing.runs = attempt;
    encoded = verdict_encode(&verdict);
    json_print_pretty(encoded, &text);
    st = put(maker, id, err, "%s", strbuf_cstr(&text));
    finished.verdict = id;
    if (!st)
        st = maker_record(maker, event_make(EVENT_EVALUATION_FINISHED, &finished), err);
    strbuf_release(&text);
    json_free(encoded);
    return st;
}

static enum status evaluate(struct maker *maker, struct error *err)
{
    const struct attempt *attempt = session_last_attempt(&maker->session);
    const struct evaluation_started started = {.attempt = attempt->number,
                                               .candidate = attempt->candidate};
    enum status st = maker_record(maker, event_make(EVENT_EVALUATION_STARTED, &started), err);

    if (!st)
        st = finish_evaluation(maker, started.attempt, err);
    if (!st && maker->archives)
        st = commits_add_attempt(maker->history, &maker->session, started.attempt, err);
    return st;
}

static enum status propose_keep(struct maker *maker, struct error *err)
{
    const struct attempt *attempt = session_last_attempt(&maker->session);
    const struct step_proposed proposed = {.step = next_step(maker),
                                           .kind = STEP_KEEP,
                                           .attempt = attempt->number,
                                           .title = prompt_title(maker),
                                           .text = attempt->candidate};

    return maker_record(maker, event_make(EVENT_STEP_PROPOSED, &proposed), err);
}

static enum status keep(struct maker *maker, struct error *err)
{
    const struct attempt *attempt = session_last_attempt(&maker->session);
    struct candidate_kept kept = {.attempt = attempt->number};
    char id[OBJECT_ID_SIZE];
    enum status st = STATUS_OK;

    memcpy(id, attempt->candidate, sizeof(id)); /* a blob id in place of a commit id */
    if (maker->archives)
        st = commits_keep(maker->history, &maker->session, kept.attempt, id, err);
    kept.commit = id;
    return st ? st : maker_record(maker, event_make(EVENT_CANDIDATE_KEPT, &kept), err);
}

static enum status analyse(struct maker *maker, struct error *err)
{
    return ask_agent(maker, "analyse", "It waits for memory.\n", err);
}

static enum status propose_recommendation(struct maker *maker, struct error *err)
{
    char reply[OBJECT_ID_SIZE];
    const struct step_proposed proposed = {.step = next_step(maker),
                                           .kind = STEP_RECOMMENDATION,
                                           .attempt = session_last_attempt(&maker->session)->number,
                                           .title = prompt_title(maker),
                                           .text = reply,
                                           .bottleneck = "memory",
                                           .evidence = "bound fraction = 0.2",
                                           .change = "load four elements at a time",
                                           .has_gain = true,
                                           .gain = 1.2};

    memcpy(reply, maker->session.arrived[0].text, sizeof(reply));
    return maker_record(maker, event_make(EVENT_STEP_PROPOSED, &proposed), err);
}

enum status maker_act(struct maker *maker, struct error *err)
{
    static enum status (*const actions[])(struct maker * maker, struct error * err) = {
        [ACTION_LOAD_PROBLEM] = load_problem,
        [ACTION_PROPOSE_PROMPT] = propose_prompt,
        [ACTION_DECIDE] = decide,
        [ACTION_GENERATE] = generate,
        [ACTION_PROPOSE_CANDIDATE] = propose_candidate,
        [ACTION_EVALUATE] = evaluate,
        [ACTION_PROPOSE_KEEP] = propose_keep,
        [ACTION_KEEP] = keep,
        [ACTION_ANALYSE] = analyse,
        [ACTION_PROPOSE_RECOMMENDATION] = propose_recommendation,
    };
    enum action action = engine_next(&maker->session);

    if (!maker->session.id)
        return open_session(maker, err);
    if ((size_t)action >= sizeof(actions) / sizeof(*actions) || !actions[action])
        return error_set(err, STATUS_INVALID, "the session ends early: action %d", (int)action);
    return actions[action](maker, err);
}

enum status maker_play(struct maker *maker, size_t steps, struct error *err)
{
    enum status st = STATUS_OK;

    while (!st &&
           (maker->session.steps.count < steps || maker->session.now.stage != STAGE_PROMPT_GATE))
        st = maker_act(maker, err);
    return st;
}

enum status maker_fold(void *data, const struct event *event, struct error *err)
{
    return fold_apply(data, event, err);
}

enum status maker_open(struct maker *maker, struct error *err)
{
    char *path = catalog_journal(maker->id);
    enum status st = catalog_make(maker->id, err);

    if (!st)
        st = journal_open(path, maker_fold, &maker->session, &maker->journal, err);
    if (!st)
        st = history_open(maker->repository, &maker->history, err);
    free(path);
    return st;
}

void maker_release(struct maker *maker)
{
    journal_close(maker->journal);
    history_close(maker->history);
    session_release(&maker->session);
}
