#include "core/llm/manual.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/base/digest.h"
#include "core/base/formats/osc52.h"
#include "core/base/mem.h"
#include "core/llm/delivery.h"
#include "core/system/file.h"

/* The longest text that hterm and other terminals accept, in bytes before base64. */
enum { MAX_BYTES = 74994 };

/*
 * Copy the text to the engineer's clipboard: write OSC 52 (core/base/formats/osc52.h)
 * to the controlling terminal.  The sequence moves no cursor, so the screen
 * stays as it is.  False if there is no terminal, or if the text is longer
 * than terminals accept.  True does not mean that the terminal obeyed.
 */
static bool clipboard_copy(const char *text, size_t len)
{
    struct strbuf sequence = {0};
    int fd = len <= MAX_BYTES ? open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC) : -1;
    bool is_copied;

    if (fd < 0)
        return false;
    osc52_add_copy(&sequence, text, len);
    is_copied = !file_write_all(fd, sequence.data, sequence.len, NULL);
    strbuf_release(&sequence);
    close(fd);
    return is_copied;
}

enum { DIGEST_DIGITS = 12, MAX_REPLY_BYTES = 16 << 20 };

struct manual {
    struct provider provider;
    struct loop *loop;
    char *folder;
    char *reply; /* the path of the file to wait for; NULL between exchanges */
    int inotify_fd;
    struct loop_timer timer; /* calls begin() after send() has returned */
    struct strbuf notice;
    struct delivery delivery;
};

static enum status open_manual(struct loop *loop, const char *model, struct provider **provider,
                               struct error *err)
{
    char *data = file_place_folder(FILE_DATA);
    char *folder = *model ? mem_strdup(model) : file_join(data, "manual");
    enum status st = file_make_folder(folder, err);
    int fd = st ? -1 : inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    struct manual *manual;

    free(data);
    if (!st && (fd < 0 || inotify_add_watch(fd, folder, IN_CLOSE_WRITE | IN_MOVED_TO) < 0))
        st = error_set(err, STATUS_IO, "%s: cannot watch: %s", folder, strerror(errno));
    if (st) {
        free(folder);
        if (fd >= 0)
            close(fd);
        return st;
    }
    manual = mem_alloc_zeroed(1, sizeof(*manual));
    manual->provider.ops = &manual_provider;
    manual->loop = loop;
    manual->folder = folder;
    manual->inotify_fd = fd;
    *provider = &manual->provider;
    return STATUS_OK;
}

static void stop_waiting(struct manual *manual)
{
    loop_unwatch(manual->loop, manual->inotify_fd);
    loop_clear_timer(manual->loop, &manual->timer);
    strbuf_release(&manual->notice);
    free(manual->reply);
    manual->reply = NULL;
}

static void cancel(struct provider *provider)
{
    struct manual *manual = (struct manual *)provider;

    stop_waiting(manual);
    delivery_cancel(&manual->delivery);
}

static void close_manual(struct provider *provider)
{
    struct manual *manual = (struct manual *)provider;

    if (!manual)
        return;
    cancel(provider);
    close(manual->inotify_fd);
    free(manual->folder);
    free(manual);
}

/* Take the reply if its file exists and is not empty: an editor may create an empty file first. */
static void look(struct manual *manual)
{
    struct error err = {0};
    struct strbuf *text = &manual->delivery.text;

    if (!file_exists(manual->reply))
        return;
    if (file_read(manual->reply, MAX_REPLY_BYTES, text, &err)) {
        stop_waiting(manual);
        delivery_end(&manual->delivery, &err);
    } else if (text->len > 0) {
        stop_waiting(manual);
        delivery_end(&manual->delivery, NULL);
    }
}

/* True for an event about the reply.  At any other event the reply may be half written. */
static bool names_reply(const struct manual *manual, const char *events, size_t len)
{
    bool is_named = false;
    struct inotify_event event;

    for (size_t at = 0; at < len; at += sizeof(event) + event.len) {
        memcpy(&event, events + at, sizeof(event));
        if (event.len > 0)
            is_named |= strcmp(events + at + sizeof(event), file_name(manual->reply)) == 0;
        is_named |= (event.mask & IN_Q_OVERFLOW) != 0;
    }
    return is_named;
}

static void on_change(void *data, int fd, unsigned ready)
{
    struct manual *manual = data;
    char events[4096];
    ssize_t got = read(fd, events, sizeof(events));

    (void)ready;
    if (got > 0 && manual->reply && names_reply(manual, events, (size_t)got))
        look(manual);
}

static void begin(void *data)
{
    struct manual *manual = data;
    struct strbuf notice = manual->notice;

    manual->notice = (struct strbuf){0};
    loop_watch(manual->loop, manual->inotify_fd, LOOP_READ, on_change, manual);
    look(manual);
    if (manual->reply)
        manual->delivery.listener.notice(manual->delivery.listener.data, strbuf_cstr(&notice));
    strbuf_release(&notice);
}

/* "<folder>/<what>-<digest>.md"; the caller frees. */
static char *path_of(const struct manual *manual, const char *what, const struct strbuf *prompt)
{
    char digest[DIGEST_HEX_SIZE];
    struct strbuf path = {0};

    digest_sha256(strbuf_cstr(prompt), prompt->len, digest);
    strbuf_addf(&path, "%s/%s-%.*s.md", manual->folder, what, DIGEST_DIGITS, digest);
    return strbuf_take(&path);
}

static enum status send(struct provider *provider, const struct conversation *conversation,
                        const struct provider_listener *listener, struct error *err)
{
    struct manual *manual = (struct manual *)provider;
    struct strbuf prompt = {0};
    char *path;
    enum status st;

    if (manual->delivery.is_busy)
        return error_set(err, STATUS_INVALID,
                         "manual: the previous prompt still waits for its reply");
    st = conversation_write(conversation, manual->folder, &prompt, err);
    path = path_of(manual, "prompt", &prompt);
    if (!st)
        st = file_write(path, prompt.data, prompt.len, err);
    if (!st) {
        manual->reply = path_of(manual, "reply", &prompt);
        strbuf_addf(&manual->notice, "the prompt is in %s%s; write the reply to %s", path,
                    clipboard_copy(prompt.data, prompt.len) ? " and on the clipboard" : "",
                    file_name(manual->reply));
        delivery_begin(&manual->delivery, manual->loop, listener);
        loop_set_timer(manual->loop, &manual->timer, 0, begin, manual);
    }
    free(path);
    strbuf_release(&prompt);
    return st;
}

/* A pasted reply is written to the file that the provider waits for, like a reply by hand. */
static enum status answer(struct provider *provider, const char *text, struct error *err)
{
    const struct manual *manual = (const struct manual *)provider;

    if (!manual->reply)
        return error_set(err, STATUS_INVALID, "manual: no prompt waits for a reply");
    if (!*text)
        return error_set(err, STATUS_INVALID, "manual: the reply is empty");
    return file_write(manual->reply, text, strlen(text), err);
}

const struct provider_ops manual_provider = {
    .name = "manual",
    .open = open_manual,
    .send = send,
    .cancel = cancel,
    .answer = answer,
    .close = close_manual,
};
