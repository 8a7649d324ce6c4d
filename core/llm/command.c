#include "core/llm/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/mem.h"
#include "core/base/utf8.h"
#include "core/llm/delivery.h"
#include "core/system/file.h"
#include "core/system/process.h"

enum { MAX_REPLY_BYTES = 16 << 20, KEPT_ERROR_BYTES = 2048, MAX_QUOTED_BYTES = 240 };

struct command {
    struct provider provider;
    struct loop *loop;
    char *line; /* the command line for sh */
    struct process process;
    int error_fd; /* the reading end of the command's standard error */
    int exit_fd;  /* a pidfd: readable when the command has ended */
    struct strbuf prompt;
    size_t written;    /* bytes of the prompt */
    size_t read;       /* bytes of the reply */
    struct strbuf end; /* the last bytes from standard error */
    struct delivery delivery;
};

static enum status open_command(struct loop *loop, const char *model, struct provider **provider,
                                struct error *err)
{
    struct command *command;

    if (!*model)
        return error_set(err, STATUS_INVALID, "command needs a command, as in 'command:llm -m M'");
    command = mem_alloc_zeroed(1, sizeof(*command));
    command->provider.ops = &command_provider;
    command->loop = loop;
    command->line = mem_strdup(model);
    *provider = &command->provider;
    return STATUS_OK;
}

/* Kill everything that still runs, and return the command's wait status. */
static int end_process(struct command *command)
{
    const int fds[] = {command->process.in, command->process.out, command->error_fd,
                       command->exit_fd};

    if (!command->process.pid)
        return 0;
    for (size_t i = 0; i < COUNT(fds); i++)
        loop_unwatch(command->loop, fds[i]);
    close(command->error_fd);
    close(command->exit_fd);
    strbuf_release(&command->prompt);
    return process_end(&command->process);
}

static void cancel(struct provider *provider)
{
    struct command *command = (struct command *)provider;

    end_process(command);
    strbuf_release(&command->end);
    delivery_cancel(&command->delivery);
}

static void close_command(struct provider *provider)
{
    struct command *command = (struct command *)provider;

    if (!command)
        return;
    cancel(provider);
    free(command->line);
    free(command);
}

/* Write the next part of the prompt. It is no error if the command closes its input early. */
static void feed(void *data, int fd, unsigned ready)
{
    struct command *command = data;
    size_t left = command->prompt.len - command->written;
    ssize_t wrote = write(fd, strbuf_cstr(&command->prompt) + command->written, left);

    (void)ready;
    if (wrote < 0 && errno == EAGAIN)
        return;
    command->written += wrote > 0 ? (size_t)wrote : left;
    if (command->written < command->prompt.len)
        return;
    loop_unwatch(command->loop, fd);
    close(fd);
    command->process.in = -1;
}

/* Read everything that is available; false at the end of the stream. */
static bool drain(int fd, struct strbuf *out)
{
    char chunk[16384];
    ssize_t got;

    while ((got = read(fd, chunk, sizeof(chunk))) > 0)
        strbuf_add(out, chunk, (size_t)got);
    return got < 0 && errno == EAGAIN;
}

static void keep_end(struct strbuf *text)
{
    struct strbuf end = {0};

    if (text->len <= KEPT_ERROR_BYTES)
        return;
    strbuf_add(&end, text->data + text->len - KEPT_ERROR_BYTES, KEPT_ERROR_BYTES);
    strbuf_release(text);
    *text = end;
}

static void on_error(void *data, int fd, unsigned ready)
{
    struct command *command = data;

    (void)ready;
    if (!drain(fd, &command->end))
        loop_unwatch(command->loop, fd);
    keep_end(&command->end);
}

static enum status explain(const struct command *command, int status, struct error *err)
{
    struct strbuf why = {0};

    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return STATUS_OK;
    if (WIFEXITED(status))
        strbuf_addf(&why, "exited with %d", WEXITSTATUS(status));
    else
        strbuf_addf(&why, "was ended by signal %d", WTERMSIG(status));
    utf8_add_last_line(&why, strbuf_cstr(&command->end), command->end.len, MAX_QUOTED_BYTES);
    if (WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127))
        strbuf_adds(&why, "; check that the program is installed"); /* POSIX, sh: exit status */
    error_set(err, STATUS_UNAVAILABLE, "command:%.100s %s", command->line, strbuf_cstr(&why));
    strbuf_release(&why);
    return STATUS_UNAVAILABLE;
}

static void fail_oversized(struct command *command)
{
    struct error err;

    end_process(command);
    error_set(&err, STATUS_INVALID, "command:%.100s: the reply is longer than %d MiB",
              command->line, MAX_REPLY_BYTES >> 20);
    delivery_end(&command->delivery, &err);
}

static void on_reply(void *data, int fd, unsigned ready)
{
    struct command *command = data;
    size_t before = command->delivery.text.len;

    (void)ready;
    if (!drain(fd, &command->delivery.text))
        loop_unwatch(command->loop, fd);
    command->read += command->delivery.text.len - before;
    if (command->read > MAX_REPLY_BYTES)
        fail_oversized(command);
    else
        delivery_pass(&command->delivery);
}

/* Checks the process itself: the loop may report a descriptor of an earlier command, which had the
 * same number. */
static bool has_exited(const struct command *command)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)command->process.pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

/* The command has ended: kill what it left in the background, and conclude. */
static void on_process_end(void *data, int fd, unsigned ready)
{
    struct command *command = data;
    struct error err;

    (void)fd;
    (void)ready;
    if (!has_exited(command))
        return;
    drain(command->process.out, &command->delivery.text);
    drain(command->error_fd, &command->end);
    if (explain(command, end_process(command), &err))
        delivery_end(&command->delivery, &err);
    else
        delivery_end(&command->delivery, NULL);
}

static enum status start(struct command *command, struct error *err)
{
    const char *const argv[] = {"/bin/sh", "-c", command->line, NULL};
    struct process_spec spec = {.argv = argv};
    int errors[2];
    enum status st;

    if (pipe2(errors, O_CLOEXEC) != 0)
        return error_set(err, STATUS_IO, "cannot make a pipe: %s", strerror(errno));
    spec.stderr_fd = errors[1];
    st = process_start(&command->process, &spec, err);
    close(errors[1]);
    if (st) {
        close(errors[0]);
        return st;
    }
    command->error_fd = errors[0];
    command->exit_fd = pidfd_open(command->process.pid, 0);
    if (command->exit_fd < 0) {
        st = error_set(err, STATUS_IO, "cannot watch a process: %s", strerror(errno));
        end_process(command);
    }
    return st;
}

static void watch(struct command *command)
{
    const struct {
        int fd;
        unsigned events;
        loop_fd_fn *call;
    } watched[] = {
        {command->process.in, LOOP_WRITE, feed},
        {command->process.out, LOOP_READ, on_reply},
        {command->error_fd, LOOP_READ, on_error},
        {command->exit_fd, LOOP_READ, on_process_end},
    };

    for (size_t i = 0; i < COUNT(watched); i++) {
        fcntl(watched[i].fd, F_SETFL, O_NONBLOCK);
        loop_watch(command->loop, watched[i].fd, watched[i].events, watched[i].call, command);
    }
}

/* Write the prompt for the command; images go into kforge's cache folder. */
static enum status write_prompt(struct command *command, const struct conversation *conversation,
                                struct error *err)
{
    char *cache = file_place_folder(FILE_CACHE), *images = file_join(cache, "images");
    enum status st;

    strbuf_release(&command->prompt);
    st = conversation_write(conversation, images, &command->prompt, err);
    free(cache);
    free(images);
    return st;
}

static enum status send(struct provider *provider, const struct conversation *conversation,
                        const struct provider_listener *listener, struct error *err)
{
    struct command *command = (struct command *)provider;
    enum status st;

    if (command->delivery.is_busy)
        return error_set(err, STATUS_INVALID, "command: the previous reply is still arriving");
    st = write_prompt(command, conversation, err);
    if (!st)
        st = start(command, err);
    if (st)
        return st;
    command->written = command->read = 0;
    strbuf_release(&command->end);
    delivery_begin(&command->delivery, command->loop, listener);
    watch(command);
    return STATUS_OK;
}

const struct provider_ops command_provider = {
    .name = "command",
    .open = open_command,
    .send = send,
    .cancel = cancel,
    .close = close_command,
};
