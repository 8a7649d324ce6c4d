#ifndef CORE_SESSION_STORE_DIFF_H
#define CORE_SESSION_STORE_DIFF_H

#include "core/base/strbuf.h"

/*
 * The difference of two texts, line by line or word by word, as git finds it
 * (libgit2's xdiff: Myers, "An O(ND) Difference Algorithm and Its Variations",
 * Algorithmica 1, 1986, with git's rules for what reads well).
 */

enum diff_side { DIFF_BOTH, DIFF_OLD, DIFF_NEW };

/* A line without its newline, or a word; borrowed from the text that it stands in; of both, from
 * the new.
 */
struct diff_line {
    enum diff_side side;
    const char *text;
    size_t len;
    size_t number; /* in that text, from 1 */
};

/* All zeros is empty. */
struct diff {
    struct diff_line *items;
    size_t count, capacity;
    size_t added, removed;
};

/* Compute the difference; `diff` must be empty. */
void diff_lines(const char *old_text, const char *new_text, struct diff *diff);

/* The same for words, blanks and single other characters; `number` counts them. */
void diff_words(const struct diff_line *old_line, const struct diff_line *new_line,
                struct diff *diff);
void diff_release(struct diff *diff);

/* Append a difference of lines as hunks, `@@ -3,4 +3,5 @@`, each with up to `context` lines around.
 */
void diff_print(const struct diff *diff, size_t context, struct strbuf *out);

#endif
