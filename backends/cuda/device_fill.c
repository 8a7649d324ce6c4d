#include "backends/cuda/device_fill.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/cuda/internal_kernels.h"
#include "backends/cuda/random.cu.h"
#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/fill_pieces.h"
#include "core/judge/oracle/variation.h"

/*
 * Fills of a kind without a name are made on the host.  The name selects the formula in random.cu.
 */
static const char *const kinds[FILL_KIND_COUNT] = {
    [FILL_UNIFORM] = "uniform", [FILL_NORMAL] = "normal", [FILL_INTEGERS] = "integers",
    [FILL_MASK] = "mask",       [FILL_SIGNS] = "signs",
};

static enum status build(struct device *device, const struct value *value, struct program **program,
                         struct error *err)
{
    const char *type = dtype_name(value->dtype), *kind = kinds[value->fill.kind];
    char options[160];

    snprintf(options, sizeof(options),
             "-DTYPE=TYPE_%s -DREAL=REAL_%s -DWHOLE=WHOLE_%s -DSAME=SAME_%s -DVALUE=VALUE_%s", type,
             type, type, type, kind);
    return cuda_internal_build(
        device, &(struct program_source){.text = random_cu, .options = options}, program, err);
}

/*
 * The program for the kind of fill and the element type, compiled on first use.  `*found` is
 * borrowed from the device.
 */
static enum status find_program(struct device *device, const struct value *value,
                                struct program **found, struct error *err)
{
    struct program **kept = &device->fill_programs[value->fill.kind][value->dtype];
    enum status st = *kept ? STATUS_OK : build(device, value, kept, err);

    *found = *kept;
    return st;
}

enum { BLOCK = 256, BLOCK_ELEMENTS = 4 * BLOCK };

/*
 * Store the elements.  If `differs` is not 0, compare them instead, and set the int there to 1 if
 * any differs.
 */
static enum status generate(struct buffer *buffer, const struct contents *contents,
                            CUdeviceptr differs, struct error *err)
{
    const struct value *value = contents->value;
    struct fill_factors factors = fill_factors(&value->fill);
    CUdeviceptr out = cuda_buffer_contents(buffer);
    uint64_t count = (uint64_t)shape_elements(&value->shape);
    uint32_t key[2] = {(uint32_t)contents->seed, (uint32_t)(contents->seed >> 32)};
    uint32_t stream = contents->stream;
    void *arguments[] = {&out,           &count,          key,
                         &stream,        &factors.step,   &factors.base,
                         &factors.range, &factors.lowest, &differs};
    unsigned blocks = (unsigned)((count - 1) / BLOCK_ELEMENTS + 1);
    struct program *program;
    enum status st = find_program(buffer->device, value, &program, err);

    if (st)
        return st;
    return cuda_check(
        cuda_result(buffer->device,
                    cuda_internal_launch(program, "generate",
                                         (struct line_of_blocks){blocks, BLOCK}, arguments),
                    STATUS_IO),
        err, "fill %s with random elements", value->name);
}

static enum status make_on_host(struct buffer *buffer, const struct contents *contents,
                                struct error *err)
{
    const void *given = fill_given(contents->value, contents->seed);
    void *elements;
    enum status st;

    if (given)
        return cuda_buffer_write(buffer, given, err);
    elements = mem_alloc_zeroed(buffer->bytes, 1);
    fill_make(contents->value, contents->seed, contents->stream, elements);
    st = cuda_buffer_write(buffer, elements, err);
    free(elements);
    return st;
}

static bool is_varied(const struct contents *contents)
{
    return variation_pieces_of(contents->value, contents->seed).count > 0;
}

static enum status write_piece(void *data, size_t offset, const void *from, size_t size,
                               struct error *err)
{
    struct buffer *buffer = data;
    const struct device *device = buffer->device;
    CUresult code = device->cuda.cuMemcpyHtoD(cuda_buffer_contents(buffer) + offset, from, size);

    return cuda_check(cuda_result(device, code, STATUS_IO), err, "receive %zu bytes", size);
}

static enum status read_piece(void *data, size_t offset, void *to, size_t size, struct error *err)
{
    struct buffer *buffer = data;
    const struct device *device = buffer->device;
    CUresult code = device->cuda.cuMemcpyDtoH(to, cuda_buffer_contents(buffer) + offset, size);

    return cuda_check(cuda_result(device, code, STATUS_IO), err, "copy %zu bytes back", size);
}

static struct fill_source source_of(const struct contents *contents)
{
    return (struct fill_source){contents->value, contents->seed, contents->stream};
}

/* True if the device draws all elements and the host changes a few rows. */
static bool has_pieces(const struct contents *contents)
{
    const struct fill_source source = source_of(contents);

    return is_varied(contents) && fill_pieces_suit(&source);
}

static bool is_generated(const struct contents *contents)
{
    return kinds[contents->value->fill.kind] && (!is_varied(contents) || has_pieces(contents));
}

/* Write the rows that a variation changes. */
static enum status write_pieces(struct buffer *buffer, const struct contents *contents,
                                struct error *err)
{
    const struct fill_source source = source_of(contents);
    const struct fill_memory memory = {write_piece, read_piece, buffer};

    return has_pieces(contents) ? fill_pieces_write(&source, true, &memory, err) : STATUS_OK;
}

enum status cuda_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err)
{
    enum status st;

    if (!is_generated(contents))
        return make_on_host(buffer, contents, err);
    st = generate(buffer, contents, 0, err);
    return st ? st : write_pieces(buffer, contents, err);
}

/* Check the rows that a variation changes, and leave them as drawn. */
static enum status take_back_pieces(struct buffer *buffer, const struct contents *contents,
                                    bool *hold, struct error *err)
{
    const struct fill_source source = source_of(contents);
    const struct fill_memory memory = {write_piece, read_piece, buffer};

    return fill_pieces_take_back(&source, &memory, hold, err);
}

enum status cuda_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err)
{
    const struct device *device = buffer->device;
    int32_t differs = 0;
    const void *given = fill_given(contents->value, contents->seed);
    enum status st = STATUS_OK;

    *holds = true;
    if (given)
        return cuda_buffer_compare(buffer, given, holds, err);
    if (!is_generated(contents))
        return error_set(err, STATUS_UNAVAILABLE, "%s is made on the host", contents->value->name);
    if (has_pieces(contents))
        st = take_back_pieces(buffer, contents, holds, err);
    if (st || !*holds)
        return st;
    st = cuda_check(cuda_result(device, device->cuda.cuMemsetD32(device->result, 0, 1), STATUS_IO),
                    err, "clear the result of the comparison");
    if (!st)
        st = generate(buffer, contents, device->result, err);
    if (!st)
        st = cuda_check(
            cuda_result(device,
                        device->cuda.cuMemcpyDtoH(&differs, device->result, sizeof(differs)),
                        STATUS_IO),
            err, "compare the elements of %s", contents->value->name);
    if (!st)
        *holds = !differs;
    return st ? st : write_pieces(buffer, contents, err);
}
