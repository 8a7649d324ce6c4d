#include "core/session/evaluator.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/lines.h"
#include "core/base/log.h"
#include "core/base/loop.h"
#include "core/base/mem.h"
#include "core/base/process.h"
#include "core/judge/wire.h"

/* What is asked of the worker, one at a time. */
enum request {
    REQUEST_NONE,
    REQUEST_QUESTION,
    REQUEST_HELLO,
    REQUEST_LOAD,
    REQUEST_EVALUATE,
    REQUEST_LIST
};

/* A worker that dies on the same request so often is given up. */
enum { MAX_STARTS = 2, GRACE_US = 500000 };

struct evaluator {
    struct loop *loop;
    struct evaluator_listener listener;
    char *command; /* for sh */
    struct process process;
    struct lines lines;
    enum request asked;
    unsigned id;          /* of the last request */
    unsigned starts;      /* since a request was last answered */
    const char *question; /* for the worker; NULL for none */
    struct json *members; /* of the question */
    struct json *load;    /* the request that loads the problem; NULL before */
    struct json *pending; /* the evaluation or listing under way; NULL for none */
    enum request wanted;  /* which of the two */
    struct device_info device;
    char *libraries; /* of the judge; NULL: not known */
    struct roofs roofs;
    bool is_loaded; /* in the worker that runs */
    bool is_known;  /* the device */
};

static void worker_says(void *data, int fd, unsigned ready);
static void advance(struct evaluator *evaluator);

static void add_limit(struct strbuf *command, const char *option, int64_t us)
{
    if (us)
        strbuf_addf(command, " %s %lld.%06lld", option, (long long)us / 1000000,
                    (long long)us % 1000000);
}

/* The worker beside this program, or, elsewhere, the one in its PATH. */
static char *make_command(const struct evaluator_options *options)
{
    char self[4096] = "";
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    struct strbuf command = {0};

    self[len > 0 ? len : 0] = '\0';
    if (options->prefix)
        strbuf_addf(&command, "exec %s kforge-worker", options->prefix);
    else
        strbuf_addf(&command, "exec '%s/kforge-worker'", dirname(self));
    if (options->device)
        strbuf_addf(&command, " --device '%s'", options->device);
    add_limit(&command, "--build-limit", options->build_limit_us);
    add_limit(&command, "--run-limit", options->run_limit_us);
    add_limit(&command, "--tune-limit", options->tune_limit_us);
    if (options->tune_choices)
        strbuf_addf(&command, " --tune-choices %zu", options->tune_choices);
    return strbuf_take(&command);
}

enum status evaluator_open(struct loop *loop, const struct evaluator_options *options,
                           const struct evaluator_listener *listener, struct evaluator **evaluator,
                           struct error *err)
{
    struct evaluator *opened;

    if (options->device && strchr(options->device, '\''))
        return error_set(err, STATUS_INVALID, "device %s: a quote in its name", options->device);
    opened = mem_alloc_zeroed(1, sizeof(*opened));
    opened->loop = loop;
    opened->listener = *listener;
    opened->command = make_command(options);
    *evaluator = opened;
    return STATUS_OK;
}

/* A worker that has `grace_us` to end by itself leaves no folder behind. */
static void end_worker(struct evaluator *evaluator, int64_t grace_us)
{
    if (evaluator->process.pid)
        loop_unwatch(evaluator->loop, evaluator->process.out);
    process_finish(&evaluator->process, grace_us);
    lines_release(&evaluator->lines);
    evaluator->asked = REQUEST_NONE;
    evaluator->is_loaded = false;
}

void evaluator_close(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    end_worker(evaluator, GRACE_US);
    device_info_release(&evaluator->device);
    free(evaluator->libraries);
    json_free(evaluator->members);
    json_free(evaluator->load);
    json_free(evaluator->pending);
    free(evaluator->command);
    free(evaluator);
}

static enum status start_worker(struct evaluator *evaluator, struct error *err)
{
    const char *const argv[] = {"/bin/sh", "-c", evaluator->command, NULL};
    struct process_spec spec = {
        .argv = argv, .stderr_fd = log_fd() > 0 ? log_fd() : 0, .without_secrets = true};
    enum status st;

    if (evaluator->process.pid)
        return STATUS_OK;
    if (++evaluator->starts > MAX_STARTS)
        return error_set(err, STATUS_UNAVAILABLE, "the worker died %d times: %s", MAX_STARTS,
                         evaluator->command + strlen("exec "));
    st = process_start(&evaluator->process, &spec, err);
    if (!st)
        loop_watch(evaluator->loop, evaluator->process.out, LOOP_READ, worker_says, evaluator);
    return st;
}

/*
 * Send a request with a new id; `members` is borrowed and may be NULL.  A worker that cannot be
 * written to is gone, and the end of its output says so: worker_says() starts another.
 */
static void ask(struct evaluator *evaluator, enum request request, const char *what,
                const struct json *members)
{
    struct json *message = members ? json_dup(members) : json_object_new();
    struct strbuf text = {0};
    struct error err;

    json_put_string(message, "do", what);
    json_put_number(message, "id", ++evaluator->id);
    json_print(message, &text);
    strbuf_adds(&text, "\n");
    json_free(message);
    if (file_write_all(evaluator->process.in, strbuf_cstr(&text), text.len, &err))
        log_line("worker: %s", err.text);
    strbuf_release(&text);
    evaluator->asked = request;
}

static void drop_question(struct evaluator *evaluator)
{
    json_free(evaluator->members);
    evaluator->members = NULL;
    evaluator->question = NULL;
}

/* Drop what was wanted, and say that it is not to be had. */
static void fail(struct evaluator *evaluator, const struct error *err)
{
    drop_question(evaluator);
    json_free(evaluator->pending);
    evaluator->pending = NULL;
    evaluator->starts = 0;
    if (!evaluator->is_loaded) {
        json_free(evaluator->load);
        evaluator->load = NULL;
    }
    evaluator->listener.failed(evaluator->listener.data, err);
}

/* Whether something is wanted that the worker does not work on yet. */
static bool is_wanting(const struct evaluator *evaluator)
{
    if (evaluator->asked != REQUEST_NONE)
        return false;
    return evaluator->question ||
           (evaluator->load && (!evaluator->is_loaded || evaluator->pending));
}

static enum status ask_next(struct evaluator *evaluator, struct error *err)
{
    enum status st = is_wanting(evaluator) ? start_worker(evaluator, err) : STATUS_OK;

    if (st || !is_wanting(evaluator))
        return st;
    if (evaluator->question)
        ask(evaluator, REQUEST_QUESTION, evaluator->question, evaluator->members);
    else if (!evaluator->is_known)
        ask(evaluator, REQUEST_HELLO, "hello", NULL);
    else if (!evaluator->is_loaded)
        ask(evaluator, REQUEST_LOAD, "load", evaluator->load);
    else
        ask(evaluator, evaluator->wanted,
            evaluator->wanted == REQUEST_LIST ? "listing" : "evaluate", evaluator->pending);
    return STATUS_OK;
}

/* Ask for whatever comes next on the way to what is wanted. */
static void advance(struct evaluator *evaluator)
{
    struct error err;

    if (ask_next(evaluator, &err)) {
        end_worker(evaluator, 0);
        fail(evaluator, &err);
    }
}

enum status evaluator_ask(struct evaluator *evaluator, const char *question, struct json *members,
                          struct error *err)
{
    if (evaluator->question) {
        json_free(members);
        return error_set(err, STATUS_INVALID, "the worker is busy");
    }
    evaluator->question = question;
    evaluator->members = members;
    return ask_next(evaluator, err);
}

enum status evaluator_load(struct evaluator *evaluator, const char *problem_text, const char *file,
                           struct error *err)
{
    if (evaluator->asked != REQUEST_NONE)
        return error_set(err, STATUS_INVALID, "the worker is busy");
    json_free(evaluator->load);
    evaluator->load = json_object_new();
    json_put_string(evaluator->load, "problem", problem_text);
    json_put_string(evaluator->load, "file", file);
    evaluator->is_loaded = false;
    return ask_next(evaluator, err);
}

static struct json *encode_request(const struct judge_request *request)
{
    struct json *members = json_object_new();

    json_put(members, "candidate", candidate_encode(request->candidate));
    if (request->best)
        json_put(members, "best", candidate_encode(request->best));
    json_put_bool(members, "profile", request->looks.profile);
    json_put_bool(members, "skips_slower", request->looks.skips_slower);
    if (request->looks.sanitizer)
        json_put_string(members, "sanitize", request->looks.sanitizer);
    return members;
}

/* Takes `members`. */
static enum status want(struct evaluator *evaluator, enum request request, struct json *members,
                        struct error *err)
{
    if (!evaluator->load || evaluator->pending) {
        json_free(members);
        return error_set(err, STATUS_INVALID, "the worker is busy, or has no problem");
    }
    evaluator->pending = members;
    evaluator->wanted = request;
    return ask_next(evaluator, err);
}

enum status evaluator_evaluate(struct evaluator *evaluator, const struct judge_request *request,
                               struct error *err)
{
    return want(evaluator, REQUEST_EVALUATE, encode_request(request), err);
}

enum status evaluator_list(struct evaluator *evaluator, const struct judge_listing *listing,
                           struct error *err)
{
    struct json *members = json_object_new();

    json_put(members, "candidate", candidate_encode(listing->candidate));
    json_put_string(members, "form", listing->form);
    if (listing->tuned)
        json_put_string(members, "tuned", listing->tuned);
    return want(evaluator, REQUEST_LIST, members, err);
}

void evaluator_cancel(struct evaluator *evaluator)
{
    json_free(evaluator->pending);
    evaluator->pending = NULL;
    if (evaluator->asked != REQUEST_EVALUATE && evaluator->asked != REQUEST_LIST)
        return;
    /* Its answer, an error, finds a newer id and is passed over. */
    ask(evaluator, REQUEST_NONE, "cancel", NULL);
}

static void take_progress(struct evaluator *evaluator, const struct json *message)
{
    struct evaluation_progress progress = {
        .stage = json_get_string(message, "stage", ""),
        .done = (unsigned)json_get_number(message, "done", 0),
        .total = (unsigned)json_get_number(message, "total", 0),
        .median_us = json_get_number(message, "median_us", 0),
    };

    evaluator->listener.progress(evaluator->listener.data, &progress);
}

static enum status take_hello(struct evaluator *evaluator, const struct json_ref *message,
                              struct error *err)
{
    struct json_ref device = json_ref_member(message, "device");
    const char *version = json_get_string(message->value, "version", "unknown");
    enum status st;

    if (strcmp(version, KFORGE_VERSION) != 0)
        return error_set(err, STATUS_INVALID, "kforge-worker is version %s, kforge is %s", version,
                         KFORGE_VERSION);
    device_info_release(&evaluator->device);
    st = device_info_decode(&evaluator->device, &device, err);
    if (st)
        return st;
    roofs_decode(&evaluator->roofs, json_get(message->value, "roofs"));
    free(evaluator->libraries);
    evaluator->libraries = mem_strdup(json_get_string(message->value, "libraries", ""));
    evaluator->is_known = true;
    return STATUS_OK;
}

static void take_roofs(struct evaluator *evaluator, const struct json *message)
{
    roofs_decode(&evaluator->roofs, json_get(message, "roofs"));
    if (evaluator->listener.measured)
        evaluator->listener.measured(evaluator->listener.data);
}

static enum status take_verdict(struct evaluator *evaluator, const struct json_ref *message,
                                struct error *err)
{
    struct json_ref encoded = json_ref_member(message, "verdict");
    struct verdict verdict = {0};
    enum status st = verdict_decode(&verdict, &encoded, err);

    if (st)
        return st;
    json_free(evaluator->pending);
    evaluator->pending = NULL;
    evaluator->listener.done(evaluator->listener.data, &verdict, encoded.value);
    verdict_release(&verdict);
    return STATUS_OK;
}

/* The next question may be put while this answer is heard. */
static void take_reply(struct evaluator *evaluator, const struct json *message)
{
    drop_question(evaluator);
    evaluator->listener.answered(evaluator->listener.data, message);
}

static enum status take_result(struct evaluator *evaluator, enum request asked,
                               const struct json_ref *message, struct error *err)
{
    switch (asked) {
    case REQUEST_QUESTION:
        take_reply(evaluator, message->value);
        return STATUS_OK;
    case REQUEST_HELLO:
        return take_hello(evaluator, message, err);
    case REQUEST_LOAD:
        evaluator->is_loaded = true;
        evaluator->listener.loaded(evaluator->listener.data);
        return STATUS_OK;
    case REQUEST_EVALUATE:
        return take_verdict(evaluator, message, err);
    case REQUEST_LIST:
        json_free(evaluator->pending);
        evaluator->pending = NULL;
        evaluator->listener.answered(evaluator->listener.data, message->value);
        return STATUS_OK;
    case REQUEST_NONE:
        break;
    }
    return STATUS_OK;
}

static void take_answer(struct evaluator *evaluator, const struct json *message)
{
    enum request asked = evaluator->asked;
    struct json_ref root = json_ref_root(message, "worker");
    struct error err;
    enum status st = wire_check(message, &err);

    evaluator->asked = REQUEST_NONE;
    evaluator->starts = 0;
    if (!st)
        st = take_result(evaluator, asked, &root, &err);
    if (st)
        fail(evaluator, &err);
}

/* What is told without an id is about no request: what the worker does ahead. */
static void take_message(struct evaluator *evaluator, const struct json *message)
{
    double id = json_get_number(message, "id", evaluator->id);
    const char *event = json_get_string(message, "event", "");

    if (strcmp(event, "roofs") == 0)
        take_roofs(evaluator, message);
    else if (id != (double)evaluator->id)
        return;
    else if (strcmp(event, "progress") == 0)
        take_progress(evaluator, message);
    else
        take_answer(evaluator, message);
}

static void take_line(struct evaluator *evaluator, const char *line)
{
    struct json *message = json_parse(line, strlen(line), NULL);

    if (message)
        take_message(evaluator, message);
    else
        log_line("worker: not JSON: %.200s", line);
    json_free(message);
}

static void worker_says(void *data, int fd, unsigned ready)
{
    struct evaluator *evaluator = data;
    enum status st = lines_fill(&evaluator->lines, fd, NULL);
    const char *line;

    (void)ready;
    while (evaluator->process.pid && (line = lines_next(&evaluator->lines)))
        take_line(evaluator, line);
    if (st)
        end_worker(evaluator, 0);
    advance(evaluator);
}

const struct device_info *evaluator_device(const struct evaluator *evaluator)
{
    return evaluator->is_known ? &evaluator->device : NULL;
}

const char *evaluator_libraries(const struct evaluator *evaluator)
{
    return evaluator->libraries;
}

const struct roofs *evaluator_roofs(const struct evaluator *evaluator)
{
    return evaluator->is_known ? &evaluator->roofs : NULL;
}
