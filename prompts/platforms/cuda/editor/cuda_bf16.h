/* The names of CUDA's cuda_bf16.h that kernels use, for clangd in an editor; see kernel.h. */
#pragma once

#include <cuda_fp16.h>
KFORGE_SHORT_FLOAT(__nv_bfloat16, __nv_bfloat162, bfloat16);

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
