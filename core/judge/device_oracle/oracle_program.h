#ifndef CORE_JUDGE_DEVICE_ORACLE_ORACLE_PROGRAM_H
#define CORE_JUDGE_DEVICE_ORACLE_ORACLE_PROGRAM_H

#include "core/base/strbuf.h"
#include "core/judge/device_oracle/oracle_comparison.h"
#include "core/judge/oracle/rounding/rounding.h"
#include "core/model/graph.h"
#include "core/model/plan/dispatch.h"

/*
 * The oracle as a program for a device: kforge's own kernels compute in double precision what
 * oracle_expect() computes on the CPU, the expected outputs and the tolerance of each element.
 *
 * The program works on the problem's tensors. Each output has the type in which expected elements
 * are kept (expected_outputs_dtype()). After the problem's tensors comes a further output in f32
 * for each output: the tolerances of its elements. If outputs are compared on the device, these
 * tensors are not read back but stay there as inner tensors, and the tensors of the comparison
 * follow.
 */
struct oracle_program {
    struct strbuf source;
    struct dispatch dispatch;
    struct {
        struct value *items;
        size_t count, capacity;
    } tensors; /* the tensors of the dispatch; names are borrowed from the graph */
    /* by value of the graph: the number of the tensor with its tolerances; 0 if there is none */
    size_t *allowed;
    struct {
        struct oracle_compared *items;
        size_t count, capacity;
    } compared; /* empty if the expected elements and tolerances are read back */
};

/* The graph to compute. `rounding` is NULL if the tolerance is not derived. */
struct oracle_program_request {
    const struct problem *problem;
    const struct graph *graph; /* at concrete dimensions */
    const struct rounding *rounding;
    const char *language;
    const char *build; /* options for the compiler, or NULL */
    bool compares;     /* compare the outputs on the device; all have a float type */
    /*
     * inner values with at least as many elements are not stored if the nodes that read them can
     * compute them instead; 0: a default
     */
    int64_t inlined_elements;
    /* with more kernels, those that differ in sizes become one (oracle_sharing.h); 0: a default */
    size_t most_kernels;
};

/*
 * Write the program. STATUS_UNAVAILABLE if an operation has no kernel, or if the work is divided
 * among so few work-items that the CPU is faster.
 */
enum status oracle_program_write(const struct oracle_program_request *request,
                                 struct oracle_program *program, struct error *err) MUST_CHECK;

/* The bytes of the program's buffers beside its tensors; 0 if there is no program. */
double oracle_program_scratch(const struct oracle_program_request *request);

/* Free everything; all zeros afterwards. */
void oracle_program_release(struct oracle_program *program);

#endif
