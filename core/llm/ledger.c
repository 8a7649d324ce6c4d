#include "core/llm/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/json.h"
#include "core/system/file.h"

enum { TABLE_MAX_BYTES = 1 << 20, FORMAT_VERSION = 1 };

/* Read the number at `key`, or take `fallback` if there is none. */
static enum status read_amount(const struct json_ref *entry, const char *key, double fallback,
                               double *number, struct error *err)
{
    struct json_ref at = json_ref_member(entry, key);
    double read = fallback;

    if (at.value && json_read_number(&at, &read, err))
        return STATUS_INVALID;
    if (read < 0)
        return json_ref_error(&at, err, "is below 0");
    *number = read;
    return STATUS_OK;
}

/* Read an entry. It must have both prices or neither. */
static enum status read_terms(const struct json_ref *at, struct terms *terms, struct error *err)
{
    static const char *const keys[] = {"prompt", "cached", "reply", "context", NULL};
    struct json_ref prompt = json_ref_member(at, "prompt"), reply = json_ref_member(at, "reply");
    struct terms read = {.has_price = prompt.value || reply.value};
    double context = 0;

    if (json_expect(at, JSON_OBJECT, err) || json_expect_keys(at, keys, err))
        return STATUS_INVALID;
    if (read.has_price &&
        (json_expect(&prompt, JSON_NUMBER, err) || json_expect(&reply, JSON_NUMBER, err)))
        return STATUS_INVALID;
    if (read_amount(at, "prompt", 0, &read.prompt, err) ||
        read_amount(at, "cached", read.prompt, &read.cached, err) ||
        read_amount(at, "reply", 0, &read.reply, err) ||
        read_amount(at, "context", 0, &context, err))
        return STATUS_INVALID;
    read.context = context < 1e9 ? (unsigned)context : 0;
    *terms = read;
    return STATUS_OK;
}

/* Take from `more` what `terms` does not have yet. */
static void add_terms(struct terms *terms, const struct terms *more)
{
    unsigned context = terms->context ? terms->context : more->context;

    if (!terms->has_price)
        *terms = *more;
    terms->context = context;
}

/* An entry for the agent takes precedence over one for its provider. */
static enum status find_in_table(const struct json_ref *root, const char *agent,
                                 struct terms *terms, struct error *err)
{
    static const char *const keys[] = {"kforge", "as_of", "source", "prices", NULL};
    struct json_ref prices = json_ref_member(root, "prices");
    size_t provider_len = strcspn(agent, ":");
    struct terms of_agent = {0}, of_provider = {0};

    if (json_expect(root, JSON_OBJECT, err) || json_expect_keys(root, keys, err) ||
        json_expect(&prices, JSON_OBJECT, err))
        return STATUS_INVALID;
    if (json_get_number(root->value, "kforge", 0) != FORMAT_VERSION)
        return json_ref_error(root, err, "\"kforge\" is not %d", FORMAT_VERSION);
    for (struct json_ref at = json_ref_first(&prices); at.value; at = json_ref_next(&at)) {
        const char *name = json_key(at.value);
        struct terms read;

        if (read_terms(&at, &read, err))
            return STATUS_INVALID;
        if (strcmp(name, agent) == 0)
            of_agent = read;
        else if (strlen(name) == provider_len && strncmp(name, agent, provider_len) == 0)
            of_provider = read;
    }
    add_terms(terms, &of_agent);
    add_terms(terms, &of_provider);
    return STATUS_OK;
}

static enum status find_in_file(const char *path, const char *agent, struct terms *terms,
                                struct error *err)
{
    struct strbuf text = {0};
    struct json *json = NULL;
    struct error why;
    enum status st = file_read(path, TABLE_MAX_BYTES, &text, err);

    if (!st && !(json = json_parse(strbuf_cstr(&text), text.len, &why)))
        st = error_set(err, STATUS_INVALID, "%s: %s", path, why.text);
    if (!st) {
        struct json_ref root = json_ref_root(json, path);

        st = find_in_table(&root, agent, terms, err);
    }
    json_free(json);
    strbuf_release(&text);
    return st;
}

enum status ledger_find_terms(const char *agent, struct terms *terms, struct error *err)
{
    char *config = file_place_folder(FILE_CONFIG);
    char *own = file_join(config, "prices.json");
    char *shipped = file_shipped("prompts/prices.json");
    struct terms found = {0};
    enum status st = file_exists(own) ? find_in_file(own, agent, &found, err) : STATUS_OK;

    if (!st)
        st = find_in_file(shipped, agent, &found, err);
    if (!st)
        *terms = found;
    free(config);
    free(own);
    free(shipped);
    return st;
}

bool ledger_cost(const struct terms *terms, const struct usage *usage, double *usd)
{
    bool is_free = terms->has_price && terms->prompt == 0 && terms->reply == 0;

    if (!is_free && !(terms->has_price && usage->has_tokens))
        return false;
    *usd = is_free ? 0
                   : ((double)(usage->prompt_tokens - usage->cached_tokens) * terms->prompt +
                      (double)usage->cached_tokens * terms->cached +
                      (double)usage->reply_tokens * terms->reply) *
                         1e-6;
    return true;
}
