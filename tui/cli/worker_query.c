#include "tui/cli/worker_query.h"

#include <stdio.h>
#include <unistd.h>

#include "core/base/mem.h"
#include "core/system/loop.h"
#include "tui/cli/command.h"

struct worker_query {
    struct loop *loop;
    struct evaluator *evaluator;
    struct json *answer; /* NULL: `error` says why there is none */
    struct error error;
};

/* On a terminal, say what the command is waiting for. */
static void on_progress(void *data, const struct evaluation_progress *progress)
{
    (void)data;
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "kforge: %s ...\n", progress->stage);
}

static void on_answer(void *data, const struct json *answer)
{
    struct worker_query *worker_query = data;

    worker_query->answer = json_dup(answer);
    loop_stop(worker_query->loop);
}

static void on_failed(void *data, const struct error *err)
{
    struct worker_query *worker_query = data;

    worker_query->error = *err;
    loop_stop(worker_query->loop);
}

enum status worker_query_open(const struct evaluator_options *options,
                              struct worker_query **worker_query, struct error *err)
{
    struct worker_query *opened = mem_alloc_zeroed(1, sizeof(*opened));
    const struct evaluator_listener listener = {.progress = on_progress,
                                                .answered = on_answer,
                                                .failed = on_failed,
                                                .notice = command_notice,
                                                .data = opened};
    enum status st;

    opened->loop = loop_new();
    st = evaluator_open(opened->loop, options, &listener, &opened->evaluator, err);
    if (st)
        worker_query_close(opened);
    else
        *worker_query = opened;
    return st;
}

void worker_query_close(struct worker_query *worker_query)
{
    if (!worker_query)
        return;
    evaluator_close(worker_query->evaluator);
    loop_free(worker_query->loop);
    free(worker_query);
}

struct evaluator *worker_query_evaluator(const struct worker_query *worker_query)
{
    return worker_query ? worker_query->evaluator : NULL;
}

enum status worker_query_ask(struct worker_query *worker_query, const char *question,
                             struct json *members, struct json **answer, struct error *err)
{
    enum status st = evaluator_ask(worker_query->evaluator, question, members, err);

    if (st)
        return st;
    worker_query->answer = NULL;
    loop_run(worker_query->loop);
    if (!worker_query->answer) {
        *err = worker_query->error;
        return err->code;
    }
    *answer = worker_query->answer;
    return STATUS_OK;
}
