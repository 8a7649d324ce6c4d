#include "tui/app/copy.h"

#include <stdlib.h>

#include "core/base/osc52.h"
#include "core/system/file.h"
#include "tui/term/clipboard.h"

static void save(const struct strbuf *text, const char *path, struct chrome *chrome)
{
    struct error err = {0};

    if (file_write(path, strbuf_cstr(text), text->len, &err))
        chrome_say_error(chrome, &err);
    else
        chrome_say(chrome, ROLE_GOOD, "%zu bytes saved in %s", text->len, path);
}

/* The terminal does not say whether it took the text, so the message offers a file too. */
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
        chrome_say(chrome, ROLE_BAD, "copy: no terminal and so no clipboard; use :copy FILE");
    else if (getenv("TMUX"))
        copy_by_tmux(text, chrome);
    else
        copy_by_terminal(text, term, chrome);
}
