#ifndef CORE_JUDGE_ORACLE_VARIATION_H
#define CORE_JUDGE_ORACLE_VARIATION_H

#include "core/judge/oracle/variation/variation_rows.h"
#include "core/model/tensor.h"

/*
 * Encodes the variations of variation_rows.h in seeds.
 *
 * The variation is a part of the seed, in the bits above those of fill_secret_seed(), so a seed
 * alone determines the data.
 */

/* "outliers", "ties", "constant rows", ...; empty for VARIATION_NONE.  Static. */
const char *variation_name(enum variation variation);

/* A seed from which the variation of data can be read again (variation_of()). */
uint64_t variation_seed(enum variation variation, uint64_t seed);
enum variation variation_of(uint64_t seed);

/*
 * The variation to try instead of one whose data are unfair because they exceed a type's range;
 * VARIATION_NONE if there is none.
 */
enum variation variation_milder(enum variation variation);

/* True if the variation changes tensors with this value's role, type and fill. */
bool variation_applies(enum variation variation, const struct value *value);

/*
 * Apply the seed's variation to elements that were drawn from `seed`; does nothing if it does not
 * apply.
 */
void variation_apply(const struct value *value, uint64_t seed, void *elements);

#endif
