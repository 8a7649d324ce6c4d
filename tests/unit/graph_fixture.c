#include "tests/unit/graph_fixture.h"

#include <string.h>

#include "core/base/strbuf.h"
#include "core/model/problem_reader.h"

enum status graph_fixture_build(const char *text, struct graph_fixture *built, struct error *err)
{
    struct binding bindings[8];
    struct scope scope;
    enum status st = problem_parse(&built->problem, text, strlen(text), "p.json", err);

    if (st)
        return st;
    scope = problem_scope(&built->problem, 0, bindings);
    return graph_build(&built->graph, &built->problem, &scope, err);
}

void graph_fixture_release(struct graph_fixture *built)
{
    graph_release(&built->graph);
    problem_release(&built->problem);
}

struct graph_fixture graph_fixture_load(const char *name)
{
    struct strbuf path = {0};
    struct graph_fixture built = {0};
    struct binding bindings[8];
    struct error err = {0};

    strbuf_addf(&path, KFORGE_SOURCE_DIR "/prompts/problems/%s.json", name);
    if (problem_load(&built.problem, strbuf_cstr(&path), &err))
        fail_msg("%s", err.text);
    strbuf_release(&path);

    struct scope scope = problem_scope(&built.problem, 0, bindings);

    if (graph_build(&built.graph, &built.problem, &scope, &err))
        fail_msg("%s", err.text);
    return built;
}

char *graph_fixture_one_node(const char *node, const char *const shapes[3],
                             const char *const types[3], const char *result)
{
    static const char *const names[] = {"a", "b", "c"};
    struct strbuf text = {0};

    strbuf_adds(&text, "{\"kforge\": 1, \"name\": \"p\", \"summary\": \"\", \"dims\": {\"M\": 4, "
                       "\"N\": 6}, \"tensors\": {");
    for (size_t i = 0; i < 3 && shapes[i]; i++)
        strbuf_addf(&text,
                    "\"%s\": {\"role\": \"input\", \"dtype\": \"%s\", \"shape\": %s, "
                    "\"fill\": {\"constant\": 1}}, ",
                    names[i], types[i] ? types[i] : "f32", shapes[i]);
    strbuf_addf(&text,
                "\"y\": {\"role\": \"output\", %s}}, \"graph\": [{%s, \"out\": \"y\"}], "
                "\"tolerance\": {\"class\": \"f32\"}}",
                result, node);
    return strbuf_take(&text);
}
