#include "tui/offer.h"

#include <glob.h>
#include <inttypes.h>
#include <string.h>

#include "core/base/file.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"
#include "core/model/problem.h"

static char *dims_text(const struct problem *problem)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < problem->dims.count; i++)
        strbuf_addf(&text, "%s%s=%" PRId64, i ? " " : "", problem->dims.items[i].name,
                    problem->dims.items[i].value);
    return strbuf_take(&text);
}

/* Files that are no problems are left out: the working folder has all kinds of JSON. */
static void add_problem(struct offer *offer, const char *path)
{
    struct problem problem = {0};

    if (!problem_load(&problem, path, NULL)) {
        struct offered_problem offered = {.path = mem_strdup(path),
                                          .name = mem_strdup(problem.name),
                                          .summary = mem_strdup(problem.summary),
                                          .dims = dims_text(&problem)};

        vec_push(offer, offered);
    }
    problem_release(&problem);
}

static void add_problems(struct offer *offer, const char *wanted)
{
    glob_t found = {0};

    if (glob(wanted, 0, NULL, &found) == 0)
        for (size_t i = 0; i < found.gl_pathc; i++)
            add_problem(offer, found.gl_pathv[i]);
    globfree(&found);
}

void offer_open(struct offer *offer)
{
    char *folder = file_shipped("prompts/problems");
    char *all = file_join(folder, "*.json");

    add_problems(offer, "*.json");
    add_problems(offer, all);
    free(all);
    free(folder);
}

void offer_release(struct offer *offer)
{
    for (size_t i = 0; i < offer->count; i++) {
        free(offer->items[i].path);
        free(offer->items[i].name);
        free(offer->items[i].summary);
        free(offer->items[i].dims);
    }
    vec_release(offer);
}

void offer_note_best(struct offer *offer, const struct listed_session *session)
{
    for (size_t i = 0; i < offer->count; i++) {
        struct offered_problem *problem = &offer->items[i];

        if (strcmp(problem->name, session->problem) == 0 &&
            session->best_speedup > problem->best_speedup)
            problem->best_speedup = session->best_speedup;
    }
}
