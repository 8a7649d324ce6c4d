#include "core/session/worker/evaluator.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/quantity.h"
#include "core/judge/executor/wire.h"
#include "core/session/worker/worker_command.h"
#include "core/session/worker/worker_process.h"

/* The request under way. */
enum request {
    REQUEST_NONE,
    REQUEST_QUESTION,
    REQUEST_HELLO,
    REQUEST_LOAD,
    REQUEST_EVALUATE,
    REQUEST_LIST,
    REQUEST_AWAIT
};

enum { GRACE_US = 3000000, PATIENCE_US = 20000000 };

struct evaluator {
    struct evaluator_listener listener;
    char *command;     /* for sh */
    const char *shown; /* the part of it that messages show */
    struct worker_process worker;
    const char *lost; /* how the last worker was lost; NULL if none was */
    enum request asked;
    unsigned id;          /* id of the last request */
    unsigned starts;      /* starts of the worker since the last answer */
    const char *question; /* the question of evaluator_ask() that is to be sent; NULL for none */
    struct json *members; /* members of the question */
    struct json *load;    /* the request that loads the problem; NULL: no problem */
    struct json *pending; /* the request to send or under way that needs the problem, or NULL */
    enum request wanted;  /* the kind of `pending`, REQUEST_EVALUATE or one after it */
    struct device_info device;
    char *libraries; /* NULL until known */
    struct roofs roofs;
    bool is_loaded; /* the running worker has the problem */
    bool is_known;  /* device and roofs are known */
};

static void on_message(void *data, const struct json *message);
static void on_silence(void *data, bool is_silent);
static void on_lost(void *data, const char *how);

static enum status read_patience(int64_t *us, struct error *err)
{
    const char *given = getenv("KFORGE_WORKER_SILENCE");

    *us = PATIENCE_US;
    return given && *given ? quantity_parse_seconds(given, "KFORGE_WORKER_SILENCE", us, err)
                           : STATUS_OK;
}

enum status evaluator_open(struct loop *loop, const struct evaluator_options *options,
                           const struct evaluator_listener *listener, struct evaluator **evaluator,
                           struct error *err)
{
    struct evaluator *opened;
    int64_t patience_us;
    enum status st = read_patience(&patience_us, err);

    if (st)
        return st;
    if (options->device && strchr(options->device, '\''))
        return error_set(err, STATUS_INVALID, "device %s: its name must not contain a quote",
                         options->device);
    opened = mem_alloc_zeroed(1, sizeof(*opened));
    opened->listener = *listener;
    opened->command = worker_command_make(options, &opened->shown);
    opened->worker = (struct worker_process){
        .loop = loop,
        .listener = {on_message, on_silence, on_lost, opened},
        .command = opened->command,
        .patience_us = patience_us,
        .is_elsewhere = options->prefix != NULL,
    };
    *evaluator = opened;
    return STATUS_OK;
}

/* Reset the state of a worker: the next one gets the problem and the request again. */
static void forget_worker(struct evaluator *evaluator)
{
    evaluator->asked = REQUEST_NONE;
    evaluator->is_loaded = false;
}

void evaluator_close(struct evaluator *evaluator)
{
    if (!evaluator)
        return;
    worker_process_end(&evaluator->worker, GRACE_US);
    worker_process_release(&evaluator->worker);
    device_info_release(&evaluator->device);
    free(evaluator->libraries);
    json_free(evaluator->members);
    json_free(evaluator->load);
    json_free(evaluator->pending);
    free(evaluator->command);
    free(evaluator);
}

PRINTF_LIKE(2, 3)
static void notify(const struct evaluator *evaluator, const char *fmt, ...)
{
    struct strbuf line = {0};
    va_list args;

    va_start(args, fmt);
    strbuf_vaddf(&line, fmt, args);
    va_end(args);
    if (evaluator->listener.notice)
        evaluator->listener.notice(evaluator->listener.data, strbuf_cstr(&line));
    strbuf_release(&line);
}

static enum status start_worker(struct evaluator *evaluator, struct error *err)
{
    if (worker_process_runs(&evaluator->worker))
        return STATUS_OK;
    if (evaluator->lost == worker_process_not_found ||
        evaluator->lost == worker_process_not_begun || ++evaluator->starts > WORKER_MAX_STARTS)
        return worker_process_explain(&evaluator->worker, evaluator->lost, evaluator->shown, err);
    if (evaluator->lost)
        notify(evaluator, "the worker %s: kforge starts another", evaluator->lost);
    return worker_process_start(&evaluator->worker, err);
}

/* Send a request with a new id; `members` is borrowed and may be NULL. */
static void ask(struct evaluator *evaluator, enum request request, const char *what,
                const struct json *members)
{
    struct json *message = members ? json_dup(members) : json_object_new();

    json_put_string(message, "do", what);
    json_put_number(message, "id", ++evaluator->id);
    worker_process_send(&evaluator->worker, message);
    json_free(message);
    evaluator->asked = request;
    if (request == REQUEST_NONE)
        worker_process_rest(&evaluator->worker);
}

static void drop_question(struct evaluator *evaluator)
{
    json_free(evaluator->members);
    evaluator->members = NULL;
    evaluator->question = NULL;
}

/* Drop all requests and report the failure. */
static void fail(struct evaluator *evaluator, const struct error *err)
{
    drop_question(evaluator);
    json_free(evaluator->pending);
    evaluator->pending = NULL;
    evaluator->starts = 0;
    if (evaluator->lost == worker_process_not_begun)
        evaluator->lost = NULL; /* the next request tries again */
    if (!evaluator->is_loaded) {
        json_free(evaluator->load);
        evaluator->load = NULL;
    }
    evaluator->listener.failed(evaluator->listener.data, err);
}

/* True if the worker is free and a request waits to be sent. */
static bool is_wanting(const struct evaluator *evaluator)
{
    if (evaluator->asked != REQUEST_NONE)
        return false;
    return evaluator->question ||
           (evaluator->load && (!evaluator->is_loaded || evaluator->pending));
}

/* The names of requests that need the problem. */
static const char *const names[] = {
    [REQUEST_EVALUATE] = "evaluate", [REQUEST_LIST] = "listing", [REQUEST_AWAIT] = "await"};

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
        ask(evaluator, evaluator->wanted, names[evaluator->wanted], evaluator->pending);
    return STATUS_OK;
}

/* Send the next request that is needed: the greeting, the problem, then the waiting request. */
static void advance(struct evaluator *evaluator)
{
    struct error err;

    if (ask_next(evaluator, &err)) {
        worker_process_end(&evaluator->worker, 0);
        forget_worker(evaluator);
        fail(evaluator, &err);
    }
}

/* The worker may still answer requests of `earlier`. These answers have old ids and are ignored. */
void evaluator_take_worker(struct evaluator *evaluator, struct evaluator *earlier)
{
    if (!earlier || !worker_process_runs(&earlier->worker) ||
        strcmp(earlier->command, evaluator->command) != 0)
        return;
    worker_process_move(&evaluator->worker, &earlier->worker);
    evaluator->id = earlier->id;
    if (earlier->asked != REQUEST_NONE)
        ask(evaluator, REQUEST_NONE, "cancel", NULL);
    drop_question(earlier);
    forget_worker(earlier);
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
    if (request->first)
        json_put(members, "first", candidate_encode(request->first));
    json_put_bool(members, "profile", request->tools.profile);
    json_put_bool(members, "skips_slower", request->tools.skips_slower);
    json_put_bool(members, "skips_lines", request->tools.skips_lines);
    if (request->tools.sanitizer)
        json_put_string(members, "sanitize", request->tools.sanitizer);
    return members;
}

/* Takes `members`. */
static enum status want(struct evaluator *evaluator, enum request request, struct json *members,
                        struct error *err)
{
    if (!evaluator->load || evaluator->pending) {
        json_free(members);
        return error_set(err, STATUS_INVALID, "the worker is busy, or no problem is loaded");
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
    json_put_string(members, "form", listing_form_name(listing->form));
    if (listing->tuned)
        json_put_string(members, "tuned", listing->tuned);
    return want(evaluator, REQUEST_LIST, members, err);
}

enum status evaluator_await(struct evaluator *evaluator, struct error *err)
{
    return want(evaluator, REQUEST_AWAIT, json_object_new(), err);
}

void evaluator_cancel(struct evaluator *evaluator)
{
    json_free(evaluator->pending);
    evaluator->pending = NULL;
    if (evaluator->asked < REQUEST_EVALUATE)
        return;
    /* The cancelled request is answered with an error, which is ignored as its id is old. */
    ask(evaluator, REQUEST_NONE, "cancel", NULL);
}

static void take_progress(struct evaluator *evaluator, const struct json *message)
{
    const struct evaluation_progress progress = evaluation_progress_decode(message);

    evaluator->listener.progress(evaluator->listener.data, &progress);
}

static enum status take_hello(struct evaluator *evaluator, const struct json_ref *message,
                              struct error *err)
{
    struct json_ref device = json_ref_member(message, "device");
    const char *version = json_get_string(message->value, "version", "unknown");
    enum status st;

    if (strcmp(version, KFORGE_VERSION) != 0)
        return error_set(
            err, STATUS_UNAVAILABLE,
            "kforge-worker is version %s, kforge is %s: install the same version of both", version,
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

static void take_compiled(struct evaluator *evaluator)
{
    if (evaluator->listener.compiled)
        evaluator->listener.compiled(evaluator->listener.data);
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

/* The question is dropped first, because the listener may ask the next one during its call. */
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
    case REQUEST_AWAIT:
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
    worker_process_rest(&evaluator->worker);
    evaluator->starts = 0;
    if (!st)
        st = take_result(evaluator, asked, &root, &err);
    if (st)
        fail(evaluator, &err);
}

/* A message without an id belongs to no request: the worker measures roofs in advance. */
static void take_message(struct evaluator *evaluator, const struct json *message)
{
    double id = json_get_number(message, "id", evaluator->id);
    const char *event = json_get_string(message, "event", "");

    if (strcmp(event, "alive") == 0)
        return;
    if (strcmp(event, "roofs") == 0)
        take_roofs(evaluator, message);
    else if (strcmp(event, "compiled") == 0)
        take_compiled(evaluator);
    else if (id != (double)evaluator->id)
        return;
    else if (strcmp(event, "progress") == 0)
        take_progress(evaluator, message);
    else
        take_answer(evaluator, message);
}

static void on_message(void *data, const struct json *message)
{
    take_message(data, message);
    advance(data);
}

static void on_silence(void *data, bool is_silent)
{
    const struct evaluator *evaluator = data;
    const struct worker_process *worker = &evaluator->worker;
    double patience_s = (double)worker->patience_us * 1e-6;

    if (!is_silent)
        notify(evaluator, "the worker responds again");
    else if (worker->is_elsewhere)
        notify(
            evaluator,
            "the worker has not responded for %.3g s: to start another, end kforge and resume the "
            "session: %s",
            patience_s, evaluator->shown);
    else
        notify(evaluator,
               "the worker (pid %lld) has not responded for %.3g s: kforge starts another after "
               "%.3g s",
               (long long)worker->process.pid, patience_s, 3 * patience_s);
}

static void on_lost(void *data, const char *how)
{
    struct evaluator *evaluator = data;

    evaluator->lost = how;
    forget_worker(evaluator);
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
