#include "tui/term/clipboard.h"

#include <unistd.h>

#include "core/system/file.h"
#include "core/system/process.h"

enum status clipboard_give_tmux(const char *bytes, size_t len, struct error *err)
{
    static const char *const argv[] = {"tmux", "load-buffer", "-w", "-", NULL};
    const struct process_spec spec = {.argv = argv, .without_secrets = true};
    struct process process = {0};
    enum status st = process_start(&process, &spec, err);
    char nothing;

    if (st)
        return st;
    st = file_write_all(process.in, bytes, len, err);
    close(process.in);
    process.in = -1;
    while (read(process.out, &nothing, 1) > 0) /* until it ends */
        ;
    process_end(&process);
    return st;
}
