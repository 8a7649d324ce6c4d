#ifndef CORE_LLM_DELIVERY_H
#define CORE_LLM_DELIVERY_H

#include "core/base/strbuf.h"
#include "core/llm/provider.h"
#include "core/system/loop.h"

/*
 * Passes a reply that arrives as bytes to the listener, for the providers
 * `command`, `manual`, `recorded` and the built-in agent.  Text is passed in
 * whole code points, and bytes that are not UTF-8 become U+FFFD.  The listener
 * is called from the loop only; each call may cancel the exchange or close the
 * provider.
 */
struct delivery {
    struct loop *loop;
    struct provider_listener listener;
    struct loop_timer timer;
    struct strbuf text; /* bytes not passed on yet; the provider appends new bytes here */
    struct usage usage; /* the provider sets the tokens, if it knows them */
    struct error failure;
    int64_t started_us;
    bool is_busy; /* from delivery_begin() until done() or failed() is called */
    bool has_text;
};

/* Begin an exchange; no other one may be running. */
void delivery_begin(struct delivery *delivery, struct loop *loop,
                    const struct provider_listener *listener);

/* Pass all whole code points of `text`.  Call it last: the listener may close the provider. */
void delivery_pass(struct delivery *delivery);

/* End the exchange: the loop passes the rest of `text`, and then calls done(), or failed() with
 * `failure` unless that is NULL. */
void delivery_end(struct delivery *delivery, const struct error *failure);

/* Drop the running exchange, if there is one, and release everything. */
void delivery_cancel(struct delivery *delivery);

#endif
