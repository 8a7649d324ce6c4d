#include "tui/app/script.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/utf8.h"
#include "core/base/vec.h"
#include "core/system/file.h"

enum { SCRIPT_MAX_BYTES = 1 << 20, SIZE_MAX_CELLS = 1000 };

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

static enum status read_event(struct script_line *line, struct error *err)
{
    for (enum event_type type = EVENT_NONE + 1; type <= EVENT_SESSION_CLOSED; type++) {
        if (strcmp(event_name(type), line->text) == 0) {
            line->event = type;
            return STATUS_OK;
        }
    }
    return error_set(err, STATUS_INVALID, "no event \"%s\"", line->text);
}

static enum status check_keys(struct script_line *line, struct error *err)
{
    for (const char *keys = line->text; *keys; keys = skip_blanks(keys + strcspn(keys, " "))) {
        size_t len = strcspn(keys, " ");

        if (!key_parse(keys, len).input)
            return error_set(err, STATUS_INVALID, "no key \"%.*s\"", (int)len, keys);
    }
    return STATUS_OK;
}

static enum status read_size(struct script_line *line, struct error *err)
{
    char *end;
    long w = strtol(line->text, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;

    if (*end || w < 1 || h < 1 || w > SIZE_MAX_CELLS || h > SIZE_MAX_CELLS)
        return error_set(err, STATUS_INVALID, "\"%s\" is not a size such as 80x24", line->text);
    line->size.w = (int)w;
    line->size.h = (int)h;
    return STATUS_OK;
}

static const struct {
    const char *name;
    enum script_verb verb;
    enum status (*read)(struct script_line *line, struct error *err); /* NULL: any text is valid */
} verbs[] = {
    {"wait ", SCRIPT_WAIT, NULL},          {"event ", SCRIPT_EVENT, read_event},
    {"press ", SCRIPT_PRESS, check_keys},  {"type ", SCRIPT_TYPE, NULL},
    {"resize ", SCRIPT_RESIZE, read_size}, {":", SCRIPT_COMMAND, NULL},
};

static enum status read_line(const char *text, struct script_line *line, struct error *err)
{
    for (size_t i = 0; i < COUNT(verbs); i++) {
        size_t len = strlen(verbs[i].name);

        if (strncmp(text, verbs[i].name, len) != 0)
            continue;
        line->verb = verbs[i].verb;
        line->text = text + len;
        return verbs[i].read ? verbs[i].read(line, err) : STATUS_OK;
    }
    return error_set(err, STATUS_INVALID,
                     "expected wait, event, press, type, resize or :command, not \"%s\"", text);
}

static enum status read_lines(struct script *script, struct error *err)
{
    char *rest = script->text;
    struct error why = {0};

    for (unsigned number = 1; rest; number++) {
        const char *text = skip_blanks(strsep(&rest, "\n"));
        struct script_line line = {.number = number};
        enum status st;

        if (*text == '\0' || *text == '#')
            continue;
        st = read_line(text, &line, &why);
        if (st)
            return error_set(err, st, "%s:%u: %s", script->path, number, why.text);
        vec_push(script, line);
    }
    return STATUS_OK;
}

enum status script_read(struct script *script, const char *path, struct error *err)
{
    struct strbuf text = {0};
    struct script read = {.path = mem_strdup(path)};
    enum status st = file_read(path, SCRIPT_MAX_BYTES, &text, err);

    read.text = strbuf_take(&text);
    if (!st)
        st = read_lines(&read, err);
    if (st)
        script_release(&read);
    else
        *script = read;
    return st;
}

void script_release(struct script *script)
{
    free(script->path);
    free(script->text);
    vec_release(script);
    *script = (struct script){0};
}

const struct script_line *script_next(const struct script *script)
{
    return script->next < script->count ? &script->items[script->next] : NULL;
}
