#include "tests/unit/oracle_program_fixture.h"

void oracle_program_fixture_write(const char *text, struct oracle_program_fixture *written)
{
    struct error err;

    *written =
        (struct oracle_program_fixture){.request = {&written->built.problem, &written->built.graph,
                                                    &written->rounding, .language = "cuda"}};
    if (graph_fixture_build(text, &written->built, &err))
        fail_msg("%s", err.text);
    assert_true(rounding_of(&written->built.problem.tolerance, &written->rounding));
    if (oracle_program_write(&written->request, &written->program, &err))
        fail_msg("%s", err.text);
}

void oracle_program_fixture_release(struct oracle_program_fixture *written)
{
    oracle_program_release(&written->program);
    graph_fixture_release(&written->built);
}
