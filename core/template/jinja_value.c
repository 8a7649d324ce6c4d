#include "core/template/jinja_value.h"

#include <math.h>
#include <string.h>

struct jinja_value jinja_bool(bool truth)
{
    return (struct jinja_value){JINJA_BOOL, {.truth = truth}};
}

struct jinja_value jinja_int(int64_t integer)
{
    return (struct jinja_value){JINJA_INT, {.integer = integer}};
}

struct jinja_value jinja_float(double real)
{
    return (struct jinja_value){JINJA_FLOAT, {.real = real}};
}

struct jinja_value jinja_string(struct jinja_text text)
{
    return (struct jinja_value){JINJA_STRING, {.text = text}};
}

struct jinja_list *jinja_list_new(struct arena *arena, size_t count)
{
    struct jinja_list *list = arena_alloc(arena, 1, sizeof(*list));

    list->items = arena_alloc(arena, count, sizeof(*list->items));
    list->count = count;
    return list;
}

struct jinja_value jinja_list_value(const struct jinja_list *list)
{
    return (struct jinja_value){JINJA_LIST, {.list = list}};
}

static struct jinja_text copy_text(struct arena *arena, const char *text)
{
    size_t len = strlen(text);

    return (struct jinja_text){arena_copy(arena, text, len), len};
}

static struct jinja_value from_number(double number)
{
    const double limit = 9007199254740992.0; /* 2^53: above it doubles skip integers */

    if (number == floor(number) && fabs(number) <= limit)
        return jinja_int((int64_t)number);
    return jinja_float(number);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the tree, which the JSON parser limits */

static struct jinja_value from_array(struct arena *arena, const struct json *json)
{
    struct jinja_list *list = jinja_list_new(arena, json_count(json));
    struct jinja_value *item = list->items;

    for (const struct json *e = json_first(json); e; e = json_next(e))
        *item++ = jinja_from_json(arena, e);
    return jinja_list_value(list);
}

static struct jinja_value from_object(struct arena *arena, const struct json *json)
{
    struct jinja_dict *dict = arena_alloc(arena, 1, sizeof(*dict));

    dict->pairs = arena_alloc(arena, json_count(json), sizeof(*dict->pairs));
    for (const struct json *m = json_first(json); m; m = json_next(m))
        dict->pairs[dict->count++] =
            (struct jinja_pair){copy_text(arena, json_key(m)), jinja_from_json(arena, m)};
    return (struct jinja_value){JINJA_DICT, {.dict = dict}};
}

struct jinja_value jinja_from_json(struct arena *arena, const struct json *json)
{
    switch (json_type(json)) {
    case JSON_BOOL:
        return jinja_bool(json_bool(json, false));
    case JSON_NUMBER:
        return from_number(json_number(json, 0));
    case JSON_STRING:
        return jinja_string(copy_text(arena, json_string(json, "")));
    case JSON_ARRAY:
        return from_array(arena, json);
    case JSON_OBJECT:
        return from_object(arena, json);
    case JSON_NULL:
    case JSON_ABSENT:
    default:
        return (struct jinja_value){.type = JINJA_NONE};
    }
}

/* NOLINTEND(misc-no-recursion) */

const char *jinja_type_name(struct jinja_value value)
{
    static const char *const names[] = {
        [JINJA_ABSENT] = "nothing", [JINJA_UNDEFINED] = "undefined",
        [JINJA_NONE] = "none",      [JINJA_BOOL] = "bool",
        [JINJA_INT] = "int",        [JINJA_FLOAT] = "float",
        [JINJA_STRING] = "str",     [JINJA_LIST] = "list",
        [JINJA_DICT] = "dict",      [JINJA_MACRO] = "macro",
    };

    return names[value.type];
}

bool jinja_is_integer(struct jinja_value value)
{
    return value.type == JINJA_INT || value.type == JINJA_BOOL;
}

bool jinja_is_number(struct jinja_value value)
{
    return jinja_is_integer(value) || value.type == JINJA_FLOAT;
}

int64_t jinja_to_integer(struct jinja_value integer)
{
    return integer.type == JINJA_BOOL ? integer.truth : integer.integer;
}

double jinja_to_float(struct jinja_value number)
{
    return number.type == JINJA_FLOAT ? number.real : (double)jinja_to_integer(number);
}

bool jinja_truth(struct jinja_value value)
{
    if (jinja_is_number(value))
        return jinja_to_float(value) != 0;
    if (value.type == JINJA_STRING)
        return value.text.len > 0;
    if (value.type == JINJA_LIST)
        return value.list->count > 0;
    return value.type == JINJA_DICT ? value.dict->count > 0 : value.type == JINJA_MACRO;
}

static const struct jinja_list *keys(struct arena *arena, const struct jinja_dict *dict)
{
    struct jinja_list *list = jinja_list_new(arena, dict->count);

    for (size_t i = 0; i < dict->count; i++)
        list->items[i] = jinja_string(dict->pairs[i].key);
    return list;
}

const struct jinja_list *jinja_elements(struct arena *arena, struct jinja_value value)
{
    if (value.type == JINJA_LIST)
        return value.list;
    return value.type == JINJA_DICT ? keys(arena, value.dict) : NULL;
}

const struct jinja_value *jinja_dict_get(const struct jinja_dict *dict, struct jinja_text key)
{
    for (size_t i = 0; i < dict->count; i++)
        if (jinja_text_compare(dict->pairs[i].key, key) == 0)
            return &dict->pairs[i].value;
    return NULL;
}

bool jinja_subscript(struct arena *arena, struct jinja_value container, struct jinja_value key,
                     struct jinja_value *out)
{
    if (container.type == JINJA_DICT) {
        const struct jinja_value *found =
            key.type == JINJA_STRING ? jinja_dict_get(container.dict, key.text) : NULL;

        if (found)
            *out = *found;
        return found;
    }

    const struct jinja_list *list = jinja_is_integer(key) ? jinja_elements(arena, container) : NULL;

    if (!list)
        return false;

    int64_t index = jinja_to_integer(key);
    int64_t count = (int64_t)list->count;

    if (index < -count || index >= count)
        return false;
    *out = list->items[index < 0 ? index + count : index];
    return true;
}
