#include "core/llm/delivery.h"

#include "core/base/utf8.h"
#include "core/system/clock.h"

void delivery_begin(struct delivery *delivery, struct loop *loop,
                    const struct provider_listener *listener)
{
    *delivery = (struct delivery){
        .loop = loop, .listener = *listener, .started_us = clock_now_us(), .is_busy = true};
}

static void pass(struct delivery *delivery, bool is_end)
{
    struct strbuf whole = {0};
    size_t taken = utf8_add_whole(&whole, delivery->text.data, delivery->text.len, is_end);
    struct strbuf rest = {0};

    strbuf_add(&rest, strbuf_cstr(&delivery->text) + taken, delivery->text.len - taken);
    strbuf_release(&delivery->text);
    delivery->text = rest;
    if (whole.len > 0 && !delivery->has_text) {
        delivery->has_text = true;
        delivery->usage.first_text_us = clock_now_us() - delivery->started_us;
    }
    if (whole.len > 0)
        delivery->listener.text(delivery->listener.data, strbuf_cstr(&whole), whole.len);
    strbuf_release(&whole);
}

void delivery_pass(struct delivery *delivery)
{
    pass(delivery, false);
}

static void conclude(void *data)
{
    struct delivery *delivery = data;
    struct provider_listener listener = delivery->listener;
    struct error failure = delivery->failure;
    struct usage usage = delivery->usage;

    usage.latency_us = clock_now_us() - delivery->started_us;
    if (!failure.code && !delivery->has_text)
        error_set(&failure, STATUS_INVALID,
                  "the reply is empty: try again, or choose another agent");
    delivery_cancel(delivery);
    if (failure.code)
        listener.failed(listener.data, &failure);
    else
        listener.done(listener.data, &usage);
}

static void pass_rest(void *data)
{
    struct delivery *delivery = data;

    loop_set_timer(delivery->loop, &delivery->timer, 0, conclude, delivery);
    pass(delivery, true);
}

void delivery_end(struct delivery *delivery, const struct error *failure)
{
    if (failure)
        delivery->failure = *failure;
    loop_set_timer(delivery->loop, &delivery->timer, 0, pass_rest, delivery);
}

void delivery_cancel(struct delivery *delivery)
{
    if (delivery->loop)
        loop_clear_timer(delivery->loop, &delivery->timer);
    strbuf_release(&delivery->text);
    *delivery = (struct delivery){0};
}
