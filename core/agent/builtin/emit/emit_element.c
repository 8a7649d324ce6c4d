#include "core/agent/builtin/emit/emit_element.h"

#include <string.h>

#include "core/agent/builtin/emit/emit_vector.h"
#include "core/agent/builtin/plan/family.h"
#include "core/base/array.h"

/*
 * Functions that are faster than the driver's and accurate enough. erf is formula 7.1.26 of
 * Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964; its error is at most 1.5e-7.
 */
static const char erf_text[] =
    "static $T erf_fast$n($T x)\n"
    "{\n"
    "    const $T u = fabs(x), t = 1.0f / (1.0f + 0.3275911f * u);\n"
    "    const $T series = 1.421413741f + t * (1.061405429f * t - 1.453152027f);\n"
    "    const $T tail = (0.254829592f + t * (t * series - 0.284496736f)) * t * exp(-u * u);\n\n"
    "    return copysign(1.0f - tail, x);\n"
    "}\n\n";

/* The formula of the operation. A reduction over a single element is a cast. */
static const char *text_of(const struct op_call *call)
{
    if (call->op->kind == OP_CHANNELWISE)
        return formula_batch_norm;
    return formula_element_text(
        formula_element(call->op->kind == OP_REDUCTION ? "cast" : call->op->name), call);
}

const char *emit_element(struct emitter *e, const struct op_call *call,
                         const struct formula_words *words, int width)
{
    const char *text = text_of(call);
    const char *slow = strstr(text, "erf(");

    if (slow && e->schedule->of[KNOB_FAST] && call->out->dtype == DTYPE_F32)
        text = emit_text(e, "%.*serf_fast%d%s", (int)(slow - text), text, width, slow + 3);
    return emit_formula(e, emit_vector_choices(e, text, width), words);
}

void emit_element_functions(const struct dialect *dialect, const char *source, struct strbuf *out)
{
    static const char *const widths[] = {"1", "2", "4", "8", "16"};

    for (size_t i = 0; i < COUNT(widths); i++) {
        struct strbuf call = {0}, type = {0};
        struct formula_words words = {0};

        strbuf_addf(&call, "erf_fast%s(", widths[i]);
        words.of['n'] = widths[i];
        words.of['T'] = "float";
        formula_expand(i > 0 ? dialect->vector.type : "$T", &words, &type);
        words.of['T'] = strbuf_cstr(&type);
        if (strstr(source, strbuf_cstr(&call)))
            formula_expand(erf_text, &words, out);
        strbuf_release(&call);
        strbuf_release(&type);
    }
}

/*
 * Only a cast rounds a float. Between other operations a float keeps its precision in registers, as
 * in the expected values.
 */
const char *emit_element_rounded(struct emitter *e, size_t node, const char *text)
{
    enum dtype dtype = emit_value_at(e, emit_node_at(e, node)->out)->dtype;
    const char *rule = formula_type(dtype)->round;
    struct formula_words words = {0};

    words.of['v'] = text;
    if (!rule || (dtype_is_float(dtype) && strcmp(emit_node_at(e, node)->op->name, "cast") != 0))
        return text;
    return emit_formula(e, rule, &words);
}

bool emit_is_elementwise(const struct emitter *e, size_t node)
{
    struct op_call call = graph_call(&e->writer->graph, node);

    return family_is_elementwise(e->writer, emit_node_at(e, node), &call);
}
