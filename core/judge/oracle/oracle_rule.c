#include <string.h>

#include "core/judge/oracle/oracle.h"
#include "core/judge/oracle/oracle_family.h"

const struct oracle_rule *oracle_rule_of(const char *op)
{
    static const struct oracle_rule *const families[] = {
        oracle_elementwise, oracle_reduction,   oracle_rowwise,  oracle_channelwise,
        oracle_product,     oracle_convolution, oracle_pooling,  oracle_attention,
        oracle_recurrence,  oracle_scatter,     oracle_movement, NULL,
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

double oracle_step_margin(const struct op_call *call)
{
    bool is_cast = strcmp(call->op->name, "cast") == 0;
    enum dtype from = call->in[0]->dtype;

    if (!dtype_is_float(call->out->dtype))
        return ROUNDING_STEP_MARGIN;
    if (strcmp(call->op->name, "sign") == 0)
        return ROUNDING_FLIP * ROUNDING_FLIP;
    if (is_cast && !dtype_is_float(from) && from != DTYPE_BOOL)
        return ROUNDING_FLIP * ROUNDING_FLIP / ROUNDING_STEP_MARGIN;
    return 1;
}

double oracle_flip(const struct op_call *call)
{
    return dtype_is_float(call->out->dtype) ? ROUNDING_FLIP : 1;
}
