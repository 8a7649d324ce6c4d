#ifndef TESTS_UNIT_ORACLE_PROGRAM_FIXTURE_H
#define TESTS_UNIT_ORACLE_PROGRAM_FIXTURE_H

#include "core/judge/device_oracle/oracle_program.h"
#include "tests/unit/graph_fixture.h"

/* A problem, and the program in CUDA that computes its expected values on a device. */
struct oracle_program_fixture {
    struct graph_fixture built;
    struct rounding rounding;
    struct oracle_program_request request;
    struct oracle_program program;
};

/* Write the program for a problem's text; fail the test where that fails. */
void oracle_program_fixture_write(const char *text, struct oracle_program_fixture *written);
void oracle_program_fixture_release(struct oracle_program_fixture *written);

#endif
