#include "core/llm/ledger.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/json.h"

enum { TABLE_MAX_BYTES = 1 << 20, FORMAT_VERSION = 1 };

static enum status read_price(const struct json_ref *at, struct price *price, struct error *err)
{
    static const char *const keys[] = {"prompt", "reply", NULL};
    struct json_ref prompt = json_ref_member(at, "prompt"), reply = json_ref_member(at, "reply");
    struct price read = {.is_known = true};

    if (json_expect(at, JSON_OBJECT, err) || json_expect_keys(at, keys, err) ||
        json_read_number(&prompt, &read.prompt, err) || json_read_number(&reply, &read.reply, err))
        return STATUS_INVALID;
    if (read.prompt < 0 || read.reply < 0)
        return json_ref_error(at, err, "a price is below 0");
    *price = read;
    return STATUS_OK;
}

/* An entry for the agent itself goes before one for its provider. */
static enum status find_in_table(const struct json_ref *root, const char *agent,
                                 struct price *price, struct error *err)
{
    static const char *const keys[] = {"kforge", "as_of", "prices", NULL};
    struct json_ref prices = json_ref_member(root, "prices");
    size_t provider_len = strcspn(agent, ":");

    if (json_expect(root, JSON_OBJECT, err) || json_expect_keys(root, keys, err) ||
        json_expect(&prices, JSON_OBJECT, err))
        return STATUS_INVALID;
    if (json_get_number(root->value, "kforge", 0) != FORMAT_VERSION)
        return json_ref_error(root, err, "\"kforge\" is not %d", FORMAT_VERSION);
    for (struct json_ref at = json_ref_first(&prices); at.value; at = json_ref_next(&at)) {
        const char *name = json_key(at.value);
        bool is_agent = strcmp(name, agent) == 0;
        bool is_provider = strlen(name) == provider_len && strncmp(name, agent, provider_len) == 0;
        struct price read;

        if (read_price(&at, &read, err))
            return STATUS_INVALID;
        if (is_agent || (is_provider && !price->is_known))
            *price = read;
    }
    return STATUS_OK;
}

static enum status find_in_file(const char *path, const char *agent, struct price *price,
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

        st = find_in_table(&root, agent, price, err);
    }
    json_free(json);
    strbuf_release(&text);
    return st;
}

enum status ledger_find_price(const char *agent, struct price *price, struct error *err)
{
    char *config = file_place_folder(FILE_CONFIG);
    char *own = file_join(config, "prices.json");
    char *shipped = file_shipped("prompts/prices.json");
    struct price found = {0};
    enum status st = file_exists(own) ? find_in_file(own, agent, &found, err) : STATUS_OK;

    if (!st && !found.is_known)
        st = find_in_file(shipped, agent, &found, err);
    if (!st)
        *price = found;
    free(config);
    free(own);
    free(shipped);
    return st;
}

bool ledger_cost(const struct price *price, const struct usage *usage, double *usd)
{
    bool is_free = price->is_known && price->prompt == 0 && price->reply == 0;

    if (!is_free && !(price->is_known && usage->has_tokens))
        return false;
    *usd = is_free ? 0
                   : ((double)usage->prompt_tokens * price->prompt +
                      (double)usage->reply_tokens * price->reply) *
                         1e-6;
    return true;
}
