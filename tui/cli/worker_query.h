#ifndef TUI_CLI_WORKER_QUERY_H
#define TUI_CLI_WORKER_QUERY_H

#include "core/session/worker/evaluator.h"

/* Asks a worker and waits for the answer, for commands that have no event loop. */
struct worker_query;

/* Start a worker; worker_query_close() ends it. */
enum status worker_query_open(const struct evaluator_options *options,
                              struct worker_query **worker_query, struct error *err) MUST_CHECK;
void worker_query_close(struct worker_query *worker_query);

/* The worker's evaluator, borrowed; NULL for NULL. */
struct evaluator *worker_query_evaluator(const struct worker_query *worker_query);

/*
 * Ask like evaluator_ask(), which takes `members`, and wait for the answer. The caller owns
 * `*answer`.
 */
enum status worker_query_ask(struct worker_query *worker_query, const char *question,
                             struct json *members, struct json **answer,
                             struct error *err) MUST_CHECK;

#endif
