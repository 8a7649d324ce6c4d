#ifndef TUI_CLI_INQUIRY_H
#define TUI_CLI_INQUIRY_H

#include "core/session/evaluator.h"

/*
 * Questions to a worker from a command that has nothing to do until they are
 * answered: these calls wait.
 */
struct inquiry;

/* Start a worker. The caller closes the inquiry. */
enum status inquiry_open(const struct evaluator_options *options, struct inquiry **inquiry,
                         struct error *err) MUST_CHECK;
void inquiry_close(struct inquiry *inquiry);

/* As evaluator_ask(), whose `members` it takes; the caller frees `*answer`. */
enum status inquiry_ask(struct inquiry *inquiry, const char *question, struct json *members,
                        struct json **answer, struct error *err) MUST_CHECK;

#endif
