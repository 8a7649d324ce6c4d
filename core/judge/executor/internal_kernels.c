#include "core/judge/executor/internal_kernels.h"

#include "core/judge/executor/compiled.h"
#include "core/judge/executor/wire.h"

/* The key covers source and options; the compiler is added to it. */
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

/*
 * Cache the binaries that the executor made, but none of an executor that has been sent a program.
 */
static void keep(const struct executor_process *process, const struct json *keys,
                 const char *compiler, const struct json *made)
{
    if (process->is_tainted)
        return;
    for (const struct json *key = json_first(keys); key; key = json_next(key)) {
        const struct compiled_source source = source_of(key, compiler);
        const struct json *binary = json_get(made, json_string(key, ""));

        if (binary)
            compiled_keep(&source, binary);
    }
}

static struct json *make_request(const struct executor_process *process, const struct json *keys,
                                 const char *compiler)
{
    struct json *request = wire_request("internal_kernels");

    json_put_bool(request, "make", !process->is_tainted);
    recall(keys, compiler, json_put(request, "kernels", json_object_new()));
    return request;
}

enum status internal_kernels_supply(struct executor_process *process, const struct json *keys,
                                    const char *compiler, struct error *err)
{
    struct json *request, *answer = NULL;
    enum status st = STATUS_OK;

    request = make_request(process, keys, compiler);
    if (json_count(keys) && (!process->is_tainted || json_count(json_get(request, "kernels"))))
        st = executor_process_exchange(process, request, EXECUTOR_DEVICE_LIMIT_US, &answer, err);
    else
        json_free(request);
    if (!st)
        keep(process, keys, compiler, json_get(answer, "kernels"));
    if (!process->is_tainted)
        process->outcome = OUTCOME_NONE; /* no candidate is to blame */
    json_free(answer);
    return st;
}
