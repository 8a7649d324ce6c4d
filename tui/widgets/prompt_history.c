#include "tui/widgets/prompt_history.h"

#include <fcntl.h>
#include <histedit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/mem.h"
#include "core/system/file.h"

enum { USER_ONLY = 0600 };

struct prompt_history {
    HistoryW *lines; /* the latest PROMPT_HISTORY_LINES */
    char *path;
    int in_file; /* number of lines in the file */
};

/* Make an empty history that drops a line which repeats the one before it. */
static HistoryW *make_lines(int most)
{
    HistoryW *lines = history_winit();
    HistEventW event;

    history_w(lines, &event, H_SETSIZE, most);
    history_w(lines, &event, H_SETUNIQUE, 1);
    return lines;
}

struct prompt_history *prompt_history_new(const char *name)
{
    struct prompt_history *history = mem_alloc_zeroed(1, sizeof(*history));
    char *folder = file_place_folder(FILE_STATE);
    HistEventW event;
    int read;

    history->path = file_join(folder, name);
    history->lines = make_lines(PROMPT_HISTORY_LINES);
    read = history_w(history->lines, &event, H_LOAD, history->path);
    history->in_file = read > 0 ? read : 0;
    free(folder);
    return history;
}

void prompt_history_free(struct prompt_history *history)
{
    if (!history)
        return;
    history_wend(history->lines);
    free(history->path);
    free(history);
}

struct historyW *prompt_history_lines(const struct prompt_history *history)
{
    return history->lines;
}

/*
 * Append the line to the file, through another history that holds only this line. A new file also
 * gets libedit's heading.
 */
static void append(struct prompt_history *history, const wchar_t *line)
{
    int fd = open(history->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, USER_ONLY);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "a");
    HistoryW *one = make_lines(1);
    HistEventW event;

    history_w(one, &event, H_ENTER, line);
    if (file && fseek(file, 0, SEEK_END) == 0)
        history->in_file += history_w(one, &event, H_SAVE_FP, file) == 1;
    if (file)
        fclose(file);
    history_wend(one);
}

/* Replace the file by the lines in memory. */
static void shorten(struct prompt_history *history)
{
    struct strbuf path = {0};
    HistEventW event;

    strbuf_addf(&path, "%s.new", history->path);
    if (history_w(history->lines, &event, H_SAVE, strbuf_cstr(&path)) > 0 &&
        rename(strbuf_cstr(&path), history->path) == 0)
        history->in_file = PROMPT_HISTORY_LINES;
    strbuf_release(&path);
}

static bool is_latest(const struct prompt_history *history, const wchar_t *line)
{
    HistEventW latest;

    return history_w(history->lines, &latest, H_FIRST) == 0 && wcscmp(latest.str, line) == 0;
}

void prompt_history_add(struct prompt_history *history, const char *line)
{
    size_t size = strlen(line) + 1;
    wchar_t *wide = mem_alloc_zeroed(size, sizeof(*wide));
    HistEventW event;

    if (mbstowcs(wide, line, size) != (size_t)-1 && *wide && !is_latest(history, wide) &&
        !file_make_place(FILE_STATE, NULL)) {
        history_w(history->lines, &event, H_ENTER, wide);
        if (history->in_file >= 2 * PROMPT_HISTORY_LINES)
            shorten(history);
        else
            append(history, wide);
    }
    free(wide);
}
