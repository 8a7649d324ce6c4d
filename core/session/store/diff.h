#ifndef CORE_SESSION_STORE_DIFF_H
#define CORE_SESSION_STORE_DIFF_H

#include "core/base/strbuf.h"

/*
 * The difference of two texts, by lines or by words, computed by libgit2's xdiff: Myers, "An O(ND)
 * Difference Algorithm and Its Variations", Algorithmica 1, 1986, with git's heuristics for hunks
 * that read well.
 */

enum diff_side { DIFF_BOTH, DIFF_OLD, DIFF_NEW };

/* A line without its newline, or a word.  Borrowed from its text; for DIFF_BOTH, from the new one.
 */
struct diff_line {
    enum diff_side side;
    const char *text;
    size_t len;
    size_t number; /* in that text, counted from 1 */
};

/* The lines of both texts in order.  All zeros is empty. */
struct diff {
    struct diff_line *items;
    size_t count, capacity;
    size_t added, removed; /* lines of DIFF_NEW, of DIFF_OLD */
};

/* Compute the difference; `diff` must be empty. */
void diff_lines(const char *old_text, const char *new_text, struct diff *diff);

/*
 * Like diff_lines(), for two lines: the items are words, runs of blanks and other single
 * characters.
 */
void diff_words(const struct diff_line *old_line, const struct diff_line *new_line,
                struct diff *diff);
/* Free the contents and leave it empty. */
void diff_release(struct diff *diff);

/* Append the difference as hunks, "@@ -3,4 +3,5 @@", with up to `context` lines around each. */
void diff_print(const struct diff *diff, size_t context, struct strbuf *out);

#endif
