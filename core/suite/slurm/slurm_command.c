#include "core/suite/slurm/slurm_command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/text.h"

static const int64_t limit_us = 60000000;

enum { CHUNK_BYTES = 65536, ERROR_BYTES = 400 };

static enum status start(struct process *process, int *errors, const char *line, struct error *err)
{
    static const char submits[] = "exec sbatch ";
    const char *const argv[] = {"/bin/sh", "-c", line, NULL};
    /* Keys of models are only for the tasks, so only sbatch keeps them in its environment. */
    struct process_spec spec = {.argv = argv, .without_secrets = !text_begins(line, submits)};
    enum status st;

    *errors = memfd_create("kforge-slurm", MFD_CLOEXEC);
    if (*errors < 0)
        return error_set(err, STATUS_IO, "cannot make a file in memory: %s", strerror(errno));
    spec.stderr_fd = *errors;
    st = process_start(process, &spec, err);
    if (st)
        close(*errors);
    return st;
}

/* Set an error: the first line that the command wrote to its standard error, or how it ended. */
static enum status explain(int errors, int status, struct error *err)
{
    char text[ERROR_BYTES];
    ssize_t len = pread(errors, text, sizeof(text) - 1, 0);

    text[len > 0 ? len : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return STATUS_OK;
    if (text[0])
        return error_set(err, STATUS_UNAVAILABLE, "%s", text);
    return error_set(err, STATUS_UNAVAILABLE, "Slurm's command ended with status %d",
                     WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

enum status slurm_command_run(const char *line, struct strbuf *output, struct error *err)
{
    struct process process = {0};
    char chunk[CHUNK_BYTES];
    ssize_t len;
    int errors;
    enum status st = start(&process, &errors, line, err);

    if (st)
        return st;
    while ((len = read(process.out, chunk, sizeof(chunk))) != 0)
        if (len > 0)
            strbuf_add(output, chunk, (size_t)len);
        else if (errno != EINTR)
            break;
    st = explain(errors, process_finish(&process, limit_us), err);
    close(errors);
    return st;
}

static void finish(struct slurm_command *command, int64_t patience_us)
{
    struct strbuf output = command->output;
    struct error err = {0};
    int errors = command->errors;
    enum status st;

    loop_unwatch(command->loop, command->process.out);
    loop_clear_timer(command->loop, &command->limit);
    command->output = (struct strbuf){0};
    st = explain(errors, process_finish(&command->process, patience_us), &err);
    close(errors);
    command->ended(command->data, strbuf_cstr(&output), st ? &err : NULL);
    strbuf_release(&output);
}

static void on_output(void *data, int fd, unsigned ready)
{
    struct slurm_command *command = data;
    char chunk[CHUNK_BYTES];
    ssize_t len = read(fd, chunk, sizeof(chunk));

    (void)ready;
    if (len > 0)
        strbuf_add(&command->output, chunk, (size_t)len);
    else if (len == 0 || errno != EINTR)
        finish(command, limit_us);
}

static void on_limit(void *data)
{
    finish(data, 0);
}

enum status slurm_command_start(struct slurm_command *command, const char *line, struct error *err)
{
    enum status st = start(&command->process, &command->errors, line, err);

    if (st)
        return st;
    loop_watch(command->loop, command->process.out, LOOP_READ, on_output, command);
    loop_set_timer(command->loop, &command->limit, limit_us, on_limit, command);
    return STATUS_OK;
}

void slurm_command_end(struct slurm_command *command)
{
    if (!command->process.pid)
        return;
    loop_unwatch(command->loop, command->process.out);
    loop_clear_timer(command->loop, &command->limit);
    process_end(&command->process);
    close(command->errors);
    strbuf_release(&command->output);
}

void slurm_command_quote(struct strbuf *line, const char *text)
{
    strbuf_adds(line, "'");
    for (; *text; text++)
        if (*text == '\'')
            strbuf_adds(line, "'\\''");
        else
            strbuf_add(line, text, 1);
    strbuf_adds(line, "'");
}
