#include "core/model/recommendation.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/formats/fence.h"
#include "core/base/mem.h"

/* Read a text that is not empty. */
static enum status read_text(const struct json_ref *at, char **text, struct error *err)
{
    const char *found = NULL;
    enum status st = json_read_string(at, &found, err);

    if (st)
        return st;
    if (*found == '\0')
        return json_ref_error(at, err, "empty");
    *text = mem_strdup(found);
    return STATUS_OK;
}

/* Read a text, or a list of texts, which are joined with `separator`. */
static enum status read_texts(const struct json_ref *at, const char *separator, char **text,
                              struct error *err)
{
    struct strbuf joined = {0};
    enum status st = STATUS_OK;

    if (json_type(at->value) != JSON_ARRAY)
        return read_text(at, text, err);
    for (struct json_ref e = json_ref_first(at); !st && e.value; e = json_ref_next(&e)) {
        const char *part = "";

        st = json_read_string(&e, &part, err);
        strbuf_addf(&joined, "%s%s", joined.len ? separator : "", part);
    }
    if (!st && joined.len == 0)
        st = json_ref_error(at, err, "empty");
    if (!st)
        *text = strbuf_take(&joined);
    strbuf_release(&joined);
    return st;
}

static enum status read_gain(const struct json_ref *at, struct recommendation *recommendation,
                             struct error *err)
{
    if (!at->value || json_type(at->value) == JSON_NULL)
        return STATUS_OK;
    if (json_number(at->value, 0) <= 0)
        return json_ref_error(at, err, "expected the speedup as a number, 1.2 for 20 %%");
    recommendation->has_gain = true;
    return json_read_number(at, &recommendation->gain, err);
}

static enum status read_block(const struct json_ref *root, struct recommendation *recommendation,
                              struct error *err)
{
    struct json_ref bottleneck = json_ref_member(root, "bottleneck");
    struct json_ref evidence = json_ref_member(root, "evidence");
    struct json_ref change = json_ref_member(root, "change");
    struct json_ref expect = json_ref_member(root, "expect");
    struct json_ref tags = json_ref_member(root, "tags");
    enum status st = json_expect(root, JSON_OBJECT, err);

    if (st || (st = read_text(&bottleneck, &recommendation->bottleneck, err)) ||
        (st = read_texts(&evidence, "; ", &recommendation->evidence, err)) ||
        (st = read_text(&change, &recommendation->change, err)) ||
        (st = read_gain(&expect, recommendation, err)))
        return st;
    if (!tags.value || (json_type(tags.value) == JSON_ARRAY && json_count(tags.value) == 0))
        return STATUS_OK;
    return read_texts(&tags, ", ", &recommendation->tags, err);
}

static enum status parse_block(const struct fence *fence, struct recommendation *recommendation,
                               struct error *err)
{
    struct error why = {0};
    struct json *json = json_parse(fence->text, fence->len, &why);
    struct json_ref root = json_ref_root(json, "recommendation");
    enum status st;

    if (!json)
        return error_set(err, STATUS_INVALID, "recommendation: %s", why.text);
    st = read_block(&root, recommendation, err);
    json_free(json);
    return st;
}

enum status recommendation_parse(struct recommendation *recommendation, const char *reply,
                                 struct error *err)
{
    static const char *const kinds[] = {"json", NULL};
    struct recommendation read = {0};
    struct strbuf prose = {0};
    struct fence fence = {0};
    struct error why = {0};

    if (fence_find(reply, kinds, &fence, &why))
        return error_set(err, STATUS_INVALID, "recommendation: %s", why.text);

    enum status st = parse_block(&fence, &read, err);
    if (st) {
        recommendation_release(&read);
        return st;
    }
    fence_add_prose(reply, fence.start, &prose);
    fence_add_prose(fence.end, fence.end + strlen(fence.end), &prose);
    read.prose = strbuf_take(&prose);
    *recommendation = read;
    return STATUS_OK;
}

void recommendation_release(struct recommendation *recommendation)
{
    free(recommendation->bottleneck);
    free(recommendation->evidence);
    free(recommendation->change);
    free(recommendation->tags);
    free(recommendation->prose);
    *recommendation = (struct recommendation){0};
}
