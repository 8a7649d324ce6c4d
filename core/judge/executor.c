#include "core/judge/executor.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"
#include "core/base/log.h"
#include "core/base/vec.h"
#include "core/judge/child.h"
#include "core/judge/enclosure.h"
#include "core/judge/readback.h"
#include "core/judge/wire.h"

/* What is loaded in a slot: enough to find its buffers in the readback. */
struct slot {
    struct buffer_spec *buffers; /* the names are not kept */
    size_t count;
    size_t launches;
};

enum { ALLOWANCE_BYTES = 1 << 30 }; /* of memory: a compiler takes some hundred megabytes */

struct executor {
    struct executor_options options;
    struct child child;
    struct enclosure enclosure;
    struct readback readback;
    struct device_info device;
    bool is_open;
    enum outcome outcome;
    struct slot slots[SLOT_COUNT];
    struct executor_spent spent;
    int64_t idle_bytes; /* of memory in use, when the device had been opened */
};

struct executor *executor_new(const struct executor_options *options)
{
    struct executor *executor = mem_alloc_zeroed(1, sizeof(*executor));

    executor->options = *options;
    return executor;
}

static void empty_slots(struct executor *executor)
{
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        free(executor->slots[i].buffers); /* NOLINT(clang-analyzer-unix.Malloc): zeroed below */
        executor->slots[i] = (struct slot){0};
    }
}

/* End the child; the next call starts a new one. Returns its wait status. */
static int end_process(struct executor *executor)
{
    int status = child_end(&executor->child, executor->options.grace_us);

    readback_release(&executor->readback);
    enclosure_release(&executor->enclosure);
    empty_slots(executor);
    executor->is_open = false;
    return status;
}

void executor_free(struct executor *executor)
{
    if (!executor)
        return;
    end_process(executor);
    device_info_release(&executor->device);
    free(executor);
}

enum outcome executor_outcome(const struct executor *executor)
{
    return executor->outcome;
}

static enum status start(struct executor *executor, struct error *err)
{
    struct process_spec spec = {.argv = executor->options.argv,
                                .without_secrets = true,
                                .own_session = true,
                                .stderr_fd = log_fd() > 0 ? log_fd() : 0};
    enum status st;

    if (executor->child.process.pid)
        return STATUS_OK;
    st = enclosure_make(&executor->enclosure, err);
    if (!st)
        st = readback_create(&executor->readback, err);
    if (!st) {
        spec.passed_fd = executor->readback.fd;
        spec.environment = executor->enclosure.environment;
        st = process_start(&executor->child.process, &spec, err);
    }
    if (st)
        end_process(executor);
    return st;
}

/* The child is gone: say how. */
static enum status report_death(struct executor *executor, struct error *err)
{
    executor->outcome = child_outcome(end_process(executor), err);
    return STATUS_INVALID;
}

static enum status report_timeout(struct executor *executor, int64_t limit_us, const char *what,
                                  struct error *err)
{
    end_process(executor);
    executor->outcome = OUTCOME_TIMED_OUT;
    return error_set(err, STATUS_TIMEOUT, "%s took longer than %.3g s", what,
                     (double)limit_us * 1e-6);
}

static enum status report_memory(struct executor *executor, struct error *err)
{
    int64_t allowed = executor->child.allowed_bytes;

    end_process(executor);
    executor->outcome = OUTCOME_OUT_OF_MEMORY;
    return error_set(err, STATUS_INVALID, "the kernel's process took more than %lld MB of memory",
                     (long long)(allowed >> 20));
}

static enum status report_crowd(struct executor *executor, struct error *err)
{
    end_process(executor);
    executor->outcome = OUTCOME_CRASHED;
    return error_set(err, STATUS_INVALID, "the kernel's process started more than %d others",
                     CHILD_MAX_PROCESSES);
}

/* Wait for the answer's line. NULL with the error set when there is none. */
static const char *await_line(struct executor *executor, int64_t limit_us, const char *what,
                              struct error *err)
{
    const struct executor_options *o = &executor->options;
    const struct child_cancel cancel = {o->cancel_fd, o->is_cancelled, o->data};
    const char *line = NULL;

    switch (child_await(&executor->child, clock_now_us() + limit_us, &cancel, &line)) {
    case CHILD_LATE:
        report_timeout(executor, limit_us, what, err);
        break;
    case CHILD_GREEDY:
        report_memory(executor, err);
        break;
    case CHILD_CROWDED:
        report_crowd(executor, err);
        break;
    case CHILD_CANCELLED:
        end_process(executor);
        error_set(err, STATUS_CANCELLED, "cancelled");
        break;
    case CHILD_GONE:
        report_death(executor, err);
        break;
    case CHILD_WAITING:
    case CHILD_ANSWERED:
    default:
        break;
    }
    return line;
}

static enum status send_request(struct executor *executor, const struct json *request,
                                struct error *err)
{
    struct strbuf text = {0};
    enum status st;

    json_print(request, &text);
    strbuf_adds(&text, "\n");
    st = child_send(&executor->child, strbuf_cstr(&text), err);
    strbuf_release(&text);
    return st ? report_death(executor, err) : STATUS_OK;
}

/* What a failure in the executor says: after an I/O error the device itself is in no state to go
 * on. */
static enum outcome outcome_of(enum status st)
{
    if (st == STATUS_UNAVAILABLE)
        return OUTCOME_OUT_OF_MEMORY;
    return st == STATUS_IO ? OUTCOME_CRASHED : OUTCOME_LAUNCH_FAILED;
}

/* Parse the answer; an error in it is the candidate's until a caller knows better. */
static enum status take_answer(struct executor *executor, const char *line, struct json **answer,
                               struct error *err)
{
    struct json *parsed = json_parse(line, strlen(line), NULL);
    enum status st;

    if (!parsed) {
        end_process(executor);
        executor->outcome = OUTCOME_CRASHED;
        return error_set(err, STATUS_INVALID, "the kernel's process talks garbage");
    }
    st = wire_check(parsed, err);
    if (st) {
        executor->outcome = outcome_of(st);
        json_free(parsed);
        if (st == STATUS_IO)
            end_process(executor);
        return st;
    }
    *answer = parsed;
    return STATUS_OK;
}

/* One exchange with a child that runs. Takes `request`; `*answer` is the caller's. */
static enum status exchange(struct executor *executor, struct json *request, int64_t limit_us,
                            struct json **answer, struct error *err)
{
    const char *what = json_get_string(request, "do", "");
    const char *line = NULL;
    enum status st;

    executor->outcome = OUTCOME_NONE;
    st = start(executor, err);
    if (!st)
        st = send_request(executor, request, err);
    if (!st) {
        line = await_line(executor, limit_us, strcmp(what, "load") ? "the run" : "the build", err);
        st = line ? take_answer(executor, line, answer, err) : err->code;
    }
    json_free(request);
    return st;
}

static struct json *request_new(const char *what)
{
    struct json *request = json_object_new();

    json_put_string(request, "do", what);
    return request;
}

enum { DEVICE_LIMIT_US = 60000000 };

static enum status decode_device(struct executor *executor, const struct json *answer,
                                 struct error *err)
{
    struct json_ref root = json_ref_root(answer, "executor");
    struct json_ref device = json_ref_member(&root, "device");
    struct device_info info = {0};
    enum status st = device_info_decode(&info, &device, err);

    if (st)
        return st;
    device_info_release(&executor->device);
    executor->device = info;
    executor->is_open = true;
    executor->idle_bytes = child_memory(&executor->child);
    return STATUS_OK;
}

static enum status ensure_open(struct executor *executor, struct error *err)
{
    struct json *request, *answer = NULL;
    enum status st;

    if (executor->child.process.pid && executor->is_open)
        return STATUS_OK;
    request = request_new("open");
    json_put_string(request, "device", executor->options.device);
    json_put_bool(request, "leaves_memory", executor->options.leaves_memory);
    st = exchange(executor, request, DEVICE_LIMIT_US, &answer, err);
    if (!st)
        st = decode_device(executor, answer, err);
    json_free(answer);
    executor->outcome = OUTCOME_NONE; /* no candidate had a part in this */
    return st;
}

enum status executor_device(struct executor *executor, const struct device_info **device,
                            struct error *err)
{
    enum status st = ensure_open(executor, err);

    if (!st)
        *device = &executor->device;
    return st;
}

static enum status decode_devices(struct device_list *devices, const struct json *answer,
                                  struct error *err)
{
    struct json_ref root = json_ref_root(answer, "executor");
    struct json_ref list = json_ref_member(&root, "devices");
    enum status st = json_expect(&list, JSON_ARRAY, err);

    safeguards_decode(&devices->safeguards, json_get(answer, "containment"));
    for (size_t i = 0; !st && i < json_count(list.value); i++) {
        struct json_ref element = json_ref_element(&list, i);
        struct device_info info = {0};

        st = device_info_decode(&info, &element, err);
        if (!st)
            vec_push(devices, info);
    }
    return st;
}

enum status executor_probe(struct executor *executor, struct device_list *devices,
                           struct error *err)
{
    struct json *request = request_new("devices"), *answer = NULL;
    enum status st;

    json_put_string(request, "device", executor->options.device);
    st = exchange(executor, request, DEVICE_LIMIT_US, &answer, err);
    if (!st)
        st = decode_devices(devices, answer, err);
    json_free(answer);
    return st;
}

/* Let the child have `bytes` of memory for buffers beside those that are loaded. */
static void allow_memory(struct executor *executor, size_t bytes)
{
    size_t loaded = 0;

    for (size_t i = 0; i < SLOT_COUNT; i++)
        loaded += readback_offset(executor->slots[i].buffers, executor->slots[i].count);
    executor->child.is_watched = true;
    executor->child.allowed_bytes =
        executor->idle_bytes + ALLOWANCE_BYTES + (int64_t)(loaded + bytes);
}

enum status executor_set_tensors(struct executor *executor, const struct problem *problem,
                                 const struct graph *graph, struct error *err)
{
    struct json *request, *answer = NULL;
    enum status st = ensure_open(executor, err);
    size_t bytes = 0;

    if (st)
        return st;
    for (size_t i = 0; i < problem->tensors.count; i++)
        bytes += (size_t)shape_elements(&graph->values.items[i].shape) *
                     dtype_bytes(graph->values.items[i].dtype) +
                 2 * (size_t)BUFFER_GUARD_BYTES;
    allow_memory(executor, bytes);
    empty_slots(executor);
    request = request_new("tensors");
    json_put(request, "tensors", wire_encode_tensors(problem, graph));
    st = exchange(executor, request, executor->options.run_limit_us, &answer, err);
    json_free(answer);
    return st;
}

static void remember(struct slot *slot, const struct dispatch *dispatch)
{
    slot->launches = dispatch->launches.count;
    slot->count = dispatch->buffers.count;
    slot->buffers = mem_resize(slot->buffers, slot->count, sizeof(*slot->buffers));
    memcpy(slot->buffers, dispatch->buffers.items, slot->count * sizeof(*slot->buffers));
}

void executor_build_release(struct executor_build *build)
{
    build_report_release(&build->report);
    resource_list_release(&build->resources);
    build->is_accepted = false;
}

static enum status decode_build(const struct json *answer, struct executor_build *build,
                                struct error *err)
{
    struct json_ref root = json_ref_root(answer, "executor");
    struct json_ref report = json_ref_member(&root, "build");
    struct json_ref resources = json_ref_member(&root, "resources");
    enum status st = build_report_decode(&build->report, &report, err);

    if (!st)
        st = resource_list_decode(&build->resources, &resources, err);
    build->is_accepted = json_get_bool(answer, "built", false);
    return st;
}

/* Keep what is needed to find the buffers of a dispatch that is loaded. */
static enum status enter_slot(struct executor *executor, unsigned slot,
                              const struct dispatch *dispatch, struct error *err)
{
    size_t size = readback_offset(dispatch->buffers.items, dispatch->buffers.count);

    remember(&executor->slots[slot], dispatch);
    return readback_map(&executor->readback, size, true, err);
}

enum status executor_load(struct executor *executor, const struct executor_load *load,
                          struct executor_build *build, struct error *err)
{
    struct json *request = request_new("load"), *answer = NULL;
    struct executor_build made = {0};
    int64_t began_us = clock_now_us();
    enum status st;

    json_put_number(request, "slot", load->slot);
    json_put_string(request, "source", load->source);
    json_put(request, "dispatch", dispatch_encode(load->dispatch));
    allow_memory(executor,
                 readback_offset(load->dispatch->buffers.items, load->dispatch->buffers.count));
    st = exchange(executor, request, executor->options.build_limit_us, &answer, err);
    executor->spent.build_us += (double)(clock_now_us() - began_us);
    if (!st)
        st = decode_build(answer, &made, err);
    if (!st && made.is_accepted)
        st = enter_slot(executor, load->slot, load->dispatch, err);
    json_free(answer);
    if (st)
        executor_build_release(&made);
    else
        *build = made;
    return st;
}

enum status executor_code(struct executor *executor, unsigned slot, enum code_kind kind,
                          struct strbuf *text, struct error *err)
{
    struct json *request = request_new("code"), *answer = NULL;
    enum status st;

    json_put_number(request, "slot", slot);
    json_put_string(request, "kind", code_kind_name(kind));
    st = exchange(executor, request, executor->options.build_limit_us, &answer, err);
    if (!st)
        strbuf_adds(text, json_get_string(answer, "code", ""));
    executor->outcome = OUTCOME_NONE; /* nothing ran */
    json_free(answer);
    return st;
}

static void copy_numbers(const struct json *array, double *numbers, size_t count)
{
    const struct json *element = json_first(array);

    for (size_t i = 0; i < count; i++, element = json_next(element))
        numbers[i] = json_number(element, 0);
}

static struct json *batch_request(const struct executor_batch *batch)
{
    struct json *request = request_new("run");
    struct json *seeds = json_put(request, "input_seeds", json_array_new());

    for (size_t i = 0; i < batch->count; i++)
        json_push(seeds, json_number_new((double)batch->input_seeds[i]));
    json_put_number(request, "slot", batch->slot);
    if (batch->with_prepare)
        json_put_number(request, "param_seed", (double)batch->param_seed);
    if (batch->collect < batch->count)
        json_put_number(request, "collect", (double)batch->collect);
    json_put_bool(request, "without_launches", batch->without_launches);
    json_put_bool(request, "stepwise", batch->stepwise);
    return request;
}

static void add_kernels(struct executor_spent *spent, const struct executor_times *times,
                        size_t count)
{
    spent->kernels_us += times->prepare_us;
    for (size_t i = 0; i < count; i++)
        spent->kernels_us += times->spans_us[i];
}

/* More than anyone reads; a driver takes its time over it, and drops the rest. */
enum { PRINTED_MAX_BYTES = 1 << 20 };

static enum status check_output(struct executor *executor, const struct json *answer, size_t runs,
                                struct error *err)
{
    double each = json_get_number(answer, "printed_bytes", 0) / (double)(runs ? runs : 1);

    if (each <= PRINTED_MAX_BYTES)
        return STATUS_OK;
    executor->outcome = OUTCOME_FLOODED;
    return error_set(err, STATUS_INVALID, "a run printed %.0f bytes, expected at most %d", each,
                     PRINTED_MAX_BYTES);
}

enum status executor_run(struct executor *executor, const struct executor_batch *batch,
                         struct executor_times *times, struct error *err)
{
    struct json *answer = NULL;
    int64_t began_us = clock_now_us();
    enum status st =
        exchange(executor, batch_request(batch), executor->options.run_limit_us, &answer, err);
    double compile_us = json_get_number(answer, "compile_us", 0);

    executor->spent.build_us += compile_us;
    executor->spent.batches_us += (double)(clock_now_us() - began_us) - compile_us;
    if (st)
        return st;
    copy_numbers(json_get(answer, "spans_us"), times->spans_us, batch->count);
    if (times->each_us)
        copy_numbers(json_get(answer, "each_us"), times->each_us,
                     executor->slots[batch->slot].launches);
    times->prepare_us = json_get_number(answer, "prepare_us", 0);
    add_kernels(&executor->spent, times, batch->count);
    st = check_output(executor, answer, batch->count, err);
    json_free(answer);
    return st;
}

struct executor_spent executor_spent(const struct executor *executor)
{
    return executor->spent;
}

double executor_cpu_us(const struct executor *executor)
{
    return child_cpu_us(&executor->child);
}

void executor_wipe(struct executor *executor)
{
    const struct slot *s = &executor->slots[SLOT_CANDIDATE]; /* of others nothing is copied */

    if (executor->readback.bytes)
        memset(executor->readback.bytes, 0, readback_offset(s->buffers, s->count));
}

const unsigned char *executor_allocation(const struct executor *executor, unsigned slot,
                                         size_t index, size_t *contents_bytes)
{
    const struct slot *s = &executor->slots[slot];

    *contents_bytes = readback_contents(&s->buffers[index]);
    return executor->readback.bytes + readback_offset(s->buffers, index);
}
