#include "tui/panels/profile/profile_counters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/format.h"
#include "core/model/language.h"

/* The column at which bars begin, and the least columns of a bar. */
enum { BAR_START = 50, LEAST_BAR = 10 };

/* The kernel with a name in a profile, or NULL. */
static const struct kernel_profile *find_kernel(const struct profile *profile, const char *name)
{
    for (size_t i = 0; i < profile->kernels.count; i++)
        if (strcmp(profile->kernels.items[i].name, name) == 0)
            return &profile->kernels.items[i];
    return NULL;
}

/* The most that could be gained; 0: not estimated. */
static double gain_of(const struct profile_rule *rule)
{
    return rule->has_estimate ? rule->estimate : 0;
}

/*
 * The rule after `last` in the order of gains; for `last` NULL, the first. NULL if there is none.
 */
static const struct profile_rule *next_rule(const struct profile *profile,
                                            const struct profile_rule *last)
{
    const struct profile_rule *next = NULL;

    for (size_t i = 0; i < profile->rules.count; i++) {
        const struct profile_rule *rule = &profile->rules.items[i];
        bool is_after = !last || gain_of(rule) < gain_of(last) ||
                        (gain_of(rule) == gain_of(last) && rule > last);

        if (is_after && (!next || gain_of(rule) > gain_of(next)))
            next = rule;
    }
    return next;
}

void profile_counters_add_top_limit(struct page *page, const struct verdict *verdict)
{
    const struct profile_rule *rule = next_rule(&verdict->profile, NULL);
    char speedup[FORMAT_SIZE];

    if (rule && rule->has_estimate)
        page_add(page, ROLE_WARNING, "limit: %s, %s at most", rule->name,
                 format_speedup(speedup, rule->estimate));
    else if (rule)
        page_add(page, ROLE_WARNING, "limit: %s", rule->name);
}

static void add_rules(struct page *page, const struct profile *profile, int columns)
{
    const struct profile_rule *rule = NULL;
    char speedup[FORMAT_SIZE];

    if (profile->rules.count)
        page_add_heading(page, "Limits, the largest gain first");
    while ((rule = next_rule(profile, rule))) {
        struct strbuf line = {0};

        strbuf_addf(&line, "%s, %s: %s", rule->kernel, rule->name, rule->text);
        if (rule->has_estimate)
            strbuf_addf(&line, " (at most %s)", format_speedup(speedup, rule->estimate));
        page_add_wrapped(page, ROLE_WARNING, strbuf_cstr(&line), columns);
        strbuf_release(&line);
    }
}

static void add_metric(struct page *page, const struct profile_metric *metric,
                       const struct profile_metric *before, int columns)
{
    bool is_share = strcmp(metric->unit, "%") == 0 && columns >= BAR_START + LEAST_BAR;
    char now[FORMAT_SIZE], was[FORMAT_SIZE] = "";

    if (before)
        format_metric(was, before->value, before->unit);
    page_add(page, ROLE_TEXT, "%-23s %8s %s%-*s", metric->name,
             format_metric(now, metric->value, metric->unit), before ? " was " : "",
             is_share ? BAR_START - 33 - (before ? 5 : 0) : 0, was);
    if (is_share)
        page_append_bar(page, (int)lround((columns - BAR_START) * fmin(metric->value, 100) / 100));
}

static void add_hot_lines(struct page *page, const struct kernel_profile *kernel, int columns)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < kernel->hot.count; i++)
        strbuf_addf(&text, "%s %u: %.0f %%", i ? "," : "stalls by line", kernel->hot.items[i].line,
                    100 * kernel->hot.items[i].share);
    page_add_wrapped(page, ROLE_STRONG, strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

static void add_kernel(struct page *page, const struct kernel_profile *kernel,
                       const struct kernel_profile *before, int columns)
{
    struct strbuf heading = {0};

    strbuf_addf(&heading, "%s, %.0f %% of the time%s", kernel->name, 100 * kernel->share,
                before ? ", compared with the parent" : "");
    page_add_heading(page, strbuf_cstr(&heading));
    strbuf_release(&heading);
    add_hot_lines(page, kernel, columns);
    for (size_t i = 0; i < kernel->metrics.count; i++) {
        const struct profile_metric *metric = &kernel->metrics.items[i];

        add_metric(page, metric, before ? profile_find_metric(before, metric->name) : NULL,
                   columns);
    }
}

/* Say why counters are missing, and how to get them. */
static void add_missing(struct page *page, const struct profile *profile, const char *remedy,
                        int columns)
{
    struct strbuf text = {0};

    if (profile->kernels.count && !profile->missing)
        return;
    if (!profile->missing && !remedy)
        return;
    page_add_heading(page, "Counters");
    strbuf_adds(&text, profile->kernels.count ? "in part" : "none");
    if (profile->missing)
        strbuf_addf(&text, ": %s", profile->missing);
    if (!profile->kernels.count && remedy)
        strbuf_addf(&text, "%s %s", profile->missing ? "." : ":", remedy);
    page_add_wrapped(page, ROLE_DIM, strbuf_cstr(&text), columns);
    strbuf_release(&text);
}

void profile_counters_add(struct page *page, const struct profile *profile,
                          const struct profile *parent, const char *remedy, int columns)
{
    add_missing(page, profile, remedy, columns);
    if (profile->is_kept)
        page_add_wrapped(page, ROLE_DIM, "The counters are of an earlier run of the same kernel.",
                         columns);
    add_rules(page, profile, columns);
    for (size_t i = 0; i < profile->kernels.count; i++)
        add_kernel(page, &profile->kernels.items[i],
                   find_kernel(parent, profile->kernels.items[i].name), columns);
}

/* Say how the question for a profile stands. */
static void add_query(struct page *page, const struct candidate_query *asked, int columns)
{
    page_add_heading(page, "Counters");
    if (asked->is_under_way)
        page_add(page, ROLE_WAITING, "profiling: %s ...",
                 *asked->stage ? asked->stage : "starting");
    else
        page_add_wrapped(page, ROLE_BAD, asked->trouble, columns);
}

/* True if a profiler can count for the candidate in view. */
static bool has_profiler(const struct subject *shown)
{
    const struct language *language =
        shown->candidate.language ? language_of(shown->candidate.language) : NULL;

    return language && shown->verdict.outcome == OUTCOME_CORRECT &&
           (language->has_nvidia_tools || language->has_counters);
}

void profile_counters_show(struct page *page, const struct view_model *view_model, int columns)
{
    const struct subject *shown = &view_model->shown;
    const struct candidate_query *query = &view_model->query;
    bool is_asked =
        candidate_query_is_of(query, CANDIDATE_QUERY_PROFILE, NULL, shown->candidate_id);
    bool is_answered = is_asked && query->profile.is_present;
    char key[KEYMAP_KEY_SIZE], remedy[KEYMAP_KEY_SIZE + 16];

    if (is_asked && !is_answered)
        add_query(page, query, columns);
    snprintf(remedy, sizeof(remedy), "%s takes them",
             keymap_key_of(view_model->keymap, COMMAND_COUNTERS, key));
    profile_counters_add(page, is_answered ? &query->profile : &shown->verdict.profile,
                         &view_model->parent.verdict.profile,
                         has_profiler(shown) && !is_asked ? remedy : NULL, columns);
}
