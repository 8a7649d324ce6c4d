#include "core/template/jinja_function.h"

/* The methods of dicts that a template may call. */

static const struct jinja_parameter only_dict[] = {{.name = "self"}, {0}};
static const struct jinja_parameter get_parameters[] = {
    {.name = "self"}, {.name = "key"}, {"default", {.type = JINJA_NONE}}, {0}};

enum { VIEW_KEYS, VIEW_VALUES, VIEW_ITEMS };

static struct jinja_value pair_of(struct jinja_heap *heap, const struct jinja_pair *pair)
{
    struct jinja_list *list = jinja_list_new(heap, 2);

    list->items[0] = pair->key;
    list->items[1] = pair->value;
    return (struct jinja_value){JINJA_TUPLE, {.list = list}};
}

static enum status apply_view(struct jinja_heap *heap, const struct jinja_function *function,
                              const struct jinja_value *arguments, struct jinja_value *out,
                              struct error *err)
{
    static const char *const names[] = {"dict_keys", "dict_values", "dict_items"};
    const struct jinja_dict *dict = arguments[0].dict;
    struct jinja_list *list = jinja_list_new(heap, dict->count);

    (void)err;
    for (size_t i = 0; i < dict->count; i++) {
        const struct jinja_pair *pair = &dict->pairs[i];

        list->items[i] = function->detail == VIEW_ITEMS  ? pair_of(heap, pair)
                         : function->detail == VIEW_KEYS ? pair->key
                                                         : pair->value;
    }
    *out = (struct jinja_value){JINJA_VIEW, {.list = list}};
    out->view = names[function->detail];
    return STATUS_OK;
}

static enum status apply_get(struct jinja_heap *heap, const struct jinja_function *function,
                             const struct jinja_value *arguments, struct jinja_value *out,
                             struct error *err)
{
    const struct jinja_value *found = jinja_dict_get(heap, arguments[0].dict, arguments[1]);
    enum status st = jinja_require(arguments[1], err);

    (void)function;
    if (!st)
        *out = found ? *found : arguments[2];
    return st;
}

const struct jinja_function jinja_dict_methods[] = {
    {"get", get_parameters, apply_get, 0, true},
    {"items", only_dict, apply_view, VIEW_ITEMS, false},
    {"keys", only_dict, apply_view, VIEW_KEYS, false},
    {"values", only_dict, apply_view, VIEW_VALUES, false},
    {0},
};
