#include "tui/screens/problem_list.h"

#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/format.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/model/baseline_label.h"
#include "core/model/problem_reader.h"
#include "core/system/file.h"
#include "tui/screens/session_row.h"

/* Read the problem and build its graph, which borrows from the problem. */
static enum status read_problem(struct listed_problem *listed, struct error *err)
{
    const char *text = listed->text;
    enum status st = text ? problem_parse(&listed->problem, text, strlen(text), listed->path, err)
                          : problem_load(&listed->problem, listed->path, err);
    struct binding *bindings;
    struct scope scope;

    if (st || listed->problem.nodes.count == 0)
        return st;
    bindings = mem_alloc_zeroed(listed->problem.dims.count + 1, sizeof(*bindings));
    scope = problem_scope(&listed->problem, 0, bindings);
    st = graph_build(&listed->graph, &listed->problem, &scope, err);
    free(bindings);
    return st;
}

static void forget_best(struct listed_problem *listed)
{
    free(listed->over);
    free(listed->device);
    listed->over = listed->device = NULL;
    listed->best_speedup = 0;
}

static void release_problem(struct listed_problem *listed)
{
    graph_release(&listed->graph);
    problem_release(&listed->problem);
    hazard_list_release(&listed->findings);
    free(listed->path);
    free(listed->text);
    forget_best(listed);
}

enum status problem_list_add(struct problem_list *problem_list, const char *path, const char *text,
                             struct error *err)
{
    struct listed_problem listed = {.path = mem_strdup(path), .text = mem_strdup(text)};
    enum status st = read_problem(&listed, err);

    if (st)
        release_problem(&listed);
    else
        vec_push(problem_list, listed);
    return st;
}

size_t problem_list_find(const struct problem_list *problem_list, const char *path)
{
    char *wanted = realpath(path, NULL);
    size_t found = problem_list->count;

    for (size_t i = 0; wanted && i < problem_list->count && found == problem_list->count; i++) {
        char *own = realpath(problem_list->items[i].path, NULL);

        if (own && strcmp(own, wanted) == 0)
            found = i;
        free(own);
    }
    free(wanted);
    return found;
}

enum status problem_list_read_again(struct problem_list *problem_list, size_t index,
                                    struct error *err)
{
    struct listed_problem *old = &problem_list->items[index];
    struct listed_problem listed = {.path = mem_strdup(old->path), .is_marked = old->is_marked};
    enum status st = read_problem(&listed, err);

    if (st) {
        release_problem(&listed);
        return st;
    }
    listed.best_speedup = old->best_speedup;
    listed.over = old->over;
    listed.device = old->device;
    old->over = old->device = NULL;
    release_problem(old);
    *old = listed;
    return STATUS_OK;
}

/*
 * Add a file if it is a problem. Errors are ignored, because the working folder may have any JSON
 * files.
 */
static void add_if_problem(struct problem_list *problem_list, const char *path)
{
    struct error ignored;

    (void)!problem_list_add(problem_list, path, NULL, &ignored);
}

static void add_problems(struct problem_list *problem_list, const char *wanted)
{
    glob_t found = {0};

    if (glob(wanted, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_if_problem(problem_list, found.gl_pathv[i]);
    globfree(&found);
}

void problem_list_open(struct problem_list *problem_list)
{
    char *folder = file_shipped("prompts/problems");
    char *all = file_join(folder, "*.json");

    add_problems(problem_list, "*.json");
    add_problems(problem_list, all);
    free(all);
    free(folder);
}

void problem_list_release(struct problem_list *problem_list)
{
    for (size_t i = 0; i < problem_list->count; i++)
        release_problem(&problem_list->items[i]);
    vec_release(problem_list);
}

/* True if the session's speedup is over the same baseline, on the same device. */
static bool is_alike(const struct listed_problem *problem, const struct listed_session *session)
{
    return problem->over && session->over && strcmp(problem->over, session->over) == 0 &&
           strcmp(problem->device, session->device) == 0;
}

static void note_best(struct listed_problem *problem, const struct listed_session *session)
{
    if (session->best_speedup > 0 && problem->best_speedup <= 0) {
        problem->over = session->over ? mem_strdup(session->over) : NULL;
        problem->device = mem_strdup(session->device);
        problem->best_speedup = session->best_speedup;
    } else if (session->best_speedup > problem->best_speedup && is_alike(problem, session)) {
        problem->best_speedup = session->best_speedup;
    }
}

void problem_list_note_best(struct problem_list *problem_list, const struct listed_session *session)
{
    for (size_t i = 0; i < problem_list->count; i++)
        if (strcmp(problem_list->items[i].problem.name, session->problem) == 0)
            note_best(&problem_list->items[i], session);
}

void problem_list_forget_best(struct problem_list *problem_list)
{
    for (size_t i = 0; i < problem_list->count; i++)
        forget_best(&problem_list->items[i]);
}

/* The time of the graph as written under these roofs; not present when it is unknown. */
static struct bound bound_of(const struct listed_problem *problem, const struct roofs *roofs)
{
    struct bound bound = {0};

    if (problem->graph.nodes.count)
        bound_compute(&problem->graph, &problem->problem.tolerance, roofs, NULL, &bound);
    return bound;
}

enum { NAME_COLUMNS = 22, DIMS_COLUMNS = 24 };

static void add_dims(const struct problem *problem, struct strbuf *out)
{
    for (size_t i = 0; i < problem->dims.count; i++)
        strbuf_addf(out, "%s%s=%" PRId64, i ? " " : "", problem->dims.items[i].name,
                    problem->dims.items[i].value);
}

/*
 * Put an ASCII text into `columns` columns: the whole text, or its beginning and "...". It is cut
 * after a blank if there is one, because a cut number would be a wrong number.
 */
static void put_beginning(const char *text, int columns, enum role role, struct pen *pen)
{
    static const char dots[] = "...";
    int length = (int)strlen(text), most = columns - (int)strlen(dots), kept = most;

    if (length <= columns) {
        pen_putf(pen, role, "%-*s", columns, text);
        return;
    }
    while (kept > 0 && text[kept - 1] != ' ')
        kept--;
    kept = kept ? kept : most;
    pen_putf(pen, role, "%.*s%-*s", kept, text, columns - kept, dots);
}

static void put_findings(size_t count, struct pen *pen)
{
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "%zu!", count);
    pen->x += 4 - (int)strlen(text);
    pen_puts(pen, ROLE_HAZARD, text);
    pen->x += 2;
}

/* "..": not checked yet; "ok"; or the number of findings, such as "2!". */
static void put_lint(const struct listed_problem *problem, struct pen *pen)
{
    if (!problem->is_linted)
        pen_putf(pen, ROLE_DIM, "%4s  ", "..");
    else if (problem->findings.count)
        put_findings(problem->findings.count, pen);
    else
        pen_putf(pen, ROLE_GOOD, "%4s  ", "ok");
}

/* Put as much of the summary as there is room for; with room for few letters nothing. */
static void put_summary(const char *summary, struct pen *pen)
{
    enum { GAP = 2, LEAST_COLUMNS = 16 };
    int room = pen->area.rect.w - pen->x - GAP;

    if (summary && (room >= LEAST_COLUMNS || canvas_text_columns(summary, strlen(summary)) <= room))
        pen_putf(pen, ROLE_TEXT, "%*s%s", GAP, "", summary);
}

void problem_list_put_row(const struct listed_problem *problem, const struct roofs *roofs,
                          struct pen *pen)
{
    char bound[FORMAT_SIZE], speedup[FORMAT_SIZE];
    const struct bound least = bound_of(problem, roofs);
    enum role role = session_row_role_of_speedup(problem->best_speedup);
    struct strbuf dims = {0};

    add_dims(&problem->problem, &dims);
    put_beginning(problem->problem.name, NAME_COLUMNS, ROLE_STRONG, pen);
    pen_puts(pen, problem->is_marked ? ROLE_KEY : role, problem->is_marked ? "*" : " ");
    pen_putf(pen, role, "%6s ", format_speedup(speedup, problem->best_speedup));
    pen_putf(pen, ROLE_TEXT, "%8s ", format_time(bound, least.is_present ? least.us : 0));
    put_lint(problem, pen);
    put_beginning(strbuf_cstr(&dims), DIMS_COLUMNS, ROLE_DIM, pen);
    put_summary(problem->problem.summary, pen);
    strbuf_release(&dims);
}

void problem_list_put_heading(struct pen *pen)
{
    pen_putf(pen, ROLE_DIM, "%-*s %6s %8s %4s  %s", NAME_COLUMNS, "problem", "best", "bound",
             "lint", "dimensions");
}

void problem_list_put_nothing(const struct keymap *keymap, struct pen *pen)
{
    char key[KEYMAP_KEY_SIZE];

    pen_putf(pen, ROLE_DIM, "No problem found: %s opens a file.",
             keymap_key_of(keymap, COMMAND_PROBLEM, key));
}

static void write_lint(const struct listed_problem *problem, struct page *page, int columns)
{
    if (!problem->is_linted)
        page_add(page, ROLE_DIM, "lint: not checked yet");
    else if (!problem->findings.count)
        page_add_wrapped(page, ROLE_GOOD, "lint: no weakness found", columns);
    for (size_t i = 0; i < problem->findings.count; i++) {
        const struct hazard *finding = &problem->findings.items[i];
        struct strbuf text = {0};

        strbuf_addf(&text, "%s: %s", finding->name, finding->evidence);
        page_add_wrapped(page, ROLE_HAZARD, strbuf_cstr(&text), columns);
        strbuf_release(&text);
    }
}

static void write_bound(const struct listed_problem *problem, const struct roofs *roofs,
                        struct page *page)
{
    const struct bound bound = bound_of(problem, roofs);
    char text[FORMAT_SIZE];

    if (bound.is_present)
        page_add(page, ROLE_TEXT, "bound %s, limited by %s", format_time(text, bound.us),
                 limiter_name(bound.limiter));
    else
        page_add(page, ROLE_DIM, "bound: unknown until the device is measured");
}

static void write_best(const struct listed_problem *problem, struct page *page, int columns)
{
    struct strbuf text = {0};
    char speedup[FORMAT_SIZE];

    strbuf_addf(&text, "best so far %s", format_speedup(speedup, problem->best_speedup));
    if (problem->over)
        strbuf_addf(&text, " over %s", baseline_phrase(problem->over));
    if (problem->device)
        strbuf_addf(&text, ", %s", problem->device);
    page_add_wrapped(page, session_row_role_of_speedup(problem->best_speedup), strbuf_cstr(&text),
                     columns);
    strbuf_release(&text);
}

void problem_list_write(const struct listed_problem *problem, const struct roofs *roofs,
                        struct page *page, int columns)
{
    struct strbuf dims = {0};
    char flops[FORMAT_SIZE], bytes[FORMAT_SIZE];

    add_dims(&problem->problem, &dims);
    page_add_wrapped(page, ROLE_STRONG, problem->problem.name, columns);
    if (problem->problem.summary)
        page_add_wrapped(page, ROLE_TEXT, problem->problem.summary, columns);
    page_add(page, ROLE_TEXT, "%s", "");
    page_add_wrapped(page, ROLE_TEXT, strbuf_cstr(&dims), columns);
    page_add(page, ROLE_DIM, "%s, %s", format_amount(flops, graph_flops(&problem->graph), "flop"),
             format_bytes(bytes, bound_bytes(&problem->graph, &problem->problem.tolerance)));
    write_bound(problem, roofs, page);
    write_best(problem, page, columns);
    page_add(page, ROLE_TEXT, "%s", "");
    write_lint(problem, page, columns);
    page_add(page, ROLE_TEXT, "%s", "");
    page_add_wrapped(page, ROLE_DIM, file_name(problem->path), columns);
    strbuf_release(&dims);
}
