#include "backends/opencl/binary.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"

void opencl_binary_read(cl_program program, struct strbuf *out)
{
    unsigned char *bytes;
    size_t size = 0;

    (void)clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(size), &size, NULL);
    bytes = mem_alloc_zeroed(size + 1, 1);
    if (size && !clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(bytes), &bytes, NULL))
        strbuf_add(out, (const char *)bytes, size);
    free(bytes);
}

cl_program opencl_binary_load(const struct device *device, const struct strbuf *binary,
                              cl_int *code)
{
    const unsigned char *bytes = (const unsigned char *)binary->data;
    size_t size = binary->len;

    return clCreateProgramWithBinary(device->context, 1, &device->id, &size, &bytes, NULL, code);
}
