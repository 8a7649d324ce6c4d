#include "backends/host/compiler_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/host/object_maker.h"
#include "core/base/mem.h"
#include "core/system/file.h"

enum { REQUESTS_FD = 3, ANSWERS_FD = 4, LARGEST_TEXT = 256 << 20 };

void compilation_release(struct compilation *compilation)
{
    strbuf_release(&compilation->log);
    strbuf_release(&compilation->object);
    strbuf_release(&compilation->path);
    compilation->is_accepted = false;
}

static bool read_whole(int fd, void *bytes, size_t len)
{
    char *at = bytes;

    while (len > 0) {
        ssize_t got = read(fd, at, len);

        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        at += got > 0 ? got : 0;
        len -= got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* Send a text, preceded by its length. */
static bool send_text(int fd, const char *text, size_t len)
{
    uint64_t size = len;

    return !file_write_all(fd, &size, sizeof(size), NULL) && !file_write_all(fd, text, len, NULL);
}

static bool receive_text(int fd, struct strbuf *text)
{
    uint64_t size = 0;
    char *bytes;
    bool is_whole;

    if (!read_whole(fd, &size, sizeof(size)) || size > LARGEST_TEXT)
        return false;
    bytes = mem_alloc_zeroed(size + 1, 1);
    is_whole = read_whole(fd, bytes, size);
    if (is_whole)
        strbuf_add(text, bytes, size);
    free(bytes);
    return is_whole;
}

static bool answer(struct object_maker *maker)
{
    struct strbuf language = {0}, source = {0}, options = {0};
    struct compilation made = {0};
    char accepted;
    bool goes_on = receive_text(REQUESTS_FD, &language) && receive_text(REQUESTS_FD, &source) &&
                   receive_text(REQUESTS_FD, &options);

    if (goes_on) {
        const struct object_source asked = {strbuf_cstr(&language), strbuf_cstr(&source),
                                            strbuf_cstr(&options)};

        made.is_accepted = object_maker_make(maker, &asked, &made.object, &made.log);
        object_maker_add_path(maker, &made.path);
        accepted = (char)made.is_accepted;
        goes_on = !file_write_all(ANSWERS_FD, &accepted, 1, NULL) &&
                  send_text(ANSWERS_FD, strbuf_cstr(&made.log), made.log.len) &&
                  send_text(ANSWERS_FD, strbuf_cstr(&made.object), made.object.len) &&
                  send_text(ANSWERS_FD, strbuf_cstr(&made.path), made.path.len);
    }
    strbuf_release(&language);
    strbuf_release(&source);
    strbuf_release(&options);
    compilation_release(&made);
    return goes_on;
}

/* Close all descriptors of the parent but standard error and these two pipes. */
static void take_pipes(int requests, int answers)
{
    int high[2] = {fcntl(requests, F_DUPFD, 10), fcntl(answers, F_DUPFD, 10)};

    dup2(high[0], REQUESTS_FD);
    dup2(high[1], ANSWERS_FD);
    (void)close_range(ANSWERS_FD + 1, ~0U, 0);
    (void)fcntl(REQUESTS_FD, F_SETFD, FD_CLOEXEC);
    (void)fcntl(ANSWERS_FD, F_SETFD, FD_CLOEXEC);
}

static _Noreturn void serve(const struct found_compiler *compilers, int requests, int answers)
{
    struct object_maker maker = {0};

    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGPIPE, SIG_IGN);
    take_pipes(requests, answers);
    if (object_maker_open(&maker, compilers))
        while (answer(&maker))
            ;
    object_maker_close(&maker);
    _exit(0);
}

enum status compiler_child_start(struct compiler_child *child,
                                 const struct found_compiler *compilers, struct error *err)
{
    int requests[2] = {-1, -1}, answers[2] = {-1, -1};
    bool has_pipes = !pipe2(requests, O_CLOEXEC) && !pipe2(answers, O_CLOEXEC);

    *child = (struct compiler_child){.pid = has_pipes ? fork() : -1};
    if (child->pid == 0)
        serve(compilers, requests[0], answers[1]);
    close(requests[0]);
    close(answers[1]);
    child->requests = requests[1];
    child->answers = answers[0];
    if (child->pid > 0)
        return STATUS_OK;
    error_set(err, STATUS_UNAVAILABLE, "cannot start a process for %s: %s", compilers[0].path,
              strerror(errno));
    child->pid = 0;
    compiler_child_end(child);
    return STATUS_UNAVAILABLE;
}

enum status compiler_child_compile(struct compiler_child *child, const struct object_source *source,
                                   struct compilation *made, struct error *err)
{
    char accepted = 0;

    if (send_text(child->requests, source->language, strlen(source->language)) &&
        send_text(child->requests, source->text, strlen(source->text)) &&
        send_text(child->requests, source->options, strlen(source->options)) &&
        read_whole(child->answers, &accepted, 1) && receive_text(child->answers, &made->log) &&
        receive_text(child->answers, &made->object) && receive_text(child->answers, &made->path)) {
        made->is_accepted = accepted;
        return STATUS_OK;
    }
    return error_set(err, STATUS_IO, "the process that compiles has ended");
}

void compiler_child_end(struct compiler_child *child)
{
    if (child->requests > 0)
        close(child->requests);
    if (child->answers > 0)
        close(child->answers);
    if (child->pid > 0)
        (void)waitpid(child->pid, NULL, 0);
    *child = (struct compiler_child){0};
}
