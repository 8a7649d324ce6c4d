#include "core/template/jinja_value.h"

#include <math.h>
#include <string.h>

#include "core/template/jinja_relation.h"

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

struct jinja_list *jinja_list_new(struct jinja_heap *heap, size_t count)
{
    struct jinja_list *list = arena_alloc(&heap->arena, 1, sizeof(*list));

    list->items = arena_alloc(&heap->arena, count, sizeof(*list->items));
    list->count = count;
    return list;
}

static struct jinja_value copy_text(struct jinja_heap *heap, const char *text)
{
    size_t len = strlen(text);

    return jinja_string((struct jinja_text){arena_copy(&heap->arena, text, len), len});
}

static struct jinja_value from_number(double number)
{
    const double limit = 9007199254740992.0; /* 2^53: beyond it doubles skip integers */

    if (number == floor(number) && fabs(number) <= limit)
        return jinja_int((int64_t)number);
    return jinja_float(number);
}

/* NOLINTBEGIN(misc-no-recursion): as deep as the tree, which the JSON parser limits */

static struct jinja_value from_array(struct jinja_heap *heap, const struct json *json)
{
    struct jinja_list *list = jinja_list_new(heap, json_count(json));
    struct jinja_value *item = list->items;

    for (const struct json *e = json_first(json); e; e = json_next(e))
        *item++ = jinja_from_json(heap, e);
    return (struct jinja_value){JINJA_LIST, {.list = list}};
}

static struct jinja_value from_object(struct jinja_heap *heap, const struct json *json)
{
    struct jinja_dict *dict = arena_alloc(&heap->arena, 1, sizeof(*dict));

    dict->pairs = arena_alloc(&heap->arena, json_count(json), sizeof(*dict->pairs));
    for (const struct json *m = json_first(json); m; m = json_next(m))
        dict->pairs[dict->count++] =
            (struct jinja_pair){copy_text(heap, json_key(m)), jinja_from_json(heap, m)};
    return (struct jinja_value){JINJA_DICT, {.dict = dict}};
}

struct jinja_value jinja_from_json(struct jinja_heap *heap, const struct json *json)
{
    switch (json_type(json)) {
    case JSON_BOOL:
        return jinja_bool(json_bool(json, false));
    case JSON_NUMBER:
        return from_number(json_number(json, 0));
    case JSON_STRING:
        return copy_text(heap, json_string(json, ""));
    case JSON_ARRAY:
        return from_array(heap, json);
    case JSON_OBJECT:
        return from_object(heap, json);
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
        [JINJA_ABSENT] = "absent", [JINJA_UNDEFINED] = "Undefined",
        [JINJA_NONE] = "None",     [JINJA_BOOL] = "bool",
        [JINJA_INT] = "int",       [JINJA_FLOAT] = "float",
        [JINJA_STRING] = "str",    [JINJA_LIST] = "list",
        [JINJA_TUPLE] = "tuple",   [JINJA_VIEW] = "dict view",
        [JINJA_DICT] = "dict",     [JINJA_LOOP] = "loop",
        [JINJA_RANGE] = "range",   [JINJA_MACRO] = "macro",
        [JINJA_FUNCTION] = "type",
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

enum status jinja_require(struct jinja_value value, struct error *err)
{
    if (value.type == JINJA_UNDEFINED && value.missing)
        return error_set(err, STATUS_NOT_FOUND, "%s", value.missing);
    return STATUS_OK;
}

enum status jinja_truth(struct jinja_value value, bool *truth, struct error *err)
{
    enum status st = jinja_require(value, err);

    if (st)
        return st;
    switch (value.type) {
    case JINJA_ABSENT:
    case JINJA_UNDEFINED:
    case JINJA_NONE:
        *truth = false;
        break;
    case JINJA_BOOL:
    case JINJA_INT:
    case JINJA_FLOAT:
        *truth = jinja_to_float(value) != 0;
        break;
    case JINJA_STRING:
        *truth = value.text.len > 0;
        break;
    case JINJA_LIST:
    case JINJA_TUPLE:
    case JINJA_VIEW:
    case JINJA_RANGE:
        *truth = value.list->count > 0;
        break;
    case JINJA_DICT:
        *truth = value.dict->count > 0;
        break;
    case JINJA_LOOP:
    case JINJA_MACRO:
    case JINJA_FUNCTION:
    default:
        *truth = true;
    }
    return STATUS_OK;
}

static const struct jinja_list *characters(struct jinja_heap *heap, struct jinja_text text)
{
    struct jinja_list *list = jinja_list_new(heap, jinja_text_length(text));
    uint32_t code;

    for (size_t i = 0; i < list->count; i++)
        list->items[i] = jinja_string(jinja_text_next(&text, &code));
    return list;
}

static const struct jinja_list *keys(struct jinja_heap *heap, const struct jinja_dict *dict)
{
    struct jinja_list *list = jinja_list_new(heap, dict->count);

    for (size_t i = 0; i < dict->count; i++)
        list->items[i] = dict->pairs[i].key;
    return list;
}

enum status jinja_elements(struct jinja_heap *heap, struct jinja_value value,
                           const struct jinja_list **elements, struct error *err)
{
    enum status st = jinja_require(value, err);

    if (st)
        return st;
    if (value.type == JINJA_LIST || value.type == JINJA_TUPLE || value.type == JINJA_VIEW ||
        value.type == JINJA_RANGE)
        *elements = value.list;
    else if (value.type == JINJA_STRING)
        *elements = characters(heap, value.text);
    else if (value.type == JINJA_DICT)
        *elements = keys(heap, value.dict);
    else if (value.type == JINJA_UNDEFINED)
        *elements = jinja_list_new(heap, 0);
    else
        return error_set(err, STATUS_INVALID, "%s is not iterable", jinja_type_name(value));
    return STATUS_OK;
}

const struct jinja_value *jinja_dict_get(struct jinja_heap *heap, const struct jinja_dict *dict,
                                         struct jinja_value key)
{
    for (size_t i = 0; i < dict->count; i++)
        if (jinja_equal(heap, dict->pairs[i].key, key))
            return &dict->pairs[i].value;
    return NULL;
}

bool jinja_subscript(struct jinja_heap *heap, struct jinja_value container, struct jinja_value key,
                     struct jinja_value *out)
{
    const struct jinja_list *list = NULL;

    if (container.type == JINJA_DICT) {
        const struct jinja_value *found = jinja_dict_get(heap, container.dict, key);

        if (found)
            *out = *found;
        return found;
    }
    if (container.type == JINJA_LIST || container.type == JINJA_TUPLE ||
        container.type == JINJA_RANGE)
        list = container.list;
    else if (container.type == JINJA_STRING)
        list = characters(heap, container.text);
    if (!list || !jinja_is_integer(key))
        return false;

    int64_t index = jinja_to_integer(key);
    int64_t count = (int64_t)list->count;

    if (index < -count || index >= count)
        return false;
    *out = list->items[index < 0 ? index + count : index];
    return true;
}
