#ifndef CORE_BASE_TEXT_H
#define CORE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Questions about texts that end with NUL. */

/* True if `text` begins with `beginning`. */
bool text_begins(const char *text, const char *beginning);

/* The part of `text` after `beginning`, or NULL if it does not begin with it. */
const char *text_after(const char *text, const char *beginning);

/* True if the `len` bytes at `bytes` are this word. */
bool text_is(const char *bytes, size_t len, const char *word);

/* True if two texts are equal, or both are NULL or empty. */
bool text_equals(const char *a, const char *b);

/* True for a letter, a digit and "_": the characters of names in C and its relatives. */
bool text_is_of_name(char c);

#endif
