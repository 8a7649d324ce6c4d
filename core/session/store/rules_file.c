#include "core/session/store/rules_file.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/vec.h"
#include "core/system/file.h"

enum { FILE_MAX_BYTES = 16 << 20, FORMAT_VERSION = 1 };

/* Names of decisions in a file of rules, by enum decision. */
static const char *const verbs[] = {
    [DECISION_PENDING] = "",    [DECISION_ACCEPTED] = "accept", [DECISION_EDITED] = "edit",
    [DECISION_VETOED] = "veto", [DECISION_RETRIED] = "retry",   NULL,
};

/* The state while a file of rules is read. */
struct reader {
    const char *path;
    struct rule *rule;
};

/* One function for each member of a rule; it is called only if the member is present. */

static enum status read_count(const struct json_ref *at, unsigned *count, struct error *err)
{
    int64_t number = 0;
    enum status st = json_read_integer(at, &number, err);

    if (!st && (number < 1 || number > UINT32_MAX))
        st = json_ref_error(at, err, "expected a number from 1 on");
    if (!st)
        *count = (unsigned)number;
    return st;
}

static enum status read_text(const struct json_ref *at, char **text, struct error *err)
{
    const char *read = NULL;
    enum status st = json_read_string(at, &read, err);

    if (!st)
        *text = mem_strdup(read);
    return st;
}

static enum status read_kind(const struct reader *reader, const struct json_ref *at,
                             struct error *err)
{
    size_t kind = 0;
    enum status st = json_read_choice(at, step_kind_names, &kind, err);

    reader->rule->has_kind = true;
    reader->rule->kind = (enum step_kind)kind;
    return st;
}

static enum status read_step(const struct reader *reader, const struct json_ref *at,
                             struct error *err)
{
    return read_count(at, &reader->rule->step, err);
}

static enum status read_attempt(const struct reader *reader, const struct json_ref *at,
                                struct error *err)
{
    return read_count(at, &reader->rule->attempt, err);
}

static enum status read_outcome(const struct reader *reader, const struct json_ref *at,
                                struct error *err)
{
    const char *name = NULL;
    enum status st = json_read_string(at, &name, err);

    reader->rule->has_outcome = true;
    if (!st && !outcome_parse(name, &reader->rule->outcome))
        st = json_ref_error(at, err, "no outcome \"%.60s\"", name);
    return st;
}

static enum status read_gain(const struct reader *reader, const struct json_ref *at,
                             struct error *err)
{
    static const char *const keys[] = {"above", "below", NULL};
    struct json_ref above = json_ref_member(at, "above"), below = json_ref_member(at, "below");
    enum status st = json_expect(at, JSON_OBJECT, err);

    if (!st)
        st = json_expect_keys(at, keys, err);
    if (!st && above.value)
        st = json_read_number(&above, &reader->rule->above, err);
    if (!st && below.value)
        st = json_read_number(&below, &reader->rule->below, err);
    return st;
}

static enum status read_tag(const struct reader *reader, const struct json_ref *at,
                            struct error *err)
{
    return read_text(at, &reader->rule->tag, err);
}

static enum status read_decision(const struct reader *reader, const struct json_ref *at,
                                 struct error *err)
{
    size_t verb = 0;
    enum status st = json_read_choice(at, verbs + DECISION_ACCEPTED, &verb, err);

    reader->rule->decision = (enum decision)(DECISION_ACCEPTED + verb);
    return st;
}

static enum status read_reason(const struct reader *reader, const struct json_ref *at,
                               struct error *err)
{
    return read_text(at, &reader->rule->reason, err);
}

/* Read the text of an edit from a file, whose name is relative to the folder of the rules. */
static enum status read_edit(const struct reader *reader, const struct json_ref *at,
                             struct error *err)
{
    const char *name = NULL;
    struct strbuf path = {0}, text = {0};
    struct error why;
    enum status st = json_read_string(at, &name, err);

    if (st)
        return st;
    if (name[0] != '/')
        strbuf_add(&path, reader->path, (size_t)(file_name(reader->path) - reader->path));
    strbuf_adds(&path, name);
    if (file_read(strbuf_cstr(&path), FILE_MAX_BYTES, &text, &why))
        st = json_ref_error(at, err, "%s", why.text);
    else
        reader->rule->text = mem_strdup(strbuf_cstr(&text));
    strbuf_release(&path);
    strbuf_release(&text);
    return st;
}

static const struct {
    const char *key;
    enum status (*read)(const struct reader *reader, const struct json_ref *at, struct error *err);
} members[] = {
    {"kind", read_kind},       {"step", read_step},     {"attempt", read_attempt},
    {"outcome", read_outcome}, {"gain", read_gain},     {"tag", read_tag},
    {"decide", read_decision}, {"reason", read_reason}, {"file", read_edit},
};

enum { MEMBERS = COUNT(members) };

static enum status read_rule(const struct reader *reader, const struct json_ref *at,
                             struct error *err)
{
    const char *keys[MEMBERS + 1] = {0};
    enum status st = json_expect(at, JSON_OBJECT, err);

    for (size_t i = 0; i < MEMBERS; i++)
        keys[i] = members[i].key;
    if (!st)
        st = json_expect_keys(at, keys, err);
    for (size_t i = 0; !st && i < MEMBERS; i++) {
        struct json_ref member = json_ref_member(at, members[i].key);

        if (member.value)
            st = members[i].read(reader, &member, err);
    }
    if (!st && reader->rule->decision == DECISION_PENDING)
        st = json_ref_error(at, err, "decide: missing");
    if (!st && (reader->rule->decision == DECISION_EDITED) != (reader->rule->text != NULL))
        st = json_ref_error(at, err, "\"file\" must be given for \"edit\", and for nothing else");
    return st;
}

static enum status read_gate(const struct json_ref *root, struct gate *gate, struct error *err)
{
    struct json_ref at = json_ref_member(root, "otherwise");
    const char *name = "auto";
    enum status st = at.value ? json_read_string(&at, &name, err) : STATUS_OK;

    if (!st && !gate_preset(name, gate))
        st = json_ref_error(&at, err, "no policy \"%.60s\": use auto, guided or manual", name);
    return st;
}

static enum status read_document(const struct json_ref *root, struct rules *rules,
                                 struct error *err)
{
    static const char *const keys[] = {"kforge", "otherwise", "rules", NULL};
    struct json_ref list = json_ref_member(root, "rules");

    if (json_expect(root, JSON_OBJECT, err) || json_expect_keys(root, keys, err) ||
        json_expect(&list, JSON_ARRAY, err) || read_gate(root, &rules->gate, err))
        return STATUS_INVALID;
    if (json_get_number(root->value, "kforge", 0) != FORMAT_VERSION)
        return json_ref_error(root, err, "\"kforge\" must be %d, the version of the format",
                              FORMAT_VERSION);
    for (struct json_ref at = json_ref_first(&list); at.value; at = json_ref_next(&at)) {
        struct reader reader = {.path = root->name};

        vec_push(rules, (struct rule){0});
        reader.rule = &rules->items[rules->count - 1];
        if (read_rule(&reader, &at, err))
            return STATUS_INVALID;
    }
    return STATUS_OK;
}

enum status rules_file_read(const char *path, struct rules *rules, struct error *err)
{
    struct rules read = {0};
    struct strbuf text = {0};
    struct json *json = NULL;
    struct error why;
    enum status st = file_read(path, FILE_MAX_BYTES, &text, err);

    if (!st && !(json = json_parse(strbuf_cstr(&text), text.len, &why)))
        st = error_set(err, STATUS_INVALID, "%s: %s", path, why.text);
    if (!st) {
        struct json_ref root = json_ref_root(json, path);

        st = read_document(&root, &read, err);
    }
    if (st)
        rules_release(&read);
    else
        *rules = read;
    json_free(json);
    strbuf_release(&text);
    return st;
}
