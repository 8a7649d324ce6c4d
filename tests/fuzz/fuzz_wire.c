/*
 * Fuzzes the worker's protocols in both directions. The input is decoded as each kind of value in a
 * request, an answer or a message; a decoded value must survive being encoded and decoded again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"
#include "core/judge/executor/wire.h"
#include "core/model/candidate.h"
#include "core/model/roofline/roofs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* One kind of value, and its functions with common types. */
struct kind {
    enum status (*decode)(void *value, const struct json_ref *at, struct error *err);
    struct json *(*encode)(const void *value); /* NULL: never sent back */
    void (*release)(void *value);
};

union content {
    struct device_info device;
    struct verdict verdict;
    struct build_report build;
    struct resource_list resources;
    struct dispatch dispatch;
    struct tensor_sources tensors;
    struct candidate candidate;
};

#define DECODER(type, name)                                                                   \
    static enum status name##_read(void *value, const struct json_ref *at, struct error *err) \
    {                                                                                         \
        return name##_decode((struct type *)value, at, err);                                  \
    }                                                                                         \
    static struct json *name##_write(const void *value)                                       \
    {                                                                                         \
        return name##_encode((const struct type *)value);                                     \
    }                                                                                         \
    static void name##_free(void *value)                                                      \
    {                                                                                         \
        name##_release((struct type *)value);                                                 \
    }
DECODER(device_info, device_info)
DECODER(verdict, verdict)
DECODER(build_report, build_report)
DECODER(resource_list, resource_list)
DECODER(dispatch, dispatch)
DECODER(candidate, candidate)

static enum status tensors_read(void *value, const struct json_ref *at, struct error *err)
{
    static const unsigned char bytes[256];
    const struct lent_memory lent = {.bytes = bytes, .size = sizeof(bytes)};

    return wire_decode_tensors((struct tensor_sources *)value, at, &lent, err);
}

static void tensors_free(void *value)
{
    wire_tensors_release((struct tensor_sources *)value);
}

static const struct kind kinds[] = {
    {device_info_read, device_info_write, device_info_free},
    {verdict_read, verdict_write, verdict_free},
    {build_report_read, build_report_write, build_report_free},
    {resource_list_read, resource_list_write, resource_list_free},
    {dispatch_read, dispatch_write, dispatch_free},
    {candidate_read, candidate_write, candidate_free},
    {tensors_read, NULL, tensors_free},
};

/* Encoding, decoding and encoding again must give the same text. */
static void recode(const struct kind *kind, const union content *value)
{
    struct json *first = kind->encode(value), *second;
    struct json_ref root = json_ref_root(first, "again");
    struct strbuf before = {0}, after = {0};
    union content again;

    memset(&again, 0, sizeof(again));
    if (kind->decode(&again, &root, NULL))
        abort();
    second = kind->encode(&again);
    json_print(first, &before);
    json_print(second, &after);
    if (strcmp(strbuf_cstr(&before), strbuf_cstr(&after)) != 0)
        abort();
    kind->release(&again);
    json_free(first);
    json_free(second);
    strbuf_release(&before);
    strbuf_release(&after);
}

static void read_as(const struct kind *kind, const struct json_ref *at)
{
    union content value;
    struct error err = {0};

    memset(&value, 0, sizeof(value));
    if (kind->decode(&value, at, &err)) {
        if (!err.text[0])
            abort();
        return;
    }
    if (kind->encode)
        recode(kind, &value);
    kind->release(&value);
}

/* Decode the parts that report no error. */
static void read_loosely(const struct json *message)
{
    struct safeguards safeguards;
    struct roofs roofs;
    struct error err;

    safeguards_decode(&safeguards, message);
    roofs_decode(&roofs, message);
    (void)!wire_check(message, &err);
}

/* The first byte selects the kind of value. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct json *message = size ? json_parse((const char *)data + 1, size - 1, NULL) : NULL;
    struct json_ref root = json_ref_root(message, "message");

    if (message) {
        read_as(&kinds[data[0] % (sizeof(kinds) / sizeof(*kinds))], &root);
        read_loosely(message);
    }
    json_free(message);
    return 0;
}
