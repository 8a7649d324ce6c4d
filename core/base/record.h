#ifndef CORE_BASE_RECORD_H
#define CORE_BASE_RECORD_H

#include "core/base/json.h"

/*
 * Converts structs to JSON and back by a table. One row per member gives its key, its kind and its
 * offset; encoding, decoding and releasing all follow the table.
 *
 * Empty members are absent: NULL texts, empty lists and records without members are not written,
 * and absent members read as zero. Keys that are not in the table are ignored, so that a program
 * can read what a newer version wrote.
 */
enum field_kind {
    FIELD_TEXT,     /* char *, owned */
    FIELD_BORROWED, /* const char *, into the document that was read */
    FIELD_REAL,     /* double; NaN and infinities as "nan", "inf", "-inf", because JSON has no such
                       numbers */
    FIELD_INTERVAL, /* two doubles, at `offset` and at `other`, as [low, high] */
    FIELD_INT64,
    FIELD_SIZE,
    FIELD_UNSIGNED,
    FIELD_BOOL,
    FIELD_CHOICE, /* an enum, as its name in `choices` */
    FIELD_RECORD, /* a struct, as an object by `fields` */
    FIELD_LIST,   /* a growing array (vec.h) of `item` */
    FIELD_ARRAY,  /* at most `max` times `item`, in place; `other` is the offset of their number, a
                     size_t */
    FIELD_CUSTOM, /* converted by `codec` */
};

/* Callbacks for a member that no other kind describes. */
struct field_codec {
    struct json *(*encode)(const void *member); /* returns NULL to leave the member out */
    enum status (*decode)(void *member, const struct json_ref *at, struct error *err);
    void (*release)(void *member);
};

/* Offsets are bytes from the start of the struct; 0 in `other` and `presence` means none. */
struct field {
    const char *key; /* NULL ends the table */
    enum field_kind kind;
    size_t offset;
    size_t other;
    size_t presence; /* the offset of a bool: whether the member has a value */
    const struct field *fields;
    const struct field *item; /* one row, with offset 0 */
    size_t size;              /* size of an item, in bytes */
    size_t max;
    const char *const *choices; /* NULL-terminated; the enum's values from 0 are its indices */
    const struct field_codec *codec;
};

/* The first initialisers of a row whose key is the member's name. */
#define FIELD(kind_, type, member) \
    .key = #member, .kind = FIELD_##kind_, .offset = offsetof(type, member)

/* Encode the record as an object, which the caller owns. */
struct json *record_encode(const struct field *fields, const void *record);

/* Decode into `record`, which must be all zeros. Release it also after a failure. */
enum status record_decode(const struct field *fields, void *record, const struct json_ref *at,
                          struct error *err) MUST_CHECK;

/* Decode into a record of `size` bytes and replace its old members; untouched on failure. */
enum status record_read(const struct field *fields, void *record, size_t size,
                        const struct json_ref *at, struct error *err) MUST_CHECK;

/* Free everything that the record owns. The caller sets it to zeros. */
void record_release(const struct field *fields, void *record);

#endif
