#include "core/suite/suite.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/record.h"
#include "core/base/vec.h"
#include "core/model/language.h"
#include "core/session/state/session.h"
#include "core/suite/suite_place.h"
#include "core/system/file.h"

enum { FORMAT_VERSION = 1, MOST_KEYS = 32 };

#define BUDGET(type, member, name, resource) \
    .key = (name), .kind = FIELD_REAL,       \
    .offset = offsetof(type, member) + (resource) * sizeof(double)

static const struct field arm_budget_fields[] = {
    {BUDGET(struct suite_arm, limits.budget, "usd", RESOURCE_USD)},
    {BUDGET(struct suite_arm, limits.budget, "tokens", RESOURCE_TOKENS)},
    {BUDGET(struct suite_arm, limits.budget, "minutes", RESOURCE_MINUTES)},
    {0},
};

static const struct field suite_budget_fields[] = {
    {BUDGET(struct suite, budget, "usd", RESOURCE_USD)},
    {BUDGET(struct suite, budget, "tokens", RESOURCE_TOKENS)},
    {BUDGET(struct suite, budget, "minutes", RESOURCE_MINUTES)},
    {0},
};

#define LIMIT(member)                       \
    .key = #member, .kind = FIELD_UNSIGNED, \
    .offset = offsetof(struct suite_arm, limits) + offsetof(struct limits, member)

/* "agent" is a text, or a list of texts for several. */
static struct json *encode_agents(const void *member)
{
    const struct suite_arm *arm = member;
    struct json *list;

    if (!arm->other_count)
        return arm->agent ? json_string_new(arm->agent) : NULL;
    list = json_array_new();
    json_push(list, json_string_new(arm->agent));
    for (size_t i = 0; i < arm->other_count; i++)
        json_push(list, json_string_new(arm->others[i]));
    return list;
}

static enum status decode_agent(struct suite_arm *arm, const struct json_ref *at, struct error *err)
{
    const char *name = NULL;
    enum status st = json_read_string(at, &name, err);

    if (st)
        return st;
    if (arm->agent && arm->other_count == COUNT(arm->others))
        return json_ref_error(at, err, "expected at most %d agents", ROUND_ATTEMPTS);
    if (arm->agent)
        arm->others[arm->other_count++] = mem_strdup(name);
    else
        arm->agent = mem_strdup(name);
    return STATUS_OK;
}

static enum status decode_agents(void *member, const struct json_ref *at, struct error *err)
{
    struct json_ref item = json_ref_first(at);
    enum status st = STATUS_OK;

    if (json_type(at->value) != JSON_ARRAY)
        return decode_agent(member, at, err);
    if (!item.value)
        return json_ref_error(at, err, "expected at least one agent");
    for (; !st && item.value; item = json_ref_next(&item))
        st = decode_agent(member, &item, err);
    return st;
}

static void release_agents(void *member)
{
    struct suite_arm *arm = member;

    free(arm->agent);
    while (arm->other_count)
        free(arm->others[--arm->other_count]);
}

static const struct field_codec agents_codec = {encode_agents, decode_agents, release_agents};

/* "profile" is written only as false, for an arm whose agents are shown no profile. */
static struct json *encode_profile(const void *member)
{
    return json_bool_new(!*(const bool *)member);
}

static enum status decode_profile(void *member, const struct json_ref *at, struct error *err)
{
    bool profile = true;
    enum status st = json_read_bool(at, &profile, err);

    *(bool *)member = !profile;
    return st;
}

static void release_nothing(void *member)
{
    (void)member;
}

static const struct field_codec profile_codec = {encode_profile, decode_profile, release_nothing};

static const struct field arm_fields[] = {
    {FIELD(TEXT, struct suite_arm, name)},
    {.key = "agent", .kind = FIELD_CUSTOM, .offset = 0, .codec = &agents_codec},
    {FIELD(TEXT, struct suite_arm, analyst)},
    {.key = "profile",
     .kind = FIELD_CUSTOM,
     .offset = offsetof(struct suite_arm, without_profile),
     .codec = &profile_codec},
    {FIELD(TEXT, struct suite_arm, policy)},
    {FIELD(TEXT, struct suite_arm, language)},
    {FIELD(TEXT, struct suite_arm, reference)},
    {FIELD(TEXT, struct suite_arm, tolerance)},
    {FIELD(TEXT, struct suite_arm, device)},
    {FIELD(TEXT, struct suite_arm, worker)},
    {LIMIT(functional)},
    {LIMIT(optimize)},
    {LIMIT(attempts)},
    {LIMIT(flat)},
    {LIMIT(context)},
    {FIELD(REAL, struct suite_arm, build_limit)},
    {FIELD(REAL, struct suite_arm, run_limit)},
    {FIELD(REAL, struct suite_arm, tune_limit)},
    {FIELD(REAL, struct suite_arm, timing_limit)},
    {FIELD(SIZE, struct suite_arm, tune_choices)},
    {.key = "budget", .kind = FIELD_RECORD, .fields = arm_budget_fields},
    {0},
};

static const struct field text_item = {.kind = FIELD_TEXT};
static const struct field arm_item = {.kind = FIELD_RECORD, .fields = arm_fields};

const char *const suite_order_names[] = {
    [SUITE_ROUND_ROBIN] = "round-robin", [SUITE_SHORTEST] = "shortest", NULL};

static const struct field suite_fields[] = {
    {FIELD(TEXT, struct suite, name)},
    {FIELD(LIST, struct suite, problems), .item = &text_item, .size = sizeof(char *)},
    {FIELD(LIST, struct suite, arms), .item = &arm_item, .size = sizeof(struct suite_arm)},
    {FIELD(UNSIGNED, struct suite, repeats)},
    {FIELD(TEXT, struct suite, on)},
    {FIELD(CHOICE, struct suite, order), .choices = suite_order_names},
    {.key = "budget", .kind = FIELD_RECORD, .fields = suite_budget_fields},
    {0},
};

/* Fail at a key that is not in the table.  `first` is one more allowed key, or NULL. */
static enum status expect_fields(const struct json_ref *object, const char *first,
                                 const struct field *fields, struct error *err)
{
    const char *keys[MOST_KEYS] = {NULL};
    size_t count = 0;

    if (first)
        keys[count++] = first;
    for (const struct field *f = fields; f->key; f++)
        keys[count++] = f->key;
    return json_expect_keys(object, keys, err);
}

/* A budget's amounts are 0 or more; 0 is no limit. */
static enum status check_budget(const struct json_ref *owner, struct error *err)
{
    struct json_ref budget = json_ref_member(owner, "budget");
    enum status st = STATUS_OK;

    if (budget.value)
        st = expect_fields(&budget, NULL, suite_budget_fields, err);
    for (struct json_ref at = json_ref_first(&budget); !st && at.value; at = json_ref_next(&at)) {
        double amount = json_number(at.value, -1);

        if (!(amount >= 0) || isinf(amount))
            st = json_ref_error(&at, err, "expected an amount of 0 or more; 0 means no limit");
    }
    return st;
}

/* Check a name, which becomes a part of tables and folder names. */
static enum status check_name(const struct json_ref *owner, const char *name, struct error *err)
{
    struct json_ref at = json_ref_member(owner, "name");
    size_t len = name ? strlen(name) : 0;

    if (!name)
        return json_ref_error(owner, err, "\"name\" is missing");
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("._+-", *c))
            len = 0;
    if (len == 0 || len > SUITE_MOST_NAME)
        return json_ref_error(&at, err,
                              "expected 1 to %d letters, digits, dots, dashes, pluses and "
                              "underscores, found \"%.60s\"",
                              SUITE_MOST_NAME, name);
    return STATUS_OK;
}

static enum status check_name_is_new(const struct suite *suite, const struct suite_arm *arm,
                                     const struct json_ref *at, struct error *err)
{
    struct json_ref name = json_ref_member(at, "name");

    for (const struct suite_arm *other = suite->arms.items; other < arm; other++)
        if (strcmp(other->name, arm->name) == 0)
            return json_ref_error(&name, err, "an earlier arm is also called \"%s\"", arm->name);
    return STATUS_OK;
}

static enum status check_choices(const struct suite_arm *arm, const struct json_ref *at,
                                 struct error *err)
{
    struct json_ref tolerance = json_ref_member(at, "tolerance");
    struct json_ref attempts = json_ref_member(at, "attempts");
    struct json_ref language = json_ref_member(at, "language");

    if (arm->tolerance && strcmp(arm->tolerance, "f32") != 0 &&
        strcmp(arm->tolerance, "mixed") != 0)
        return json_ref_error(&tolerance, err, "no tolerance \"%.60s\": expected f32 or mixed",
                              arm->tolerance);
    if (arm->language && !language_of(arm->language)->name)
        return json_ref_error(&language, err, "no such language: \"%s\"", arm->language);
    if (arm->limits.attempts > ROUND_ATTEMPTS)
        return json_ref_error(&attempts, err, "expected at most %d", ROUND_ATTEMPTS);
    return STATUS_OK;
}

/* Set the defaults of the members that the arm does not give. */
static void complete(struct suite_arm *arm, const struct json *given)
{
    const struct limits *usual = &limits_default;

    if (!arm->agent)
        arm->agent = mem_strdup("builtin");
    if (!arm->policy)
        arm->policy = mem_strdup("auto");
    if (!json_get(given, "functional"))
        arm->limits.functional = usual->functional;
    if (!json_get(given, "optimize"))
        arm->limits.optimize = usual->optimize;
    if (!json_get(given, "flat"))
        arm->limits.flat = usual->flat;
}

/* Check the time limits, in seconds; 0 stands for the worker's own limit. */
static enum status check_seconds(const struct json_ref *arm, struct error *err)
{
    static const char *const keys[] = {"build_limit", "run_limit", "tune_limit", "timing_limit"};
    enum { MOST_SECONDS = 86400 };

    for (size_t i = 0; i < COUNT(keys); i++) {
        struct json_ref at = json_ref_member(arm, keys[i]);
        double seconds = json_number(at.value, at.value ? -1 : 0);

        if (!(seconds >= 0 && seconds <= MOST_SECONDS))
            return json_ref_error(&at, err, "expected seconds from 0 to %d", MOST_SECONDS);
    }
    return STATUS_OK;
}

static enum status read_arm(struct suite *suite, size_t index, const struct json_ref *at,
                            struct error *err)
{
    struct suite_arm *arm = &suite->arms.items[index];
    enum status st = expect_fields(at, NULL, arm_fields, err);

    complete(arm, at->value);
    if (!st)
        st = check_name(at, arm->name, err);
    if (!st)
        st = check_name_is_new(suite, arm, at, err);
    if (!st)
        st = check_choices(arm, at, err);
    if (!st)
        st = check_seconds(at, err);
    return st ? st : check_budget(at, err);
}

static enum status check_counts(const struct suite *suite, const struct json_ref *root,
                                struct error *err)
{
    struct json_ref repeats = json_ref_member(root, "repeats");

    if (suite->problems.count == 0)
        return json_ref_error(root, err,
                              "\"problems\" names none: add a file, a pattern or the "
                              "name of a shipped problem");
    if (suite->arms.count == 0)
        return json_ref_error(root, err, "\"arms\" has none: add [{\"name\": \"builtin\"}]");
    if (suite->repeats < 1 || suite->repeats > SUITE_MOST_REPEATS)
        return json_ref_error(&repeats, err, "expected 1 to %d", SUITE_MOST_REPEATS);
    if (suite->problems.count > SUITE_MOST_TASKS / suite->arms.count / suite->repeats)
        return json_ref_error(root, err, "%zu problems x %zu arms x %u repeats are over %d tasks",
                              suite->problems.count, suite->arms.count, suite->repeats,
                              SUITE_MOST_TASKS);
    return STATUS_OK;
}

static enum status check_place(const struct suite *suite, const struct json_ref *root,
                               struct error *err)
{
    struct json_ref on = json_ref_member(root, "on");
    struct suite_place place = {0};
    struct error inner = {0};

    if (suite_place_parse(&place, suite->on, &inner))
        return json_ref_error(&on, err, "%s", inner.text);
    suite_place_release(&place);
    return STATUS_OK;
}

static enum status read_root(struct suite *suite, const struct json_ref *root, struct error *err)
{
    struct json_ref arms = json_ref_member(root, "arms");
    size_t index = 0;
    enum status st = expect_fields(root, "kforge", suite_fields, err);

    if (!st && json_get_number(root->value, "kforge", 0) != FORMAT_VERSION)
        st = json_ref_error(root, err, "\"kforge\" must be %d, the version of the format",
                            FORMAT_VERSION);
    if (!st)
        st = record_decode(suite_fields, suite, root, err);
    if (!json_get(root->value, "repeats"))
        suite->repeats = 1;
    if (!st)
        st = check_name(root, suite->name, err);
    for (struct json_ref at = json_ref_first(&arms); !st && at.value; at = json_ref_next(&at))
        st = read_arm(suite, index++, &at, err);
    if (!st)
        st = check_budget(root, err);
    if (!st)
        st = check_place(suite, root, err);
    return st ? st : check_counts(suite, root, err);
}

enum status suite_parse(struct suite *suite, const char *text, size_t len, const char *document,
                        struct error *err)
{
    struct error inner = {0};
    struct json *parsed = json_parse(text, len, &inner);
    struct json_ref root = json_ref_root(parsed, document);
    struct suite read = {0};
    enum status st;

    if (!parsed)
        return error_set(err, inner.code, "%s: %s", document, inner.text);
    st = read_root(&read, &root, err);
    json_free(parsed);
    if (st)
        suite_release(&read);
    else
        *suite = read;
    return st;
}

void suite_print(const struct suite *suite, struct strbuf *out)
{
    struct json *fields = record_encode(suite_fields, suite), *object = json_object_new();

    json_put_number(object, "kforge", FORMAT_VERSION);
    for (const struct json *m = json_first(fields); m; m = json_next(m))
        json_put(object, json_key(m), json_dup(m));
    json_print_pretty(object, out);
    strbuf_adds(out, "\n");
    json_free(fields);
    json_free(object);
}

void suite_release(struct suite *suite)
{
    record_release(suite_fields, suite);
    *suite = (struct suite){0};
}

struct suite_arm suite_arm_copy(const struct suite_arm *arm)
{
    struct json *fields = record_encode(arm_fields, arm);
    struct json_ref root = json_ref_root(fields, arm->name);
    struct suite_arm copy = {0};
    struct error err;

    if (record_decode(arm_fields, &copy, &root, &err))
        copy = (struct suite_arm){0}; /* what was encoded decodes */
    json_free(fields);
    return copy;
}

struct roles suite_arm_roles(const struct suite_arm *arm)
{
    struct roles roles = {.other_count = arm->other_count,
                          .analyst = arm->analyst,
                          .without_profile = arm->without_profile};

    for (size_t i = 0; i < arm->other_count; i++)
        roles.others[i] = arm->others[i];
    return roles;
}

static bool thinks(const char *agent)
{
    return agent && strcmp(agent, ROLES_BUILTIN) != 0 && strcmp(agent, ROLES_NOBODY) != 0;
}

bool suite_arm_thinks(const struct suite_arm *arm)
{
    bool is_thinking = thinks(arm->agent) || thinks(arm->analyst);

    for (size_t i = 0; i < arm->other_count; i++)
        is_thinking |= thinks(arm->others[i]);
    return is_thinking;
}

size_t suite_task_count(const struct suite *suite)
{
    return suite->problems.count * suite->arms.count * suite->repeats;
}

struct suite_task suite_task_at(const struct suite *suite, size_t index)
{
    size_t arms = suite->arms.count, problems = suite->problems.count;

    return (struct suite_task){.arm = index % arms,
                               .problem = index / arms % problems,
                               .repeat = (unsigned)(index / arms / problems)};
}

size_t suite_task_index(const struct suite *suite, struct suite_task at)
{
    return (at.repeat * suite->problems.count + at.problem) * suite->arms.count + at.arm;
}

void suite_add_label(const struct suite *suite, size_t problem, struct strbuf *out)
{
    const char *name = file_name(suite->problems.items[problem]);
    const char *end = strrchr(name, '.');

    strbuf_add(out, name, end && end > name ? (size_t)(end - name) : strlen(name));
}
