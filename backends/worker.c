#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/executor.h"
#include "core/base/file.h"
#include "core/base/lines.h"
#include "core/base/vec.h"
#include "core/judge/judge.h"
#include "core/judge/wire.h"

/*
 * kforge-worker: the judge as a process.  Requests come as JSON lines on
 * standard input, answers go to standard output; while a request is worked
 * on, further lines are read only to see whether they cancel it.
 *
 *	hello                        -> version, device, roofs
 *	devices                      -> devices
 *	load     problem file        -> (nothing)
 *	evaluate candidate best      -> progress..., verdict
 *	cancel                       ends the request under way with an error
 *	quit
 */

enum { DEFAULT_TRIALS = 5, DEFAULT_UNSEEN = 2 };

struct worker {
    struct judge *judge;
    struct lines lines;
    struct {
        char **items; /* requests that came while another was worked on */
        size_t count, capacity;
    } waiting;
    const struct json *id; /* of the request under way */
    bool is_over;          /* quit, or nobody listens any more */
};

struct command {
    const char *name;
    enum status (*serve)(struct worker *worker, const struct json_ref *request, struct json *answer,
                         struct error *err);
};

static void send_line(struct worker *worker, struct json *message)
{
    struct strbuf text = {0};

    json_print(message, &text);
    strbuf_adds(&text, "\n");
    if (file_write_all(STDOUT_FILENO, strbuf_cstr(&text), text.len, NULL))
        worker->is_over = true;
    strbuf_release(&text);
    json_free(message);
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
    send_line(worker, message);
}

static bool is_cancel(const char *line)
{
    struct json *request = json_parse(line, strlen(line), NULL);
    bool cancel = strcmp(json_get_string(request, "do", ""), "cancel") == 0;

    json_free(request);
    return cancel;
}

/* Look at what came in while the executor works. */
static bool take_cancel(void *data)
{
    struct worker *worker = data;
    const char *line;

    if (lines_fill(&worker->lines, STDIN_FILENO, NULL))
        worker->is_over = true;
    while ((line = lines_next(&worker->lines))) {
        if (is_cancel(line))
            return true;
        vec_push(&worker->waiting, mem_strdup(line));
    }
    return worker->is_over;
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
    return STATUS_OK;
}

static enum status serve_devices(struct worker *worker, const struct json_ref *request,
                                 struct json *answer, struct error *err)
{
    struct device_list devices = {0};
    struct json *array = json_put(answer, "devices", json_array_new());
    enum status st = judge_probe(worker->judge, &devices, err);

    (void)request;
    for (size_t i = 0; i < devices.count; i++)
        json_push(array, device_info_encode(&devices.items[i]));
    device_list_release(&devices);
    return st;
}

static enum status serve_load(struct worker *worker, const struct json_ref *request,
                              struct json *answer, struct error *err)
{
    struct json_ref problem = json_ref_member(request, "problem");
    struct json_ref file = json_ref_member(request, "file");
    const char *text, *name;
    enum status st = json_read_string(&problem, &text, err);

    (void)answer;
    if (!st)
        st = json_read_string(&file, &name, err);
    return st ? st : judge_load(worker->judge, text, strlen(text), name, err);
}

/* The optional member `key` as a candidate. `*present` says whether it is there. */
static enum status read_candidate(const struct json_ref *request, const char *key,
                                  struct candidate *candidate, bool *present, struct error *err)
{
    struct json_ref member = json_ref_member(request, key);

    *present = json_type(member.value) == JSON_OBJECT;
    return *present ? candidate_decode(candidate, &member, err) : STATUS_OK;
}

static enum status serve_evaluate(struct worker *worker, const struct json_ref *request,
                                  struct json *answer, struct error *err)
{
    struct candidate candidate = {0}, best = {0};
    struct verdict verdict = {0};
    bool has_candidate = false, has_best = false;
    enum status st = read_candidate(request, "candidate", &candidate, &has_candidate, err);

    if (!st)
        st = read_candidate(request, "best", &best, &has_best, err);
    if (!st && !has_candidate)
        st = json_ref_error(request, err, "no candidate");
    if (!st)
        st = judge_evaluate(worker->judge, &candidate, has_best ? &best : NULL, &verdict, err);
    if (!st)
        json_put(answer, "verdict", verdict_encode(&verdict));
    verdict_release(&verdict);
    candidate_release(&candidate);
    candidate_release(&best);
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
    worker->is_over = true;
    return serve_nothing(worker, request, answer, err);
}

static const struct command commands[] = {
    {"hello", serve_hello},       {"devices", serve_devices}, {"load", serve_load},
    {"evaluate", serve_evaluate}, {"cancel", serve_nothing},  {"quit", serve_quit},
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

    worker->id = json_get(request, "id");
    answer = message_new(worker, "result");
    if (!st)
        st = serve_request(worker, request, answer, &err);
    if (st) {
        json_free(answer);
        answer = message_new(worker, "error");
        json_put_string(answer, "error", err.text);
        json_put_number(answer, "code", err.code);
    }
    send_line(worker, answer);
    worker->id = NULL;
    json_free(request);
}

/* The next request, to be freed; NULL when there will be none. */
static char *next_request(struct worker *worker)
{
    const char *line;

    if (worker->waiting.count) {
        char *first = worker->waiting.items[0];

        worker->waiting.count--;
        memmove(worker->waiting.items, worker->waiting.items + 1,
                worker->waiting.count * sizeof(first));
        return first;
    }
    while (!(line = lines_next(&worker->lines)))
        if (lines_fill(&worker->lines, STDIN_FILENO, NULL))
            return NULL;
    return mem_strdup(line);
}

static void serve(struct worker *worker)
{
    char *line;

    while (!worker->is_over && (line = next_request(worker))) {
        serve_line(worker, line);
        free(line);
    }
    for (size_t i = 0; i < worker->waiting.count; i++)
        free(worker->waiting.items[i]);
    vec_release(&worker->waiting);
    lines_release(&worker->lines);
}

static int run_worker(const char *device)
{
    static const char *const executor[] = {"/proc/self/exe", "--executor", NULL};
    struct worker worker = {0};
    struct judge_options options = {
        .executor = {.argv = executor,
                     .device = device,
                     .build_limit_us = 60000000,
                     .run_limit_us = 20000000,
                     .cancel_fd = STDIN_FILENO,
                     .is_cancelled = take_cancel,
                     .data = &worker},
        .trials = DEFAULT_TRIALS,
        .unseen = DEFAULT_UNSEEN,
        .precision = 0.01,
        .timing_budget_us = 1500000,
        .progress = send_progress,
        .data = &worker,
    };

    signal(SIGPIPE, SIG_IGN);
    worker.judge = judge_new(&options);
    serve(&worker);
    judge_free(worker.judge);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *device = NULL;

    if (argc == 2 && strcmp(argv[1], "--executor") == 0)
        return executor_serve();
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return puts("kforge-worker " KFORGE_VERSION) == EOF;
    if (argc == 3 && strcmp(argv[1], "--device") == 0)
        device = argv[2];
    else if (argc != 1) {
        fputs("usage: kforge-worker [--device ID | --version]\n", stderr);
        return 2;
    }
    return run_worker(device);
}
