#ifndef TUI_CLI_EVAL_WATCH_H
#define TUI_CLI_EVAL_WATCH_H

#include "core/model/candidate.h"
#include "core/model/verdict.h"
#include "core/system/file_watch.h"

/*
 * The attempts of `kforge eval --watch`: each save of a kernel is one.  Their texts and verdicts
 * are kept in a folder of kforge's data folder as N.md and N.json, so that no version is lost.
 */
struct eval_watch {
    struct file_watch *files; /* NULL if no file is watched */
    char *folder;             /* the folder with the attempts */
    struct strbuf text;       /* text of the last attempt, as a reply */
    unsigned number;          /* number of the last attempt, from 1 */
    struct candidate candidate;
    struct candidate previous; /* the last correct attempt; without a source: none */
    unsigned previous_number;
    bool is_judging; /* the last attempt has no verdict yet */
    bool is_failing; /* the last file could not be read, and a message was printed */
};

/* Watch the kernel and the plans in its folder; `spec` has the functions to call. */
enum status eval_watch_open(struct eval_watch *watch, struct loop *loop, const char *path,
                            const struct file_watch_spec *spec, struct error *err) MUST_CHECK;
void eval_watch_release(struct eval_watch *watch);

/* Begin an attempt with this text, as a reply; false if it is the text of the last attempt. */
bool eval_watch_begin(struct eval_watch *watch, const struct strbuf *text);

/* Take the candidate of the attempt. */
void eval_watch_set_candidate(struct eval_watch *watch, struct candidate *candidate);

/* Keep and print the verdict of the attempt, as a line or as JSON. */
void eval_watch_conclude(struct eval_watch *watch, const struct verdict *verdict,
                         const struct json *encoded, bool as_json);

/* Print the folder of the attempts. */
void eval_watch_print_summary(const struct eval_watch *watch);

#endif
