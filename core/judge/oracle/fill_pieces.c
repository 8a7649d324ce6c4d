#include "core/judge/oracle/fill_pieces.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/judge/oracle/fill.h"
#include "core/judge/oracle/variation.h"

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

/* Make a piece; the caller frees its elements. */
static struct piece make_piece(const struct fill_source *source,
                               const struct variation_pieces *pieces, size_t number, bool is_varied)
{
    const struct value *value = source->value;
    size_t n = (size_t)shape_elements(&value->shape) / pieces->total;
    size_t first = variation_piece_start(pieces, number) * n;
    struct piece piece = {.offset = first * dtype_bytes(value->dtype),
                          .size = pieces->rows * n * dtype_bytes(value->dtype)};
    struct value part = *value;

    part.shape = (struct shape){.rank = 1, .dims = {(int64_t)(pieces->rows * n)}};
    piece.elements = mem_alloc_zeroed(piece.size, 1);
    fill_make_part(&part, source->seed, source->stream, first, piece.elements);
    if (is_varied)
        variation_apply_piece(value, source->seed, number, piece.elements);
    return piece;
}

enum status fill_pieces_write(const struct fill_source *source, bool is_varied,
                              const struct fill_memory *memory, struct error *err)
{
    struct variation_pieces pieces = variation_pieces_of(source->value, source->seed);
    enum status st = STATUS_OK;

    for (size_t i = 0; !st && i < pieces.count; i++) {
        struct piece piece = make_piece(source, &pieces, i, is_varied);

        st = memory->write(memory->data, piece.offset, piece.elements, piece.size, err);
        free(piece.elements);
    }
    return st;
}

static enum status check(const struct fill_source *source, const struct fill_memory *memory,
                         bool *hold, struct error *err)
{
    struct variation_pieces pieces = variation_pieces_of(source->value, source->seed);
    enum status st = STATUS_OK;

    *hold = true;
    for (size_t i = 0; !st && *hold && i < pieces.count; i++) {
        struct piece piece = make_piece(source, &pieces, i, true);
        void *found = mem_alloc_zeroed(piece.size, 1);

        st = memory->read(memory->data, piece.offset, found, piece.size, err);
        *hold = !st && memcmp(found, piece.elements, piece.size) == 0;
        free(found);
        free(piece.elements);
    }
    return st;
}

enum status fill_pieces_take_back(const struct fill_source *source,
                                  const struct fill_memory *memory, bool *hold, struct error *err)
{
    enum status st = check(source, memory, hold, err);

    return st || !*hold ? st : fill_pieces_write(source, false, memory, err);
}
