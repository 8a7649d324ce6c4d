#include "tui/cli/inquiry.h"

#include <stdio.h>
#include <unistd.h>

#include "core/base/loop.h"
#include "core/base/mem.h"
#include "tui/cli/command.h"

struct inquiry {
    struct loop *loop;
    struct evaluator *evaluator;
    struct json *answer; /* NULL: the worker failed, for this reason: */
    struct error error;
};

/* Somebody who waits is told what for. */
static void hear_progress(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "kforge: %s ...\n", progress->stage);
}

static void hear_answer(void *data, const struct json *answer)
{
    struct inquiry *inquiry = data;

    inquiry->answer = json_dup(answer);
    loop_stop(inquiry->loop);
}

static void hear_failed(void *data, const struct error *err)
{
    struct inquiry *inquiry = data;

    inquiry->error = *err;
    loop_stop(inquiry->loop);
}

enum status inquiry_open(const struct evaluator_options *options, struct inquiry **inquiry,
                         struct error *err)
{
    struct inquiry *opened = mem_alloc_zeroed(1, sizeof(*opened));
    const struct evaluator_listener listener = {.progress = hear_progress,
                                                .answered = hear_answer,
                                                .failed = hear_failed,
                                                .notice = command_notice,
                                                .data = opened};
    enum status st;

    opened->loop = loop_new();
    st = evaluator_open(opened->loop, options, &listener, &opened->evaluator, err);
    if (st)
        inquiry_close(opened);
    else
        *inquiry = opened;
    return st;
}

void inquiry_close(struct inquiry *inquiry)
{
    if (!inquiry)
        return;
    evaluator_close(inquiry->evaluator);
    loop_free(inquiry->loop);
    free(inquiry);
}

enum status inquiry_ask(struct inquiry *inquiry, const char *question, struct json *members,
                        struct json **answer, struct error *err)
{
    enum status st = evaluator_ask(inquiry->evaluator, question, members, err);

    if (st)
        return st;
    inquiry->answer = NULL;
    loop_run(inquiry->loop);
    if (!inquiry->answer) {
        *err = inquiry->error;
        return err->code;
    }
    *answer = inquiry->answer;
    return STATUS_OK;
}
