#ifndef BACKENDS_CUDA_PLATFORM_H
#define BACKENDS_CUDA_PLATFORM_H

#include "backends/cuda/ptx.h"
#include "backends/cuda/symbols.h"
#include "core/base/strbuf.h"
#include "core/model/dtype.h"

/*
 * The differences between the platforms of this back end, CUDA and HIP. HIP's driver and compiler
 * have the functions of CUDA's under other names, so a platform is a table: of libraries and
 * symbols, of the numbers of attributes, and of functions that find the parameters of kernels in
 * compiled code. All other code is shared, under CUDA's names.
 */

struct device;

/* Attributes of a device; each platform has its own number for each. */
enum gpu_attribute {
    GPU_THREADS_PER_BLOCK,
    GPU_BLOCK_X, /* and Y, Z */
    GPU_BLOCK_Y,
    GPU_BLOCK_Z,
    GPU_GRID_X, /* and Y, Z */
    GPU_GRID_Y,
    GPU_GRID_Z,
    GPU_WARP,
    GPU_UNITS,
    GPU_L2_BYTES,
    GPU_SHARED_BYTES, /* the most that a block can have */
    GPU_HOST_MEMORY,  /* 1 if kernels can reach all memory of their process */
    GPU_ATTRIBUTE_COUNT
};

/* The declaration of a parameter in the compiled code (ptx.h). */
struct parameter_form {
    const char *type;
    size_t length;
};

struct gpu_platform {
    const char *name;        /* name of its language, with which the ids of its devices begin */
    const char *title;       /* title of the driver */
    const char *compiler;    /* name of the compiler */
    const char *source_file; /* the name of a source in the compiler's messages */
    const char *more_languages[4]; /* further languages that its devices take; NULL ends them */

    struct library_place driver_place, compiler_place;
    const struct symbol *driver_symbols;   /* members of struct cuda_driver */
    const struct symbol *compiler_symbols; /* members of struct nvrtc */
    /* texts of errors; a reason follows the last two */
    const char *no_driver, *old_driver, *driver_refuses;
    const char *no_device; /* why a driver that works has no device */
    const char *no_compiler, *old_compiler;
    /* the factors of major and minor in a driver's version number */
    int version_major, version_minor;

    int attributes[GPU_ATTRIBUTE_COUNT];
    const char *const *options; /* options of every compilation; NULL ends them */
    /*
     * An option by which the compiler works on the functions of a source in threads, and the first
     * version that has it (1000 * major + 10 * minor); NULL: there is none.
     */
    const char *threads_option;
    int threads_version;
    bool has_parts;   /* PTX tells whether kernels can be compiled one by one (compile_parts.h) */
    bool has_headers; /* the compiler reads headers first, which a definition "-DB=1" would break:
                         definitions are put before the source */
    struct parameter_form numbers[DTYPE_COUNT]; /* parameters that are numbers */
    struct parameter_form pointer;
    const char *timing_source; /* source of the kernels `evict` and `keep_busy` */

    /* Write the architecture to compile for, of at most NVRTC_ARCH_SIZE bytes (nvrtc.h). */
    void (*find_arch)(const struct device *device, char *arch);
    /*
     * A copy of the log with the source's name put in; NULL if the compiler has named it already.
     * The caller frees it.
     */
    char *(*name_source)(const char *log);
    /* Append the kernels of a program; `machine` or `ptx` may be empty. */
    void (*read_entries)(const struct strbuf *machine, const char *ptx, struct ptx_entries *found);
};

#endif
