#ifndef CORE_BASE_JSON_H
#define CORE_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/status.h"
#include "core/base/strbuf.h"

/*
 * JSON trees, over cJSON, and strict reading whose errors name the place.
 *
 * The root owns its tree: json_free() frees all of it, and every other `struct json *` is borrowed
 * from it. A `struct json_ref` is a value and its path from the root of the document, so that an
 * error reads `linear.json: graph[1].in[0]: no tensor "tt"`. A ref lives on the stack and points at
 * its parent, so it is valid only while the parent is.
 */
struct json;

/* Append the library's name and version. */
void json_add_version(struct strbuf *out);

/* Parse `len` bytes. The caller frees the tree. NULL on failure; the error names line and column.
 */
struct json *json_parse(const char *text, size_t len, struct error *err) MUST_CHECK;
void json_free(struct json *root);

/*
 * From now on overwrite the memory of JSON values when it is freed, in the whole process. Call it
 * before any other function.
 */
void json_wipe_freed(void);
struct json *json_dup(const struct json *value);

/* Append the text of `value`, on one line or indented. */
void json_print(const struct json *value, struct strbuf *out);
void json_print_pretty(const struct json *value, struct strbuf *out);

/* Build trees. A container owns the values that are put into it; strings are copied. */
struct json *json_object_new(void);
struct json *json_array_new(void);
struct json *json_string_new(const char *text);
struct json *json_number_new(double number); /* NaN and infinities become null: JSON has none */
struct json *json_bool_new(bool value);
struct json *json_null_new(void);
struct json *json_put(struct json *object, const char *key, struct json *value); /* returns value */
/* Put a copy of a value, which may belong to another document; null for NULL. */
void json_put_copy(struct json *object, const char *key, const struct json *value);
struct json *json_push(struct json *array, struct json *value); /* returns value */
/* Remove the member `key`; does nothing if there is none. */
void json_remove(struct json *object, const char *key);
void json_put_string(struct json *object, const char *key,
                     const char *text); /* NULL puts nothing */
void json_put_number(struct json *object, const char *key, double number);
void json_put_integers(struct json *object, const char *key, const int64_t *numbers, size_t count);
void json_put_bool(struct json *object, const char *key, bool value);

enum json_type {
    JSON_ABSENT,
    JSON_NULL,
    JSON_BOOL,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
};

/*
 * Look at values. NULL stands for an absent value, and every member of an absent value is absent.
 */
enum json_type json_type(const struct json *value);
const struct json *json_get(const struct json *object, const char *key);
const struct json *json_at(const struct json *array, size_t index);
size_t json_count(const struct json *container);
const struct json *json_first(const struct json *container); /* NULL when empty */
const struct json *json_next(const struct json *element);    /* NULL after the last */
const char *json_key(const struct json *member);             /* NULL outside an object */

/* The value, or `fallback` when it is absent or has another type. */
const char *json_string(const struct json *value, const char *fallback);
double json_number(const struct json *value, double fallback);
bool json_bool(const struct json *value, bool fallback);
/* Like json_string(), for a whole number from 0 to `most`; use it for an index or an enum. */
uint64_t json_whole(const struct json *value, uint64_t most, uint64_t fallback);
const char *json_get_string(const struct json *object, const char *key, const char *fallback);
double json_get_number(const struct json *object, const char *key, double fallback);
uint64_t json_get_whole(const struct json *object, const char *key, uint64_t most,
                        uint64_t fallback);
bool json_get_bool(const struct json *object, const char *key, bool fallback);

struct json_ref {
    const struct json *value;      /* NULL if it is absent */
    const struct json_ref *parent; /* NULL for the document itself */
    const char *name;              /* name of the document or member; NULL for an element */
    size_t index;                  /* index of an element */
};

/* The root of a path: `value` in the document that errors call `document`. Borrows both. */
struct json_ref json_ref_root(const struct json *value, const char *document);
struct json_ref json_ref_member(const struct json_ref *object, const char *key);
struct json_ref json_ref_element(const struct json_ref *array, size_t index);

/* Walk a container: for (at = json_ref_first(&c); at.value; at = json_ref_next(&at)) */
struct json_ref json_ref_first(const struct json_ref *container);
struct json_ref json_ref_next(const struct json_ref *at);

/* Fail with "<document>: <path>: <message>" and STATUS_INVALID. */
enum status json_ref_error(const struct json_ref *at, struct error *err, const char *fmt, ...)
    PRINTF_LIKE(3, 4);

/*
 * Read strictly: STATUS_INVALID unless the value is present and has the type. Numbers must be
 * finite.
 */
enum status json_read_string(const struct json_ref *at, const char **text,
                             struct error *err) MUST_CHECK;
enum status json_read_number(const struct json_ref *at, double *number,
                             struct error *err) MUST_CHECK;
enum status json_read_integer(const struct json_ref *at, int64_t *number,
                              struct error *err) MUST_CHECK;
enum status json_read_bool(const struct json_ref *at, bool *value, struct error *err) MUST_CHECK;

/* Read a text and store its index in the NULL-terminated list; STATUS_INVALID if it is not there.
 */
enum status json_read_choice(const struct json_ref *at, const char *const *choices, size_t *choice,
                             struct error *err) MUST_CHECK;

/* STATUS_INVALID unless the value is present and has this type. */
enum status json_expect(const struct json_ref *at, enum json_type type,
                        struct error *err) MUST_CHECK;

/* Fail at the first member whose key is not in the NULL-terminated list or is a duplicate. */
enum status json_expect_keys(const struct json_ref *object, const char *const *keys,
                             struct error *err) MUST_CHECK;

#endif
