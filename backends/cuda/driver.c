#include "backends/cuda/driver.h"

#include <dlfcn.h>
#include <stdio.h>

#include "backends/cuda/symbols.h"
#include "core/base/array.h"

static const struct symbol symbols[] = {
#define CUDA_DRIVER_SYMBOL(name, symbol, arguments) {symbol, offsetof(struct cuda_driver, name)},
    CUDA_DRIVER_FUNCTIONS(CUDA_DRIVER_SYMBOL)};

enum { SYMBOL_COUNT = COUNT(symbols) };

static enum status start(const struct cuda_driver *driver, struct error *err)
{
    char text[CUDA_ERROR_TEXT];
    CUresult code = driver->cuInit(0);

    if (!code)
        return STATUS_OK;
    return error_set(err, STATUS_UNAVAILABLE, "NVIDIA's driver does not start: %s",
                     cuda_error_text(driver, code, text));
}

enum status cuda_driver_open(struct cuda_driver *driver, struct error *err)
{
    struct cuda_driver opened = {.library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)};
    struct error why = {0};
    enum status st;

    if (!opened.library)
        return error_set(err, STATUS_UNAVAILABLE,
                         "no libcuda.so.1: install NVIDIA's driver (package nvidia-driver)");
    st = symbols_bind(opened.library, symbols, SYMBOL_COUNT, &opened, &why);
    if (st)
        error_set(err, st, "libcuda.so.1: %s: install NVIDIA's driver 525 (CUDA 12) or newer",
                  why.text);
    else
        st = start(&opened, err);
    if (st)
        cuda_driver_close(&opened);
    else
        *driver = opened;
    return st;
}

void cuda_driver_close(struct cuda_driver *driver)
{
    if (driver->library)
        dlclose(driver->library);
    *driver = (struct cuda_driver){0};
}

const char *cuda_error_text(const struct cuda_driver *driver, CUresult code,
                            char text[CUDA_ERROR_TEXT])
{
    const char *name = NULL, *meaning = NULL;

    (void)driver->cuGetErrorName(code, &name);
    (void)driver->cuGetErrorString(code, &meaning);
    if (name && meaning)
        snprintf(text, CUDA_ERROR_TEXT, "%s (%s)", name, meaning);
    else
        snprintf(text, CUDA_ERROR_TEXT, "CUDA error %d", code);
    return text;
}
