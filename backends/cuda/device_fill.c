#include "backends/cuda/device_fill.h"

#include <stdio.h>
#include <stdlib.h>

#include "backends/cuda/internal_kernels.h"
#include "backends/cuda/random.cu.h"
#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
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

static bool is_generated(const struct contents *contents)
{
    const struct value *value = contents->value;

    return kinds[value->fill.kind] && !variation_applies(variation_of(contents->seed), value);
}

enum status cuda_buffer_fill(struct buffer *buffer, const struct contents *contents,
                             struct error *err)
{
    if (is_generated(contents))
        return generate(buffer, contents, 0, err);
    return make_on_host(buffer, contents, err);
}

enum status cuda_buffer_holds(struct buffer *buffer, const struct contents *contents, bool *holds,
                              struct error *err)
{
    const struct device *device = buffer->device;
    int32_t differs = 0;
    enum status st;

    if (!is_generated(contents))
        return error_set(err, STATUS_UNAVAILABLE, "%s is made on the host", contents->value->name);
    st = cuda_check(cuda_result(device, device->cuda.cuMemsetD32(device->differs, 0, 1), STATUS_IO),
                    err, "clear the result of the comparison");
    if (!st)
        st = generate(buffer, contents, device->differs, err);
    if (!st)
        st = cuda_check(
            cuda_result(device,
                        device->cuda.cuMemcpyDtoH(&differs, device->differs, sizeof(differs)),
                        STATUS_IO),
            err, "compare the elements of %s", contents->value->name);
    if (!st)
        *holds = !differs;
    return st;
}
