#include "core/agent/builtin/emit/emit_vector.h"

#include <string.h>

/* Expand one of the dialect's formulas for vectors. */

static const char *expand(struct emitter *e, const char *text, struct formula_words *words,
                          int width)
{
    words->of['n'] = emit_text(e, "%d", width);
    return emit_formula(e, text, words);
}

static const struct vector_words *vector_words(const struct emitter *e)
{
    return &e->writer->dialect->vector;
}

const char *emit_vector_type(struct emitter *e, const char *scalar, int width)
{
    struct formula_words words = {0};

    words.of['T'] = scalar;
    return width > 1 ? expand(e, vector_words(e)->type, &words, width) : scalar;
}

static const char *make(struct emitter *e, const char *scalar_type, const char *elements, int width)
{
    struct formula_words words = {0};

    words.of['t'] = emit_vector_type(e, scalar_type, width);
    words.of['x'] = elements;
    return expand(e, vector_words(e)->make, &words, width);
}

const char *emit_vector_splat(struct emitter *e, const char *scalar, int width)
{
    return width > 1 ? make(e, "float", scalar, width) : scalar;
}

const char *emit_vector_initial(struct emitter *e, const char *type, const char *scalar, int width)
{
    return width > 1 && e->writer->dialect->has_calls ? make(e, type, scalar, width) : scalar;
}

/* Expand a load or a store; for width 1 it is an access to one element. */
static const char *access_text(struct emitter *e, const char *text, int width, const char *vector,
                               const char *pointer)
{
    struct formula_words words = {0};

    words.of['p'] = pointer;
    words.of['v'] = vector;
    if (width > 1)
        return expand(e, text, &words, width);
    return emit_formula(e, vector ? "*($p) = $v" : "*($p)", &words);
}

const char *emit_vector_load(struct emitter *e, int width, const char *pointer)
{
    return access_text(e, vector_words(e)->load, width, NULL, pointer);
}

const char *emit_vector_store(struct emitter *e, int width, const char *vector, const char *pointer)
{
    return access_text(e, vector_words(e)->store, width, vector, pointer);
}

const char *emit_vector_load_aligned(struct emitter *e, int width, const char *pointer)
{
    return access_text(e, vector_words(e)->load_aligned, width, NULL, pointer);
}

const char *emit_vector_store_aligned(struct emitter *e, int width, const char *vector,
                                      const char *pointer)
{
    return access_text(e, vector_words(e)->store_aligned, width, vector, pointer);
}

const char *emit_vector_component(struct emitter *e, const char *vector, int index)
{
    struct formula_words words = {0};

    words.of['v'] = vector;
    words.of['i'] = emit_text(e, "%d", index);
    words.of['h'] = emit_text(e, "%x", (unsigned)index);
    return emit_formula(e, vector_words(e)->component, &words);
}

const char *emit_vector_fold(struct emitter *e, const char *combine, const char *vector)
{
    struct formula_words words = {0}, halves = {0};

    words.of['v'] = vector;
    halves.of['a'] = emit_formula(e, vector_words(e)->low, &words);
    halves.of['b'] = emit_formula(e, vector_words(e)->high, &words);
    return emit_formula(e, combine, &halves);
}

/*
 * All formulas with a choice have the form "$x == @most ? $j : INT_MAX", without another `?` or
 * `:`.
 */
const char *emit_vector_choices(struct emitter *e, const char *formula, int width)
{
    const char *question = strstr(formula, " ? "), *colon = strstr(formula, " : ");
    struct formula_words words = {0};

    if (width == 1 || !question || !colon)
        return formula;
    words.of['c'] = emit_text(e, "%.*s", (int)(question - formula), formula);
    words.of['a'] = emit_text(e, "%.*s", (int)(colon - question - 3), question + 3);
    words.of['b'] = colon + 3;
    return emit_formula(e, vector_words(e)->choice, &words);
}

enum { MAX_WIDTH = 16 };

const char *emit_vector_of(struct emitter *e, const char *type, const char *const *elements,
                           int width)
{
    const char *text = elements[0];

    for (int i = 1; i < width; i++)
        text = emit_text(e, "%s, %s", text, elements[i]);
    return make(e, type, text, width);
}

const char *emit_vector_shift(struct emitter *e, int width, const char *vector, int distance,
                              const char *fill)
{
    const char *elements[MAX_WIDTH] = {0};

    for (int i = 0; i < width; i++)
        elements[i] = i < distance ? fill : emit_vector_component(e, vector, i - distance);
    return emit_vector_of(e, "float", elements, width);
}

const char *emit_vector_exchange(struct emitter *e, int width, int distance, bool is_odd)
{
    const char *elements[MAX_WIDTH] = {0};

    for (int i = 0; i < width; i++) {
        int piece = i / distance, from = i % distance + piece / 2 * 2 * distance;

        elements[i] =
            emit_vector_component(e, piece % 2 ? "b" : "a", from + (is_odd ? distance : 0));
    }
    return emit_vector_of(e, "float", elements, width);
}

const char *emit_vector_indices(struct emitter *e, int width, const char *first)
{
    const char *elements[MAX_WIDTH] = {0};

    if (width == 1)
        return first;
    for (int i = 0; i < width; i++)
        elements[i] = emit_text(e, "%d", i);
    return emit_text(e, "(%s + %s)", make(e, "int", first, width),
                     emit_vector_of(e, "int", elements, width));
}
