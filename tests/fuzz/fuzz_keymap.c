#include <stdlib.h>

#include "tests/fuzz/memory_file.h"
#include "tui/keys/keymap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Each bound key must be found, and its name must parse to the same key. */
static void use(const struct keymap *keymap)
{
    for (size_t i = 0; i < keymap->count; i++) {
        const struct key_binding *binding = &keymap->items[i];
        struct strbuf name = {0};
        struct call call;

        key_format(binding->key, &name);
        if (!key_equals(key_parse(strbuf_cstr(&name), name.len), binding->key))
            abort();
        (void)keymap_find(keymap, binding->key, binding->context, &call);
        strbuf_release(&name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file = memory_file_open(data, size);
    struct keymap keymap = {0};
    struct error err = {0};
    size_t count;

    keymap_fill(&keymap);
    count = keymap.count;
    if (keymap_read(&keymap, file.path, &err) && keymap.count != count)
        abort(); /* a broken file binds nothing */
    use(&keymap);
    keymap_release(&keymap);
    memory_file_close(&file);
    return 0;
}
