#include "backends/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "backends/cuda/platform.h"

static enum status start(const struct cuda_driver *driver, struct error *err)
{
    char text[CUDA_ERROR_TEXT];
    CUresult code = driver->cuInit(0);

    if (!code)
        return STATUS_OK;
    if (code == CUDA_ERROR_NO_DEVICE ||
        code == CUDA_ERROR_INVALID_DEVICE) /* HIP's, without a GPU */
        return error_set(err, STATUS_UNAVAILABLE, "%s", driver->platform->no_device);
    return error_set(err, STATUS_UNAVAILABLE, "%s: %s", driver->platform->driver_refuses,
                     cuda_error_text(driver, code, text));
}

enum status cuda_driver_open(const struct gpu_platform *platform, struct cuda_driver *driver,
                             struct error *err)
{
    struct cuda_driver opened = {.platform = platform,
                                 .library = library_open(&platform->driver_place)};
    struct error why = {0};
    enum status st;

    if (!opened.library)
        return error_set(err, STATUS_UNAVAILABLE, "%s", platform->no_driver);
    st = symbols_bind(opened.library, platform->driver_symbols, &opened, &why);
    if (st)
        error_set(err, st, "%s: %s", platform->old_driver, why.text);
    else
        st = start(&opened, err);
    if (st)
        cuda_driver_close(&opened);
    else
        *driver = opened;
    return st;
}

bool cuda_driver_is_there(const struct gpu_platform *platform)
{
    void *library = library_open(&platform->driver_place);

    if (library)
        dlclose(library);
    return library != NULL;
}

void cuda_driver_close(struct cuda_driver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    *driver = (struct cuda_driver){0};
}

CUresult cuda_driver_launch(const struct cuda_driver *driver, const CUlaunchConfig *config,
                            CUfunction function, void **parameters)
{
    if (driver->cuLaunchKernelEx)
        return driver->cuLaunchKernelEx(config, function, parameters, NULL);
    return driver->hipModuleLaunchKernel(
        function, config->gridDimX, config->gridDimY, config->gridDimZ, config->blockDimX,
        config->blockDimY, config->blockDimZ, config->sharedMemBytes, NULL, parameters, NULL);
}

const char *cuda_error_text(const struct cuda_driver *driver, CUresult code,
                            char text[CUDA_ERROR_TEXT])
{
    const char *name = NULL, *meaning = NULL;

    if (driver->hipGetErrorName) {
        name = driver->hipGetErrorName(code);
        meaning = driver->hipGetErrorString(code);
    } else {
        (void)driver->cuGetErrorName(code, &name);
        (void)driver->cuGetErrorString(code, &meaning);
    }
    if (name && meaning && !strcmp(name, meaning))
        snprintf(text, CUDA_ERROR_TEXT, "%s", name);
    else if (name && meaning)
        snprintf(text, CUDA_ERROR_TEXT, "%s (%s)", name, meaning);
    else
        snprintf(text, CUDA_ERROR_TEXT, "error %d", code);
    return text;
}
