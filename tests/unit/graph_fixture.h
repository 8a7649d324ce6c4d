#ifndef TESTS_UNIT_GRAPH_FIXTURE_H
#define TESTS_UNIT_GRAPH_FIXTURE_H

#include "tests/unit/unit.h"

#include "core/base/status.h"
#include "core/model/graph.h"
#include "core/model/problem.h"

/* A problem, and its graph at its main dimensions. */
struct graph_fixture {
    struct problem problem;
    struct graph graph;
};

/* Build from a problem's text. */
enum status graph_fixture_build(const char *text, struct graph_fixture *built, struct error *err);
void graph_fixture_release(struct graph_fixture *built);

/* Build a shipped problem; fail the test where that fails. */
struct graph_fixture graph_fixture_load(const char *name);

/*
 * A problem with one node: operands a, b, c (f32 unless `types` differs) and the result y, declared
 * by `result`. The caller frees it.
 */
char *graph_fixture_one_node(const char *node, const char *const shapes[3],
                             const char *const types[3], const char *result);

#endif
