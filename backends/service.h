#ifndef BACKENDS_SERVICE_H
#define BACKENDS_SERVICE_H

#include "backends/inbox.h"
#include "backends/outbox.h"
#include "core/judge/judge.h"

/*
 * The worker's protocol: requests are lines of JSON on standard input, and answers are lines of
 * JSON on standard output.  A request may have an "id", which all messages that answer it repeat.
 * Each message has an "event"; the last one for a request is "result" or "error".  Between requests
 * "compiled" says that baselines that were being compiled can be timed now.
 *
 *	hello                        -> version, device, roofs (null: not measured yet), libraries
 *	devices  measure             -> libraries; devices, each with its roofs, null if not
 *	                                measured; not_kept: why the roofs are not kept.  `measure`
 *	                                is "once" for devices never measured, "anew" for all
 *	describe model file tolerance -> problem, of a PyTorch file
 *	lint     problem file        -> name, findings
 *	load     problem file        -> (nothing)
 *	evaluate candidate best first
 *	         profile skips_slower skips_lines
 *	         sanitize             -> progress..., verdict
 *	listing  candidate tuned form -> text
 *	await                        -> progress...; (nothing) when all baselines are compiled
 *	cancel                       ends the current request with an error
 *	quit
 */
struct service {
    struct judge *judge;          /* borrowed */
    struct inbox inbox;           /* the caller releases it */
    struct outbox outbox;         /* the caller opens and closes it */
    const struct json *id;        /* id of the current request, or NULL */
    struct safeguards safeguards; /* safeguards of this process */
    unsigned expected;            /* number of expected outputs reported as computed so far */
    bool is_compiling;            /* baselines were being compiled when that was last looked at */
};

/*
 * Serve a request and send its answer.  If the reader of the answers is gone, inbox.is_over is set.
 */
void service_answer(struct service *service, const char *line);

/* Report the progress of the expected outputs until a request arrives or all are computed. */
void service_report_expectations(struct service *service);

/* Have baselines compiled, and report when they are, unless a request arrives before. */
void service_compile(struct service *service);

/*
 * Callbacks for struct judge_options: send a "progress" or "roofs" message.  `data` is the service.
 */
void service_send_progress(void *data, const struct evaluation_progress *progress);
void service_send_roofs(void *data, const struct roofs *roofs);

#endif
