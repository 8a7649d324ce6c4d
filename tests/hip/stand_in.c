#include "tests/hip/stand_in.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hip/handed_calls.h"

/* The functions are exported under HIP's names, which no header declares. */
#pragma GCC diagnostic ignored "-Wmissing-prototypes"

void *stand_in_driver(const char *name)
{
    static void *library;
    void *function;

    if (!library)
        library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return NULL;
    function = dlsym(library, name);
    if (!function) {
        fprintf(stderr, "the stand-in for libamdhip64 finds no %s in libcuda.so.1\n", name);
        abort();
    }
    return function;
}

#define HAND(hip, cuda, parameters, arguments)   \
    int hip parameters                           \
    {                                            \
        int(*handed) parameters;                 \
        void *found = stand_in_driver(cuda);     \
        memcpy(&handed, &found, sizeof(handed)); \
        return found ? handed arguments : 100;   \
    }
HANDED_CALLS(HAND)

/* CUDA's driver and its code, of which the result codes have texts by reference. */
typedef int text_function(int code, const char **text);

static const char *text_of(const char *name, int code)
{
    void *found = stand_in_driver(name);
    const char *text = "unknown";
    text_function *function;

    memcpy(&function, &found, sizeof(function));
    if (found)
        function(code, &text);
    return text;
}

const char *hipGetErrorName(int code)
{
    return text_of("cuGetErrorName", code);
}

const char *hipGetErrorString(int code)
{
    return text_of("cuGetErrorString", code);
}

int hipDriverGetVersion(int *version)
{
    *version = 50221153; /* Debian's */
    return 0;
}

/* hipDeviceAttribute_t and CUdevice_attribute. */
static const struct {
    int hip, cuda;
} attributes[] = {{56, 1}, {26, 2},  {27, 3},  {28, 4},  {29, 5}, {30, 6},
                  {31, 7}, {87, 10}, {63, 16}, {19, 38}, {74, 97}};

int hipDeviceGetAttribute(int *value, int attribute, int device)
{
    void *found = stand_in_driver("cuDeviceGetAttribute");
    int (*function)(int *, int, int);

    memcpy(&function, &found, sizeof(function));
    for (size_t i = 0; i < sizeof(attributes) / sizeof(*attributes); i++)
        if (attributes[i].hip == attribute)
            return function(value, attributes[i].cuda, device);
    return 1;
}

/* The struct of version 5, of which only the name and the architecture are set. */
int hipGetDeviceProperties(char *properties, int device)
{
    memset(properties, 0, 792);
    strcpy(properties + 396, "gfx90a:sramecc+:xnack-");
    return hipDeviceGetName(properties, 256, device);
}

int hipModuleLoadData(void **module, const void *image)
{
    void *found = stand_in_driver("cuModuleLoadData");
    int (*function)(void **, const void *);

    memcpy(&function, &found, sizeof(function));
    return function(module, stand_in_code(image));
}

/* AMD's driver gives a launch all the shared memory that it asks for; CUDA's wants to be told. */
int hipModuleLaunchKernel(void *kernel, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                          unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                          void *stream, void **parameters, void **extra)
{
    void *found = stand_in_driver("cuLaunchKernel"), *set = stand_in_driver("cuFuncSetAttribute");
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    int (*set_attribute)(void *, int, int);

    memcpy(&launch, &found, sizeof(launch));
    memcpy(&set_attribute, &set, sizeof(set_attribute));
    (void)set_attribute(kernel, 8, (int)shared);
    return launch(kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                  parameters, extra);
}
