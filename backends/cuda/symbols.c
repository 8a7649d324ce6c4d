#include "backends/cuda/symbols.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"

/* POSIX guarantees that function pointers and object pointers have the same size (dlsym(3)). */
enum status symbols_bind(void *library, const struct symbol *symbols, void *table,
                         struct error *err)
{
    for (; symbols->name; symbols++) {
        void *function = dlsym(library, symbols->name);

        if (!function)
            return error_set(err, STATUS_UNAVAILABLE, "it has no function %s", symbols->name);
        memcpy((char *)table + symbols->offset, &function, sizeof(function));
    }
    return STATUS_OK;
}

const char *library_folder(const struct library_place *place, size_t index)
{
    for (const char *const *name = place->folders; *name; name++) {
        const char *folder = **name == '$' ? getenv(*name + 1) : *name;

        if (folder && index-- == 0)
            return folder;
    }
    return NULL;
}

/* Not every driver survives being closed, so libraries stay (RTLD_NODELETE). */
static void *open_in(const char *folder, const char *name)
{
    char *path = file_join(folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);

    free(path);
    return library;
}

static void *open_in_toolkit(const struct library_place *place, const char *root)
{
    char *folder = file_join(root, place->below);
    void *library = NULL;

    for (const char *const *name = place->names; !library && *name; name++)
        library = open_in(folder, *name);
    free(folder);
    return library;
}

void *library_open(const struct library_place *place)
{
    void *library = NULL;

    for (const char *const *name = place->names; !library && *name; name++)
        library = dlopen(*name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    for (size_t i = 0; !library && library_folder(place, i); i++)
        library = open_in_toolkit(place, library_folder(place, i));
    return library;
}
