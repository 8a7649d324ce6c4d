#include "tui/app/copy.h"

#include <stdlib.h>
#include <unistd.h>

#include "core/base/formats/osc52.h"
#include "core/base/status.h"
#include "core/system/file.h"
#include "core/system/process.h"

/* Give the bytes to the tmux in which kforge runs. tmux knows whether its terminal can copy. */
static enum status clipboard_give_tmux(const char *bytes, size_t len, struct error *err)
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
    while (read(process.out, &nothing, 1) > 0) /* until tmux ends */
        ;
    process_end(&process);
    return st;
}

static void save(const struct strbuf *text, const char *path, struct chrome *chrome)
{
    struct error err = {0};

    if (file_write(path, strbuf_cstr(text), text->len, &err))
        chrome_say_error(chrome, &err);
    else
        chrome_say(chrome, ROLE_GOOD, "%zu bytes saved in %s", text->len, path);
}

/*
 * Copy with OSC 52. A terminal does not report whether it took the text, so the message also names
 * the command that writes a file.
 */
static void copy_by_terminal(const struct strbuf *text, struct term *term, struct chrome *chrome)
{
    struct strbuf sequence = {0};

    osc52_add_copy(&sequence, strbuf_cstr(text), text->len);
    term_write(term, strbuf_cstr(&sequence), sequence.len);
    strbuf_release(&sequence);
    chrome_say(chrome, ROLE_GOOD, "%zu bytes to the terminal's clipboard; :copy FILE saves them",
               text->len);
}

static void copy_by_tmux(const struct strbuf *text, struct chrome *chrome)
{
    struct error err = {0};

    if (clipboard_give_tmux(strbuf_cstr(text), text->len, &err))
        chrome_say_error(chrome, &err);
    else
        chrome_say(chrome, ROLE_GOOD, "%zu bytes copied", text->len);
}

void copy_text(const struct strbuf *text, const char *path, struct term *term,
               struct chrome *chrome)
{
    if (*path)
        save(text, path, chrome);
    else if (!term)
        chrome_say(chrome, ROLE_BAD,
                   "copy: without a terminal there is no clipboard; use :copy FILE");
    else if (getenv("TMUX"))
        copy_by_tmux(text, chrome);
    else
        copy_by_terminal(text, term, chrome);
}
