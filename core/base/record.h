#ifndef CORE_BASE_RECORD_H
#define CORE_BASE_RECORD_H

#include "core/base/json.h"

/*
 * Structs as JSON, by tables: one row per member says its key, its kind and
 * where it lies, and writing, reading and releasing all follow the table.
 *
 * Empty is absent: NULL texts, empty lists and records without members are
 * not written, and what is not there reads as zero.  Keys that the table does
 * not have are ignored, so that a program can read what a newer one wrote.
 */
enum field_kind {
    FIELD_TEXT,     /* char *, owned */
    FIELD_BORROWED, /* const char *, into the document that was read */
    FIELD_REAL,     /* double; not finite as "nan", "inf", "-inf": JSON has no such numbers */
    FIELD_INTERVAL, /* doubles at `offset` and at `other`, as [low, high] */
    FIELD_INT64,
    FIELD_SIZE,
    FIELD_UNSIGNED,
    FIELD_BOOL,
    FIELD_CHOICE, /* an enum, as its name in `choices` */
    FIELD_RECORD, /* a struct, as an object by `fields` */
    FIELD_LIST,   /* a growing array (vec.h) of `item` */
    FIELD_ARRAY,  /* at most `max` of `item` in place; `other` is their number, a size_t */
    FIELD_CUSTOM, /* whatever `codec` does */
};

/* For a member that no row can describe. */
struct field_codec {
    struct json *(*encode)(const void *member); /* NULL: left out */
    enum status (*decode)(void *member, const struct json_ref *at, struct error *err);
    void (*release)(void *member);
};

/* Offsets are bytes from the start of the struct; 0 in `other` and `presence` means none. */
struct field {
    const char *key; /* NULL ends the table */
    enum field_kind kind;
    size_t offset;
    size_t other;
    size_t presence; /* a bool: whether the member has a value */
    const struct field *fields;
    const struct field *item; /* one row, with offset 0 */
    size_t size;              /* of an item, in bytes */
    size_t max;
    const char *const *choices; /* NULL-terminated, by the enum's values from 0 */
    const struct field_codec *codec;
};

/* The beginning of a row whose key is the member's name. */
#define FIELD(kind_, type, member) \
    .key = #member, .kind = FIELD_##kind_, .offset = offsetof(type, member)

/* An object by the table, the caller's. */
struct json *record_encode(const struct field *fields, const void *record);

/* `record` is all zeros; release it also on failure. */
enum status record_decode(const struct field *fields, void *record, const struct json_ref *at,
                          struct error *err) MUST_CHECK;

/* The same into any record of `size` bytes, without its old members; untouched on failure. */
enum status record_read(const struct field *fields, void *record, size_t size,
                        const struct json_ref *at, struct error *err) MUST_CHECK;

/* Free what the record owns.  The caller sets it to zeros. */
void record_release(const struct field *fields, void *record);

#endif
