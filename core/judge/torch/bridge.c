#include "core/judge/torch/bridge_state.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/judge/executor/wire.h"
#include "core/system/file.h"
#include "core/system/log.h"

/* The child says itself that it is late, and at which line; this long after, it is ended. */
enum { GRACE_US = 3000000 };

/* Of the machine's memory a model may take so much: the judge needs the rest. */
static const double memory_share = 0.75;

/* As containment_run() says that a program cannot be started (backends/containment). */
enum { NOT_STARTED = 127 };

/* Of the limit, for a compiler. */
enum { COMPILER_FACTOR = 4 };

static enum status evaluate(void *data, const struct graph *graph, struct oracle_values *values,
                            struct error *err)
{
    return bridge_evaluate(data, graph, values, err);
}

struct bridge *bridge_new(const struct bridge_options *options)
{
    struct bridge *bridge = mem_alloc_zeroed(1, sizeof(*bridge));

    bridge->options = *options;
    bridge->evaluator = (struct oracle_evaluator){.evaluate = evaluate, .data = bridge};
    bridge->maker = pthread_self();
    pthread_mutex_init(&bridge->lock, NULL);
    return bridge;
}

const struct oracle_evaluator *bridge_evaluator(const struct bridge *bridge)
{
    return &bridge->evaluator;
}

static int end_child(struct bridge *bridge)
{
    int status = child_end(&bridge->child, 0);

    memfd_release(&bridge->shared);
    enclosure_release(&bridge->enclosure);
    return status;
}

void bridge_free(struct bridge *bridge)
{
    if (!bridge)
        return;
    end_child(bridge);
    memfd_release(&bridge->given);
    json_free(bridge->opened);
    json_free(bridge->placed);
    pthread_mutex_destroy(&bridge->lock);
    free(bridge);
}

/* torch.compile has headers translated ahead, which makes large files. */
#define LARGEST_FILE_BYTES "1073741824"

/* Python's own folders, which may lie where containment lets nothing be read, and the script's. */
static void furnish(struct bridge *bridge)
{
    const char *const *argv = bridge->options.argv;
    const char *readable = getenv("KFORGE_READABLE");
    struct strbuf folders = {0};

    strbuf_adds(&folders, readable ? readable : "");
    for (size_t i = 0; argv[i]; i++) {
        int len = (int)(file_name(argv[i]) - argv[i]);

        if (argv[i][0] == '/')
            strbuf_addf(&folders, ":%.*s:%.*s..", len, argv[i], len, argv[i]);
    }
    enclosure_set(&bridge->enclosure, "KFORGE_READABLE", strbuf_cstr(&folders));
    enclosure_set(&bridge->enclosure, "KFORGE_FILE_BYTES", LARGEST_FILE_BYTES);
    strbuf_release(&folders);
}

static enum status start(struct bridge *bridge, struct error *err)
{
    struct process_spec spec = {.argv = bridge->options.argv,
                                .without_secrets = true,
                                .own_session = true,
                                .stderr_fd = log_fd() > 0 ? log_fd() : 0};
    enum status st = enclosure_make(&bridge->enclosure, err);

    if (!st)
        st = memfd_open(&bridge->shared, err);
    if (!st)
        st = memfd_grow(&bridge->shared, 1, err);
    if (!st) {
        furnish(bridge);
        spec.passed_fd = bridge->shared.fd;
        spec.environment = bridge->enclosure.environment;
        st = process_start(&bridge->child.process, &spec, err);
    }
    bridge->child.is_watched = true;
    bridge->child.allowed_bytes =
        (int64_t)(memory_share * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
    if (st)
        end_child(bridge);
    return st;
}

static const char *file_of(const struct bridge *bridge)
{
    return json_get_string(bridge->opened, "file", "the model");
}

/* What follows the option --contained (backends/worker.c). */
static const char *python_of(const struct bridge *bridge)
{
    return bridge->options.argv[2];
}

static enum status report_memory(const struct bridge *bridge, struct error *err)
{
    return error_set(err, STATUS_INVALID,
                     "%s: takes more memory than there is: make its sizes smaller",
                     file_of(bridge));
}

/* The child is gone by itself. */
static enum status report_end(const struct bridge *bridge, int status, struct error *err)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_STARTED)
        return error_set(
            err, STATUS_UNAVAILABLE,
            "%s: cannot start: install the package python3-torch, or name a Python that "
            "has PyTorch in KFORGE_PYTHON",
            python_of(bridge));
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return report_memory(bridge, err);
    if (WIFSIGNALED(status))
        return error_set(err, STATUS_INVALID, "%s: it crashed Python: %s", file_of(bridge),
                         strsignal(WTERMSIG(status)));
    return error_set(err, STATUS_INVALID, "%s: it ended Python", file_of(bridge));
}

/* There is no answer within `seconds`: end the child, and say why. */
static enum status report_silence(struct bridge *bridge, enum child_wait why, double seconds,
                                  struct error *err)
{
    const char *file = file_of(bridge);
    int status = end_child(bridge);

    switch (why) {
    case CHILD_LATE:
        return error_set(err, STATUS_INVALID,
                         "%s: still running after %.3g s: is it an endless loop?", file, seconds);
    case CHILD_CANCELLED:
        return error_set(err, STATUS_CANCELLED, "cancelled");
    case CHILD_GREEDY:
        return report_memory(bridge, err);
    case CHILD_CROWDED:
        return error_set(err, STATUS_INVALID, "%s: starts more than %d processes", file,
                         CHILD_MAX_PROCESSES);
    case CHILD_GARBLED:
        return error_set(err, STATUS_INVALID, "%s: its process talks garbage", file);
    case CHILD_GONE:
    case CHILD_WAITING:
    case CHILD_ANSWERED:
    default:
        return report_end(bridge, status, err);
    }
}

/* Who may end the work is asked in the thread that made the bridge, and in no other. */
static const struct child_cancel *cancel_of(const struct bridge *bridge)
{
    static const struct child_cancel nobody = {0};

    return pthread_equal(bridge->maker, pthread_self()) ? &bridge->options.cancel : &nobody;
}

/* One exchange with a child that runs; `*answer` is the caller's. */
static enum status exchange(struct bridge *bridge, const struct json *request, struct json **answer,
                            struct error *err)
{
    double seconds = json_get_number(request, "seconds", 0);
    struct json *parsed;
    enum child_wait wait = child_ask(&bridge->child, request, (int64_t)(seconds * 1e6) + GRACE_US,
                                     cancel_of(bridge), &parsed);
    enum status st;

    if (wait != CHILD_ANSWERED)
        return report_silence(bridge, wait, seconds, err);
    st = wire_check(parsed, err);
    if (st == STATUS_UNAVAILABLE) /* it ends where it has nothing to work with */
        end_child(bridge);
    if (st)
        json_free(parsed);
    else
        *answer = parsed;
    return st;
}

/* What a new child has to be told once more; nothing where `request` is NULL. */
static enum status repeat(struct bridge *bridge, const struct json *request, struct error *err)
{
    struct json *answer = NULL;
    enum status st = request ? exchange(bridge, request, &answer, err) : STATUS_OK;

    json_free(answer);
    return st;
}

enum status bridge_ensure(struct bridge *bridge, struct error *err)
{
    enum status st;

    if (bridge->child.process.pid)
        return STATUS_OK;
    st = start(bridge, err);
    if (!st)
        st = repeat(bridge, bridge->opened, err);
    return st ? st : repeat(bridge, bridge->placed, err);
}

enum status bridge_ask(struct bridge *bridge, struct json *request, struct json **answer,
                       struct error *err)
{
    enum status st = bridge_ensure(bridge, err);

    if (!st)
        st = exchange(bridge, request, answer, err);
    json_free(request);
    return st;
}

struct json *bridge_request(const struct bridge *bridge, const char *what)
{
    struct json *request = json_object_new();

    json_put_string(request, "do", what);
    json_put_number(request, "seconds", (double)bridge->options.limit_us * 1e-6);
    return request;
}

static enum status open_model(struct bridge *bridge, const struct model_source *source,
                              struct json **problem, struct error *err)
{
    struct json *request = bridge_request(bridge, "open"), *answer = NULL;
    enum status st;

    json_put_string(request, "source", source->text);
    json_put_string(request, "file", source->file);
    json_put_string(request, "tolerance", source->tolerance);
    json_free(bridge->opened);
    json_free(bridge->placed);
    bridge->opened = bridge->placed = NULL;
    bridge->is_coarse = false;
    st = bridge_ensure(bridge, err);
    bridge->opened = request;
    if (!st)
        st = exchange(bridge, request, &answer, err);
    if (!st && problem)
        *problem = json_dup(json_get(answer, "problem"));
    json_free(answer);
    return st;
}

enum status bridge_open(struct bridge *bridge, const struct model_source *source,
                        struct json **problem, struct error *err)
{
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    st = open_model(bridge, source, problem, err);
    pthread_mutex_unlock(&bridge->lock);
    return st;
}

enum status bridge_place(struct bridge *bridge, const struct device_info *device,
                         const struct tolerance *tolerance, struct json **names, struct error *err)
{
    struct json *answer = NULL;
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    json_free(bridge->placed);
    bridge->placed = NULL;
    st = bridge_ensure(bridge, err);
    bridge->placed = bridge_request(bridge, "baselines");
    json_put_string(bridge->placed, "device", device->is_cpu ? "cpu" : device->id);
    json_put_string(bridge->placed, "name", device->name);
    json_put_bool(bridge->placed, "mixed", tolerance->allows_mixed);
    json_put_number(bridge->placed, "atol", tolerance->atol);
    json_put_number(bridge->placed, "rtol", tolerance->rtol);
    json_put_number(bridge->placed, "matched", tolerance->matched);
    json_put_bool(bridge->placed, "scaled", !tolerance->kernelbench);
    if (!st)
        st = exchange(bridge, bridge->placed, &answer, err);
    pthread_mutex_unlock(&bridge->lock);
    if (!st)
        *names = json_dup(json_get(answer, "names"));
    json_free(answer);
    return st;
}

enum status bridge_time(struct bridge *bridge, const char *name, size_t runs, double *times_us,
                        struct error *err)
{
    struct json *request, *answer = NULL;
    const struct json *time;
    enum status st;

    pthread_mutex_lock(&bridge->lock);
    request = bridge_request(bridge, "time");
    json_put_string(request, "name", name);
    json_put_number(request, "runs", (double)runs);
    if (!runs)
        json_put_number(request, "seconds",
                        COMPILER_FACTOR * (double)bridge->options.limit_us * 1e-6);
    st = bridge_ask(bridge, request, &answer, err);
    pthread_mutex_unlock(&bridge->lock);
    time = json_first(json_get(answer, "times_us"));
    for (size_t i = 0; !st && i < runs; i++, time = json_next(time))
        times_us[i] = json_number(time, 0);
    json_free(answer);
    return st;
}
