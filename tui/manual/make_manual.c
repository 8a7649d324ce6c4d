/*
 * make_manual FORMATS.md FOLDER: writes the manual pages and the completion scripts for shells from
 * the tables of the program. The build runs it; it is not installed.
 */
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/system/file.h"
#include "tui/manual/completions.h"
#include "tui/manual/pages.h"

enum { FORMATS_MAX_BYTES = 1 << 20 };

static enum status write_into(const char *folder, const char *name, struct strbuf *text,
                              struct error *err)
{
    char *path = file_join(folder, name);
    enum status st = file_write(path, strbuf_cstr(text), text->len, err);

    free(path);
    strbuf_release(text);
    return st;
}

static enum status write_all(const char *formats_path, const char *folder, struct error *err)
{
    static const struct {
        const char *name;
        void (*add)(struct strbuf *out);
    } made[] = {
        {"kforge.1", pages_add_program},       {"kforge-worker.1", pages_add_worker},
        {"kforge.bash", completions_add_bash}, {"_kforge", completions_add_zsh},
        {"kforge.fish", completions_add_fish},
    };
    struct strbuf formats = {0}, text = {0};
    enum status st = file_read(formats_path, FORMATS_MAX_BYTES, &formats, err);

    if (!st) {
        pages_add_formats(&text, strbuf_cstr(&formats));
        st = write_into(folder, "kforge.5", &text, err);
    }
    for (size_t i = 0; !st && i < COUNT(made); i++) {
        made[i].add(&text);
        st = write_into(folder, made[i].name, &text, err);
    }
    strbuf_release(&formats);
    return st;
}

int main(int argc, char **argv)
{
    struct error err = {0};

    if (argc != 3) {
        fputs("usage: make_manual FORMATS.md FOLDER\n", stderr);
        return 2;
    }
    if (!write_all(argv[1], argv[2], &err))
        return 0;
    fprintf(stderr, "make_manual: %s\n", err.text);
    return 1;
}
