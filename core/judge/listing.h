#ifndef CORE_JUDGE_LISTING_H
#define CORE_JUDGE_LISTING_H

#include "core/judge/evaluation.h"
#include "core/judge/tools/listing_form.h"

/* Listings of compiled candidates for a reader. Machine code has references to lines of the source.
 */

/*
 * Build a candidate that has been parsed, load it at the main dimensions, and append its listing.
 * STATUS_UNAVAILABLE if the back end has no such form or nvdisasm is missing; STATUS_INVALID if the
 * candidate does not compile.
 */
enum status listing_make(struct evaluation *evaluation, enum listing_form form, struct strbuf *text,
                         struct error *err) MUST_CHECK;

/*
 * Append nvdisasm's `listing` with file names instead of paths: NVRTC writes the working folder of
 * kforge before each name.
 */
void listing_drop_folders(const char *listing, struct strbuf *text);

#endif
