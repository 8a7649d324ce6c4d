#ifndef CORE_JUDGE_TORCH_BRIDGE_STATE_H
#define CORE_JUDGE_TORCH_BRIDGE_STATE_H

#include <pthread.h>

#include "core/judge/executor/child.h"
#include "core/judge/executor/enclosure.h"
#include "core/judge/torch/bridge.h"
#include "core/system/memfd.h"

/* The bridge from within: its child (bridge.c), and the tensors that travel (bridge_data.c). */

struct bridge {
    struct bridge_options options;
    struct oracle_evaluator evaluator;
    pthread_t maker;
    pthread_mutex_t lock; /* over all that follows */
    struct child child;
    struct enclosure enclosure;
    struct memfd shared; /* with the child: the tensors of one request */
    struct memfd given;  /* ours: what the model made ahead */
    unsigned serial;     /* of what is lent */
    struct json *opened; /* the request that opened the model; NULL before */
    struct json *placed; /* the request that put it on a device; NULL before */
    bool is_coarse;      /* expected values have come in float32 */
};

/* With the lock held: start the child where it does not run, and open the model in it again. */
enum status bridge_ensure(struct bridge *bridge, struct error *err) MUST_CHECK;

/* With the lock held: one exchange.  Takes `request`; `*answer` is the caller's. */
enum status bridge_ask(struct bridge *bridge, struct json *request, struct json **answer,
                       struct error *err) MUST_CHECK;

/* A request to do `what`, with the time that there is for it; the caller's. */
struct json *bridge_request(const struct bridge *bridge, const char *what);

#endif
