#include "backends/triton/triton.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/triton/interpreter.h"
#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/judge/oracle/fill.h"
#include "core/system/clock.h"

struct device {
    struct interpreter interpreter;
};

struct buffer {
    size_t bytes;              /* size of the contents */
    unsigned char *allocation; /* guard, contents, guard */
};

struct program {
    struct device *device;
    char *source;
};

static unsigned char *contents_of(const struct buffer *buffer)
{
    return buffer->allocation + BUFFER_GUARD_BYTES;
}

static enum status probe(struct device_list *found, struct error *err)
{
    const int64_t memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE) / 4;
    const struct device_info info = {
        .id = mem_strdup("triton:interpreter"),
        .name = mem_strdup("Triton's interpreter on the CPU, without times"),
        .platform = mem_strdup("Python"),
        .compiler = mem_strdup("Triton's interpreter"),
        .language = mem_strdup("triton"),
        .is_cpu = true,
        .is_untimed = true,
        .compute_units = 1,
        .vector_width_f32 = 1,
        .max_work_group = 1024,
        .memory_bytes = memory,
        .max_buffer_bytes = memory,
        .local_bytes = 1 << 20,
    };

    (void)err;
    vec_push(found, info);
    return STATUS_OK;
}

static void close_device(struct device *device)
{
    interpreter_close(&device->interpreter);
    free(device);
}

static enum status open_device(size_t index, struct device **device, struct error *err)
{
    struct device *opened = mem_alloc_zeroed(1, sizeof(*opened));
    char *version = NULL;
    enum status st = interpreter_open(&opened->interpreter, &version, err);

    (void)index;
    free(version);
    if (st)
        close_device(opened);
    else
        *device = opened;
    return st;
}

static struct json *request_of(const struct program *program, const char *what)
{
    struct json *request = json_object_new();

    json_put_string(request, "do", what);
    json_put_string(request, "source", program->source);
    return request;
}

static void program_free(struct program *program)
{
    free(program->source);
    free(program);
}

static void add_refusal(const struct json *answer, struct build_report *report)
{
    const char *text = json_get_string(answer, "rejected", json_get_string(answer, "error", ""));
    struct diagnostic found = {.severity = SEVERITY_ERROR,
                               .line = (unsigned)json_get_whole(answer, "line", UINT32_MAX, 0),
                               .text = mem_strdup(text)};

    report->log = mem_strdup(text);
    vec_push(&report->diagnostics, found);
}

static enum status build(struct device *device, const struct program_source *source,
                         struct program **program, struct build_report *report, struct error *err)
{
    struct program *built = mem_alloc_zeroed(1, sizeof(*built));
    int64_t began_us = clock_now_us();
    struct json *answer = NULL;
    enum status st;

    built->device = device;
    built->source = mem_strdup(source->text);
    st = interpreter_ask(&device->interpreter, request_of(built, "check"), NULL, &answer, err);
    if (st) {
        program_free(built);
        return st;
    }
    *report = (struct build_report){.is_present = true,
                                    .options = mem_strdup(source->options),
                                    .ms = (double)(clock_now_us() - began_us) / 1000};
    if (json_get(answer, "kernels")) {
        *program = built;
    } else {
        add_refusal(answer, report);
        program_free(built);
        *program = NULL;
    }
    json_free(answer);
    return STATUS_OK;
}

static enum status buffer_new(struct device *device, size_t bytes, struct buffer **buffer,
                              struct error *err)
{
    struct buffer *made = mem_alloc_zeroed(1, sizeof(*made));

    (void)device;
    made->bytes = bytes;
    made->allocation =
        aligned_alloc(BUFFER_GUARD_BYTES, (bytes + 3 * (size_t)BUFFER_GUARD_BYTES - 1) /
                                              BUFFER_GUARD_BYTES * BUFFER_GUARD_BYTES);
    if (!made->allocation) {
        free(made);
        return error_set(err, STATUS_UNAVAILABLE, "no memory for a buffer of %zu bytes", bytes);
    }
    *buffer = made;
    return STATUS_OK;
}

static void buffer_free(struct buffer *buffer)
{
    free(buffer->allocation);
    free(buffer);
}

static enum status buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                                 struct error *err)
{
    (void)err;
    memset(buffer->allocation, poison.guard, BUFFER_GUARD_BYTES);
    for (size_t at = 0; at < buffer->bytes; at += sizeof(poison.word))
        memcpy(contents_of(buffer) + at, &poison.word,
               buffer->bytes - at < sizeof(poison.word) ? buffer->bytes - at : sizeof(poison.word));
    memset(contents_of(buffer) + buffer->bytes, poison.guard, BUFFER_GUARD_BYTES);
    return STATUS_OK;
}

static enum status buffer_fill(struct buffer *buffer, const struct contents *contents,
                               struct error *err)
{
    (void)err;
    fill_make(contents->value, contents->seed, contents->stream, contents_of(buffer));
    return STATUS_OK;
}

static enum status buffer_write(struct buffer *buffer, const void *contents, struct error *err)
{
    (void)err;
    memcpy(contents_of(buffer), contents, buffer->bytes);
    return STATUS_OK;
}

static enum status buffer_read(struct buffer *buffer, void *allocation, struct error *err)
{
    (void)err;
    memcpy(allocation, buffer->allocation, buffer->bytes + BUFFER_MARGINS_BYTES);
    return STATUS_OK;
}

static enum status buffer_read_guards(struct buffer *buffer, void *allocation, struct error *err)
{
    const size_t behind = BUFFER_GUARD_BYTES + buffer->bytes;

    (void)err;
    memcpy(allocation, buffer->allocation, BUFFER_GUARD_BYTES);
    memcpy((unsigned char *)allocation + behind, buffer->allocation + behind, BUFFER_GUARD_BYTES);
    return STATUS_OK;
}

/* The buffers that launches use, each one once. */
struct taken {
    struct {
        size_t *items; /* indices of the dispatch's buffers */
        size_t count, capacity;
    } indices;
};

static size_t place_of(struct taken *taken, size_t buffer)
{
    size_t place = 0;

    while (place < taken->indices.count && taken->indices.items[place] != buffer)
        place++;
    if (place == taken->indices.count)
        vec_push(&taken->indices, buffer);
    return place;
}

static struct json *describe_argument(const struct launch_arg *arg, struct taken *taken)
{
    struct json *object = json_object_new();

    if (arg->kind == ARG_BUFFER) {
        json_put_number(object, "buffer", (double)place_of(taken, arg->buffer));
        json_put_string(object, "type", dtype_name(arg->dtype));
    } else {
        bool is_integer = arg->kind == ARG_INTEGER;

        json_put_number(object, "number", is_integer ? (double)arg->integer : arg->number);
        json_put_string(object, "type", dtype_name(is_integer ? DTYPE_I32 : arg->dtype));
    }
    return object;
}

static struct json *describe_launch(const struct launch *launch, struct taken *taken)
{
    struct json *object = json_object_new();
    struct json *grid = json_put(object, "grid", json_array_new());
    struct json *args = json_put(object, "args", json_array_new());
    const char *constants = launch->constants ? launch->constants : "{}";

    json_put_string(object, "kernel", launch->kernel);
    json_put(object, "constants", json_parse(constants, strlen(constants), NULL));
    for (unsigned axis = 0; axis < launch->rank; axis++)
        json_push(grid, json_number_new((double)launch->global[axis]));
    for (size_t i = 0; i < launch->arg_count; i++)
        json_push(args, describe_argument(&launch->args[i], taken));
    return object;
}

static enum status report_fault(const struct json *answer, struct error *err)
{
    bool has_crashed = json_get_bool(answer, "crashed", false);
    unsigned line = (unsigned)json_get_whole(answer, "line", UINT32_MAX, 0);
    const char *text = json_get_string(answer, "error", "");

    if (line)
        return error_set(err, STATUS_INVALID, "line %u: %s", line, text);
    return error_set(err, has_crashed ? STATUS_IO : STATUS_INVALID, "%s", text);
}

/* Send the buffers that the launches use to the interpreter, and copy its results back. */
static enum status interpret(struct program *program, struct json *request,
                             const struct taken *taken, struct buffer *const *buffers,
                             struct error *err)
{
    size_t count = taken->indices.count;
    unsigned char **items = mem_alloc_zeroed(count + 1, sizeof(*items));
    size_t *bytes = mem_alloc_zeroed(count + 1, sizeof(*bytes));
    const struct interpreter_memory memory = {items, bytes, count};
    struct json *answer = NULL;
    enum status st;

    for (size_t i = 0; i < count; i++) {
        items[i] = buffers[taken->indices.items[i]]->allocation;
        bytes[i] = buffers[taken->indices.items[i]]->bytes + BUFFER_MARGINS_BYTES;
    }
    st = interpreter_ask(&program->device->interpreter, request, &memory, &answer, err);
    if (!st && json_get(answer, "error"))
        st = report_fault(answer, err);
    json_free(answer);
    free(items);
    free(bytes);
    return st;
}

static enum status step(struct program *program, const struct launch_list *launches,
                        struct buffer *const *buffers, struct error *err)
{
    struct json *request = request_of(program, "run");
    struct json *list = json_put(request, "launches", json_array_new());
    struct taken taken = {0};
    enum status st;

    for (size_t i = 0; i < launches->count; i++)
        json_push(list, describe_launch(&launches->items[i], &taken));
    st = interpret(program, request, &taken, buffers, err);
    vec_release(&taken.indices);
    return st;
}

/* Run the launches. The time is the interpreter's, so the judge reports none. */
static enum status run(struct program *program, const struct launch_list *launches,
                       struct buffer *const *buffers, struct run_times *times, struct error *err)
{
    int64_t began_us = clock_now_us();
    enum status st = launches->count ? step(program, launches, buffers, err) : STATUS_OK;

    times->span_us = launches->count ? (double)(clock_now_us() - began_us) : 0;
    return st;
}

static enum status code(struct program *program, enum code_kind kind, struct strbuf *out,
                        struct error *err)
{
    (void)program;
    (void)kind;
    (void)out;
    return error_set(err, STATUS_UNAVAILABLE, "the interpreter makes no machine code");
}

const struct backend_ops triton_backend = {
    .name = "triton",
    .is_named = true,
    .probe = probe,
    .open = open_device,
    .close = close_device,
    .build = build,
    .program_free = program_free,
    .buffer_new = buffer_new,
    .buffer_free = buffer_free,
    .buffer_poison = buffer_poison,
    .buffer_fill = buffer_fill,
    .buffer_write = buffer_write,
    .buffer_read = buffer_read,
    .buffer_read_guards = buffer_read_guards,
    .run = run,
    .step = step,
    .code = code,
};
