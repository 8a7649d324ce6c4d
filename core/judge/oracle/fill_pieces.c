#include "core/judge/oracle/fill_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/variation.h"
#include "core/system/parallel.h"

bool fill_pieces_suit(const struct fill_source *source)
{
    struct variation_pieces pieces = variation_pieces_of(source->value, source->seed);
    enum fill_kind kind = source->value->fill.kind;

    return kind != FILL_PERMUTATION && kind != FILL_MODEL && variation_pieces_are_few(&pieces);
}

/* One piece of a tensor in host memory. */
struct piece {
    size_t offset, size; /* bytes */
    void *elements;
};

/* All pieces of a tensor. */
struct making {
    const struct fill_source *source;
    struct variation_pieces pieces;
    bool is_varied;
    struct piece *made;
};

static struct piece make_piece(const struct making *making, size_t number)
{
    const struct fill_source *source = making->source;
    const struct variation_pieces *pieces = &making->pieces;
    const struct value *value = source->value;
    size_t n = (size_t)shape_elements(&value->shape) / pieces->total;
    size_t first = variation_piece_start(pieces, number) * n;
    struct piece piece = {.offset = first * dtype_bytes(value->dtype),
                          .size = pieces->rows * n * dtype_bytes(value->dtype)};
    struct value part = *value;

    part.shape = (struct shape){.rank = 1, .dims = {(int64_t)(pieces->rows * n)}};
    piece.elements = mem_alloc_zeroed(piece.size, 1);
    fill_make_part(&part, source->seed, source->stream, first, piece.elements);
    if (making->is_varied)
        variation_apply_piece(value, source->seed, number, piece.elements);
    return piece;
}

static void make_pieces(void *data, size_t first, size_t last)
{
    const struct making *making = data;

    for (size_t i = first; i < last; i++)
        making->made[i] = make_piece(making, i);
}

/* Make all pieces on all cores, because sorting rows takes long. */
static struct making make_all(const struct fill_source *source, bool is_varied)
{
    struct making making = {source, variation_pieces_of(source->value, source->seed), is_varied,
                            NULL};

    making.made = mem_alloc_zeroed(making.pieces.count + 1, sizeof(*making.made));
    parallel_for(making.pieces.count, 1, make_pieces, &making);
    return making;
}

static void making_release(struct making *making)
{
    for (size_t i = 0; i < making->pieces.count; i++)
        free(making->made[i].elements);
    free(making->made);
}

enum status fill_pieces_write(const struct fill_source *source, bool is_varied,
                              const struct fill_memory *memory, struct error *err)
{
    struct making making = make_all(source, is_varied);
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < making.pieces.count; i++) {
        const struct piece *piece = &making.made[i];

        st = memory->write(memory->data, piece->offset, piece->elements, piece->size, err);
    }
    making_release(&making);
    return st;
}

static enum status check(const struct fill_source *source, const struct fill_memory *memory,
                         bool *hold, struct error *err)
{
    struct making making = make_all(source, true);
    enum status st = STATUS_OK;

    *hold = true;
    for (size_t i = 0; !st && *hold && i < making.pieces.count; i++) {
        const struct piece *piece = &making.made[i];
        void *found = mem_alloc_zeroed(piece->size, 1);

        st = memory->read(memory->data, piece->offset, found, piece->size, err);
        *hold = !st && memcmp(found, piece->elements, piece->size) == 0;
        free(found);
    }
    making_release(&making);
    return st;
}

enum status fill_pieces_take_back(const struct fill_source *source,
                                  const struct fill_memory *memory, bool *hold, struct error *err)
{
    enum status st = check(source, memory, hold, err);

    return st || !*hold ? st : fill_pieces_write(source, false, memory, err);
}
