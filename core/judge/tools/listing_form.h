#ifndef CORE_JUDGE_TOOLS_LISTING_FORM_H
#define CORE_JUDGE_TOOLS_LISTING_FORM_H

/*
 * The forms in which the code of a compiled candidate is listed for a reader. LISTING_PTX is
 * NVIDIA's intermediate language, LISTING_SASS is machine code, which nvdisasm disassembles.
 */
enum listing_form { LISTING_NONE, LISTING_PTX, LISTING_SASS };

/* "ptx", "sass"; empty for LISTING_NONE.  Static. */
const char *listing_form_name(enum listing_form form);

/* The form of this name; LISTING_NONE if there is none. */
enum listing_form listing_form_of(const char *name);

#endif
