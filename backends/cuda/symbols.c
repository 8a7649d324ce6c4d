#include "backends/cuda/symbols.h"

#include <dlfcn.h>
#include <string.h>

/* POSIX guarantees that function pointers and object pointers have the same size (dlsym(3)). */
enum status symbols_bind(void *library, const struct symbol *symbols, size_t count, void *table,
                         struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        void *function = dlsym(library, symbols[i].name);

        if (!function)
            return error_set(err, STATUS_UNAVAILABLE, "it has no function %s", symbols[i].name);
        memcpy((char *)table + symbols[i].offset, &function, sizeof(function));
    }
    return STATUS_OK;
}
