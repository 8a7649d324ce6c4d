#include "tui/frame/completion.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/judge/tools/sanitizer.h"
#include "core/model/language.h"
#include "core/session/state/gate.h"
#include "core/system/file.h"
#include "tui/keys/keymap.h"
#include "tui/term/theme.h"
#include "tui/widgets/scene.h"

static void add_if_begins(struct strbuf *words, const char *word, const char *with)
{
    if (text_begins(word, with))
        strbuf_addf(words, "%s\n", word);
}

static void add_commands(const char *begun, struct strbuf *words)
{
    for (const struct keymap_row *row = keymap_table; row->name; row++)
        add_if_begins(words, row->name, begun);
}

/* Add the names of files. They begin with the text that the user typed: a ~ is not replaced. */
static void add_files(const char *begun, struct strbuf *words)
{
    char *path = file_expand_home(begun), *last = strrchr(path, '/');
    const char *begun_last = strrchr(begun, '/');
    int folder_len = begun_last ? (int)(begun_last - begun) : 0;
    struct strbuf wanted = {0};
    glob_t found = {0};

    strbuf_addf(&wanted, "%s*", path);
    if (glob(strbuf_cstr(&wanted), GLOB_MARK, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            strbuf_addf(words, "%.*s%s\n", folder_len, begun,
                        found.gl_pathv[i] + (begun_last ? last - path : 0));
    globfree(&found);
    strbuf_release(&wanted);
    free(path);
}

static void add_themes(const char *begun, struct strbuf *words)
{
    struct strbuf names = {0};
    char *rest;

    theme_add_names(&names);
    rest = names.data;
    for (char *name = strsep(&rest, "\n"); name && *name; name = strsep(&rest, "\n"))
        add_if_begins(words, name, begun);
    strbuf_release(&names);
}

static void add_policy(const char *begun, struct strbuf *words)
{
    const char *blank = strchr(begun, ' ');
    const char *const *names = blank ? gate_mode_names : step_kind_names;

    for (; *names; names++)
        add_if_begins(words, *names, blank ? blank + 1 : begun);
}

/* Limits of a run, as run_limits_parse() reads them. */
static void add_run_limits(const char *begun, struct strbuf *words)
{
    static const char *const limits[] = {"3", "10", "failure", "slower", "$0.50"};
    const char *blank = strrchr(begun, ' ');

    for (size_t i = 0; i < COUNT(limits); i++)
        add_if_begins(words, limits[i], blank ? blank + 1 : begun);
}

static void add_tools(const char *begun, struct strbuf *words)
{
    for (const char *const *tool = sanitizer_tools; *tool; tool++)
        add_if_begins(words, *tool, begun);
}

static void add_layouts(const char *begun, struct strbuf *words)
{
    for (enum scene scene = SCENE_NONE + 1; scene < SCENE_COUNT; scene++)
        add_if_begins(words, scene_name(scene), begun);
    add_if_begins(words, SCENE_FOLLOW, begun);
}

static void add_arguments(enum argument argument, const char *begun, struct strbuf *words)
{
    switch (argument) {
    case ARGUMENT_FILE:
        add_files(begun, words);
        break;
    case ARGUMENT_THEME:
        add_themes(begun, words);
        break;
    case ARGUMENT_POLICY:
        add_policy(begun, words);
        break;
    case ARGUMENT_RUN:
        add_run_limits(begun, words);
        break;
    case ARGUMENT_TOOL:
        add_tools(begun, words);
        break;
    case ARGUMENT_LAYOUT:
        add_layouts(begun, words);
        break;
    case ARGUMENT_LANGUAGE:
        for (const struct language *language = languages; language->name; language++)
            add_if_begins(words, language->name, begun);
        break;
    case ARGUMENT_NONE:
    case ARGUMENT_TEXT:
        break;
    }
}

size_t completion_of_run(const char *line, struct strbuf *words)
{
    const char *last = strrchr(line, ' ');

    add_run_limits(line, words);
    return last ? (size_t)(last - line) + 1 : 0;
}

size_t completion_of_command(const char *line, struct strbuf *words)
{
    const char *last = strrchr(line, ' ');
    struct call call;

    if (!strchr(line, ' '))
        add_commands(line, words);
    else if (!call_parse(line, &call, NULL))
        add_arguments(call.row->argument, call.argument, words);
    return last ? (size_t)(last - line) + 1 : 0;
}
