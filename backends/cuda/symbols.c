#include "backends/cuda/symbols.h"

#include <dlfcn.h>
#include <string.h>

/* Functions and objects have pointers of the same size wherever there is dlsym(). */
enum status symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table,
                         struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);

        if (!function)
            return error_set(err, STATUS_UNAVAILABLE, "there is no %s in it", symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof(function));
    }
    return STATUS_OK;
}
