#include "core/judge/task/expectations_case.h"

#include <stdlib.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/judge/oracle/fill.h"

static char *describe(const struct scope *scope)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < scope->count; i++)
        strbuf_addf(&text, "%s%s=%lld", i ? " " : "", scope->items[i].name,
                    (long long)scope->items[i].value);
    return strbuf_take(&text);
}

/* The case of `scope`. Takes `bindings`, which the scope refers to. */
static enum status build(struct expectations_case *shape, const struct problem *problem,
                         struct scope scope, struct binding *bindings, struct error *err)
{
    struct expectations_case made = {.bindings = bindings, .scope = scope};
    enum status st = graph_build(&made.graph, problem, &scope, err);

    if (st) {
        free(bindings);
        return st;
    }
    made.text = describe(&scope);
    *shape = made;
    return STATUS_OK;
}

static struct binding *bindings_new(const struct problem *problem)
{
    return mem_alloc_zeroed(problem->dims.count + 1, sizeof(struct binding));
}

enum status expectations_case_known(struct expectations_case *shape, const struct problem *problem,
                                    size_t also, struct error *err)
{
    struct binding *bindings = bindings_new(problem);

    return build(shape, problem, problem_scope(problem, also, bindings), bindings, err);
}

enum status expectations_case_drawn(struct expectations_case *shape, const struct problem *problem,
                                    struct error *err)
{
    struct binding *bindings = bindings_new(problem);
    struct scope scope = problem_scope(problem, 0, bindings);

    for (size_t i = 0; i < problem->dims.count; i++)
        if (problem->dims.items[i].is_dynamic)
            bindings[i].value =
                1 + (int64_t)(fill_secret_seed() % (uint64_t)problem->dims.items[i].value);
    return build(shape, problem, scope, bindings, err);
}

void expectations_case_release(struct expectations_case *shape)
{
    graph_release(&shape->graph);
    free(shape->bindings);
    free(shape->text);
    *shape = (struct expectations_case){0};
}
