#ifndef BACKENDS_HIP_MESSAGE_PACK_H
#define BACKENDS_HIP_MESSAGE_PACK_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads MessagePack, item by item, from untrusted bytes: after an item that is damaged, all later
 * items are empty numbers.
 */
enum pack_kind {
    PACK_NUMBER, /* also nil, booleans and floats, as 0 */
    PACK_TEXT,   /* also binary data */
    PACK_LIST,   /* `length` items follow */
    PACK_MAP     /* `length` pairs of items follow */
};

struct pack_item {
    enum pack_kind kind;
    uint64_t number, length;
    const char *text; /* `length` bytes, borrowed from the bytes that are read */
};

struct pack {
    const char *at, *end;
    bool is_broken;
};

/* The next item; for a list or a map, its head. */
struct pack_item pack_next(struct pack *pack);

/* Skip the contents of an item whose head has been read. */
void pack_skip(struct pack *pack, const struct pack_item *item);

#endif
