#include "backends/cuda/nvidia.h"

#include "backends/cuda/device.h"
#include "backends/cuda/timing.cu.h"

static const struct symbol driver_symbols[] = {
#define CUDA_DRIVER_SYMBOL(name, symbol, arguments) {symbol, offsetof(struct cuda_driver, name)},
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_SYMBOL){"cuGetErrorName",
                                              offsetof(struct cuda_driver, cuGetErrorName)},
    {"cuGetErrorString", offsetof(struct cuda_driver, cuGetErrorString)},
    {0},
};

static const struct symbol compiler_symbols[] = {
#define NVRTC_SYMBOL(type, name, arguments) {#name, offsetof(struct nvrtc, name)},
    NVRTC_FUNCTIONS(NVRTC_SYMBOL){0},
};

static const char *const options[] = {"--ptxas-options=-v", "--generate-line-info",
                                      "--device-as-default-execution-space", NULL};

static void find_arch(const struct device *device, char *arch)
{
    nvrtc_arch(&device->nvrtc, cuda_capability(device), arch);
}

static void read_entries(const struct strbuf *machine, const char *ptx, struct ptx_entries *found)
{
    (void)machine;
    ptx_read(ptx, found);
}

const struct gpu_platform cuda_platform = {
    .name = "cuda",
    .title = "NVIDIA CUDA",
    .compiler = "NVRTC",
    .source_file = "kernel.cu",
    .more_languages = {"triton", "cute"},
    .driver_place = {.names = {"libcuda.so.1"}},
    /* Later versions 11.x keep the soname 11.2. */
    .compiler_place = {.names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2"},
                       .folders = {"$CUDA_HOME", "$CUDA_PATH", "/usr/local/cuda"},
                       .below = "lib64"},
    .driver_symbols = driver_symbols,
    .compiler_symbols = compiler_symbols,
    .no_driver = "no libcuda.so.1: install NVIDIA's driver (package nvidia-driver)",
    .old_driver = "libcuda.so.1 is too old, install NVIDIA's driver 525 (CUDA 12) or newer",
    .driver_refuses = "NVIDIA's driver does not start",
    .no_device = "NVIDIA's driver has no device",
    .no_compiler = "no libnvrtc.so.13, .12 or .11.2: install CUDA's toolkit, or set CUDA_HOME to "
                   "its folder",
    .old_compiler = "libnvrtc is too old, install CUDA's toolkit 11.2 or newer",
    .version_major = 1000,
    .version_minor = 10,
    /* CUdevice_attribute of cuda.h */
    .attributes = {[GPU_THREADS_PER_BLOCK] = 1,
                   [GPU_BLOCK_X] = 2,
                   [GPU_BLOCK_Y] = 3,
                   [GPU_BLOCK_Z] = 4,
                   [GPU_GRID_X] = 5,
                   [GPU_GRID_Y] = 6,
                   [GPU_GRID_Z] = 7,
                   [GPU_WARP] = 10,
                   [GPU_UNITS] = 16,
                   [GPU_L2_BYTES] = 38,
                   [GPU_SHARED_BYTES] = 97,
                   [GPU_HOST_MEMORY] = 88},
    .options = options,
    .threads_option = "--split-compile=8",
    .threads_version = 12090,
    .has_parts = true,
    /*
     * The PTX types of parameters. f16 and bf16 are structs in CUDA C++, so PTX declares them as
     * arrays of two bytes.
     */
    .numbers = {[DTYPE_F32] = {"f32", 0},
                [DTYPE_F64] = {"f64", 0},
                [DTYPE_I32] = {"u32", 0},
                [DTYPE_I64] = {"u64", 0},
                [DTYPE_F16] = {"b8", 2},
                [DTYPE_BF16] = {"b8", 2},
                [DTYPE_BOOL] = {"u8", 0}},
    .pointer = {"u64", 0},
    .timing_source = timing_cu,
    .find_arch = find_arch,
    .read_entries = read_entries,
};
