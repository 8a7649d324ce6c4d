#ifndef CORE_JUDGE_ORACLE_VARIATION_H
#define CORE_JUDGE_ORACLE_VARIATION_H

#include "core/judge/oracle/variation/variation_rows.h"
#include "core/model/tensor.h"

/*
 * Encodes the variations of variation_kind.h in seeds.
 *
 * The variation is a part of the seed, in the bits above those of fill_secret_seed(), so a seed
 * alone determines the data.
 */

/* A seed from which the variation of data can be read again (variation_of()). */
uint64_t variation_seed(enum variation variation, uint64_t seed);
/*
 * The same for params that are looked up by indices, as tables are: real numbers of params then
 * vary as those of inputs do.
 */
uint64_t variation_seed_of_tables(enum variation variation, uint64_t seed);

/*
 * The same for VARIATION_ALONE, of this value. A part of its name is in the seed.
 */
uint64_t variation_seed_alone(uint64_t seed, const struct value *value);

/* The seed of the same data without their variation. */
uint64_t variation_drawn(uint64_t seed);

/* The variation of the data that a seed draws; VARIATION_NONE for a seed without one. */
enum variation variation_of(uint64_t seed);

/*
 * The variation to try instead of one whose data are unfair because they exceed a type's range;
 * VARIATION_NONE if there is none.
 */
enum variation variation_milder(enum variation variation);

/* True if the variation changes tensors with this value's role, type and fill. */
bool variation_applies(enum variation variation, const struct value *value);
/* True if the seed's variation changes the value, as an input if it is a table. */
bool variation_changes(uint64_t seed, const struct value *value);

/*
 * The rows of a tensor that the seed's variation changes, in pieces of the same size: all rows in
 * one piece, or, if the tensor has more than 2^22 elements, pieces of a few rows from all over it,
 * with the first and the last row. So a device can draw a large tensor, and the host adds few rows.
 */
struct variation_pieces {
    size_t count, rows; /* 0 pieces: the variation does not apply, or the rows are too long */
    size_t total;       /* rows of the tensor */
    uint64_t seed;
};

/* The pieces of a tensor with this shape, type and fill. */
struct variation_pieces variation_pieces_of(const struct value *value, uint64_t seed);

/* True if the pieces are only some of the rows. */
bool variation_pieces_are_few(const struct variation_pieces *pieces);

/* The first row of a piece. */
size_t variation_piece_start(const struct variation_pieces *pieces, size_t piece);

/* Apply the seed's variation to elements that were drawn from `seed`, if there are pieces. */
void variation_apply(const struct value *value, uint64_t seed, void *elements);

/* The same for the elements of one piece. */
void variation_apply_piece(const struct value *value, uint64_t seed, size_t piece, void *elements);

#endif
