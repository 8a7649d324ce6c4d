#include "backends/hip/message_pack.h"

#include <stddef.h>

static uint64_t take_number(struct pack *pack, size_t bytes)
{
    uint64_t number = 0;

    if ((size_t)(pack->end - pack->at) < bytes)
        pack->is_broken = true;
    for (size_t i = 0; !pack->is_broken && i < bytes; i++)
        number = number << 8 | (unsigned char)*pack->at++;
    return number;
}

/*
 * A list or a map; each item takes at least one byte, so a length beyond the remaining bytes is an
 * error.
 */
static struct pack_item counted(struct pack *pack, enum pack_kind kind, uint64_t length)
{
    struct pack_item item = {.kind = kind, .length = length, .text = pack->at};

    if (length > (uint64_t)(pack->end - pack->at))
        pack->is_broken = true;
    if (pack->is_broken)
        return (struct pack_item){0};
    if (kind == PACK_TEXT)
        pack->at += length;
    return item;
}

/* Numbers and floats, by the first byte of 0xca to 0xd3: the bytes that follow. */
static const unsigned char number_bytes[] = {4, 8, 1, 2, 4, 8, 1, 2, 4, 8};

/* The items whose first byte is 0xc0 to 0xdf. */
static struct pack_item take_long(struct pack *pack, unsigned head)
{
    struct pack_item item = {0};

    if (head >= 0xc4 && head <= 0xc6) /* binary data, with lengths of 1, 2 and 4 bytes */
        return counted(pack, PACK_TEXT, take_number(pack, (size_t)1 << (head - 0xc4)));
    if (head >= 0xd9 && head <= 0xdb)
        return counted(pack, PACK_TEXT, take_number(pack, (size_t)1 << (head - 0xd9)));
    if (head == 0xdc || head == 0xdd)
        return counted(pack, PACK_LIST, take_number(pack, head == 0xdc ? 2 : 4));
    if (head == 0xde || head == 0xdf)
        return counted(pack, PACK_MAP, take_number(pack, head == 0xde ? 2 : 4));
    if (head >= 0xca && head <= 0xd3)
        item.number = take_number(pack, number_bytes[head - 0xca]);
    else if (head > 0xc3)
        pack->is_broken = true; /* extensions */
    return item;
}

struct pack_item pack_next(struct pack *pack)
{
    struct pack_item item = {0};
    unsigned head = (unsigned)take_number(pack, 1);

    if (pack->is_broken)
        return item;
    if (head < 0x80 || head >= 0xe0)
        item.number = head < 0x80 ? head : (uint64_t)(int64_t)(signed char)head;
    else if (head < 0x90)
        return counted(pack, PACK_MAP, head & 0xf);
    else if (head < 0xa0)
        return counted(pack, PACK_LIST, head & 0xf);
    else if (head < 0xc0)
        return counted(pack, PACK_TEXT, head & 0x1f);
    else
        return take_long(pack, head);
    return item;
}

/* Count the remaining items instead of recursing, so that depth costs no stack. */
void pack_skip(struct pack *pack, const struct pack_item *item)
{
    uint64_t left = item->kind == PACK_LIST  ? item->length
                    : item->kind == PACK_MAP ? 2 * item->length
                                             : 0;

    while (left > 0 && !pack->is_broken) {
        struct pack_item next = pack_next(pack);

        left--;
        if (next.kind == PACK_LIST)
            left += next.length;
        if (next.kind == PACK_MAP)
            left += 2 * next.length;
    }
}
