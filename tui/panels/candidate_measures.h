#ifndef TUI_PANELS_CANDIDATE_MEASURES_H
#define TUI_PANELS_CANDIDATE_MEASURES_H

#include "core/base/format.h"
#include "tui/panels/view_model.h"

/*
 * Measures of candidates that only their verdicts contain, one number each: resources, counters,
 * errors. A cache keeps them, because a session may have thousands of verdicts, and a frame has
 * time to read only a few.
 */

struct candidate_measure {
    const char *name;    /* the name that the engineer types: "registers" */
    const char *heading; /* heading of a column, such as "regs" */
    const char *title;   /* title of a line, such as "local memory" */
    const char *counter; /* the name of the profiler's metric; NULL: `of` computes it */
    double (*of)(const struct verdict *verdict);
    const char *(*format)(char text[FORMAT_SIZE], double value);
    int better; /* 1: more is better, -1: less is better, 0: neither */
};

enum { CANDIDATE_MEASURES = 12 };

extern const struct candidate_measure candidate_measures[CANDIDATE_MEASURES];

/*
 * Compute the measure with an index; NaN if the verdict does not have it. Counters are taken from
 * the kernel with the largest share of the time.
 */
double candidate_measure_of(size_t measure, const struct verdict *verdict);

/* The measures of one candidate. */
struct candidate_measured {
    char verdict_id[OBJECT_ID_SIZE]; /* id of the verdict that was read; "" if none was */
    double values[CANDIDATE_MEASURES];
};

/* All zeros is empty. */
struct candidate_measure_cache {
    struct candidate_measured *items; /* measures of attempt 1, 2, ... */
    size_t count, capacity;
};

/* Make room for the session's attempts; call before the others. */
void candidate_measures_fit(struct candidate_measure_cache *cache, const struct session *session);

/* True if the verdict of attempt `index` (from 0) exists and has not been read yet. */
bool candidate_measures_are_missing(const struct candidate_measure_cache *cache,
                                    const struct session *session, size_t index);

/* Read that verdict.  If it cannot be read, its measures are unknown. */
void candidate_measures_read(struct candidate_measure_cache *cache,
                             const struct view_model *view_model, size_t index);

/* The value of a measure of attempt `index`; NaN if unknown. */
double candidate_measures_value(const struct candidate_measure_cache *cache, size_t index,
                                size_t measure);
void candidate_measures_release(struct candidate_measure_cache *cache);

#endif
