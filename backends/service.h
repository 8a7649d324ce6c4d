#ifndef BACKENDS_SERVICE_H
#define BACKENDS_SERVICE_H

#include "backends/inbox.h"
#include "backends/outbox.h"
#include "core/judge/judge.h"

/*
 * The judge as the worker offers it: requests are lines of JSON, and so are
 * answers, on standard output.  A request may have an "id", which its
 * messages repeat; each has an "event", the last of them "result" or "error".
 *
 *	hello                        -> version, device, roofs (null: not measured yet), libraries
 *	devices  measure             -> libraries; devices, each with its roofs, null where not
 *	                                measured; not_kept: why the roofs are not kept.  `measure`
 *	                                is "once" for those that never were, "anew" for all
 *	describe model file tolerance -> problem, of a PyTorch file
 *	lint     problem file        -> name, findings
 *	load     problem file        -> (nothing)
 *	evaluate candidate best
 *	         profile skips_slower
 *	         sanitize             -> progress..., verdict
 *	listing  candidate tuned form -> text
 *	cancel                       ends the request under way with an error
 *	quit
 */
struct service {
    struct judge *judge;          /* borrowed */
    struct inbox inbox;           /* the user's to release */
    struct outbox outbox;         /* the user's to open and close */
    const struct json *id;        /* of the request under way; NULL for none */
    struct safeguards safeguards; /* of this process */
    unsigned expected;            /* how many expected values were reported to be made */
};

/* Serve a request, and send its answer.  Where nobody listens, the inbox is over. */
void service_answer(struct service *service, const char *line);

/* Report expected values as they are made, until a request comes or all are there. */
void service_report_oracle(struct service *service);

/* What the judge tells while it works (struct judge_options); `data` is the service. */
void service_send_progress(void *data, const struct evaluation_progress *progress);
void service_send_roofs(void *data, const struct roofs *roofs);

#endif
