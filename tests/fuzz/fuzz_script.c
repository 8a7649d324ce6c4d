#include <stdlib.h>

#include "tests/fuzz/memory_file.h"
#include "tui/app/script.h"
#include "tui/keys/keymap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A command is parsed when its line is run. */
static void play(struct script *script)
{
    const struct script_line *line;
    struct call call;
    struct error err;

    while ((line = script_next(script))) {
        if (line->verb == SCRIPT_COMMAND)
            (void)!call_parse(line->text, &call, &err);
        if (line->verb == SCRIPT_RESIZE && (line->size.w <= 0 || line->size.h <= 0))
            abort();
        script->next++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct memory_file file = memory_file_open(data, size);
    struct script script = {0};
    struct error err = {0};

    if (script_read(&script, file.path, &err) == STATUS_OK)
        play(&script);
    else if (script.count || !err.text[0])
        abort();
    script_release(&script);
    memory_file_close(&file);
    return 0;
}
