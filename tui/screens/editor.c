#include "tui/screens/editor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/agent/reply/kernel_files.h"
#include "core/agent/reply/reply.h"
#include "core/base/mem.h"
#include "core/system/file.h"
#include "core/system/process.h"

enum { EDITED_MAX_BYTES = 16 << 20 };

static char *text_path(const struct edit *edit)
{
    return file_join(edit->folder, "text.md");
}

/* Write the candidate's files if the text has a candidate, else the text. */
static enum status write_files(struct edit *edit, const char *language, struct error *err)
{
    const char *own = language ? reply_language(edit->text, language) : NULL;
    enum status st = own ? kernel_files_write(edit->folder, own, edit->text, err) : STATUS_INVALID;
    char *path;

    if (!st)
        edit->language = mem_strdup(own);
    if (st != STATUS_INVALID)
        return st;
    path = text_path(edit);
    st = file_write(path, edit->text, strlen(edit->text), err);
    free(path);
    return st;
}

enum status edit_begin(struct edit *edit, const char *text, const char *language, struct error *err)
{
    enum status st;

    *edit = (struct edit){.folder = file_make_temporary_folder("kforge-edit-", err)};
    if (!edit->folder)
        return STATUS_IO;
    edit->text = mem_strdup(text);
    st = write_files(edit, language, err);
    if (st)
        edit_end(edit);
    return st;
}

/* Append a path in quotes that a shell removes. */
static void add_quoted(const char *path, struct strbuf *command)
{
    strbuf_adds(command, " '");
    for (; *path; path++)
        if (*path == '\'')
            strbuf_adds(command, "'\\''");
        else
            strbuf_add(command, path, 1);
    strbuf_adds(command, "'");
}

char *edit_command(const struct edit *edit)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    char *first =
        edit->language ? kernel_files_source(edit->folder, edit->language) : text_path(edit);
    char *plan = edit->language ? kernel_files_plan(edit->folder) : NULL;
    struct strbuf command = {0};

    strbuf_adds(&command, visual ? visual : editor ? editor : "vi");
    add_quoted(first, &command);
    if (plan)
        add_quoted(plan, &command);
    free(first);
    free(plan);
    return strbuf_take(&command);
}

enum status edit_read(const struct edit *edit, struct strbuf *edited, struct error *err)
{
    char *path;
    enum status st;

    if (edit->language)
        return kernel_files_read(edit->folder, edit->language, edit->text, edited, err);
    path = text_path(edit);
    st = file_read(path, EDITED_MAX_BYTES, edited, err);
    free(path);
    return st;
}

void edit_leave(struct edit *edit)
{
    free(edit->folder);
    free(edit->text);
    free(edit->language);
    *edit = (struct edit){0};
}

void edit_end(struct edit *edit)
{
    if (edit->folder)
        file_remove_folder(edit->folder);
    edit_leave(edit);
}

static enum status wait_for_editor(const char *command, struct error *err)
{
    const char *const argv[] = {"sh", "-c", command, NULL};
    int status = 0;
    pid_t pid;
    enum status st = process_start_here(&pid, argv, err);

    if (st)
        return st;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(err, STATUS_CANCELLED, "the editor failed, and nothing is changed: %s",
                         command);
    return STATUS_OK;
}

enum status edit_run(const char *text, const char *language, struct strbuf *edited,
                     struct error *err)
{
    struct edit edit = {0};
    enum status st = edit_begin(&edit, text, language, err);
    char *command;

    if (st)
        return st;
    command = edit_command(&edit);
    st = wait_for_editor(command, err);
    if (!st)
        st = edit_read(&edit, edited, err);
    edit_end(&edit);
    free(command);
    return st;
}
