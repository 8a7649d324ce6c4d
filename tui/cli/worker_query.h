#ifndef TUI_CLI_WORKER_QUERY_H
#define TUI_CLI_WORKER_QUERY_H

#include "core/session/worker/evaluator.h"

/*
 * Questions to a worker from a command that has nothing to do until they are
 * answered: these calls wait.
 */
struct worker_query;

/* Start a worker. The caller closes the worker_query. */
enum status worker_query_open(const struct evaluator_options *options,
                              struct worker_query **worker_query, struct error *err) MUST_CHECK;
void worker_query_close(struct worker_query *worker_query);

/* As evaluator_ask(), whose `members` it takes; the caller frees `*answer`. */
enum status worker_query_ask(struct worker_query *worker_query, const char *question,
                             struct json *members, struct json **answer,
                             struct error *err) MUST_CHECK;

#endif
