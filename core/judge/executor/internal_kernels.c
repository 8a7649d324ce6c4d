#include "core/judge/executor/internal_kernels.h"

#include "core/judge/executor/compiled.h"
#include "core/judge/executor/wire.h"
#include "core/system/clock.h"

/* Its key is of source and options; on another device or driver it is another. */
static struct compiled_source source_of(const struct json *key, const char *compiler)
{
    return (struct compiled_source){
        .compiler = compiler, .text = json_string(key, ""), .options = ""};
}

static void recall(const struct json *keys, const char *compiler, struct json *kept)
{
    for (const struct json *key = json_first(keys); key; key = json_next(key)) {
        const struct compiled_source source = source_of(key, compiler);
        struct json *binary = compiled_recall(&source);

        if (binary)
            json_put(kept, json_string(key, ""), binary);
    }
}

/* The rule of the header. */
static void keep(const struct executor *executor, const struct json *keys, const char *compiler,
                 const struct json *made)
{
    if (executor->is_tainted)
        return;
    for (const struct json *key = json_first(keys); key; key = json_next(key)) {
        const struct compiled_source source = source_of(key, compiler);
        const struct json *binary = json_get(made, json_string(key, ""));

        if (binary)
            compiled_keep(&source, binary);
    }
}

static struct json *make_request(const struct executor *executor, const struct json *keys,
                                 const char *compiler)
{
    struct json *request = wire_request("internal_kernels");

    json_put_bool(request, "make", !executor->is_tainted);
    recall(keys, compiler, json_put(request, "kernels", json_object_new()));
    return request;
}

enum status internal_kernels_supply(struct executor *executor, const struct json *keys,
                                    struct error *err)
{
    const char *compiler = strbuf_cstr(&executor->compiler);
    struct json *request, *answer = NULL;
    int64_t began_us = clock_now_us();
    enum status st = STATUS_OK;

    request = make_request(executor, keys, compiler);
    if (json_count(keys) && (!executor->is_tainted || json_count(json_get(request, "kernels"))))
        st = executor_exchange(executor, request, DEVICE_LIMIT_US, &answer, err);
    else
        json_free(request);
    if (!st)
        keep(executor, keys, compiler, json_get(answer, "kernels"));
    if (!executor->is_tainted)
        executor->outcome = OUTCOME_NONE; /* no candidate had a part in this */
    executor->spent.build_us += (double)(clock_now_us() - began_us);
    json_free(answer);
    return st;
}
