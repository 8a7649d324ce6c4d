#include "backends/outbox.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "core/system/file.h"

enum { PULSE_SECONDS = 2, MOST_UNREAD = 5 };

bool outbox_send(struct outbox *outbox, struct json *message)
{
    struct strbuf text = {0};
    bool is_over;

    json_print(message, &text);
    strbuf_adds(&text, "\n");
    pthread_mutex_lock(&outbox->lock);
    if (file_write_all(STDOUT_FILENO, strbuf_cstr(&text), text.len, NULL))
        outbox->is_over = true;
    is_over = outbox->is_over;
    pthread_mutex_unlock(&outbox->lock);
    strbuf_release(&text);
    json_free(message);
    return !is_over;
}

/* Wait until the next sign of life is due. True if the thread shall end. */
static bool is_ended(struct outbox *outbox)
{
    struct timespec next;

    (void)clock_gettime(CLOCK_MONOTONIC, &next);
    next.tv_sec += PULSE_SECONDS;
    while (sem_clockwait(&outbox->end, CLOCK_MONOTONIC, &next) != 0)
        if (errno != EINTR)
            return false;
    return true;
}

void outbox_rest(struct outbox *outbox, bool is_at_rest)
{
    pthread_mutex_lock(&outbox->lock);
    outbox->is_at_rest = is_at_rest;
    pthread_mutex_unlock(&outbox->lock);
}

static bool is_at_rest(struct outbox *outbox)
{
    bool is;

    pthread_mutex_lock(&outbox->lock);
    is = outbox->is_at_rest;
    pthread_mutex_unlock(&outbox->lock);
    return is;
}

/*
 * Send signs of life. Once the reader is gone, the worker has the time of a few of them to clean
 * up; what it computes then is of no use to anybody, and may take minutes and much memory.
 */
static void *beat(void *data)
{
    struct outbox *outbox = data;
    unsigned unread = 0;

    while (!is_ended(outbox)) {
        struct json *alive;

        if (is_at_rest(outbox))
            continue;
        alive = json_object_new();
        json_put_string(alive, "event", "alive");
        if (!outbox_send(outbox, alive) && ++unread == MOST_UNREAD)
            _exit(EXIT_FAILURE);
    }
    return NULL;
}

void outbox_open(struct outbox *outbox)
{
    pthread_mutex_init(&outbox->lock, NULL);
    sem_init(&outbox->end, 0, 0);
    outbox->has_pulse = pthread_create(&outbox->pulse, NULL, beat, outbox) == 0;
}

void outbox_close(struct outbox *outbox)
{
    (void)sem_post(&outbox->end);
    if (outbox->has_pulse)
        (void)pthread_join(outbox->pulse, NULL);
    sem_destroy(&outbox->end);
    pthread_mutex_destroy(&outbox->lock);
}
