#ifndef TESTS_UNIT_BUILTIN_FIXTURE_H
#define TESTS_UNIT_BUILTIN_FIXTURE_H

#include "tests/unit/unit.h"

#include <stdbool.h>

#include "core/agent/agent.h"
#include "core/base/strbuf.h"
#include "core/llm/provider.h"
#include "core/model/candidate.h"
#include "core/model/device_info.h"
#include "core/model/problem.h"
#include "core/model/recommendation.h"
#include "core/model/verdict.h"

/*
 * The built-in agents, asked through the interface that a session uses, about problems of this
 * repository. Each function fails the test where the agent or a file fails. The caller releases
 * what is returned.
 */

extern const struct device_info builtin_fixture_cpu, builtin_fixture_hopper;

/* Shipped problems on which every agent is tried. */
enum { BUILTIN_FIXTURE_PROBLEMS = 4 };
extern const char *const builtin_fixture_problems[BUILTIN_FIXTURE_PROBLEMS];

/* Load FOLDER/NAME.json below the source tree, or a shipped problem. */
struct problem builtin_fixture_load_from(const char *folder, const char *name);
struct problem builtin_fixture_load(const char *name);

/* A listener that collects a reply, and stops the loop at its end. */
struct builtin_fixture_end {
    struct loop *loop;
    struct strbuf reply;
    bool is_done, has_tokens;
};
struct provider_listener builtin_fixture_listener(struct builtin_fixture_end *end);

/* Ask as a session does, and return the reply: as text, or as the candidate or advice in it. */
char *builtin_fixture_ask(enum agent_task task, const struct brief *brief);
struct candidate builtin_fixture_generate(const struct brief *brief);
struct recommendation builtin_fixture_analyse(const struct brief *brief);

/* The verdict on a correct kernel that takes four times its bound. */
struct verdict builtin_fixture_timed(void);

/* Check that the plan resolves at the main dimensions and at the others. */
void builtin_fixture_check_plan(const struct problem *problem, const struct candidate *candidate);

/* The first candidate for the problem `text` on a device. Its plan is checked. */
struct candidate builtin_fixture_first_on(const struct device_info *device, const char *text);

/* The first candidate on builtin_fixture_hopper. */
struct candidate builtin_fixture_first(const char *text);

#endif
