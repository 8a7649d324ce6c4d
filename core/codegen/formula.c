#include "core/codegen/formula.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/*
 * larger() and smaller() are the dialects', which return NaN if an operand is NaN. A second operand
 * that is a number costs no test. max() and min() are for integers. tanh_log1p() is the dialects'
 * too, because compilers would compute an operand again that a formula repeats. It is 1 in f32 for
 * the exponential of 20; larger ones would overflow.
 */
static const struct element_formula elements[] = {
    {"add", "$a + $b", NULL, "$a + $0 * $b"},
    {"sub", "$a - $b", NULL, "$a - $0 * $b"},
    {"mul", "$a * $b", NULL, NULL},
    {"div", "$a / $b", "(float)$a / (float)$b", NULL},
    {"pow", "pow($a, $b)", "($T)rint(pow((float)$a, (float)$b))", NULL},
    {"minimum", "smaller($a, $b)", "min($a, $b)", NULL},
    {"maximum", "larger($a, $b)", "max($a, $b)", NULL},
    {"eq", "$a == $b", NULL, NULL},
    {"ne", "$a != $b", NULL, NULL},
    {"lt", "$a < $b", NULL, NULL},
    {"le", "$a <= $b", NULL, NULL},
    {"gt", "$a > $b", NULL, NULL},
    {"ge", "$a >= $b", NULL, NULL},
    {"where", "$a ? $b : $c", NULL, NULL},
    {"cast", "$a", NULL, NULL},
    {"dropout", "$a", NULL, NULL},
    {"abs", "fabs($a)", "($T)abs($a)", NULL},
    {"neg", "-$a", NULL, NULL},
    {"sign", "sign($a)", "($a > 0) - ($a < 0)", NULL},
    {"relu", "larger($a, 0.0f)", "max($a, ($T)0)", NULL},
    {"clamp", "smaller(larger($a, $0), $1)", "min(max($a, ($T)$0), ($T)$1)", NULL},
    {"hardtanh", "smaller(larger($a, $0), $1)", "min(max($a, ($T)$0), ($T)$1)", NULL},
    {"leaky_relu", "larger($a, 0.0f) + $0 * smaller($a, 0.0f)", NULL, NULL},
    {"elu", "larger($a, 0.0f) + $0 * expm1(smaller($a, 0.0f))", NULL, NULL},
    {"selu", "1.05070099f * (larger($a, 0.0f) + 1.67326324f * expm1(smaller($a, 0.0f)))", NULL,
     NULL},
    {"gelu", "0.5f * $a * (1.0f + erf($a * 0.707106781f))", NULL,
     "$a / (1.0f + exp(-1.59576912f * ($a + 0.044715f * $a * $a * $a)))"},
    {"silu", "$a / (1.0f + exp(-$a))", NULL, NULL},
    {"mish", "$a * tanh_log1p(exp(smaller($a, 20.0f)))", NULL, NULL},
    {"sigmoid", "1.0f / (1.0f + exp(-$a))", NULL, NULL},
    {"softplus",
     "$0 * $a > $1 ? $a : (larger($0 * $a, 0.0f) + log1p(exp(-fabs($0 * $a)))) * (1.0f / $0)", NULL,
     NULL},
    {"softsign", "$a / (1.0f + fabs($a))", NULL, NULL},
    {"hardswish", "$a * smaller(larger($a + 3.0f, 0.0f), 6.0f) * 0.166666667f", NULL, NULL},
    {"hardsigmoid", "smaller(larger($a + 3.0f, 0.0f), 6.0f) * 0.166666667f", NULL, NULL},
    {"tanh", "tanh($a)", NULL, NULL},
    {"exp", "exp($a)", NULL, NULL},
    {"log", "log($a)", NULL, NULL},
    {"sqrt", "sqrt($a)", NULL, NULL},
    {"rsqrt", "rsqrt($a)", NULL, NULL},
    {"sin", "sin($a)", NULL, NULL},
    {"cos", "cos($a)", NULL, NULL},
    {"atan", "atan($a)", NULL, NULL},
    {"erf", "erf($a)", NULL, NULL},
    {0},
};

#define TOTAL(element, then)                               \
    {                                                      \
        "total", "$T", "0", element, "$a + $b", then, NULL \
    }
/* Merging a part that is all -infinity adds nothing; its exponentials would be NaN. */
#define EXPONENTIALS(then)                                        \
    {                                                             \
        "total", "$T", "0", "exp($x - @most)", "$a + $b", then,   \
            "(isinf($p) && $p < 0 ? 0.0f : $x * exp($p - @most))" \
    }
#define SQUARES(element, then)                               \
    {                                                        \
        "squares", "$T", "0", element, "$a + $b", then, NULL \
    }
/* Sums the squared distances to the mean of a part, then shifts them to the mean of the row. */
#define SQUARES_ABOUT_CENTRE(then)                                                \
    {                                                                             \
        "squares", "$T", "0", "($x - @centre) * ($x - @centre)", "$a + $b", then, \
            "($x + $m * ($p / $m - @centre) * ($p / $m - @centre))"               \
    }
#define MOST                                                   \
    {                                                          \
        "most", "$X", "$L", "$x", "larger($a, $b)", NULL, NULL \
    }
#define LEAST                                                    \
    {                                                            \
        "least", "$X", "$H", "$x", "smaller($a, $b)", NULL, NULL \
    }
/* The first index whose element equals the result of the previous pass; both may be NaN. */
#define PLACE(found)                                                                  \
    {                                                                                 \
        "place", "int", "INT_MAX", "(($x == " found ") | ($x != $x)) ? $j : INT_MAX", \
            "min($a, $b)", NULL, "((($p == " found ") | ($p != $p)) ? $x : INT_MAX)"  \
    }

static const struct rowwise_formula lines[] = {
    {"sum", {TOTAL("$x", NULL)}, "@total"},
    {"mean", {TOTAL("$x", NULL)}, "@total / $n"},
    {"prod", {{"product", "$T", "1", "$x", "$a * $b", NULL, NULL}}, "@product"},
    {"max", {MOST}, "@most"},
    {"min", {LEAST}, "@least"},
    {"argmax", {MOST, PLACE("@most")}, "@place"},
    {"argmin", {LEAST, PLACE("@least")}, "@place"},
    {"var",
     {TOTAL("$x", "const $T @centre = @total / $n;"), SQUARES_ABOUT_CENTRE(NULL)},
     "@squares / ($n - $2)"},
    {"logsumexp", {MOST, EXPONENTIALS(NULL)}, "isinf(@most) ? @most : @most + log(@total)"},
    {"softmax", {MOST, EXPONENTIALS("const $T @scale = 1.0f / @total;")}, "$e * @scale"},
    {"log_softmax", {MOST, EXPONENTIALS("const $T @shift = @most + log(@total);")}, "$x - @shift"},
    {"rms_norm",
     {SQUARES("$x * $x", "const $T @scale = rsqrt(@squares / $n + $0);")},
     "$x * @scale * $w"},
    {"layer_norm",
     {TOTAL("$x", "const $T @centre = @total / $n;"),
      SQUARES_ABOUT_CENTRE("const $T @scale = rsqrt(@squares / $n + $0);")},
     "($x - @centre) * @scale * $w + $s"},
    {0},
};

static const struct type_formula types[] = {
    [DTYPE_F32] = {"float", "float", "$p[$i]", "$p[$i] = $v", "-INFINITY", "INFINITY", NULL},
    [DTYPE_F16] = {"half", "float", "vload_half($i, $p)", "vstore_half($v, $i, $p)", "-INFINITY",
                   "INFINITY", "half_round($v)"},
    [DTYPE_BF16] = {"ushort", "float", "as_float((uint)$p[$i] << 16)", "$p[$i] = bf16_round($v)",
                    "-INFINITY", "INFINITY", "as_float((uint)bf16_round($v) << 16)"},
    [DTYPE_F64] = {"double", "float", "(float)$p[$i]", "$p[$i] = $v", "-INFINITY", "INFINITY",
                   NULL},
    [DTYPE_I32] = {"int", "int", "$p[$i]", "$p[$i] = $v", "INT_MIN", "INT_MAX", NULL},
    [DTYPE_I64] = {"long", "long", "$p[$i]", "$p[$i] = $v", "LONG_MIN", "LONG_MAX", NULL},
    [DTYPE_BOOL] = {"uchar", "int", "$p[$i]", "$p[$i] = ($v) != 0", "0", "1", "($v) != 0"},
};

const struct element_formula *formula_element(const char *op)
{
    for (const struct element_formula *f = elements; f->op; f++)
        if (strcmp(f->op, op) == 0)
            return f;
    return NULL;
}

const struct rowwise_formula *formula_rowwise(const char *op)
{
    for (const struct rowwise_formula *f = lines; f->op; f++)
        if (strcmp(f->op, op) == 0)
            return f;
    return NULL;
}

const struct type_formula *formula_type(enum dtype dtype)
{
    return &types[dtype];
}

const char formula_batch_norm[] = "($a - $b) * rsqrt($c + $0) * $d + $e";

static double attribute_value(const struct op_call *call, size_t index)
{
    const struct attribute *a = &call->attributes[index];

    return call->op->attributes[index].kind == ATTRIBUTE_NUMBER ? a->number
                                                                : (double)a->integers[0];
}

/*
 * A small whole power as products, which take one or two operations instead of some fifty for
 * pow(); NULL for other calls.
 */
static const char *power_text(const struct op_call *call)
{
    const struct value *exponent = call->in_count > 1 ? call->in[1] : NULL;

    if (strcmp(call->op->name, "pow") != 0 || !exponent || exponent->role != TENSOR_CONSTANT)
        return NULL;
    if (exponent->fill.a == 2)
        return "$a * $a";
    return exponent->fill.a == 3 ? "$a * $a * $a" : NULL;
}

const char *formula_element_text(const struct element_formula *formula, const struct op_call *call)
{
    const char *power = power_text(call);

    if (power)
        return power;
    if (formula->other && attribute_value(call, 0) != call->op->attributes[0].fallback)
        return formula->other;
    if (formula->integer && !dtype_is_float(call->in[0]->dtype))
        return formula->integer;
    return formula->text;
}

const char *formula_type_prelude(enum dtype dtype)
{
    if (dtype == DTYPE_F16)
        return "static float half_round(float x)\n"
               "{\n"
               "    ushort stored;\n\n"
               "    vstore_half(x, 0, (half *)&stored);\n"
               "    return vload_half(0, (const half *)&stored);\n"
               "}\n\n";
    if (dtype != DTYPE_BF16)
        return "";
    return "/* To nearest, ties to even; NaN stays NaN. */\n"
           "static ushort bf16_round(float x)\n"
           "{\n"
           "    const uint bits = as_uint(x);\n\n"
           "    return isnan(x) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;\n"
           "}\n\n";
}

void formula_number(enum dtype dtype, double number, char text[32])
{
    if (isinf(number) && !dtype_is_float(dtype)) {
        snprintf(text, 32, "%s", number < 0 ? types[dtype].lowest : types[dtype].highest);
    } else if (isinf(number)) {
        snprintf(text, 32, "%sINFINITY", number < 0 ? "-" : "");
    } else if (!dtype_is_float(dtype) && number == rint(number)) {
        snprintf(text, 32, "%.0f", number);
    } else {
        snprintf(text, 32, "%.9g", number);
        snprintf(text + strlen(text), 8, "%sf", strpbrk(text, ".e") ? "" : ".0");
    }
}

void formula_set_call(struct formula_words *words, const struct op_call *call)
{
    const struct attribute_spec *specs = call->op->attributes;

    for (size_t i = 0; specs[i].name; i++) {
        formula_number(call->out->dtype, attribute_value(call, i), words->numbers[i]);
        words->of['0' + i] = words->numbers[i];
    }
    words->of['T'] = types[call->out->dtype].compute;
}

void formula_set_rowwise(struct formula_words *words, const struct op_call *call)
{
    const struct type_formula *type = &types[call->in[0]->dtype];

    formula_set_call(words, call);
    words->of['X'] = type->compute;
    words->of['L'] = type->lowest;
    words->of['H'] = type->highest;
    words->of['x'] = "x";
    words->of['j'] = "j";
}

/* Append a name that the formula declares, with the text that makes it unique. */
static const char *expand_name(const char *name, const struct formula_words *words,
                               struct strbuf *out)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyz");

    strbuf_add(out, name, len);
    if (words->of['@'])
        strbuf_adds(out, words->of['@']);
    return name + len;
}

void formula_expand(const char *text, const struct formula_words *words, struct strbuf *out)
{
    const char *mark;

    while ((mark = strpbrk(text, "$@"))) {
        strbuf_add(out, text, (size_t)(mark - text));
        if (*mark == '@') {
            text = expand_name(mark + 1, words, out);
        } else {
            strbuf_adds(out, words->of[(unsigned char)mark[1]]);
            text = mark + 2;
        }
    }
    strbuf_adds(out, text);
}
