#include "backends/opencl/device_fill.h"

#include <stdio.h>
#include <string.h>

#include "backends/opencl/error.h"
#include "backends/opencl/internal_kernels.h"
#include "backends/opencl/poison.cl.h"
#include "backends/opencl/random.cl.h"
#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/fill_pieces.h"
#include "core/judge/oracle/variation.h"

enum { PER_ITEM = 32, POISON_PER_ITEM = 256, GROUP_ITEMS = 64 }; /* elements, bytes, work-items */

/*
 * From this number of work-items on, PoCL compiles a launch in another way, with less knowledge of
 * its size (grid_width_specialization_limit in its lib/CL/devices/common.c).
 */
enum { LARGE_GRID = 65535 };

/*
 * Fills of a kind without a name are made on the host, or are constant.  The name selects the
 * formula in random.cl.
 */
static const char *const kinds[] = {
    [FILL_UNIFORM] = "uniform", [FILL_NORMAL] = "normal", [FILL_INTEGERS] = "integers",
    [FILL_MASK] = "mask",       [FILL_SIGNS] = "signs",   [FILL_PERMUTATION] = NULL,
    [FILL_MODEL] = NULL,
};

/* The two kernels of random.cl: store the elements, or compare them with the buffer's. */
enum use { STORE, CHECK };

/* The source of the program that fills a value, or poisons if `value` is NULL. */
static struct internal_source source_of(const struct value *value)
{
    struct internal_source source = {random_cl, {"generate", "check"}, ""};
    const char *type;

    if (!value) {
        source = (struct internal_source){poison_cl, {"generate", NULL}, ""};
        snprintf(source.options, sizeof(source.options), "-DGUARD=%dUL", BUFFER_GUARD_BYTES);
        return source;
    }
    type = dtype_name(value->dtype);
    snprintf(source.options, sizeof(source.options),
             "-DELEMENT=ELEMENT_%s -DREAL=REAL_%s -DWHOLE=WHOLE_%s -DBITS=BITS_%s -DMADE=MADE_%s",
             type, type, type, type, kinds[value->fill.kind]);
    return source;
}

struct argument {
    size_t size;
    const void *at;
};

/* Run a kernel on at least `items` work-items. */
static cl_int run(struct device *device, cl_kernel kernel, const struct argument *arguments,
                  cl_uint count, size_t items)
{
    size_t most = device->info.max_work_group, local = most < GROUP_ITEMS ? most : GROUP_ITEMS;
    size_t global = (items + local - 1) / local * local;
    cl_int code = CL_SUCCESS;

    for (cl_uint i = 0; !code && i < count; i++)
        code = clSetKernelArg(kernel, i, arguments[i].size, arguments[i].at);
    if (code)
        return code;
    return clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
}

static cl_int generate(struct buffer *buffer, const struct contents *c, enum use use, size_t items)
{
    const struct internal_source source = source_of(c->value);
    struct fill_factors set = fill_factors(&c->value->fill);
    cl_ulong count = (cl_ulong)shape_elements(&c->value->shape);
    cl_uint2 key = {{(cl_uint)c->seed, (cl_uint)(c->seed >> 32)}};
    const struct argument arguments[] = {
        {sizeof(cl_mem), &buffer->contents},
        {sizeof(count), &count},
        {sizeof(key), &key},
        {sizeof(c->stream), &c->stream},
        {sizeof(set.step), &set.step},
        {sizeof(set.base), &set.base},
        {sizeof(set.range), &set.range},
        {sizeof(set.lowest), &set.lowest},
        {sizeof(cl_mem), &buffer->device->differs},
    };
    struct device *device = buffer->device;
    struct internal_program program;
    cl_int code = opencl_internal_program_find(device, &source, &program);

    if (code)
        return code;
    return run(device, program.kernels[use], arguments, COUNT(arguments), items);
}

static size_t items_of(const struct value *value)
{
    return ((size_t)shape_elements(&value->shape) + PER_ITEM - 1) / PER_ITEM;
}

static cl_int write_poison(struct buffer *buffer, struct buffer_poison poison, size_t items)
{
    const struct internal_source source = source_of(NULL);
    cl_ulong origin = buffer->origin, bytes = buffer->bytes;
    const struct argument arguments[] = {
        {sizeof(cl_mem), &buffer->allocation},
        {sizeof(origin), &origin},
        {sizeof(bytes), &bytes},
        {sizeof(poison.word), &poison.word},
        {sizeof(poison.guard), &poison.guard},
    };
    struct internal_program program;
    cl_int code = opencl_internal_program_find(buffer->device, &source, &program);

    if (code)
        return code;
    return run(buffer->device, program.kernels[STORE], arguments, COUNT(arguments), items);
}

enum status opencl_buffer_poison(struct buffer *buffer, struct buffer_poison poison,
                                 struct error *err)
{
    size_t size = buffer->bytes % sizeof(poison.word) ? 1 : sizeof(poison.word);

    buffer->guard = poison.guard;
    if (buffer->device->is_simulated) /* interpreting a kernel would take seconds */
        return opencl_buffer_repeat(buffer, &poison.word, size, err);

    cl_int code = write_poison(buffer, poison,
                               (BUFFER_MARGINS_BYTES + buffer->bytes + POISON_PER_ITEM - 1) /
                                   POISON_PER_ITEM);

    if (code)
        return error_set(err, STATUS_IO, "cannot set %zu bytes on %s: %s", buffer->bytes,
                         buffer->device->info.id, opencl_error_name(code));
    return STATUS_OK;
}

static enum status make_on_host(struct buffer *buffer, const struct contents *contents,
                                struct error *err)
{
    const void *given = fill_given(contents->value, contents->seed);
    void *elements;
    enum status st;

    if (given)
        return opencl_buffer_write(buffer, given, err);
    elements = mem_alloc_zeroed(buffer->bytes, 1);
    fill_make(contents->value, contents->seed, contents->stream, elements);
    st = opencl_buffer_write(buffer, elements, err);
    free(elements);
    return st;
}

static bool is_generated(const struct device *device, const struct value *value)
{
    return !device->is_simulated && kinds[value->fill.kind] &&
           (value->dtype != DTYPE_F64 || device->has_f64);
}

static bool is_varied(const struct contents *contents)
{
    return variation_pieces_of(contents->value, contents->seed).count > 0;
}

bool opencl_internal_kernel_key(const struct device *device, const struct value *value,
                                char key[DIGEST_HEX_SIZE])
{
    struct internal_source source;

    if (device->is_simulated || (value && !is_generated(device, value)))
        return false;
    source = source_of(value);
    return opencl_internal_program_key(device, &source, key);
}

enum status opencl_internal_kernel_load(struct device *device, const struct value *value,
                                        const struct binary *kept, struct error *err)
{
    const struct internal_source source = source_of(value);

    return opencl_internal_program_load(device, &source, kept, err);
}

/*
 * Launch the program's kernels on `grid` work-items over an empty tensor.  `buffer` provides their
 * arguments; only its guards are written.
 */
static cl_int idle(struct buffer *buffer, const struct value *value, size_t grid)
{
    struct value none;
    const struct contents nothing = {.value = &none};
    cl_int code;

    if (!value)
        return write_poison(buffer, (struct buffer_poison){0}, grid);
    none = *value;
    none.shape = (struct shape){.rank = 1};
    code = generate(buffer, &nothing, STORE, grid);
    return code ? code : generate(buffer, &nothing, CHECK, grid);
}

/*
 * PoCL compiles a kernel again at its first launch on a given group size, and for large grids.
 * Launching both before the binary is read makes these versions part of it.
 */
enum status opencl_internal_kernel_make(struct device *device, const struct value *value,
                                        struct binary *made, struct error *err)
{
    const struct internal_source source = source_of(value);
    struct buffer *buffer = NULL;
    enum status st = opencl_buffer_new(device, POISON_PER_ITEM, &buffer, err);
    cl_int code;

    if (st)
        return st;
    code = idle(buffer, value, GROUP_ITEMS);
    if (!code)
        code = idle(buffer, value, LARGE_GRID);
    if (!code)
        code = clFinish(device->queue);
    opencl_buffer_free(buffer);
    if (code)
        return error_set(err, STATUS_IO, "%s cannot compile kforge's internal kernels: %s",
                         device->info.id, opencl_error_name(code));
    return opencl_internal_program_binary(device, &source, made, err);
}

static enum status write_piece(void *data, size_t offset, const void *from, size_t size,
                               struct error *err)
{
    struct buffer *buffer = data;
    cl_int code = clEnqueueWriteBuffer(buffer->device->queue, buffer->contents, CL_TRUE, offset,
                                       size, from, 0, NULL, NULL);

    return code ? error_set(err, STATUS_IO, "cannot copy %zu bytes to %s: %s", size,
                            buffer->device->info.id, opencl_error_name(code))
                : STATUS_OK;
}

static enum status read_piece(void *data, size_t offset, void *to, size_t size, struct error *err)
{
    struct buffer *buffer = data;
    cl_int code = clEnqueueReadBuffer(buffer->device->queue, buffer->contents, CL_TRUE, offset,
                                      size, to, 0, NULL, NULL);

    return code ? error_set(err, STATUS_IO, "cannot copy %zu bytes from %s: %s", size,
                            buffer->device->info.id, opencl_error_name(code))
                : STATUS_OK;
}

static struct fill_source drawn_source_of(const struct contents *contents)
{
    return (struct fill_source){contents->value, contents->seed, contents->stream};
}

/* True if the device draws all elements and the host changes a few rows. */
static bool has_pieces(const struct contents *contents)
{
    const struct fill_source source = drawn_source_of(contents);

    return is_varied(contents) && fill_pieces_suit(&source);
}

/* Write the rows that a variation changes. */
static enum status write_pieces(struct buffer *buffer, const struct contents *contents,
                                struct error *err)
{
    const struct fill_source source = drawn_source_of(contents);
    const struct fill_memory memory = {write_piece, read_piece, buffer};

    return has_pieces(contents) ? fill_pieces_write(&source, true, &memory, err) : STATUS_OK;
}

/* True if the host has to make the whole tensor. */
static bool is_made_on_host(const struct buffer *buffer, const struct contents *contents)
{
    return !is_generated(buffer->device, contents->value) ||
           (is_varied(contents) && !has_pieces(contents));
}

/* Check the rows that a variation changes, and leave them as drawn. */
static enum status take_back_pieces(struct buffer *buffer, const struct contents *contents,
                                    bool *hold, struct error *err)
{
    const struct fill_source source = drawn_source_of(contents);
    const struct fill_memory memory = {write_piece, read_piece, buffer};

    return fill_pieces_take_back(&source, &memory, hold, err);
}

enum status opencl_buffer_fill(struct buffer *buffer, const struct contents *contents,
                               struct error *err)
{
    const struct value *value = contents->value;
    uint64_t element;
    cl_int code;

    if (value->fill.kind == FILL_CONSTANT) {
        dtype_from_double(value->dtype, &value->fill.a, &element, 1);
        return opencl_buffer_repeat(buffer, &element, dtype_bytes(value->dtype), err);
    }
    if (is_made_on_host(buffer, contents))
        return make_on_host(buffer, contents, err);
    code = generate(buffer, contents, STORE, items_of(value));
    if (code)
        return error_set(err, STATUS_IO, "cannot fill %s on %s: %s", value->name,
                         buffer->device->info.id, opencl_error_name(code));
    return write_pieces(buffer, contents, err);
}

enum status opencl_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                                struct error *err)
{
    const struct device *device = buffer->device;
    enum status st = STATUS_OK;
    cl_int differs = 0;
    cl_int code;

    *holds = true;
    if (is_made_on_host(buffer, contents))
        return error_set(err, STATUS_UNAVAILABLE, "%s is made on the host", contents->value->name);
    if (has_pieces(contents))
        st = take_back_pieces(buffer, contents, holds, err);
    if (st || !*holds)
        return st;
    code = clEnqueueWriteBuffer(device->queue, device->differs, CL_TRUE, 0, sizeof(differs),
                                &differs, 0, NULL, NULL);
    if (!code)
        code = generate(buffer, contents, CHECK, items_of(contents->value));
    if (!code)
        code = clEnqueueReadBuffer(device->queue, device->differs, CL_TRUE, 0, sizeof(differs),
                                   &differs, 0, NULL, NULL);
    if (code)
        return error_set(err, STATUS_IO, "cannot compare %s on %s: %s", contents->value->name,
                         device->info.id, opencl_error_name(code));
    *holds = !differs;
    return write_pieces(buffer, contents, err);
}
