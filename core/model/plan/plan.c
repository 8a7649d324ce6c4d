#include "core/model/plan/plan.h"

#include <stdlib.h>
#include <string.h>

static enum status check_version(const struct json_ref *root, struct error *err)
{
    struct json_ref version = json_ref_member(root, "kforge");

    if (json_type(version.value) == JSON_ABSENT || json_number(version.value, 0) == 1)
        return STATUS_OK;
    return json_ref_error(&version, err, "expected 1, the version of plans, or nothing");
}

static enum status check_scratch(const struct json_ref *scratch, struct error *err)
{
    static const char *const keys[] = {"dtype", "shape", NULL};
    enum status st = STATUS_OK;

    if (!scratch->value)
        return STATUS_OK;
    st = json_expect(scratch, JSON_OBJECT, err);
    if (!st && json_count(scratch->value) > PLAN_MAX_SCRATCH)
        st = json_ref_error(scratch, err, "more than %d", PLAN_MAX_SCRATCH);
    for (struct json_ref s = json_ref_first(scratch); !st && s.value; s = json_ref_next(&s))
        st = json_expect_keys(&s, keys, err);
    return st;
}

static enum status check_launches(const struct json_ref *list, struct error *err)
{
    static const char *const keys[] = {"kernel",    "global",     "local",    "grid", "block",
                                       "shared",    "cluster",    "threads",  "args", "constants",
                                       "num_warps", "num_stages", "num_ctas", NULL};
    enum status st = json_expect(list, JSON_ARRAY, err);

    if (!st && json_count(list->value) > PLAN_MAX_LAUNCHES)
        st = json_ref_error(list, err, "more than %d", PLAN_MAX_LAUNCHES);
    if (st)
        return st;
    for (struct json_ref l = json_ref_first(list); !st && l.value; l = json_ref_next(&l))
        st = json_expect_keys(&l, keys, err);
    return st;
}

static enum status check_form(const struct json_ref *root, struct error *err)
{
    static const char *const keys[] = {"kforge",  "scratch",  "tune", "build",
                                       "prepare", "launches", NULL};
    struct json_ref scratch = json_ref_member(root, "scratch");
    struct json_ref build = json_ref_member(root, "build");
    struct json_ref prepare = json_ref_member(root, "prepare");
    struct json_ref launches = json_ref_member(root, "launches");
    enum status st = json_expect_keys(root, keys, err);

    if (!st)
        st = check_version(root, err);
    if (!st)
        st = check_scratch(&scratch, err);
    if (!st && build.value)
        st = json_expect(&build, JSON_ARRAY, err);
    if (!st && prepare.value)
        st = check_launches(&prepare, err);
    if (!st)
        st = check_launches(&launches, err);
    if (!st && json_count(launches.value) == 0)
        st = json_ref_error(&launches, err, "empty, expected at least one launch");
    return st;
}

/* A list of integers that keeps the number of combinations within its limit. */
static enum status check_values(const struct json_ref *values, size_t *choices, struct error *err)
{
    enum status st = json_expect(values, JSON_ARRAY, err);
    size_t count = json_count(values->value);
    int64_t value = 0;

    if (!st && count == 0)
        st = json_ref_error(values, err, "empty, expected at least one integer");
    if (!st && count > PLAN_MAX_CHOICES / *choices)
        st = json_ref_error(values, err, "more than %d combinations of tunables", PLAN_MAX_CHOICES);
    if (st)
        return st;
    *choices *= count;
    for (struct json_ref v = json_ref_first(values); !st && v.value; v = json_ref_next(&v))
        st = json_read_integer(&v, &value, err);
    return st;
}

static enum status read_tunables(struct plan *plan, const struct json_ref *tune, struct error *err)
{
    enum status st = tune->value ? json_expect(tune, JSON_OBJECT, err) : STATUS_OK;
    size_t choices = 1;

    if (!st && json_count(tune->value) > PLAN_MAX_TUNABLES)
        st = json_ref_error(tune, err, "more than %d tunables", PLAN_MAX_TUNABLES);
    if (st)
        return st;
    for (struct json_ref t = json_ref_first(tune); !st && t.value; t = json_ref_next(&t)) {
        st = name_check(&t, t.name, err);
        if (!st && json_get(tune->value, t.name) != t.value)
            st = json_ref_error(&t, err, "is given twice");
        if (!st)
            st = check_values(&t, &choices, err);
        plan->tunables[plan->tunable_count++] = (struct tunable){t.name, t.value};
    }
    return st;
}

enum status plan_parse(struct plan *plan, const char *text, size_t len, struct error *err)
{
    struct plan read = {0};
    struct error why = {0};
    enum status st;

    if (len > PLAN_MAX_BYTES)
        return error_set(err, STATUS_INVALID, "plan: %zu bytes, expected at most %d", len,
                         PLAN_MAX_BYTES);
    read.document = json_parse(text, len, &why);
    if (!read.document)
        return error_set(err, STATUS_INVALID, "plan: %s", why.text);

    struct json_ref root = json_ref_root(read.document, "plan");
    struct json_ref tune = json_ref_member(&root, "tune");

    st = check_form(&root, err);
    if (!st)
        st = read_tunables(&read, &tune, err);
    if (st)
        plan_release(&read);
    else
        *plan = read;
    return st;
}

void plan_release(struct plan *plan)
{
    json_free(plan->document);
    *plan = (struct plan){0};
}

size_t plan_choices(const struct plan *plan)
{
    size_t choices = 1;

    for (size_t i = 0; i < plan->tunable_count; i++)
        choices *= json_count(plan->tunables[i].values);
    return choices;
}

struct scope plan_scope(const struct plan *plan, size_t choice, const struct scope *dims,
                        struct binding *bindings)
{
    for (size_t i = plan->tunable_count; i-- > 0;) {
        const struct tunable *tunable = &plan->tunables[i];
        size_t count = json_count(tunable->values);
        double value = json_number(json_at(tunable->values, choice % count), 0);

        bindings[i] = (struct binding){tunable->name, (int64_t)value};
        choice /= count;
    }
    return (struct scope){bindings, plan->tunable_count, dims};
}

char *plan_describe_choice(const struct plan *plan, size_t choice)
{
    struct binding chosen[PLAN_MAX_TUNABLES];
    struct scope scope = plan_scope(plan, choice, NULL, chosen);
    struct strbuf text = {0};

    for (size_t i = 0; i < scope.count; i++)
        strbuf_addf(&text, "%s%s=%lld", i ? " " : "", scope.items[i].name,
                    (long long)scope.items[i].value);
    return strbuf_take(&text);
}

bool plan_find_choice(const struct plan *plan, const char *description, size_t *choice)
{
    for (size_t i = 0; i < plan_choices(plan); i++) {
        char *text = plan_describe_choice(plan, i);
        bool is_meant = strcmp(text, description) == 0;

        free(text);
        if (is_meant) {
            *choice = i;
            return true;
        }
    }
    return false;
}
