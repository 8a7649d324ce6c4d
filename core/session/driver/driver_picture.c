#include "core/session/driver/driver_picture.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/agent/prompt/attachment.h"
#include "core/agent/reply/kernel_files.h"
#include "core/base/formats/media.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/llm/image.h"
#include "core/session/driver/driver_record.h"
#include "core/system/file.h"
#include "core/system/process.h"

enum { KEPT_OUTPUT_BYTES = 4096, QUOTED_BYTES = 200, LIMIT_MINUTES = 10 };

struct picture_taking {
    struct process process;
    int exit_fd;          /* a pidfd: readable when the command has ended */
    char *folder;         /* the folder in which it runs */
    unsigned attempt;     /* the attempt that the picture shows */
    struct strbuf output; /* the end of its output */
    struct loop_timer deadline;
    bool is_late;
};

/* End the command and remove its folder; returns its wait status. */
static int end_taking(struct driver *driver)
{
    struct picture_taking *taking = driver->picture;
    int status;

    loop_clear_timer(driver->loop, &taking->deadline);
    loop_unwatch(driver->loop, taking->process.out);
    loop_unwatch(driver->loop, taking->exit_fd);
    close(taking->exit_fd);
    status = process_end(&taking->process);
    return status;
}

static void release_taking(struct driver *driver)
{
    struct picture_taking *taking = driver->picture;

    if (taking->folder)
        file_remove_folder(taking->folder);
    free(taking->folder);
    strbuf_release(&taking->output);
    free(taking);
    driver->picture = NULL;
}

void driver_cancel_picture(struct driver *driver)
{
    if (!driver->picture)
        return;
    end_taking(driver);
    release_taking(driver);
}

/* Write the texts of the attempt into the command's folder. */
static enum status write_files(struct driver *driver, const struct attempt *attempt,
                               const char *folder, struct error *err)
{
    struct strbuf reply = {0}, verdict = {0};
    enum status st = history_get(driver->history, attempt->candidate, &reply, err);

    if (!st)
        st = history_get(driver->history, attempt->verdict, &verdict, err);
    if (!st)
        st = file_write_text(folder, "verdict.json", strbuf_cstr(&verdict), err);
    if (!st)
        st = file_write_text(folder, "problem.json", strbuf_cstr(&driver->problem_text), err);
    if (!st)
        st = kernel_files_write(folder, session_language(&driver->session, attempt->number),
                                strbuf_cstr(&reply), err);
    strbuf_release(&reply);
    strbuf_release(&verdict);
    return st;
}

/* The shell changes to the folder, exports the variables for the command, and runs it. */
static const char preamble[] =
    "cd \"$1\" && export KFORGE_SESSION=\"$2\" KFORGE_ATTEMPT=\"$3\" KFORGE_LANGUAGE=\"$4\" "
    "KFORGE_PROGRAM=\"$5\" && eval \"$6\"";

/*
 * The command to run. If `line` names a shipped script, "sh '/.../kcachegrind.sh'", else `line`
 * itself; the caller frees it.
 */
static char *resolve_command(const char *line)
{
    struct strbuf name = {0}, command = {0};
    char *path;

    strbuf_addf(&name, "prompts/profilers/%s.sh", line);
    path = strchr(line, '/') || strchr(line, ' ') ? NULL : file_shipped(strbuf_cstr(&name));
    if (path && file_exists(path))
        strbuf_addf(&command, "sh '%s'", path);
    else
        strbuf_adds(&command, line);
    free(path);
    strbuf_release(&name);
    return strbuf_take(&command);
}

static enum status start_command(struct driver *driver, struct picture_taking *taking,
                                 struct error *err)
{
    const struct session *session = &driver->session;
    char number[16], program[4096] = "kforge";
    char *command = resolve_command(session->picture);
    const char *const argv[] = {
        "/bin/sh",      "-c",        preamble, "kforge",
        taking->folder, session->id, number,   session_language(session, taking->attempt),
        program,        command,     NULL};
    const struct process_spec spec = {
        .argv = argv, .stderr_fd = 1, .own_session = true, .without_secrets = true};
    ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
    enum status st;

    program[len > 0 ? len : (ssize_t)strlen(program)] = '\0';
    snprintf(number, sizeof(number), "%u", taking->attempt);
    st = process_start(&taking->process, &spec, err);
    free(command);
    if (st)
        return st;
    close(taking->process.in);
    taking->process.in = -1;
    fcntl(taking->process.out, F_SETFL, O_NONBLOCK);
    taking->exit_fd = pidfd_open(taking->process.pid, 0);
    if (taking->exit_fd < 0) {
        st = error_set(err, STATUS_IO, "cannot watch a process: %s", strerror(errno));
        process_end(&taking->process);
    }
    return st;
}

/* Keep the end of the command's output. */
static void on_output(void *data, int fd, unsigned ready)
{
    struct driver *driver = data;
    struct strbuf *output = &driver->picture->output;
    char chunk[KEPT_OUTPUT_BYTES];
    ssize_t got = read(fd, chunk, sizeof(chunk));

    (void)ready;
    if (got == 0 || (got < 0 && errno != EAGAIN))
        loop_unwatch(driver->loop, fd);
    if (got <= 0)
        return;
    if (output->len > KEPT_OUTPUT_BYTES)
        strbuf_release(output);
    strbuf_add(output, chunk, (size_t)got);
}

/* True if the command succeeded; otherwise append the reason. */
static bool has_succeeded(const struct picture_taking *taking, int status, struct strbuf *reason)
{
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !taking->is_late)
        return true;
    if (taking->is_late)
        strbuf_addf(reason, "the command took longer than %d minutes", LIMIT_MINUTES);
    else if (WIFEXITED(status))
        strbuf_addf(reason, "the command exited with %d", WEXITSTATUS(status));
    else
        strbuf_addf(reason, "the command was ended by signal %d", WTERMSIG(status));
    utf8_add_last_line(reason, strbuf_cstr(&taking->output), taking->output.len, QUOTED_BYTES);
    return false;
}

static enum status check_image(const char *name, const struct strbuf *bytes, struct error *err)
{
    const struct brief_attachment image = {
        .name = name, .bytes = strbuf_cstr(bytes), .len = bytes->len};
    enum status st = attachment_check(&image, err);

    if (!st && !attachment_is_image(&image))
        st = error_set(err, STATUS_INVALID, "%s: is not an image", name);
    return st;
}

/* Read the first image in the folder; false with the reason if there is none. */
static bool read_picture(const char *folder, char **name, struct strbuf *bytes,
                         struct strbuf *reason)
{
    char *pattern = file_join(folder, "*.png");
    struct error err;
    enum status st;
    glob_t found;

    if (glob(pattern, 0, NULL, &found) != 0) {
        free(pattern);
        strbuf_adds(reason, "the command wrote no file NAME.png into its folder");
        return false;
    }
    *name = mem_strdup(file_name(found.gl_pathv[0]));
    st = file_read(found.gl_pathv[0], 4 * (size_t)IMAGE_MAX_BYTES, bytes, &err);
    if (!st)
        st = check_image(*name, bytes, &err);
    globfree(&found);
    free(pattern);
    if (st)
        strbuf_adds(reason, err.text);
    return !st;
}

/* Record the picture that the command made, or the reason why there is none. */
static enum status record_picture(struct driver *driver, int status, struct error *err)
{
    const struct picture_taking *taking = driver->picture;
    struct picture_taken taken = {.attempt = taking->attempt};
    struct strbuf bytes = {0}, reason = {0};
    char id[OBJECT_ID_SIZE], *name = NULL;
    bool is_there = has_succeeded(taking, status, &reason) &&
                    read_picture(taking->folder, &name, &bytes, &reason);
    enum status st = STATUS_OK;

    if (is_there) {
        st = history_put(driver->history, bytes.data, bytes.len, id, err);
        taken.text = id;
        taken.name = name;
        taken.media_type = media_type(bytes.data, bytes.len);
    } else {
        taken.reason = strbuf_cstr(&reason);
    }
    if (!st)
        st = driver_record(driver, event_make(EVENT_PICTURE_TAKEN, &taken), err);
    free(name);
    strbuf_release(&bytes);
    strbuf_release(&reason);
    return st;
}

/*
 * Check that the command has exited. The loop may still report the descriptor of an earlier command
 * that had the same number.
 */
static bool has_exited(const struct picture_taking *taking)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)taking->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

static void conclude(struct driver *driver)
{
    struct error err;
    int status;
    enum status st;

    on_output(driver, driver->picture->process.out, LOOP_READ);
    status = end_taking(driver);
    driver_set_activity(driver, BUSY_NOT, NULL);
    st = record_picture(driver, status, &err);
    release_taking(driver);
    if (st)
        driver_end(driver, &err);
}

static void on_process_end(void *data, int fd, unsigned ready)
{
    struct driver *driver = data;

    (void)fd;
    (void)ready;
    if (driver->picture && has_exited(driver->picture))
        conclude(driver);
}

static void on_deadline(void *data)
{
    struct driver *driver = data;

    driver->picture->is_late = true;
    conclude(driver);
}

enum status driver_take_picture(struct driver *driver, struct error *err)
{
    const struct attempt *attempt = session_unpictured(&driver->session);
    struct picture_taking *taking = mem_alloc_zeroed(1, sizeof(*taking));
    enum status st;

    driver->picture = taking;
    taking->attempt = attempt->number;
    taking->folder = file_make_temporary_folder("kforge-picture-", err);
    st = taking->folder ? STATUS_OK : STATUS_IO;
    if (!st)
        st = write_files(driver, attempt, taking->folder, err);
    if (!st)
        st = start_command(driver, taking, err);
    if (st) {
        release_taking(driver);
        return st;
    }
    loop_watch(driver->loop, taking->process.out, LOOP_READ, on_output, driver);
    loop_watch(driver->loop, taking->exit_fd, LOOP_READ, on_process_end, driver);
    loop_set_timer(driver->loop, &taking->deadline, (int64_t)LIMIT_MINUTES * 60 * 1000000,
                   on_deadline, driver);
    driver_set_activity(driver, BUSY_PICTURING, "taking a picture");
    return STATUS_OK;
}
