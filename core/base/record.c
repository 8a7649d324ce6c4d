#include "core/base/record.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/mem.h"

/* Encodes, decodes and releases the members of one kind. */
struct kind {
    struct json *(*encode)(const struct field *field, const void *record);
    enum status (*decode)(const struct field *field, void *record, const struct json_ref *at,
                          struct error *err);
    void (*release)(const struct field *field, void *record);
};

static const struct kind kinds[FIELD_CUSTOM + 1];

static const void *member(const void *record, size_t offset)
{
    return (const char *)record + offset;
}

static void *member_mut(void *record, size_t offset)
{
    return (char *)record + offset;
}

static void release_text(const struct field *field, void *record)
{
    free(*(char **)member_mut(record, field->offset));
}

static struct json *real_new(double value)
{
    if (isnan(value))
        return json_string_new("nan");
    if (isinf(value))
        return json_string_new(value > 0 ? "inf" : "-inf");
    return json_number_new(value);
}

static enum status read_real(const struct json_ref *at, double *value, struct error *err)
{
    static const struct {
        const char *name;
        double value;
    } specials[] = {{"nan", (double)NAN}, {"inf", (double)INFINITY}, {"-inf", (double)-INFINITY}};
    const char *name = json_string(at->value, NULL);

    if (!name)
        return json_read_number(at, value, err);
    for (size_t i = 0; i < COUNT(specials); i++) {
        if (strcmp(name, specials[i].name) == 0) {
            *value = specials[i].value;
            return STATUS_OK;
        }
    }
    return json_ref_error(at, err, "\"%s\" is not one of \"nan\", \"inf\", \"-inf\"", name);
}

/* gcc and clang represent an enum without negative values as an unsigned int. */
static struct json *encode_scalar(const struct field *field, const void *record)
{
    const void *at = member(record, field->offset);

    switch ((int)field->kind) {
    case FIELD_TEXT:
    case FIELD_BORROWED:
        return *(const char *const *)at ? json_string_new(*(const char *const *)at) : NULL;
    case FIELD_INT64:
        return json_number_new((double)*(const int64_t *)at);
    case FIELD_SIZE:
        return json_number_new((double)*(const size_t *)at);
    case FIELD_UNSIGNED:
        return json_number_new(*(const unsigned *)at);
    case FIELD_BOOL:
        return json_bool_new(*(const bool *)at);
    case FIELD_CHOICE:
        return json_string_new(field->choices[*(const unsigned *)at]);
    default:
        return real_new(*(const double *)at);
    }
}

/* Read an integer from 0 to `highest`. */
static enum status read_bounded(const struct json_ref *at, uint64_t highest, uint64_t *value,
                                struct error *err)
{
    int64_t number = 0;
    enum status st = json_read_integer(at, &number, err);

    if (st)
        return st;
    if (number < 0 || (uint64_t)number > highest)
        return json_ref_error(at, err, "%lld is not in the range of 0 to %llu", (long long)number,
                              (unsigned long long)highest);
    *value = (uint64_t)number;
    return STATUS_OK;
}

/* Read a text, a whole number or a choice, which have conversions of their own. */
static enum status decode_converted(const struct field *field, void *member,
                                    const struct json_ref *at, struct error *err)
{
    const char *text = NULL;
    uint64_t number = 0;
    size_t choice = 0;
    enum status st;

    if (field->kind == FIELD_TEXT) {
        st = json_read_string(at, &text, err);
        if (!st)
            *(char **)member = mem_strdup(text);
    } else if (field->kind == FIELD_SIZE) {
        st = read_bounded(at, INT64_MAX, &number, err);
        if (!st)
            *(size_t *)member = number;
    } else if (field->kind == FIELD_UNSIGNED) {
        st = read_bounded(at, UINT_MAX, &number, err);
        if (!st)
            *(unsigned *)member = (unsigned)number;
    } else {
        st = json_read_choice(at, field->choices, &choice, err);
        if (!st)
            *(unsigned *)member = (unsigned)choice;
    }
    return st;
}

static enum status decode_scalar(const struct field *field, void *record, const struct json_ref *at,
                                 struct error *err)
{
    void *member = member_mut(record, field->offset);

    switch ((int)field->kind) {
    case FIELD_BORROWED:
        return json_read_string(at, (const char **)member, err);
    case FIELD_REAL:
        return read_real(at, (double *)member, err);
    case FIELD_INT64:
        return json_read_integer(at, (int64_t *)member, err);
    case FIELD_BOOL:
        return json_read_bool(at, (bool *)member, err);
    default:
        return decode_converted(field, member, at, err);
    }
}

static struct json *encode_interval(const struct field *field, const void *record)
{
    struct json *pair = json_array_new();

    json_push(pair, real_new(*(const double *)member(record, field->offset)));
    json_push(pair, real_new(*(const double *)member(record, field->other)));
    return pair;
}

static enum status decode_interval(const struct field *field, void *record,
                                   const struct json_ref *at, struct error *err)
{
    struct json_ref low = json_ref_element(at, 0), high = json_ref_element(at, 1);
    enum status st = read_real(&low, (double *)member_mut(record, field->offset), err);

    return st ? st : read_real(&high, (double *)member_mut(record, field->other), err);
}

static struct json *encode_record(const struct field *field, const void *record)
{
    struct json *object = record_encode(field->fields, member(record, field->offset));

    if (json_count(object) > 0)
        return object;
    json_free(object);
    return NULL;
}

static enum status decode_record(const struct field *field, void *record, const struct json_ref *at,
                                 struct error *err)
{
    return record_decode(field->fields, member_mut(record, field->offset), at, err);
}

static void release_record(const struct field *field, void *record)
{
    record_release(field->fields, member_mut(record, field->offset));
}

/*
 * Stands for any growing array. It is copied in and out, because the type of the items is unknown
 * here.
 */
struct list {
    char *items;
    size_t count, capacity;
};

static struct list load_list(const struct field *field, const void *record)
{
    struct list list;

    memcpy(&list, member(record, field->offset), sizeof(list));
    return list;
}

/* Every item is written, even an empty one: its index may matter. */
static struct json *encode_items(const struct field *field, const void *items, size_t count)
{
    struct json *array = json_array_new();

    for (size_t i = 0; i < count; i++) {
        const void *item = (const char *)items + i * field->size;
        struct json *value = kinds[field->item->kind].encode(field->item, item);

        json_push(array, value ? value : json_object_new());
    }
    return array;
}

static struct json *encode_list(const struct field *field, const void *record)
{
    struct list list = load_list(field, record);

    return list.count > 0 ? encode_items(field, list.items, list.count) : NULL;
}

/* Append an item of zeros to the list and return it. */
static char *list_extend(const struct field *field, void *record)
{
    struct list list = load_list(field, record);

    list.items = mem_grow(list.items, &list.capacity, list.count + 1, field->size);
    char *item = list.items + list.count++ * field->size;
    memset(item, 0, field->size);
    memcpy(member_mut(record, field->offset), &list, sizeof(list));
    return item;
}

static enum status decode_list(const struct field *field, void *record, const struct json_ref *at,
                               struct error *err)
{
    enum status st = json_expect(at, JSON_ARRAY, err);

    for (struct json_ref e = json_ref_first(at); !st && e.value; e = json_ref_next(&e))
        st = kinds[field->item->kind].decode(field->item, list_extend(field, record), &e, err);
    return st;
}

static void release_items(const struct field *field, void *items, size_t count)
{
    for (size_t i = 0; kinds[field->item->kind].release && i < count; i++)
        kinds[field->item->kind].release(field->item, (char *)items + i * field->size);
}

static void release_list(const struct field *field, void *record)
{
    struct list list = load_list(field, record);

    release_items(field, list.items, list.count);
    free(list.items);
}

static size_t array_count(const struct field *field, const void *record)
{
    return field->other ? *(const size_t *)member(record, field->other) : field->max;
}

static struct json *encode_array(const struct field *field, const void *record)
{
    return encode_items(field, member(record, field->offset), array_count(field, record));
}

static enum status decode_array(const struct field *field, void *record, const struct json_ref *at,
                                struct error *err)
{
    enum status st = json_expect(at, JSON_ARRAY, err);
    size_t count = json_count(at->value);

    if (st)
        return st;
    if (count > field->max || (!field->other && count < field->max))
        return json_ref_error(at, err, "%zu items, there is room for %zu", count, field->max);
    if (field->other)
        *(size_t *)member_mut(record, field->other) = count;
    for (struct json_ref e = json_ref_first(at); !st && e.value; e = json_ref_next(&e))
        st = kinds[field->item->kind].decode(
            field->item, (char *)member_mut(record, field->offset) + e.index * field->size, &e,
            err);
    return st;
}

static void release_array(const struct field *field, void *record)
{
    release_items(field, member_mut(record, field->offset), array_count(field, record));
}

static struct json *encode_custom(const struct field *field, const void *record)
{
    return field->codec->encode(member(record, field->offset));
}

static enum status decode_custom(const struct field *field, void *record, const struct json_ref *at,
                                 struct error *err)
{
    return field->codec->decode(member_mut(record, field->offset), at, err);
}

static void release_custom(const struct field *field, void *record)
{
    field->codec->release(member_mut(record, field->offset));
}

static const struct kind kinds[FIELD_CUSTOM + 1] = {
    [FIELD_TEXT] = {encode_scalar, decode_scalar, release_text},
    [FIELD_BORROWED] = {encode_scalar, decode_scalar, NULL},
    [FIELD_REAL] = {encode_scalar, decode_scalar, NULL},
    [FIELD_INTERVAL] = {encode_interval, decode_interval, NULL},
    [FIELD_INT64] = {encode_scalar, decode_scalar, NULL},
    [FIELD_SIZE] = {encode_scalar, decode_scalar, NULL},
    [FIELD_UNSIGNED] = {encode_scalar, decode_scalar, NULL},
    [FIELD_BOOL] = {encode_scalar, decode_scalar, NULL},
    [FIELD_CHOICE] = {encode_scalar, decode_scalar, NULL},
    [FIELD_RECORD] = {encode_record, decode_record, release_record},
    [FIELD_LIST] = {encode_list, decode_list, release_list},
    [FIELD_ARRAY] = {encode_array, decode_array, release_array},
    [FIELD_CUSTOM] = {encode_custom, decode_custom, release_custom},
};

static bool is_empty(const struct field *field, const void *record)
{
    return field->presence && !*(const bool *)member(record, field->presence);
}

struct json *record_encode(const struct field *fields, const void *record)
{
    struct json *object = json_object_new();

    for (const struct field *f = fields; f->key; f++) {
        struct json *value = is_empty(f, record) ? NULL : kinds[f->kind].encode(f, record);

        if (value)
            json_put(object, f->key, value);
    }
    return object;
}

enum status record_decode(const struct field *fields, void *record, const struct json_ref *at,
                          struct error *err)
{
    enum status st = json_expect(at, JSON_OBJECT, err);

    for (const struct field *f = fields; !st && f->key; f++) {
        struct json_ref value = json_ref_member(at, f->key);

        if (!value.value)
            continue;
        if (f->presence)
            *(bool *)member_mut(record, f->presence) = true;
        st = kinds[f->kind].decode(f, record, &value, err);
    }
    return st;
}

enum status record_read(const struct field *fields, void *record, size_t size,
                        const struct json_ref *at, struct error *err)
{
    void *read = mem_alloc_zeroed(1, size);
    enum status st = record_decode(fields, read, at, err);

    if (st)
        record_release(fields, read);
    else
        memcpy(record, read, size);
    free(read);
    return st;
}

void record_release(const struct field *fields, void *record)
{
    for (const struct field *f = fields; f->key; f++)
        if (kinds[f->kind].release)
            kinds[f->kind].release(f, record);
}
