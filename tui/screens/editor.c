#include "tui/screens/editor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/system/file.h"
#include "core/system/process.h"

enum { EDITED_MAX_BYTES = 16 << 20 };

enum status editor_write(const char *text, char **path, struct error *err)
{
    const char *folder = getenv("TMPDIR");
    char *made = file_join(folder ? folder : "/tmp", "kforge-XXXXXX.md");
    int fd = mkstemps(made, (int)strlen(".md"));
    enum status st;

    if (fd < 0) {
        error_set(err, STATUS_IO, "%s: cannot write: %s", made, strerror(errno));
        free(made);
        return STATUS_IO;
    }
    st = file_write_all(fd, text, strlen(text), err);
    close(fd);
    if (st) {
        unlink(made);
        free(made);
        return st;
    }
    *path = made;
    return STATUS_OK;
}

char *editor_command(const char *path)
{
    const char *visual = getenv("VISUAL"), *editor = getenv("EDITOR");
    struct strbuf command = {0};

    strbuf_addf(&command, "%s '%s'", visual ? visual : editor ? editor : "vi", path);
    return strbuf_take(&command);
}

enum status editor_read(const char *path, struct strbuf *edited, struct error *err)
{
    enum status st = file_read(path, EDITED_MAX_BYTES, edited, err);

    unlink(path);
    return st;
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

enum status editor_run(const char *text, struct strbuf *edited, struct error *err)
{
    char *path = NULL, *command;
    enum status st = editor_write(text, &path, err);

    if (st)
        return st;
    command = editor_command(path);
    st = wait_for_editor(command, err);
    if (st)
        unlink(path);
    else
        st = editor_read(path, edited, err);
    free(command);
    free(path);
    return st;
}
