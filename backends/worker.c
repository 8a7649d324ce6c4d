#include <getopt.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/containment/containment.h"
#include "backends/executor.h"
#include "backends/inbox.h"
#include "backends/outbox.h"
#include "core/base/file.h"
#include "core/base/process.h"
#include "core/base/quantity.h"
#include "core/judge/judge.h"
#include "core/judge/library.h"
#include "core/judge/lint.h"
#include "core/judge/listing.h"
#include "core/judge/sanitizer.h"
#include "core/judge/wire.h"
#include "core/model/plan.h"

/*
 * kforge-worker: the judge as a process.  Requests come as JSON lines on
 * standard input, answers go to standard output; while a request is worked
 * on, further lines are read only to see whether they cancel it.  While none
 * is, it does ahead what the next evaluation needs, and says so: "progress",
 * and "roofs" whenever these have changed.  "alive" comes every other second.
 *
 *	hello                        -> version, device, roofs (null: not measured yet), libraries
 *	devices  measure             -> libraries; devices, each with its roofs, null where not
 *	                                measured; not_kept: why the roofs are not kept
 *	describe model file tolerance -> problem, of a PyTorch file
 *	lint     problem file        -> name, findings
 *	load     problem file        -> (nothing)
 *	evaluate candidate best
 *	         profile skips_slower
 *	         sanitize             -> progress..., verdict
 *	listing  candidate tuned form -> text
 *	cancel                       ends the request under way with an error
 *	quit
 */

enum {
    DEFAULT_TRIALS = 5,
    DEFAULT_UNSEEN = 2,
    DEFAULT_BUILD_LIMIT_US = 60000000,
    DEFAULT_RUN_LIMIT_US = 20000000,
    DEFAULT_TUNE_LIMIT_US = 20000000,
    DEFAULT_TUNE_CHOICES = 256,
};

struct worker {
    struct judge *judge;
    struct inbox inbox;
    struct outbox outbox;
    const struct json *id; /* of the request under way; NULL for none */
    unsigned expected;     /* how many expected values were reported to be made */
};

struct command {
    const char *name;
    enum status (*serve)(struct worker *worker, const struct json_ref *request, struct json *answer,
                         struct error *err);
};

static void send_message(struct worker *worker, struct json *message)
{
    if (!outbox_send(&worker->outbox, message))
        worker->inbox.is_over = true;
}

static struct json *message_new(const struct worker *worker, const char *event)
{
    struct json *message = json_object_new();

    if (worker->id)
        json_put(message, "id", json_dup(worker->id));
    json_put_string(message, "event", event);
    return message;
}

static void send_progress(void *data, const struct judge_progress *progress)
{
    struct worker *worker = data;
    struct json *message = message_new(worker, "progress");

    json_put_string(message, "stage", progress->stage);
    json_put_number(message, "done", progress->done);
    json_put_number(message, "total", progress->total);
    json_put_number(message, "median_us", progress->median_us);
    send_message(worker, message);
}

static void send_roofs(void *data, const struct roofs *roofs)
{
    struct worker *worker = data;
    struct json *message = message_new(worker, "roofs");

    json_put(message, "roofs", roofs_encode(roofs));
    send_message(worker, message);
}

/* While the executor works. */
static bool take_cancel(void *data)
{
    struct worker *worker = data;

    return inbox_take(&worker->inbox);
}

/* What the judge computes with beside the devices. */
static void put_libraries(struct json *answer)
{
    struct strbuf libraries = {0};

    library_add_version(&libraries);
    json_put_string(answer, "libraries", strbuf_cstr(&libraries));
    strbuf_release(&libraries);
}

static enum status serve_hello(struct worker *worker, const struct json_ref *request,
                               struct json *answer, struct error *err)
{
    const struct device_info *device;
    const struct roofs *roofs;
    enum status st = judge_device(worker->judge, &device, &roofs, err);

    (void)request;
    if (st)
        return st;
    json_put_string(answer, "version", KFORGE_VERSION);
    json_put(answer, "device", device_info_encode(device));
    json_put(answer, "roofs", roofs_encode(roofs));
    put_libraries(answer);
    return STATUS_OK;
}

static enum status put_roofs(struct worker *worker, const struct device_info *device, bool measure,
                             struct json *listed, struct error *err)
{
    struct roofs roofs;
    enum status st = judge_roofs(worker->judge, device, measure, &roofs, err);

    if (!st)
        json_put(listed, "roofs", roofs_encode(&roofs));
    return st;
}

/* What is measured and cannot be kept is measured again the next time: why that is so. */
static void put_cache(struct json *answer)
{
    struct error err;

    if (file_make_place(FILE_CACHE, &err))
        json_put_string(answer, "not_kept", err.text);
}

static enum status serve_devices(struct worker *worker, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct device_list devices = {0};
    struct json *array = json_put(answer, "devices", json_array_new());
    bool measure = json_get_bool(request->value, "measure", false);
    enum status st = judge_probe(worker->judge, &devices, err);

    put_libraries(answer);
    if (measure)
        put_cache(answer);
    for (size_t i = 0; !st && i < devices.count; i++) {
        struct json *listed = json_push(array, device_info_encode(&devices.items[i]));

        json_put(listed, "containment", safeguards_encode(&devices.safeguards));
        st = put_roofs(worker, &devices.items[i], measure, listed, err);
    }
    device_list_release(&devices);
    return st;
}

/* The problem that a request carries: its text, and what errors call it. */
static enum status read_problem(const struct json_ref *request, const char **text,
                                const char **file, struct error *err)
{
    struct json_ref text_at = json_ref_member(request, "problem");
    struct json_ref file_at = json_ref_member(request, "file");
    enum status st = json_read_string(&text_at, text, err);

    return st ? st : json_read_string(&file_at, file, err);
}

static enum status serve_describe(struct worker *worker, const struct json_ref *request,
                                  struct json *answer, struct error *err)
{
    struct json_ref text_at = json_ref_member(request, "model");
    struct json_ref file_at = json_ref_member(request, "file");
    struct model_source source = {.tolerance = json_get_string(request->value, "tolerance", "f32")};
    struct json *problem = NULL;
    enum status st = json_read_string(&text_at, &source.text, err);

    if (!st)
        st = json_read_string(&file_at, &source.file, err);
    if (!st)
        st = judge_describe(worker->judge, &source, &problem, err);
    if (!st)
        json_put(answer, "problem", problem);
    return st;
}

static enum status serve_lint(struct worker *worker, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    const char *text, *file;
    struct problem problem = {0};
    struct hazard_list findings = {0};
    enum status st = read_problem(request, &text, &file, err);

    if (!st)
        st = problem_parse(&problem, text, strlen(text), file, err);
    if (!st)
        st = judge_attach(worker->judge, &problem, err);
    if (!st)
        st = lint_recall(&problem, text, &findings, err);
    if (!st) {
        json_put_string(answer, "name", problem.name);
        json_put(answer, "findings", hazard_list_encode(&findings));
    }
    hazard_list_release(&findings);
    problem_release(&problem);
    return st;
}

static enum status serve_load(struct worker *worker, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    const char *text, *file;
    enum status st = read_problem(request, &text, &file, err);

    (void)answer;
    worker->expected = 0;
    return st ? st : judge_load(worker->judge, text, strlen(text), file, err);
}

/* The optional member `key` as a candidate. `*present` says whether it is there. */
static enum status read_candidate(const struct json_ref *request, const char *key,
                                  struct candidate *candidate, bool *present, struct error *err)
{
    struct json_ref member = json_ref_member(request, key);

    *present = json_type(member.value) == JSON_OBJECT;
    return *present ? candidate_decode(candidate, &member, err) : STATUS_OK;
}

/* Which tools are to look at the candidate; borrows from the request. */
static enum status read_looks(const struct json_ref *request, struct judge_looks *looks,
                              struct error *err)
{
    struct json_ref tool = json_ref_member(request, "sanitize");

    looks->profile = json_get_bool(request->value, "profile", false);
    looks->skips_slower = json_get_bool(request->value, "skips_slower", false);
    looks->sanitizer = json_get_string(request->value, "sanitize", NULL);
    if (looks->sanitizer && !sanitizer_is_tool(looks->sanitizer))
        return json_ref_error(&tool, err, "expected memcheck, racecheck, initcheck or synccheck");
    return STATUS_OK;
}

static enum status serve_evaluate(struct worker *worker, const struct json_ref *request,
                                  struct json *answer, struct error *err)
{
    struct candidate candidate = {0}, best = {0};
    struct judge_request asked = {.candidate = &candidate};
    struct verdict verdict = {0};
    bool has_candidate = false, has_best = false;
    enum status st = read_candidate(request, "candidate", &candidate, &has_candidate, err);

    if (!st)
        st = read_candidate(request, "best", &best, &has_best, err);
    if (!st && !has_candidate)
        st = json_ref_error(request, err, "no candidate");
    if (!st)
        st = read_looks(request, &asked.looks, err);
    asked.best = has_best ? &best : NULL;
    if (!st)
        st = judge_evaluate(worker->judge, &asked, &verdict, err);
    if (!st)
        json_put(answer, "verdict", verdict_encode(&verdict));
    verdict_release(&verdict);
    candidate_release(&candidate);
    candidate_release(&best);
    return st;
}

static enum status serve_listing(struct worker *worker, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct json_ref form = json_ref_member(request, "form");
    struct candidate candidate = {0};
    struct judge_listing asked = {.candidate = &candidate,
                                  .form = json_get_string(request->value, "form", ""),
                                  .tuned = json_get_string(request->value, "tuned", NULL)};
    bool has_candidate = false;
    struct strbuf text = {0};
    enum status st = read_candidate(request, "candidate", &candidate, &has_candidate, err);

    if (!st && !has_candidate)
        st = json_ref_error(request, err, "no candidate");
    if (!st && !listing_is_form(asked.form))
        st = json_ref_error(&form, err, "expected ptx or sass");
    if (!st)
        st = judge_listing(worker->judge, &asked, &text, err);
    if (!st)
        json_put_string(answer, "text", strbuf_cstr(&text));
    strbuf_release(&text);
    candidate_release(&candidate);
    return st;
}

static enum status serve_nothing(struct worker *worker, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    (void)worker;
    (void)request;
    (void)answer;
    (void)err;
    return STATUS_OK;
}

static enum status serve_quit(struct worker *worker, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    worker->inbox.is_over = true;
    return serve_nothing(worker, request, answer, err);
}

static const struct command commands[] = {
    {"hello", serve_hello},     {"devices", serve_devices}, {"describe", serve_describe},
    {"lint", serve_lint},       {"load", serve_load},       {"evaluate", serve_evaluate},
    {"listing", serve_listing}, {"cancel", serve_nothing},  {"quit", serve_quit},
};

static enum status serve_request(struct worker *worker, const struct json *request,
                                 struct json *answer, struct error *err)
{
    const char *name = json_get_string(request, "do", "");
    const struct json_ref root = json_ref_root(request, "request");

    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        if (strcmp(commands[i].name, name) == 0)
            return commands[i].serve(worker, &root, answer, err);
    return error_set(err, STATUS_INVALID, "request: no command \"%s\"", name);
}

static void serve_line(struct worker *worker, const char *line)
{
    struct error err = {0};
    struct json *request = json_parse(line, strlen(line), &err);
    struct json *answer;
    enum status st = request ? STATUS_OK : err.code;

    worker->inbox.is_busy = true;
    worker->id = json_get(request, "id");
    answer = message_new(worker, "result");
    if (!st && inbox_was_cancelled(&worker->inbox))
        st = error_set(&err, STATUS_CANCELLED, "cancelled");
    if (!st)
        st = serve_request(worker, request, answer, &err);
    if (st) {
        json_free(answer);
        answer = message_new(worker, "error");
        json_put_string(answer, "error", err.text);
        json_put_number(answer, "code", err.code);
    }
    send_message(worker, answer);
    worker->inbox.is_busy = false;
    worker->id = NULL;
    json_free(request);
}

/* Report expected values as they are made, until a request comes. */
static void watch_oracle(struct worker *worker)
{
    struct pool_progress pool;
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN}, {.events = POLLIN}};

    while (!fds[0].revents && judge_expects(worker->judge, &pool) &&
           worker->expected < pool.total) {
        const struct judge_progress progress = {
            .stage = "expected values", .done = pool.made, .total = pool.total};

        send_progress(worker, &progress);
        worker->expected = pool.made;
        fds[1].fd = pool.fd;
        if (pool.made < pool.total)
            poll(fds, 2, -1);
    }
}

/* While nothing is asked.  What fails does so again in the evaluation that needs it. */
static void prepare(struct worker *worker)
{
    struct error err;

    if (judge_prepare(worker->judge, &err))
        fprintf(stderr, "kforge-worker: %s\n", err.text);
    else if (inbox_is_idle(&worker->inbox))
        watch_oracle(worker);
}

static void serve(struct worker *worker)
{
    char *line;

    do {
        if (inbox_is_idle(&worker->inbox))
            prepare(worker);
        line = inbox_next(&worker->inbox);
        if (line)
            serve_line(worker, line);
        free(line);
    } while (line && !worker->inbox.is_over);
    inbox_release(&worker->inbox);
}

/*
 * Tensors go back to the system when they are freed.  The C library would
 * keep them, for it takes the first of them as a sign of what is common
 * (mallopt(3), M_MMAP_THRESHOLD).
 */
static void keep_no_tensors(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

static int run_worker(const struct judge_options *given)
{
    static const char *const executor_argv[] = {"/proc/self/exe", "--executor", NULL};
    const char *python = getenv("KFORGE_PYTHON");
    char *script = file_shipped("backends/torch/bridge.py");
    const char *const bridge_argv[] = {
        "/proc/self/exe", "--contained", python ? python : "python3", "-B", script, NULL};
    struct worker worker = {0};
    struct judge_options options = *given;

    options.progress = send_progress;
    options.measured = send_roofs;
    options.data = &worker;
    options.executor.argv = executor_argv;
    options.executor.cancel_fd = STDIN_FILENO;
    options.executor.is_cancelled = take_cancel;
    options.executor.data = &worker;
    keep_no_tensors();
    options.bridge_argv = bridge_argv;
    signal(SIGPIPE, SIG_IGN);
    worker.judge = judge_new(&options);
    outbox_open(&worker.outbox);
    serve(&worker);
    outbox_close(&worker.outbox);
    judge_free(worker.judge);
    free(script);
    return EXIT_SUCCESS;
}

static enum status take_option(struct judge_options *options, int id, struct error *err)
{
    switch (id) {
    case 'd':
        options->executor.device = optarg;
        return STATUS_OK;
    case 'b':
        return quantity_parse_seconds(optarg, "--build-limit", &options->executor.build_limit_us,
                                      err);
    case 'r':
        return quantity_parse_seconds(optarg, "--run-limit", &options->executor.run_limit_us, err);
    case 't':
        return quantity_parse_seconds(optarg, "--tune-limit", &options->tune.budget_us, err);
    case 'c':
        return quantity_parse_count(optarg, "--tune-choices", PLAN_MAX_CHOICES,
                                    &options->tune.choices, err);
    default:
        return error_set(err, STATUS_INVALID,
                         "usage: kforge-worker [--device ID] [--build-limit SECONDS] [--run-limit "
                         "SECONDS] [--tune-limit SECONDS] [--tune-choices N] | --version");
    }
}

static enum status parse(struct judge_options *options, int argc, char **argv, struct error *err)
{
    static const struct option long_options[] = {{"device", required_argument, NULL, 'd'},
                                                 {"build-limit", required_argument, NULL, 'b'},
                                                 {"run-limit", required_argument, NULL, 'r'},
                                                 {"tune-limit", required_argument, NULL, 't'},
                                                 {"tune-choices", required_argument, NULL, 'c'},
                                                 {0}};
    enum status st = STATUS_OK;
    int id;

    opterr = 0;
    while (!st && (id = getopt_long(argc, argv, "", long_options, NULL)) != -1)
        st = take_option(options, id, err);
    return !st && optind < argc ? take_option(options, '?', err) : st;
}

int main(int argc, char **argv)
{
    struct judge_options options = {
        .executor = {.build_limit_us = DEFAULT_BUILD_LIMIT_US,
                     .run_limit_us = DEFAULT_RUN_LIMIT_US},
        .tune = {.budget_us = DEFAULT_TUNE_LIMIT_US, .choices = DEFAULT_TUNE_CHOICES},
        .trials = DEFAULT_TRIALS,
        .unseen = DEFAULT_UNSEEN,
        .precision = 0.01,
        .timing_budget_us = 1500000,
    };
    struct error err;

    if (argc >= 2 && strcmp(argv[1], "--executor") == 0)
        return executor_serve(argc > 2 && strcmp(argv[2], "--watched") == 0);
    if (argc > 2 && strcmp(argv[1], "--contained") == 0)
        containment_run(argv + 2);
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts("kforge-worker " KFORGE_VERSION) == EOF;
    if (parse(&options, argc, argv, &err)) {
        fprintf(stderr, "kforge-worker: %s\n", err.text);
        return 2;
    }
    process_hide();
    return run_worker(&options);
}
