#include <string.h>

#include "core/judge/oracle/oracle.h"
#include "core/judge/oracle/oracle_family.h"

const struct oracle_rule *oracle_rule_of(const char *op)
{
    static const struct oracle_rule *const families[] = {
        oracle_elementwise, oracle_reduction,   oracle_rowwise, oracle_channelwise,
        oracle_product,     oracle_convolution, oracle_pooling, oracle_attention,
        oracle_recurrence,  oracle_movement,    NULL,
    };

    for (size_t f = 0; families[f]; f++)
        for (const struct oracle_rule *rule = families[f]; rule->op; rule++)
            if (strcmp(rule->op, op) == 0)
                return rule;
    return NULL;
}

double oracle_flops(const struct graph *graph)
{
    double flops = 0;

    for (size_t n = 0; n < graph->nodes.count; n++) {
        struct op_call call = graph_call(graph, n);

        flops +=
            call.op->kind == OP_CONVOLUTION ? oracle_convolution_flops(&call) : op_flops(&call);
    }
    return flops;
}
