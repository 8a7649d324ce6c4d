#include "tui/frame/layout_pin.h"

#include <stdlib.h>
#include <string.h>

#include "core/system/file.h"

static const char file[] = "layout";

enum { FILE_MOST_BYTES = 64 };

enum scene layout_pin_read(void)
{
    char *folder = file_place_folder(FILE_STATE), *path = file_join(folder, file);
    enum scene pinned = SCENE_NONE;
    struct strbuf text = {0};

    if (file_exists(path) && !file_read(path, FILE_MOST_BYTES, &text, NULL))
        pinned = scene_parse(strbuf_cstr(&text));
    strbuf_release(&text);
    free(path);
    free(folder);
    return pinned;
}

static enum status keep(enum scene pinned, struct error *err)
{
    char *folder = file_place_folder(FILE_STATE);
    enum status st = file_make_place(FILE_STATE, err);

    if (!st)
        st = file_write_text(folder, file, pinned ? scene_name(pinned) : SCENE_FOLLOW, err);
    free(folder);
    return st;
}

static void add_names(struct strbuf *out)
{
    for (enum scene scene = SCENE_NONE + 1; scene < SCENE_COUNT; scene++)
        strbuf_addf(out, "%s, ", scene_name(scene));
    strbuf_adds(out, SCENE_FOLLOW);
}

enum status layout_pin_set(enum scene *pinned, enum scene shown, const char *name,
                           struct error *err)
{
    enum scene wanted = scene_parse(name);
    struct strbuf names = {0};
    enum status st;

    if (!*name && !*pinned) {
        wanted = shown;
    } else if (*name && !wanted && strcmp(name, SCENE_FOLLOW) != 0) {
        add_names(&names);
        st =
            error_set(err, STATUS_INVALID, "layout \"%s\": expected %s", name, strbuf_cstr(&names));
        strbuf_release(&names);
        return st;
    }
    *pinned = wanted;
    return keep(wanted, err);
}
