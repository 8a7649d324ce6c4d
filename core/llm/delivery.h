#ifndef CORE_LLM_DELIVERY_H
#define CORE_LLM_DELIVERY_H

#include "core/base/strbuf.h"
#include "core/llm/provider.h"
#include "core/system/loop.h"

/*
 * A reply on its way to the listener, for whoever has it as bytes: a command,
 * a file, a recording.  Text leaves in whole code points, and what is not
 * UTF-8 becomes U+FFFD.  The listener is called from the loop only and may
 * cancel the exchange or close the provider whenever it is called.
 */
struct delivery {
    struct loop *loop;
    struct provider_listener listener;
    struct loop_timer timer;
    struct strbuf text; /* not yet handed over; whoever has bytes adds them here */
    struct usage usage; /* tokens, if known, are set by whoever knows */
    struct error failure;
    int64_t started_us;
    bool is_busy; /* from delivery_begin() to the listener's done() or failed() */
    bool has_text;
};

/* An exchange begins; none may be under way. */
void delivery_begin(struct delivery *delivery, struct loop *loop,
                    const struct provider_listener *listener);

/* Hand over the whole code points there are.  To be called last: the provider may be gone after. */
void delivery_pass(struct delivery *delivery);

/* Nothing more comes: the listener hears the rest, and then of success (`failure` NULL) or failure.
 */
void delivery_end(struct delivery *delivery, const struct error *failure);

/* Forget what is under way, if anything; also releases. */
void delivery_cancel(struct delivery *delivery);

#endif
