#include "tests/contract/kernel_sources.h"

#include <stddef.h>
#include <string.h>

static const struct kernel_sources source_table[] = {
    {.language = "opencl",
     .options = "-DFACTOR=3 -cl-kernel-arg-info",
     .kernels = "kernel void scale(global float *y, global const float *x, float a, int n)\n"
                "{\n"
                "    int i = get_global_id(0);\n"
                "    if (i < n)\n"
                "        y[i] = a * x[i];\n"
                "}\n"
                "kernel void place(global int *out)\n"
                "{\n"
                "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
                "    int width = get_global_size(0), height = get_global_size(1);\n"
                "    out[(z * height + y) * width + x] = FACTOR * (x + 100 * y + 10000 * z);\n"
                "}\n"
                "kernel void reverse(global int *data, local int *tile)\n"
                "{\n"
                "    int i = get_local_id(0), n = get_local_size(0);\n"
                "    tile[i] = data[get_global_id(0)];\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                "    data[get_global_id(0)] = tile[n - 1 - i];\n"
                "}\n"
                "kernel void numbers(global long *out, long wide, int narrow, float real)\n"
                "{\n"
                "    out[0] = wide;\n"
                "    out[1] = narrow;\n"
                "    out[2] = (long)(real * 4);\n"
                "}\n"
                "kernel __attribute__((reqd_work_group_size(16, 1, 1)))\n"
                "void demanding(global int *data)\n"
                "{\n"
                "    local int tile[16];\n"
                "    tile[get_local_id(0)] = data[get_global_id(0)];\n"
                "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                "    data[get_global_id(0)] = tile[15 - get_local_id(0)];\n"
                "}\n"
                "kernel void stray(global int *out, int at)\n"
                "{\n"
                "    out[at] = 7;\n"
                "}\n",
     .broken = "kernel void f(global int *y)\n"
               "{\n"
               "    y[0] = nowhere;\n"
               "}\n",
     .broken_text = "use of undeclared identifier 'nowhere'",
     .careless = "kernel void f(global int *y) { y[0] = 1; }\n"
                 "#warning careful\n",
     .local_name = "local memory",
     .has_groups = true,
     .states_groups = true,
     .has_local_arguments = true,
     .tells_pointers = true},
    {.language = "cuda",
     .options = "-DFACTOR=3",
     .kernels =
         "extern \"C\" __global__ void scale(float *y, const float *x, float a, int n)\n"
         "{\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i < n)\n"
         "        y[i] = a * x[i];\n"
         "}\n"
         "extern \"C\" __global__ void place(int *out)\n"
         "{\n"
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
         "    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;\n"
         "    out[(z * height + y) * width + x] = FACTOR * (x + 100 * y + 10000 * z);\n"
         "}\n"
         "extern \"C\" __global__ void reverse(int *data)\n"
         "{\n"
         "    extern __shared__ int tile[];\n"
         "    int i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + i;\n"
         "    tile[i] = data[at];\n"
         "    __syncthreads();\n"
         "    data[at] = tile[n - 1 - i];\n"
         "}\n"
         "extern \"C\" __global__ void numbers(long *out, long wide, int narrow, float real)\n"
         "{\n"
         "    out[0] = wide;\n"
         "    out[1] = narrow;\n"
         "    out[2] = (long)(real * 4);\n"
         "}\n"
         "extern \"C\" __global__ void __block_size__((16, 1, 1)) demanding(int *data)\n"
         "{\n"
         "    __shared__ int tile[16];\n"
         "    int i = threadIdx.x, at = blockIdx.x * 16 + i;\n"
         "    tile[i] = data[at];\n"
         "    __syncthreads();\n"
         "    data[at] = tile[15 - i];\n"
         "}\n"
         "extern \"C\" __global__ void stray(int *out, int at)\n"
         "{\n"
         "    out[at] = 7;\n"
         "}\n",
     .broken = "extern \"C\" __global__ void f(int *y)\n"
               "{\n"
               "    y[0] = nowhere;\n"
               "}\n",
     .broken_text = "identifier \"nowhere\" is undefined",
     .careless = "extern \"C\" __global__ void f(int *y) { y[0] = 1; }\n"
                 "#warning careful\n",
     .local_name = "shared memory",
     .has_groups = true,
     .states_groups = true},
    {.language = "hip",
     .options = "-DFACTOR=3",
     .kernels =
         "extern \"C\" __global__ void scale(float *y, const float *x, float a, int n)\n"
         "{\n"
         "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    if (i < n)\n"
         "        y[i] = a * x[i];\n"
         "}\n"
         "extern \"C\" __global__ void place(int *out)\n"
         "{\n"
         "    int x = blockIdx.x * blockDim.x + threadIdx.x;\n"
         "    int y = blockIdx.y * blockDim.y + threadIdx.y;\n"
         "    int z = blockIdx.z * blockDim.z + threadIdx.z;\n"
         "    int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;\n"
         "    out[(z * height + y) * width + x] = FACTOR * (x + 100 * y + 10000 * z);\n"
         "}\n"
         "extern \"C\" __global__ void reverse(int *data)\n"
         "{\n"
         "    extern __shared__ int tile[];\n"
         "    int i = threadIdx.x, n = blockDim.x, at = blockIdx.x * n + i;\n"
         "    tile[i] = data[at];\n"
         "    __syncthreads();\n"
         "    data[at] = tile[n - 1 - i];\n"
         "}\n"
         "extern \"C\" __global__ void numbers(long *out, long wide, int narrow, float real)\n"
         "{\n"
         "    out[0] = wide;\n"
         "    out[1] = narrow;\n"
         "    out[2] = (long)(real * 4);\n"
         "}\n"
         "extern \"C\" __global__ void demanding(int *data)\n"
         "{\n"
         "    __shared__ int tile[16];\n"
         "    int i = threadIdx.x, at = blockIdx.x * 16 + i;\n"
         "    tile[i] = data[at];\n"
         "    __syncthreads();\n"
         "    data[at] = tile[15 - i];\n"
         "}\n"
         "extern \"C\" __global__ void stray(int *out, int at)\n"
         "{\n"
         "    out[at] = 7;\n"
         "}\n",
     .broken = "extern \"C\" __global__ void f(int *y)\n"
               "{\n"
               "    y[0] = nowhere;\n"
               "}\n",
     .broken_text = "nowhere",
     .careless = "extern \"C\" __global__ void f(int *y) { y[0] = 1; }\n"
                 "#warning careful\n",
     .local_name = "shared memory",
     .has_groups = true,
     .tells_pointers = true,
     .hides_floats = true},
    {.language = "c",
     .options = "-DFACTOR=3",
     .kernels = "void scale(float *y, const float *x, float a, int n)\n"
                "{\n"
                "#pragma omp parallel for\n"
                "    for (int i = 0; i < n; i++)\n"
                "        y[i] = a * x[i];\n"
                "}\n"
                "void place(int *out)\n"
                "{\n"
                "    for (int x = 0; x < 4; x++)\n"
                "        out[x] = FACTOR * x;\n"
                "}\n"
                "void reverse(int *data)\n"
                "{\n"
                "#pragma omp parallel for schedule(dynamic)\n"
                "    for (int group = 0; group < 4; group++)\n"
                "        for (int i = 0; i < 8; i++) {\n"
                "            int *tile = data + 16 * group, kept = tile[i];\n"
                "            tile[i] = tile[15 - i];\n"
                "            tile[15 - i] = kept;\n"
                "        }\n"
                "}\n"
                "void numbers(long *out, long wide, int narrow, float real)\n"
                "{\n"
                "    out[0] = wide;\n"
                "    out[1] = narrow;\n"
                "    out[2] = (long)(real * 4);\n"
                "}\n"
                "void stray(int *out, int at)\n"
                "{\n"
                "    out[at] = 7;\n"
                "}\n",
     .broken = "void f(int *y) { y[0] = 1; }\n"
               "\n"
               "int abcd = nowhere;\n",
     .broken_text = "'nowhere' undeclared here (not in a function)",
     .careless = "void f(int *y) { y[0] = 1; }\n"
                 "#warning careful\n",
     .local_name = "groups",
     .tells_pointers = true},
};

const struct kernel_sources *kernel_sources_find(const char *language)
{
    for (size_t i = 0; i < sizeof(source_table) / sizeof(source_table[0]); i++) {
        if (strcmp(source_table[i].language, language) == 0)
            return &source_table[i];
    }
    return NULL;
}
