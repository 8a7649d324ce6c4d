#include "core/judge/executor/executor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/vec.h"
#include "core/judge/executor/executor_state.h"
#include "core/judge/executor/internal_kernels.h"
#include "core/judge/executor/readback.h"
#include "core/judge/executor/wire.h"
#include "core/model/language.h"
#include "core/system/clock.h"
#include "core/system/log.h"
#include "core/system/parallel.h"

enum {
    COMPILER_BYTES = 1 << 30, /* memory besides buffers: a compiler takes some hundred megabytes */
};

struct executor *executor_new(const struct executor_options *options)
{
    struct executor *executor = mem_alloc_zeroed(1, sizeof(*executor));
    const struct language *own;

    executor->options = *options;
    executor->memory.compiler_bytes =
        options->compiler_bytes ? options->compiler_bytes : COMPILER_BYTES;
    executor->process.argv = options->argv;
    own = options->device ? language_of_device(options->device) : NULL;
    executor->process.script = own ? own->compiler : NULL;
    executor->process.grace_us = options->grace_us;
    executor->process.cancel = options->cancel;
    return executor;
}

void executor_free(struct executor *executor)
{
    if (!executor)
        return;
    executor_process_end(&executor->process);
    device_info_release(&executor->device);
    strbuf_release(&executor->compiler);
    free(executor);
}

void executor_adopt(struct executor *executor, const struct child_cancel *cancel, int64_t grace_us)
{
    executor->options.cancel = executor->process.cancel = *cancel;
    executor->process.grace_us = grace_us;
}

enum outcome executor_outcome(const struct executor *executor)
{
    return executor->process.outcome;
}

static void end_damaged(struct executor *executor)
{
    if (executor->process.is_damaged)
        executor_process_end(&executor->process);
}

void executor_announce(struct executor *executor)
{
    end_damaged(executor);
    executor->process.is_shared = executor->process.is_tainted;
}

void executor_expect(struct executor *executor, const char *language)
{
    struct executor_process *process = &executor->process;
    const struct language *row = language_of(language);

    if (!row->has_runtime || process->language == row->name)
        return;
    executor_process_end(process);
    process->language = row->name;
}

bool executor_was_shared(const struct executor *executor)
{
    return executor->process.was_shared;
}

void executor_distrust(struct executor *executor)
{
    executor->process.is_damaged = true;
}

void executor_doubt(struct executor *executor)
{
    executor->process.is_doubted = executor->process.is_tainted;
}

bool executor_is_doubted(const struct executor *executor)
{
    return executor->process.is_doubted;
}

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
    executor->compiler.len = 0;
    strbuf_addf(&executor->compiler, "%s\n%s\n%s", info.name, info.platform,
                info.compiler ? info.compiler : "");
    executor->process.is_open = true;
    executor_memory_begin(&executor->memory, &executor->process);
    return STATUS_OK;
}

/* Check that the executor draws the judge's data. */
static enum status check_build(struct executor *executor, const struct json *answer,
                               struct error *err)
{
    const char *own = executor->options.draws;

    if (!own || strcmp(json_get_string(answer, "draws", ""), own) == 0)
        return STATUS_OK;
    executor_process_end(&executor->process);
    return error_set(err, STATUS_UNAVAILABLE,
                     "the executor is of another build than the judge, because kforge-worker was "
                     "replaced while it ran: start kforge (and a worker elsewhere) again");
}

/* To start may include a compilation, see executor_expect(). */
static int64_t start_limit_us(const struct executor *executor)
{
    int64_t build_limit_us = executor->process.language ? executor->options.build_limit_us : 0;

    return build_limit_us > EXECUTOR_DEVICE_LIMIT_US ? build_limit_us : EXECUTOR_DEVICE_LIMIT_US;
}

static enum status ensure_open(struct executor *executor, struct error *err)
{
    struct json *request, *answer = NULL;
    int64_t began_us = clock_now_us();
    enum status st;

    if (executor->process.child.process.pid && executor->process.is_open)
        return STATUS_OK;
    request = wire_request("open");
    json_put_string(request, "device", executor->options.device);
    json_put_bool(request, "leaves_memory", executor->options.leaves_memory);
    json_put_bool(request, "warms_profiler", executor->options.warms_profiler);
    if (executor->process.language)
        json_put_string(request, "language", executor->process.language);
    st = executor_process_exchange(&executor->process, request, start_limit_us(executor), &answer,
                                   err);
    if (!st)
        st = check_build(executor, answer, err);
    if (!st)
        st = decode_device(executor, answer, err);
    json_free(answer);
    executor->process.outcome = OUTCOME_NONE; /* no candidate is to blame */
    log_long("to open the device", began_us);
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

enum status executor_probe(struct executor *executor, struct device_list *devices,
                           struct error *err)
{
    struct json *request = wire_request("devices"), *answer = NULL;
    enum status st;

    json_put_string(request, "device", executor->options.device);
    st = executor_process_exchange(&executor->process, request, EXECUTOR_DEVICE_LIMIT_US, &answer,
                                   err);
    if (!st)
        st = wire_decode_devices(devices, answer, err);
    json_free(answer);
    return st;
}

static enum status supply_internal_kernels(struct executor *executor, const struct json *keys,
                                           struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st =
        internal_kernels_supply(&executor->process, keys, strbuf_cstr(&executor->compiler), err);

    executor->spent.build_us += (double)(clock_now_us() - began_us);
    return st;
}

enum status executor_set_tensors(struct executor *executor, const struct problem *problem,
                                 const struct graph *graph, struct error *err)
{
    struct json *request, *answer = NULL;
    size_t bytes = 0;
    int64_t began_us = clock_now_us();
    enum status st;

    if (executor->process.on_free)
        executor->process.on_free(executor->process.on_free_data);
    end_damaged(executor);
    executor_memory_forgive(&executor->memory, &executor->process);
    st = ensure_open(executor, err);
    if (!st)
        st = executor_process_lend(&executor->process, &problem->lent, err);
    if (st)
        return st;
    executor_process_empty_slots(&executor->process);
    executor->process.tensors.count = 0;
    for (size_t i = 0; i < problem->tensors.count; i++) {
        const struct value *value = &graph->values.items[i];
        const struct executor_tensor placed = {.is_output = value->role == TENSOR_OUTPUT};

        vec_push(&executor->process.tensors, placed);
        bytes += executor_memory_of(value);
    }
    executor_memory_replace(&executor->memory, &executor->process, bytes);
    request = wire_request("tensors");
    json_put(request, "tensors", wire_encode_tensors(problem, graph));
    json_put_number(request, "lent_bytes", (double)problem->lent.size);
    st = executor_process_exchange(&executor->process, request, executor->options.run_limit_us,
                                   &answer, err);
    executor_memory_allow(&executor->memory, &executor->process, bytes);
    if (!st)
        st = supply_internal_kernels(executor, json_get(answer, "internal_kernels"), err);
    json_free(answer);
    log_long("to make buffers", began_us);
    return st;
}

void executor_build_release(struct executor_build *build)
{
    build_report_release(&build->report);
    resource_list_release(&build->resources);
    build->is_accepted = false;
}

enum status executor_code(struct executor *executor, unsigned slot, enum code_kind kind,
                          struct strbuf *text, struct error *err)
{
    struct json *request = wire_request("code"), *answer = NULL;
    enum status st;

    json_put_number(request, "slot", slot);
    json_put_string(request, "kind", code_kind_name(kind));
    st = executor_process_exchange(&executor->process, request, executor->options.build_limit_us,
                                   &answer, err);
    if (!st)
        strbuf_adds(text, json_get_string(answer, "code", ""));
    executor->process.outcome = OUTCOME_NONE; /* nothing ran: no candidate is to blame */
    json_free(answer);
    return st;
}

void executor_add_printed(const struct executor *executor, struct strbuf *out)
{
    if (executor->process.child.process.pid)
        child_add_printed(&executor->process.child, out);
}

/* Exchange a request that belongs to a run; `*answer` is the caller's. */
static enum status ask_of_run(struct executor *executor, struct json *request, struct json **answer,
                              struct error *err)
{
    int64_t began_us = clock_now_us(), limit_us = executor->options.run_limit_us;
    enum status st = executor_process_exchange(&executor->process, request, limit_us, answer, err);
    double compile_us = json_get_number(*answer, "compile_us", 0);

    executor->spent.build_us += compile_us;
    executor->spent.runs_us += (double)(clock_now_us() - began_us) - compile_us;
    return st;
}

enum status executor_run(struct executor *executor, const struct executor_run *run,
                         struct executor_times *times, struct error *err)
{
    struct json *answer = NULL;
    enum status st = ask_of_run(executor, wire_encode_run(run), &answer, err);

    executor->is_in_place = false;
    if (st) /* some drivers compile at the first launch */
        return executor_process_blame_disk(&executor->process, st, err);
    executor->input_seed = run->input_seed;
    if (run->with_prepare)
        executor->param_seed = run->param_seed;
    wire_decode_times(answer, executor->process.slots[run->slot].launches, times);
    executor->spent.kernels_us += times->prepare_us + times->span_us;
    json_free(answer);
    return executor_process_check_printed(&executor->process, err);
}

enum status executor_repeat_run(struct executor *executor, const struct executor_repeat *repeat,
                                struct repeat_times *times, struct error *err)
{
    struct json *answer = NULL;
    enum status st =
        ask_of_run(executor, wire_encode_repeat(repeat->slot, repeat->poison), &answer, err);

    json_free(answer);
    answer = NULL;
    if (!st)
        (void)usleep((useconds_t)repeat->for_us);
    if (!st)
        st = ask_of_run(executor, wire_request("repeated"), &answer, err);
    if (st)
        return executor_process_blame_disk(&executor->process, st, err);
    wire_decode_repeats(answer, times);
    json_free(answer);
    return executor_process_check_printed(&executor->process, err);
}

static enum status collect(struct executor *executor, unsigned side, bool in_place,
                           struct error *err)
{
    const struct executor_copy copy = {.slot = SLOT_CANDIDATE,
                                       .input_seed = executor->input_seed,
                                       .param_seed = executor->param_seed,
                                       .side = side,
                                       .in_place = in_place,
                                       .trusts_kernels = executor->options.trusts_kernels};
    struct json *answer = NULL;
    enum status st = ask_of_run(executor, wire_encode_copy(&copy), &answer, err);

    if (!st)
        executor_process_take_copy(&executor->process, answer);
    executor->is_in_place = !st && in_place;
    json_free(answer);
    return st;
}

enum status executor_collect(struct executor *executor, unsigned side, struct error *err)
{
    return collect(executor, side, false, err);
}

enum status executor_collect_in_place(struct executor *executor, unsigned side, struct error *err)
{
    return collect(executor, side, !executor->copies_all, err);
}

enum status executor_fetch(struct executor *executor, unsigned side, struct error *err)
{
    executor->copies_all = true;
    return collect(executor, side, false, err);
}

const char *executor_handle(const struct executor *executor, size_t index)
{
    return executor->is_in_place ? executor_process_handle(&executor->process, index) : NULL;
}

enum status executor_deliver(struct executor *executor, size_t index,
                             const struct executor_source *source, struct error *err)
{
    struct json *request = wire_encode_delivery(SLOT_CANDIDATE, index, source->handle);
    struct json *answer = NULL;
    enum status st;

    if (!source->handle) {
        size_t bytes;
        const unsigned char *place = executor_allocation(executor, 0, index, &bytes);

        parallel_copy((void *)(uintptr_t)(place + BUFFER_GUARD_BYTES), source->contents, bytes);
    }
    executor->process.has_imports |= source->handle != NULL;
    st = ask_of_run(executor, request, &answer, err);
    json_free(answer);
    return st;
}

enum status executor_stash(struct executor *executor, const struct executor_stash *stash,
                           struct error *err)
{
    struct json *answer = NULL;
    enum status st = ask_of_run(executor, wire_encode_stash(stash), &answer, err);

    json_free(answer);
    return st;
}

void executor_close_imports(struct executor *executor)
{
    executor_process_close_imports(&executor->process);
}

void executor_on_free(struct executor *executor, void (*on_free)(void *data), void *data)
{
    executor->process.on_free = on_free;
    executor->process.on_free_data = data;
}

struct executor_spent executor_spent(const struct executor *executor)
{
    return executor->spent;
}

double executor_cpu_us(const struct executor *executor)
{
    return child_cpu_us(&executor->process.child);
}

pid_t executor_process_id(const struct executor *executor)
{
    return executor->process.child.process.pid;
}

double executor_waited_us(const struct executor *executor)
{
    return thread_work_waited_us(executor->process.child.process.pid);
}

bool executor_has_changed(const struct executor *executor, size_t index)
{
    return executor->process.tensors.items[index].is_changed;
}

void executor_wipe(struct executor *executor)
{
    if (executor->process.readback.size && !memfd_clear(&executor->process.readback))
        executor_process_end(&executor->process);
}

const unsigned char *executor_allocation(const struct executor *executor, unsigned side,
                                         size_t index, size_t *contents_bytes)
{
    const struct readback_layout layout =
        executor_process_layout(&executor->process, SLOT_CANDIDATE);

    *contents_bytes = readback_contents(&layout.buffers[index]);
    return readback_at(&executor->process.readback, layout, side, index);
}
