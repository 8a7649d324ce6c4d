#include "core/base/json.h"

#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "core/base/array.h"

#define TOO_DEEP "nested too deep: at most 1000 levels are read" /* CJSON_NESTING_LIMIT */

/* 2^53: larger doubles cannot represent every integer. */
#define INTEGERS_MOST 9007199254740992.0

/* `struct json` is cJSON under another name. The casts below are the only code that knows this. */
static const cJSON *inner(const struct json *value)
{
    return (const cJSON *)value;
}

static cJSON *inner_mut(struct json *value)
{
    return (cJSON *)value;
}

static const struct json *outer(const cJSON *value)
{
    return (const struct json *)value;
}

static struct json *outer_new(cJSON *value)
{
    if (!value) {
        fputs("out of memory\n", stderr);
        abort();
    }
    return (struct json *)value;
}

/* True when the text contains anything but white space. */
static bool has_text(const char *at, const char *limit)
{
    while (at < limit && *at && strchr(" \t\r\n", *at))
        at++;
    return at < limit;
}

static void locate(const char *text, const char *where, struct error *err)
{
    int line = 1, open = 0;
    bool is_string = false;
    const char *line_start = text;

    for (const char *p = text; p < where; p++) {
        if (*p == '"')
            is_string = !is_string;
        else if (is_string)
            p += *p == '\\';
        else
            open += (*p == '[' || *p == '{') - (*p == ']' || *p == '}');
        if (*p == '\n') {
            line++;
            line_start = p + 1;
        }
    }
    error_set(err, STATUS_INVALID, "line %d column %d: %s", line, (int)(where - line_start) + 1,
              open < CJSON_NESTING_LIMIT ? "not valid JSON: check quotes, commas and brackets"
                                         : TOO_DEEP);
}

void json_add_version(struct strbuf *out)
{
    strbuf_addf(out, "cJSON %s", cJSON_Version());
}

struct json *json_parse(const char *text, size_t len, struct error *err)
{
    const char *end = text;
    cJSON *root;

    if (!has_text(text, text + len)) {
        error_set(err, STATUS_INVALID, "is empty, expected JSON");
        return NULL;
    }
    root = cJSON_ParseWithLengthOpts(text, len, &end, 0);
    if (!root || has_text(end, text + len)) {
        cJSON_Delete(root);
        locate(text, end, err);
        return NULL;
    }
    return (struct json *)root;
}

void json_free(struct json *root)
{
    cJSON_Delete(inner_mut(root));
}

static void wipe_and_free(void *block)
{
    if (block)
        explicit_bzero(block, malloc_usable_size(block));
    free(block);
}

void json_wipe_freed(void)
{
    cJSON_Hooks hooks = {.malloc_fn = malloc, .free_fn = wipe_and_free};

    cJSON_InitHooks(&hooks);
}

struct json *json_dup(const struct json *value)
{
    return outer_new(cJSON_Duplicate(inner(value), 1));
}

static void print(char *text, struct strbuf *out)
{
    if (!text)
        abort();
    strbuf_adds(out, text);
    cJSON_free(text);
}

void json_print(const struct json *value, struct strbuf *out)
{
    print(cJSON_PrintUnformatted(inner(value)), out);
}

void json_print_pretty(const struct json *value, struct strbuf *out)
{
    print(cJSON_Print(inner(value)), out);
}

struct json *json_object_new(void)
{
    return outer_new(cJSON_CreateObject());
}

struct json *json_array_new(void)
{
    return outer_new(cJSON_CreateArray());
}

struct json *json_string_new(const char *text)
{
    return outer_new(cJSON_CreateString(text));
}

struct json *json_number_new(double number)
{
    return isfinite(number) ? outer_new(cJSON_CreateNumber(number)) : json_null_new();
}

struct json *json_bool_new(bool value)
{
    return outer_new(cJSON_CreateBool(value));
}

struct json *json_null_new(void)
{
    return outer_new(cJSON_CreateNull());
}

struct json *json_put(struct json *object, const char *key, struct json *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(inner_mut(object), key);
    if (!cJSON_AddItemToObject(inner_mut(object), key, inner_mut(value)))
        abort();
    return value;
}

void json_put_copy(struct json *object, const char *key, const struct json *value)
{
    json_put(object, key, value ? json_dup(value) : json_null_new());
}

void json_remove(struct json *object, const char *key)
{
    cJSON_DeleteItemFromObjectCaseSensitive(inner_mut(object), key);
}

struct json *json_push(struct json *array, struct json *value)
{
    if (!cJSON_AddItemToArray(inner_mut(array), inner_mut(value)))
        abort();
    return value;
}

void json_put_string(struct json *object, const char *key, const char *text)
{
    if (text)
        json_put(object, key, json_string_new(text));
}

void json_put_number(struct json *object, const char *key, double number)
{
    json_put(object, key, json_number_new(number));
}

void json_put_integers(struct json *object, const char *key, const int64_t *numbers, size_t count)
{
    struct json *array = json_put(object, key, json_array_new());

    for (size_t i = 0; i < count; i++)
        json_push(array, json_number_new((double)numbers[i]));
}

void json_put_bool(struct json *object, const char *key, bool value)
{
    json_put(object, key, json_bool_new(value));
}

enum json_type json_type(const struct json *value)
{
    switch (value ? inner(value)->type & 0xff : cJSON_Invalid) {
    case cJSON_NULL:
        return JSON_NULL;
    case cJSON_True:
    case cJSON_False:
        return JSON_BOOL;
    case cJSON_Number:
        return JSON_NUMBER;
    case cJSON_String:
        return JSON_STRING;
    case cJSON_Array:
        return JSON_ARRAY;
    case cJSON_Object:
        return JSON_OBJECT;
    default:
        return JSON_ABSENT;
    }
}

const struct json *json_get(const struct json *object, const char *key)
{
    return outer(cJSON_GetObjectItemCaseSensitive(inner(object), key));
}

const struct json *json_at(const struct json *array, size_t index)
{
    return outer(cJSON_GetArrayItem(inner(array), (int)index));
}

size_t json_count(const struct json *container)
{
    return container ? (size_t)cJSON_GetArraySize(inner(container)) : 0;
}

const struct json *json_first(const struct json *container)
{
    return container ? outer(inner(container)->child) : NULL;
}

const struct json *json_next(const struct json *element)
{
    return element ? outer(inner(element)->next) : NULL;
}

const char *json_key(const struct json *member)
{
    return member ? inner(member)->string : NULL;
}

const char *json_string(const struct json *value, const char *fallback)
{
    return json_type(value) == JSON_STRING ? inner(value)->valuestring : fallback;
}

double json_number(const struct json *value, double fallback)
{
    return json_type(value) == JSON_NUMBER ? inner(value)->valuedouble : fallback;
}

uint64_t json_whole(const struct json *value, uint64_t most, uint64_t fallback)
{
    double number = json_number(value, -1);

    if (!(number >= 0 && number <= INTEGERS_MOST) || number != floor(number))
        return fallback;
    return (uint64_t)number <= most ? (uint64_t)number : fallback;
}

bool json_bool(const struct json *value, bool fallback)
{
    return json_type(value) == JSON_BOOL ? cJSON_IsTrue(inner(value)) : fallback;
}

const char *json_get_string(const struct json *object, const char *key, const char *fallback)
{
    return json_string(json_get(object, key), fallback);
}

double json_get_number(const struct json *object, const char *key, double fallback)
{
    return json_number(json_get(object, key), fallback);
}

uint64_t json_get_whole(const struct json *object, const char *key, uint64_t most,
                        uint64_t fallback)
{
    return json_whole(json_get(object, key), most, fallback);
}

bool json_get_bool(const struct json *object, const char *key, bool fallback)
{
    return json_bool(json_get(object, key), fallback);
}

struct json_ref json_ref_root(const struct json *value, const char *document)
{
    return (struct json_ref){.value = value, .name = document};
}

struct json_ref json_ref_member(const struct json_ref *object, const char *key)
{
    return (struct json_ref){.value = json_get(object->value, key), .parent = object, .name = key};
}

struct json_ref json_ref_element(const struct json_ref *array, size_t index)
{
    return (struct json_ref){
        .value = json_at(array->value, index), .parent = array, .index = index};
}

struct json_ref json_ref_first(const struct json_ref *container)
{
    const struct json *first = json_first(container->value);

    return (struct json_ref){.value = first, .parent = container, .name = json_key(first)};
}

struct json_ref json_ref_next(const struct json_ref *at)
{
    const struct json *next = json_next(at->value);

    return (struct json_ref){
        .value = next, .parent = at->parent, .name = json_key(next), .index = at->index + 1};
}

/* Append "document: path", with the path written as in JavaScript. */
static void add_path(struct strbuf *out, const struct json_ref *at)
{
    const struct json_ref *chain[32];
    size_t depth = 0;

    for (; at && depth < COUNT(chain); at = at->parent)
        chain[depth++] = at;
    for (size_t i = depth; i-- > 0;) {
        if (!chain[i]->parent)
            strbuf_addf(out, "%s: ", chain[i]->name);
        else if (chain[i]->name)
            strbuf_addf(out, "%s%s", i + 2 < depth ? "." : "", chain[i]->name);
        else
            strbuf_addf(out, "[%zu]", chain[i]->index);
    }
    if (depth > 1)
        strbuf_adds(out, ": ");
}

enum status json_ref_error(const struct json_ref *at, struct error *err, const char *fmt, ...)
{
    struct strbuf text = {0};
    char message[ERROR_TEXT_SIZE];
    va_list args;

    va_start(args, fmt);
    vsnprintf(message, sizeof(message), fmt, args);
    va_end(args);
    add_path(&text, at);
    strbuf_adds(&text, message);
    error_set(err, STATUS_INVALID, "%s", strbuf_cstr(&text));
    strbuf_release(&text);
    return STATUS_INVALID;
}

enum status json_expect(const struct json_ref *at, enum json_type type, struct error *err)
{
    static const char *const names[] = {
        [JSON_NULL] = "null",     [JSON_BOOL] = "true or false", [JSON_NUMBER] = "a number",
        [JSON_STRING] = "a text", [JSON_ARRAY] = "an array",     [JSON_OBJECT] = "an object",
    };
    enum json_type found = json_type(at->value);

    if (found == type)
        return STATUS_OK;
    if (found == JSON_ABSENT)
        return json_ref_error(at, err, "missing, expected %s", names[type]);
    return json_ref_error(at, err, "expected %s, found %s", names[type], names[found]);
}

enum status json_read_string(const struct json_ref *at, const char **text, struct error *err)
{
    enum status st = json_expect(at, JSON_STRING, err);

    if (!st)
        *text = json_string(at->value, NULL);
    return st;
}

enum status json_read_number(const struct json_ref *at, double *number, struct error *err)
{
    enum status st = json_expect(at, JSON_NUMBER, err);

    if (st)
        return st;
    if (!isfinite(json_number(at->value, 0)))
        return json_ref_error(at, err, "the number is too large");
    *number = json_number(at->value, 0);
    return STATUS_OK;
}

enum status json_read_integer(const struct json_ref *at, int64_t *number, struct error *err)
{
    double value = 0;
    enum status st = json_read_number(at, &value, err);

    if (st)
        return st;
    if (value != floor(value))
        return json_ref_error(at, err, "expected an integer, found %g", value);
    if (fabs(value) > INTEGERS_MOST)
        return json_ref_error(at, err, "expected an integer of at most 2^53, found %g", value);
    *number = (int64_t)value;
    return STATUS_OK;
}

enum status json_read_bool(const struct json_ref *at, bool *value, struct error *err)
{
    enum status st = json_expect(at, JSON_BOOL, err);

    if (!st)
        *value = json_bool(at->value, false);
    return st;
}

/* The index of `text` in the list, or of the NULL at its end. */
static size_t find_text(const char *const *list, const char *text)
{
    size_t i = 0;

    while (list[i] && strcmp(list[i], text) != 0)
        i++;
    return i;
}

enum status json_read_choice(const struct json_ref *at, const char *const *choices, size_t *choice,
                             struct error *err)
{
    const char *text = NULL;
    struct strbuf list = {0};
    enum status st = json_read_string(at, &text, err);

    if (st)
        return st;
    size_t found = find_text(choices, text);
    if (choices[found]) {
        *choice = found;
        return STATUS_OK;
    }
    for (size_t i = 0; choices[i]; i++)
        strbuf_addf(&list, "%s\"%s\"", i ? ", " : "", choices[i]);
    st = json_ref_error(at, err, "\"%s\" is not one of %s", text, strbuf_cstr(&list));
    strbuf_release(&list);
    return st;
}

static enum status unknown_key(const struct json_ref *object, const char *key,
                               const char *const *keys, struct error *err)
{
    struct strbuf known = {0};

    for (size_t i = 0; keys[i]; i++)
        strbuf_add_item(&known, keys[i]);
    json_ref_error(object, err, "unknown key \"%s\": expected one of %s", key, strbuf_cstr(&known));
    strbuf_release(&known);
    return STATUS_INVALID;
}

enum status json_expect_keys(const struct json_ref *object, const char *const *keys,
                             struct error *err)
{
    enum status st = json_expect(object, JSON_OBJECT, err);

    if (st)
        return st;
    for (const struct json *m = json_first(object->value); m; m = json_next(m)) {
        if (!keys[find_text(keys, json_key(m))])
            return unknown_key(object, json_key(m), keys, err);
        if (json_get(object->value, json_key(m)) != m)
            return json_ref_error(object, err, "key \"%s\" is given twice", json_key(m));
    }
    return STATUS_OK;
}
