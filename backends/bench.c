#include "backends/bench.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/system/clock.h"
#include "core/system/parallel.h"

/* A NaN in f32, f64, f16 and bf16: the contents of buffers that no run has used yet or will use. */
enum { UNUSED_WORD = 0x7fff7fff };

static void free_program(struct bench *bench, struct loaded *slot)
{
    if (slot->program)
        bench->ops->program_free(slot->program);
    build_report_release(&slot->report);
    resource_list_release(&slot->resources);
    slot->program = NULL;
    slot->key[0] = '\0';
}

/* Empty the slot except for its program, which may be the one that is loaded next. */
static void unload_buffers(struct bench *bench, struct loaded *slot)
{
    if (slot->buffers)
        for (size_t i = slot->dispatch.tensor_count; i < slot->dispatch.buffers.count; i++)
            if (slot->buffers[i])
                bench->ops->buffer_free(slot->buffers[i]);
    free(slot->buffers);
    slot->buffers = NULL;
    dispatch_release(&slot->dispatch);
}

static struct buffer_poison poison_of(uint32_t word, size_t number)
{
    return (struct buffer_poison){word, buffer_guard_byte(number)};
}

/*
 * Poison outputs before they are freed, so that the next owner of the memory finds no correct
 * output in it.
 */
static void free_tensor(struct bench *bench, size_t index)
{
    struct buffer *buffer = bench->tensors[index];

    if (!buffer)
        return;
    if (bench->sources.items[index].value.role == TENSOR_OUTPUT)
        (void)bench->ops->buffer_poison(buffer, poison_of(UNUSED_WORD, index), NULL);
    bench->ops->buffer_free(buffer);
}

void bench_drop_tensors(struct bench *bench)
{
    for (size_t i = 0; i < SLOT_COUNT; i++)
        unload_buffers(bench, &bench->slots[i]);
    for (size_t i = 0; i < STASH_COUNT; i++)
        stash_release(&bench->stashes[i], bench->ops);
    for (size_t i = 0; bench->tensors && i < bench->sources.count; i++) {
        given_copies_release(&bench->given[i], bench->ops);
        free_tensor(bench, i);
    }
    free(bench->given);
    bench->given = NULL;
    free(bench->tensors);
    bench->tensors = NULL;
    wire_tensors_release(&bench->sources);
}

void bench_release(struct bench *bench)
{
    if (bench->device) {
        bench_drop_tensors(bench);
        for (size_t i = 0; i < SLOT_COUNT; i++)
            free_program(bench, &bench->slots[i]);
        bench->ops->close(bench->device);
    }
    memfd_release(&bench->readback);
    *bench = (struct bench){0};
}

static size_t value_bytes(const struct value *value)
{
    return (size_t)shape_elements(&value->shape) * dtype_bytes(value->dtype);
}

enum status bench_set_tensors(struct bench *bench, struct tensor_sources *sources,
                              struct error *err)
{
    enum status st = STATUS_OK;

    bench_drop_tensors(bench);
    bench->sources = *sources;
    *sources = (struct tensor_sources){0};
    bench->tensors = mem_alloc_zeroed(bench->sources.count + 1, sizeof(*bench->tensors));
    bench->given = mem_alloc_zeroed(bench->sources.count + 1, sizeof(*bench->given));
    for (size_t i = 0; !st && i < bench->sources.count; i++)
        st = bench->ops->buffer_new(bench->device, value_bytes(&bench->sources.items[i].value),
                                    &bench->tensors[i], err);
    if (st)
        bench_drop_tensors(bench);
    return st;
}

static void make_key(const struct program_source *source, char key[DIGEST_HEX_SIZE])
{
    struct strbuf text = {0};

    strbuf_addf(&text, "%s\n%s\n%s", source->language ? source->language : "", source->options,
                source->text);
    digest_sha256(strbuf_cstr(&text), text.len, key);
    strbuf_release(&text);
}

/* Compile into the slot, unless it holds the same program. */
static enum status build(struct bench *bench, struct loaded *slot, const struct bench_source *from,
                         struct error *err)
{
    const struct program_source source = {from->text, slot->dispatch.options, bench->binary,
                                          from->language};
    char key[DIGEST_HEX_SIZE];
    enum status st;

    make_key(&source, key);
    if (strcmp(key, slot->key) == 0)
        return STATUS_OK;
    free_program(bench, slot);
    st = bench->ops->build(bench->device, &source, &slot->program, &slot->report, err);
    (void)malloc_trim(0); /* glibc keeps megabytes that a compiler has freed */
    if (!st && slot->program && bench->ops->resources)
        st = bench->ops->resources(slot->program, &slot->resources, err);
    if (!st)
        memcpy(slot->key, key, sizeof(key));
    return st;
}

static enum status make_buffers(struct bench *bench, struct loaded *slot, struct error *err)
{
    const struct dispatch *d = &slot->dispatch;
    enum status st = STATUS_OK;

    if (d->tensor_count != bench->sources.count)
        return error_set(err, STATUS_INVALID, "the dispatch has %zu tensors, the bench %zu",
                         d->tensor_count, bench->sources.count);
    slot->buffers = mem_alloc_zeroed(d->buffers.count + 1, sizeof(*slot->buffers));
    for (size_t i = 0; !st && i < d->buffers.count; i++) {
        if (i < d->tensor_count)
            slot->buffers[i] = bench->tensors[i];
        else
            st = bench->ops->buffer_new(bench->device, readback_contents(&d->buffers.items[i]),
                                        &slot->buffers[i], err);
    }
    return st;
}

/* The contents that tensor `index`, an input or a param, should have. */
static struct contents contents_of(const struct bench *bench, size_t index, uint64_t seed)
{
    const struct tensor_source *s = &bench->sources.items[index];

    return (struct contents){&s->value, seed, s->stream};
}

static enum status fill_tensors(struct bench *bench, enum tensor_role role, uint64_t seed,
                                struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < bench->sources.count; i++) {
        const struct contents contents = contents_of(bench, i, seed);
        const struct given_place place = {bench->ops, bench->device, bench->tensors[i]};

        if (contents.value->role == role)
            st = given_copies_fill(&bench->given[i], &place, &contents, err);
    }
    return st;
}

/* The buffers to poison, and the word that fills them. */
struct poisoning {
    enum { ALL_BUFFERS, SCRATCH, OUTPUTS } target;
    uint32_t word;
};

static bool is_target(const struct bench *bench, const struct loaded *slot, size_t buffer,
                      const struct poisoning *poisoning)
{
    bool is_tensor = buffer < slot->dispatch.tensor_count;

    if (poisoning->target == SCRATCH)
        return !is_tensor;
    return poisoning->target == ALL_BUFFERS ||
           (is_tensor && bench->sources.items[buffer].value.role == TENSOR_OUTPUT);
}

static enum status poison(struct bench *bench, const struct loaded *slot,
                          const struct poisoning *poisoning, struct error *err)
{
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < slot->dispatch.buffers.count; i++)
        if (!bench->leaves_memory && is_target(bench, slot, i, poisoning))
            st = bench->ops->buffer_poison(slot->buffers[i], poison_of(poisoning->word, i), err);
    return st;
}

enum status bench_load(struct bench *bench, struct loaded *slot, const struct bench_source *source,
                       struct dispatch *dispatch, struct error *err)
{
    const struct poisoning unused = {ALL_BUFFERS, UNUSED_WORD};
    enum status st;

    unload_buffers(bench, slot);
    slot->dispatch = *dispatch;
    slot->cold_lists = dispatch->prepare.count ? 2 : 1;
    *dispatch = (struct dispatch){0};
    st = build(bench, slot, source, err);
    if (!st && slot->program)
        st = make_buffers(bench, slot, err);
    if (!st && slot->program)
        st = poison(bench, slot, &unused, err);
    if (st)
        unload_buffers(bench, slot);
    return st;
}

static enum status run(const struct bench *bench, const struct loaded *slot,
                       const struct launch_list *launches, struct run_times *times,
                       struct error *err)
{
    if (bench->is_stepwise)
        return bench->ops->step(slot->program, launches, slot->buffers, err);
    return bench->ops->run(slot->program, launches, slot->buffers, times, err);
}

/*
 * Before a first run, an empty run waits for earlier work, so that the wall clock measures only the
 * time the driver takes for this one.
 */
static enum status run_list(struct bench *bench, struct loaded *slot,
                            const struct launch_list *launches, struct run_times *times,
                            struct error *err)
{
    const struct launch_list none = {0};
    bool is_cold = slot->cold_lists && launches->count;
    enum status st = is_cold ? run(bench, slot, &none, times, err) : STATUS_OK;
    int64_t began_us = clock_now_us();

    if (!st)
        st = run(bench, slot, launches, times, err);
    if (!st && is_cold) {
        slot->cold_lists--;
        slot->compile_us += (double)(clock_now_us() - began_us) - times->span_us;
    }
    return st;
}

/*
 * On a CPU an empty run comes first and waits until the data are made: a driver makes them in its
 * threads after the call, and that work must not count as work of the launches. On a busy machine
 * one thread may do the parts of others, which count as threads that worked.
 */
enum status bench_run(struct bench *bench, struct loaded *slot, const struct launch_list *launches,
                      struct run_times *times, struct error *err)
{
    const struct launch_list none = {0};
    struct thread_clocks before = {0};
    enum status st;

    if (!bench->is_cpu)
        return run_list(bench, slot, launches, times, err);
    st = run(bench, slot, &none, times, err);
    thread_clocks_read(&before);
    if (!st)
        st = run_list(bench, slot, launches, times, err);
    if (times->work.total_us <= 0)
        times->work = thread_work_since(&before, times->aside_us);
    if (times->threads > 0)
        times->work.threads = times->threads;
    thread_clocks_release(&before);
    return st;
}

enum status bench_prepare(struct bench *bench, struct loaded *slot, double *span_us,
                          struct error *err)
{
    struct run_times times = {0};
    enum status st = run_list(bench, slot, &slot->dispatch.prepare, &times, err);

    *span_us = times.span_us;
    return st;
}

enum status bench_renew_params(struct bench *bench, const struct loaded *slot, uint64_t seed,
                               uint32_t word, struct error *err)
{
    enum status st = fill_tensors(bench, TENSOR_PARAM, seed, err);

    return st ? st : poison(bench, slot, &(struct poisoning){SCRATCH, word}, err);
}

enum status bench_renew_inputs(struct bench *bench, const struct loaded *slot, uint64_t seed,
                               uint32_t word, struct error *err)
{
    enum status st = fill_tensors(bench, TENSOR_INPUT, seed, err);

    return st ? st : bench_renew_outputs(bench, slot, word, err);
}

enum status bench_renew_outputs(struct bench *bench, const struct loaded *slot, uint32_t word,
                                struct error *err)
{
    return poison(bench, slot, &(struct poisoning){OUTPUTS, word}, err);
}

static enum status compare_on_host(const struct bench *bench, struct buffer *buffer,
                                   const struct contents *contents, bool *holds, struct error *err)
{
    unsigned char *allocation =
        mem_alloc_zeroed(value_bytes(contents->value) + BUFFER_MARGINS_BYTES, 1);
    enum status st = bench->ops->buffer_read(buffer, allocation, err);

    if (!st)
        *holds = fill_is_made(contents->value, contents->seed, contents->stream,
                              allocation + BUFFER_GUARD_BYTES);
    free(allocation);
    return st;
}

static enum status check_constant(const struct bench *bench, size_t index,
                                  const struct executor_copy *copy, bool *changed,
                                  struct error *err)
{
    bool is_param = bench->sources.items[index].value.role == TENSOR_PARAM;
    const struct contents contents =
        contents_of(bench, index, is_param ? copy->param_seed : copy->input_seed);
    struct buffer *buffer = bench->tensors[index];
    const struct given_place place = {bench->ops, bench->device, buffer};
    bool holds = false;
    enum status st = given_copies_hold(&bench->given[index], &place, &contents, &holds, err);

    if (st == STATUS_UNAVAILABLE && bench->ops->buffer_holds)
        st = bench->ops->buffer_holds(buffer, &contents, &holds, err);
    if (st == STATUS_UNAVAILABLE)
        st = compare_on_host(bench, buffer, &contents, &holds, err);
    changed[index] = !holds;
    return st;
}

enum { PAGE = 4096, LARGE_COPY = 64 << 20 };

static void touch_pages(void *data, size_t first, size_t last)
{
    unsigned char *bytes = data;

    for (size_t i = first; i < last; i += PAGE)
        bytes[i] = 0;
}

/*
 * Touch the pages of a large copy on all cores before a driver, which uses one core, writes them.
 */
static void make_pages(unsigned char *copy, const struct buffer_spec *buffer)
{
    size_t bytes = readback_contents(buffer) + BUFFER_MARGINS_BYTES;

    if (bytes >= LARGE_COPY)
        parallel_for(bytes, 1 << 22, touch_pages, copy);
}

enum status bench_collect(struct bench *bench, const struct loaded *slot,
                          const struct executor_copy *wanted, bool *changed, struct error *err)
{
    const struct dispatch *d = &slot->dispatch;
    const struct backend_ops *ops = bench->ops;
    const struct readback_layout layout = {d->buffers.items, d->buffers.count};
    enum status st = memfd_map(&bench->readback, readback_size(layout), err);

    for (size_t i = 0; !st && i < d->buffers.count; i++) {
        unsigned char *copy = readback_at(&bench->readback, layout, wanted->side, i);
        bool is_scratch = i >= d->tensor_count;
        enum tensor_role role = is_scratch ? TENSOR_INNER : bench->sources.items[i].value.role;

        bool is_copied =
            role == TENSOR_OUTPUT && !(wanted->in_place && wire_has_handle(&d->buffers.items[i]));

        if (is_copied)
            make_pages(copy, &d->buffers.items[i]);
        st = is_copied ? ops->buffer_read(slot->buffers[i], copy, err)
                       : ops->buffer_read_guards(slot->buffers[i], copy, err);
        if (!st && tensor_is_given(role) && !wanted->trusts_kernels)
            st = check_constant(bench, i, wanted, changed, err);
    }
    return st;
}

static enum status add_handle(const struct bench *bench, const struct loaded *slot, size_t index,
                              struct json *handles, struct error *err)
{
    bool has_handle = bench->sources.items[index].value.role == TENSOR_OUTPUT &&
                      wire_has_handle(&slot->dispatch.buffers.items[index]);
    struct buffer_handle handle;
    enum status st = STATUS_OK;

    if (has_handle)
        st = bench->ops->buffer_export(slot->buffers[index], &handle, err);
    if (!st)
        json_push(handles, has_handle ? wire_encode_handle(&handle) : json_string_new(""));
    return st;
}

static enum status require_handles(const struct bench *bench, struct error *err)
{
    return bench->ops->buffer_export
               ? STATUS_OK
               : error_set(err, STATUS_UNAVAILABLE, "the back end %s has no handles",
                           bench->ops->name);
}

enum status bench_handles(const struct bench *bench, const struct loaded *slot,
                          struct json *handles, struct error *err)
{
    enum status st = require_handles(bench, err);

    for (size_t i = 0; !st && i < slot->dispatch.tensor_count; i++)
        st = add_handle(bench, slot, i, handles, err);
    return st;
}

enum status bench_import(struct bench *bench, const struct loaded *slot, size_t index,
                         const char *handle, struct error *err)
{
    struct buffer_handle source;
    enum status st = require_handles(bench, err);

    if (!st && index >= slot->dispatch.buffers.count)
        st = error_set(err, STATUS_INVALID, "no buffer %zu", index);
    if (!st)
        st = wire_decode_handle(&source, handle, err);
    return st ? st : bench->ops->buffer_import(slot->buffers[index], &source, err);
}

void bench_close_imports(struct bench *bench)
{
    if (bench->device && bench->ops->imports_close)
        bench->ops->imports_close(bench->device);
}

enum status bench_deliver(struct bench *bench, const struct loaded *slot, size_t index,
                          struct error *err)
{
    const struct readback_layout layout = {slot->dispatch.buffers.items,
                                           slot->dispatch.buffers.count};
    enum status st = STATUS_OK;

    if (index >= layout.count)
        return error_set(err, STATUS_INVALID, "the dispatch has %zu buffers", layout.count);
    st = memfd_map(&bench->readback, readback_size(layout), err);
    return st ? st
              : bench->ops->buffer_write(
                    slot->buffers[index],
                    readback_at(&bench->readback, layout, 0, index) + BUFFER_GUARD_BYTES, err);
}

enum status bench_stash(struct bench *bench, const struct executor_stash *stash, struct error *err)
{
    const struct stash_tensors tensors = {bench->ops, bench->device, &bench->sources,
                                          bench->tensors};

    if (stash->place >= STASH_COUNT)
        return error_set(err, STATUS_INVALID, "no stash %zu", stash->place);
    return stash_copy(&bench->stashes[stash->place], &tensors, stash, err);
}
