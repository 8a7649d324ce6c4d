#include "core/judge/task/lint_cache.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "core/base/strbuf.h"
#include "core/judge/task/lint.h"
#include "core/system/cache.h"

/*
 * The key of the findings: the problem's text and the program's file, because another build may
 * find more.
 */
static char *key_of(const char *text)
{
    struct strbuf key = {0};
    struct stat self = {0};

    (void)stat("/proc/self/exe", &self);
    strbuf_addf(&key, "%jd %jd.%09ld\n%s", (intmax_t)self.st_size, (intmax_t)self.st_mtim.tv_sec,
                self.st_mtim.tv_nsec, text);
    return strbuf_take(&key);
}

static enum status lint_and_keep(const struct problem *problem,
                                 const struct oracle_evaluator *evaluator, const char *key,
                                 struct hazard_list *findings, struct error *err)
{
    enum status st = lint_problem(problem, evaluator, findings, err);
    struct json *found;

    if (st)
        return st;
    found = hazard_list_encode(findings);
    cache_keep("lint", key, found);
    json_free(found);
    return STATUS_OK;
}

enum status lint_cache_recall(const struct problem *problem,
                              const struct oracle_evaluator *evaluator, const char *text,
                              struct hazard_list *findings, struct error *err)
{
    char *key = text ? key_of(text) : NULL;
    struct json *found = key ? cache_recall("lint", key) : NULL;
    struct json_ref root = json_ref_root(found, "lint");
    enum status st = STATUS_OK;

    if (!key)
        st = lint_problem(problem, evaluator, findings, err);
    else if (!found || hazard_list_decode(findings, &root, NULL))
        st = lint_and_keep(problem, evaluator, key, findings, err);
    json_free(found);
    free(key);
    return st;
}
