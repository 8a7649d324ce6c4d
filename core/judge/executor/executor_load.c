#include <string.h>

#include "core/judge/executor/compiled.h"
#include "core/judge/executor/executor.h"
#include "core/judge/executor/executor_state.h"
#include "core/judge/executor/program_compiler.h"
#include "core/judge/executor/readback.h"
#include "core/model/language.h"
#include "core/system/clock.h"

enum { KEEP_LIMIT_US = 10000000 }; /* PoCL compiles once more before it gives a binary */

/* Keep the layout of the buffers of a dispatch that is loaded. */
static enum status enter_slot(struct executor *executor, unsigned slot,
                              const struct dispatch *dispatch, struct error *err)
{
    executor_process_fill_slot(&executor->process, slot, dispatch);
    return memfd_grow(&executor->process.readback,
                      readback_size(executor_process_layout(&executor->process, slot)), err);
}

static struct compiled_source compiled_of(const struct executor *executor,
                                          const struct executor_load *load)
{
    return (struct compiled_source){.compiler = strbuf_cstr(&executor->compiler),
                                    .language = load->language,
                                    .text = load->source,
                                    .options =
                                        load->dispatch->options ? load->dispatch->options : ""};
}

static bool is_own(const struct executor_load *load)
{
    return load->slot == SLOT_PLAIN;
}

/* True for a candidate that is not the judged one. */
static bool is_rival(const struct executor_load *load)
{
    return !is_own(load) && load->slot != SLOT_CANDIDATE;
}

/* Add the cached binary to a request, unless the executor has it already. */
static void put_binary(const struct executor *executor, const struct executor_load *load,
                       struct json *request)
{
    const struct compiled_source source = compiled_of(executor, load);
    char digest[DIGEST_HEX_SIZE];
    struct json *binary;

    compiled_digest(&source, digest);
    if (strcmp(digest, executor->process.built[load->slot]) == 0)
        return;
    binary = compiled_recall(&source);
    if (binary)
        json_put(request, "binary", binary);
}

bool executor_may_keep(const struct executor *executor, const struct executor_load *load)
{
    const struct compiled_source source = compiled_of(executor, load);
    struct json *binary = NULL;
    bool may_keep =
        executor->device.is_cpu && !executor->process.is_tainted && compiled_can_keep(&source);

    if (may_keep)
        binary = compiled_recall(&source);
    may_keep = may_keep && !binary;
    json_free(binary);
    return may_keep;
}

void executor_keep(struct executor *executor, const struct executor_load *load)
{
    const struct compiled_source source = compiled_of(executor, load);
    struct json *request = wire_request("binary"), *answer = NULL;
    int64_t began_us = clock_now_us();
    struct error err;

    json_put_number(request, "slot", load->slot);
    if (!executor_process_exchange(&executor->process, request, KEEP_LIMIT_US, &answer, &err) &&
        json_get(answer, "binary"))
        compiled_keep(&source, json_get(answer, "binary"));
    executor->spent.build_us += (double)(clock_now_us() - began_us);
    executor->process.outcome = OUTCOME_NONE; /* nothing ran: no candidate is to blame */
    json_free(answer);
}

/* A candidate on a GPU cannot reach the process that compiles, so its binary can be cached. */
static void enter_built(struct executor *executor, const struct executor_load *load,
                        const struct executor_build *build)
{
    const struct compiled_source source = compiled_of(executor, load);
    char digest[DIGEST_HEX_SIZE];
    bool is_new;

    compiled_digest(&source, digest);
    is_new = build->is_accepted && !build->report.is_cached &&
             strcmp(digest, executor->process.built[load->slot]) != 0;
    memcpy(executor->process.built[load->slot], digest, sizeof(digest));
    if (is_new && !executor->device.is_cpu)
        executor_keep(executor, load);
}

static bool has_compiler(const struct executor_load *load)
{
    return load->language && language_of(load->language)->compiler;
}

/* Compile outside of the executor. */
static enum status compile(struct executor *executor, const struct executor_load *load,
                           struct program_code *code, struct error *err)
{
    const struct program_request request = {
        .language = load->language,
        .source = load->source,
        .dispatch = load->dispatch,
        .device = executor->device.compiler,
        .limit_us = executor->options.build_limit_us,
        .cancel = executor->options.cancel,
    };
    enum status st;

    if (!executor->options.compiler)
        return error_set(err, STATUS_UNAVAILABLE, "there is no compiler for %s here",
                         language_title(load->language));
    st = program_compile(executor->options.compiler, &request, code, err);
    if (st)
        executor->process.outcome = code->outcome;
    return st;
}

/*
 * Add the program to the request: the code from a separate compiler, or the source with its cached
 * binary if there is one.
 */
static enum status put_program(struct executor *executor, const struct executor_load *load,
                               struct program_code *code, struct json *request, struct error *err)
{
    enum status st;

    if (!has_compiler(load)) {
        json_put(request, "dispatch", dispatch_encode(load->dispatch));
        put_binary(executor, load, request);
        return STATUS_OK;
    }
    st = compile(executor, load, code, err);
    if (st || !code->binary)
        return st;
    json_put(request, "dispatch", code->dispatch);
    json_put(request, "binary", code->binary);
    code->dispatch = code->binary = NULL;
    memcpy(executor->process.built[load->slot], code->digest, DIGEST_HEX_SIZE);
    return STATUS_OK;
}

/*
 * Replace the executor's report, which is about loading the code, by that of the compiler that made
 * it.
 */
static void take_report(struct program_code *code, struct executor_build *made)
{
    build_report_release(&made->report);
    made->report = code->report;
    code->report = (struct build_report){0};
}

static enum status send_program(struct executor *executor, const struct executor_load *load,
                                struct json *request, struct executor_build *made,
                                struct error *err)
{
    const struct readback_layout layout = {load->dispatch->buffers.items,
                                           load->dispatch->buffers.count};
    struct json *answer = NULL;
    enum status st;

    executor_memory_allow(&executor->memory, &executor->process, readback_bytes(layout));
    executor->process.is_tainted |= !is_own(load);
    executor->process.is_shared |= is_rival(load);
    st = executor_process_exchange(&executor->process, request, executor->options.build_limit_us,
                                   &answer, err);
    if (!st)
        st = wire_decode_build(made, answer, err);
    if (st || !made->is_accepted)
        st = executor_process_blame_disk(&executor->process, st, err);
    if (!st && made->is_accepted)
        st = enter_slot(executor, load->slot, load->dispatch, err);
    if (!st && !has_compiler(load))
        enter_built(executor, load, made);
    json_free(answer);
    return st;
}

enum status executor_load(struct executor *executor, const struct executor_load *load,
                          struct executor_build *build, struct error *err)
{
    struct json *request;
    struct program_code code = {0};
    struct executor_build made = {0};
    int64_t began_us = clock_now_us();
    enum status st = enclosure_check_room(err);

    executor->process.outcome = OUTCOME_NONE; /* a full disk is not the candidate's fault */
    if (st)
        return st;
    request = wire_request("load");
    json_put_number(request, "slot", load->slot);
    json_put_string(request, "source", load->source);
    if (load->language)
        json_put_string(request, "language", load->language);
    st = put_program(executor, load, &code, request, err);
    if (st || !json_get(request, "dispatch"))
        json_free(request);
    else
        st = send_program(executor, load, request, &made, err);
    executor->spent.build_us += (double)(clock_now_us() - began_us);
    if (!st && has_compiler(load))
        take_report(&code, &made);
    program_code_release(&code);
    if (st)
        executor_build_release(&made);
    else
        *build = made;
    return st;
}

void executor_empty(struct executor *executor)
{
    const struct problem none = {0};
    const struct graph empty = {.values.count = 0};

    if (executor->process.tensors.count)
        (void)!executor_set_tensors(executor, &none, &empty, NULL);
}
