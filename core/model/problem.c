#include "core/model/problem.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/vec.h"

void problem_release(struct problem *problem)
{
    for (size_t i = 0; i < problem->dims.count; i++)
        free(problem->dims.items[i].name);
    for (size_t i = 0; i < problem->tensors.count; i++)
        tensor_release(&problem->tensors.items[i]);
    for (size_t i = 0; i < problem->also.count; i++)
        free(problem->also.items[i].values);
    vec_release(&problem->dims);
    vec_release(&problem->tensors);
    vec_release(&problem->nodes);
    vec_release(&problem->also);
    free(problem->name);
    free(problem->summary);
    free(problem->file);
    json_free(problem->document);
    *problem = (struct problem){0};
}

const struct tensor *problem_tensor(const struct problem *problem, const char *name)
{
    for (size_t i = 0; i < problem->tensors.count; i++)
        if (strcmp(problem->tensors.items[i].name, name) == 0)
            return &problem->tensors.items[i];
    return NULL;
}

struct scope problem_scope(const struct problem *problem, size_t also, struct binding *bindings)
{
    const int64_t *values = also ? problem->also.items[also - 1].values : NULL;

    for (size_t i = 0; i < problem->dims.count; i++) {
        const struct dim *dim = &problem->dims.items[i];

        bindings[i] = (struct binding){dim->name, values ? values[i] : dim->value};
    }
    return (struct scope){.items = bindings, .count = problem->dims.count};
}
