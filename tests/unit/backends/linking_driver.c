/*
 * A library that looks up functions by name, as a driver does for the kernels that it links. For
 * test_host_symbols.c.
 */
#include <dlfcn.h>

void *driver_find(const char *name);

void *driver_find(const char *name)
{
    return dlsym(RTLD_DEFAULT, name);
}
