#include "core/model/op/attribute.h"

static enum status read_integers(const struct json_ref *at, const struct scope *scope,
                                 struct attribute *attribute, struct error *err)
{
    enum status st = STATUS_OK;

    if (json_type(at->value) != JSON_ARRAY) {
        attribute->count = 1;
        return expr_read(at, scope, &attribute->integers[0], err);
    }
    if (json_count(at->value) > SHAPE_MAX_RANK)
        return json_ref_error(at, err, "more than %d numbers", SHAPE_MAX_RANK);
    for (struct json_ref e = json_ref_first(at); !st && e.value; e = json_ref_next(&e))
        st = expr_read(&e, scope, &attribute->integers[attribute->count++], err);
    return st;
}

static enum status read_flag(const struct json_ref *at, struct attribute *attribute,
                             struct error *err)
{
    bool flag = false;
    enum status st = json_read_bool(at, &flag, err);

    attribute->integers[0] = flag;
    return st;
}

static enum status read_choice(const struct json_ref *at, const struct attribute_spec *spec,
                               struct attribute *attribute, struct error *err)
{
    size_t choice = 0;
    enum status st = json_read_choice(at, spec->choices, &choice, err);

    attribute->integers[0] = (int64_t)choice;
    return st;
}

static enum status read_given(const struct json_ref *at, const struct attribute_spec *spec,
                              const struct scope *scope, struct attribute *attribute,
                              struct error *err)
{
    attribute->is_given = true;
    switch (spec->kind) {
    case ATTRIBUTE_INTEGER:
        return expr_read(at, scope, &attribute->integers[0], err);
    case ATTRIBUTE_INTEGERS:
        return read_integers(at, scope, attribute, err);
    case ATTRIBUTE_FLAG:
        return read_flag(at, attribute, err);
    case ATTRIBUTE_CHOICE:
        return read_choice(at, spec, attribute, err);
    case ATTRIBUTE_NUMBER:
    default:
        return json_read_number(at, &attribute->number, err);
    }
}

static void use_fallback(const struct attribute_spec *spec, struct attribute *attribute)
{
    if (spec->kind == ATTRIBUTE_NUMBER)
        attribute->number = spec->fallback;
    else
        attribute->integers[0] = (int64_t)spec->fallback;
}

enum status attributes_read(const struct json_ref *node, const struct attribute_spec *specs,
                            const struct scope *scope, struct attribute attributes[ATTRIBUTES_MAX],
                            struct error *err)
{
    const char *keys[ATTRIBUTES_MAX + 4] = {"op", "in", "out"};
    enum status st = STATUS_OK;

    for (size_t i = 0; specs[i].name; i++)
        keys[3 + i] = specs[i].name;
    st = json_expect_keys(node, keys, err);
    for (size_t i = 0; !st && specs[i].name; i++) {
        struct json_ref at = json_ref_member(node, specs[i].name);

        attributes[i] = (struct attribute){0};
        if (at.value || specs[i].is_required)
            st = read_given(&at, &specs[i], scope, &attributes[i], err);
        else
            use_fallback(&specs[i], &attributes[i]);
    }
    return st;
}
