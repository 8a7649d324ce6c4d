#ifndef CORE_JUDGE_ORACLE_VARIATION_H
#define CORE_JUDGE_ORACLE_VARIATION_H

#include "core/judge/oracle/variation_rows.h"
#include "core/model/tensor.h"

/*
 * The variations of variation_rows.h, as a part of seeds.
 *
 * The variation is part of the seed, in the bits above those of fill_secret_seed(), so a seed says
 * all about the data made from it.
 */

/* "outliers", "ties", "constant rows", ...; empty for VARIATION_NONE.  Static. */
const char *variation_name(enum variation variation);

/* A seed from which the variation of data can be read again (variation_of()). */
uint64_t variation_seed(enum variation variation, uint64_t seed);
enum variation variation_of(uint64_t seed);

/*
 * The variation to try where data of this one would be unfair, because they exceed a type's range;
 * VARIATION_NONE if there is none.
 */
enum variation variation_milder(enum variation variation);

/* True if the variation changes tensors with this value's role, type and fill. */
bool variation_applies(enum variation variation, const struct value *value);

/* Change the elements that were drawn from `seed`, by the seed's variation if it applies. */
void variation_apply(const struct value *value, uint64_t seed, void *elements);

#endif
