#ifndef CORE_JUDGE_LISTING_H
#define CORE_JUDGE_LISTING_H

#include "core/judge/evaluation.h"

/*
 * What the compiler made of a candidate, to be read: "ptx", NVIDIA's
 * intermediate language, and "sass", the machine's, which nvdisasm writes out
 * with the lines of the source.
 */

/* Whether `form` is one of them. */
bool listing_is_form(const char *form);

/*
 * Append the listing of a candidate that has been parsed; it is built and loaded for the main
 * dimensions.  STATUS_UNAVAILABLE where the back end has no such form, or nvdisasm is missing;
 * STATUS_INVALID where the candidate does not compile.
 */
enum status listing_make(struct evaluation *evaluation, const char *form, struct strbuf *text,
                         struct error *err) MUST_CHECK;

/*
 * Append nvdisasm's `listing` with its files by their names alone: NVRTC puts the folder before
 * them that kforge was started in.
 */
void listing_drop_folders(const char *listing, struct strbuf *text);

#endif
