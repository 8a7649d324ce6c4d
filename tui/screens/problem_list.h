#ifndef TUI_SCREENS_PROBLEM_LIST_H
#define TUI_SCREENS_PROBLEM_LIST_H

#include "core/model/roofline/bound.h"
#include "tui/keys/keymap.h"
#include "tui/screens/session_list.h"
#include "tui/widgets/page.h"

/*
 * The problems on the first screen: the JSON files of the working folder, the
 * problems that ship with kforge, and the files that the engineer names.
 */

struct listed_problem {
    char *path;
    /* a worker's description of the PyTorch file `path`; NULL: `path` is a problem file */
    char *text;
    struct problem problem;
    struct graph graph;          /* at the main dimensions; no nodes: the problem has no graph */
    double best_speedup;         /* best speedup over `over` on `device`; 0 if there is none */
    char *over;                  /* name of the strongest baseline, or NULL */
    char *device;                /* NULL: none */
    bool is_linted;              /* `findings` is valid */
    struct hazard_list findings; /* findings of the task lint */
    bool is_marked;              /* the engineer has marked it for a suite */
};

/* All zeros is empty. */
struct problem_list {
    struct listed_problem *items;
    size_t count, capacity;
};

/*
 * Read the problems of the working folder, then the shipped ones. Files that are not problems are
 * skipped.
 */
void problem_list_open(struct problem_list *problem_list);
void problem_list_release(struct problem_list *problem_list);

/*
 * Append the problem in the file `path`. If `text` is given, it is a worker's description of that
 * file.
 */
enum status problem_list_add(struct problem_list *problem_list, const char *path, const char *text,
                             struct error *err) MUST_CHECK;

/*
 * The index of the problem whose file is the file `path`, even under another name; `count` if none
 * is.
 */
size_t problem_list_find(const struct problem_list *problem_list, const char *path);

/*
 * Read a problem's file again, because it may have changed. After an error the old problem stays.
 */
enum status problem_list_read_again(struct problem_list *problem_list, size_t index,
                                    struct error *err) MUST_CHECK;

/*
 * Note the best speedup of a session for its problem. The first session with a speedup, which is
 * the newest, determines baseline and device. Other sessions count only if theirs are the same,
 * because speedups over different baselines cannot be compared.
 */
void problem_list_note_best(struct problem_list *problem_list,
                            const struct listed_session *session);

/* Forget the best speedups, before all sessions are noted again. */
void problem_list_forget_best(struct problem_list *problem_list);

/* Draw a problem as a row of a list, the heading of the list, and all facts of a problem as a page.
 */
void problem_list_put_row(const struct listed_problem *problem, const struct roofs *roofs,
                          struct pen *pen);
void problem_list_put_heading(struct pen *pen);
void problem_list_write(const struct listed_problem *problem, const struct roofs *roofs,
                        struct page *page, int columns);

/* Say that the list is empty, and which key opens a file. */
void problem_list_put_nothing(const struct keymap *keymap, struct pen *pen);

#endif
