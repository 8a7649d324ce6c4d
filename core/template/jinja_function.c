#include "core/template/jinja_function.h"

#include <string.h>

static enum status bind_keyword(const char *keyword, struct jinja_value value,
                                const char *const *parameters, size_t count,
                                struct jinja_value *slots)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(parameters[i], keyword) == 0 && slots[i].type == JINJA_ABSENT) {
            slots[i] = value;
            return STATUS_OK;
        }
    }
    return STATUS_INVALID;
}

enum status jinja_bind(const struct jinja_arguments *given, const char *const *parameters,
                       size_t count, struct jinja_value *slots, struct error *err)
{
    for (size_t i = 0; i < given->count; i++) {
        const char *keyword = given->keywords[i];

        if (!keyword && i >= count)
            return error_set(err, STATUS_INVALID, "more than %zu arguments", count);
        if (!keyword)
            slots[i] = given->values[i];
        else if (bind_keyword(keyword, given->values[i], parameters, count, slots))
            return error_set(err, STATUS_INVALID, "no parameter \"%s\" is left", keyword);
    }
    return STATUS_OK;
}

static enum status complete(const struct jinja_function *function, struct jinja_value *slots,
                            struct error *err)
{
    for (size_t i = 0; function->parameters[i].name; i++) {
        const struct jinja_parameter *parameter = &function->parameters[i];

        if (slots[i].type == JINJA_ABSENT)
            slots[i] = parameter->fallback;
        if (slots[i].type == JINJA_ABSENT)
            return error_set(err, STATUS_INVALID, "%s: no argument \"%s\"", function->name,
                             parameter->name);

        enum status st = function->takes_undefined ? STATUS_OK : jinja_require(slots[i], err);

        if (st)
            return st;
    }
    return STATUS_OK;
}

enum status jinja_apply(struct jinja_heap *heap, const struct jinja_function *function,
                        const struct jinja_arguments *given, struct jinja_value *out,
                        struct error *err)
{
    struct jinja_value slots[JINJA_PARAMETERS_MAX] = {0};
    const char *names[JINJA_PARAMETERS_MAX];
    struct error reason;
    size_t count = 0;

    for (; function->parameters[count].name; count++)
        names[count] = function->parameters[count].name;
    if (jinja_bind(given, names, count, slots, &reason))
        return error_set(err, STATUS_INVALID, "%s: %s", function->name, reason.text);

    enum status st = complete(function, slots, err);

    return st ? st : function->apply(heap, function, slots, out, err);
}

const struct jinja_function *jinja_function_find(const struct jinja_function *table,
                                                 struct jinja_text name)
{
    for (; table->name; table++)
        if (jinja_text_is(name, table->name))
            return table;
    return NULL;
}
