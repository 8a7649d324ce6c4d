#include "core/agent/builtin/emit/convolution/convolution_places.h"

#include "core/agent/builtin/emit/convolution/convolution_phases.h"

/* Declare `<name><axis>`, the coordinates of a place, counted in its phase. */
void convolution_write_places(const struct convolution_kernel *c, const char *name,
                              const char *place, const char *indent)
{
    const char *left = emit_text(c->e, "%s %% %s", place, c->places);

    for (size_t axis = c->rank; axis-- > FIRST_SPATIAL;) {
        const char *size = convolution_phase_places(c, axis);

        emit_line(c->e,
                  axis == FIRST_SPATIAL ? "%sconst int %s%zu = %s;"
                                        : "%sconst int %s%zu = %s %% %s;",
                  indent, name, axis, left, size);
        left = emit_text(c->e, axis == c->rank - 1 ? "(%s) / %s" : "%s / %s", left, size);
    }
}

/* Declare the group of channels, and the phase along each axis. */
void convolution_write_phase(const struct convolution_kernel *c, const char *number)
{
    long long phases = (long long)convolution_phases(c), below = phases;

    if (phases == 1) {
        emit_line(c->e, "    const int channel_group = %s;", number);
        return;
    }
    emit_line(c->e, "    const int channel_group = %s / %lld;", number, phases);
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        long long own = (long long)convolution_phase_axis(c, axis).phases;

        below /= own;
        emit_line(c->e, "    const int r%zu = %s / %lld %% %lld;", axis, number, below, own);
    }
}

/*
 * Declare the place of the operand that a tap meets, and whether it is inside the operand. `taps`
 * are "j" or "k".
 */
const char *convolution_write_met_place(const struct convolution_kernel *c, const char *taps,
                                        const char *indent)
{
    const char *index = NULL, *is_inside = NULL;

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        const char *size = convolution_size(c, c->node->in[0], axis);

        emit_line(c->e, "%sconst int y%zu = x%zu + %s%zu * %lld;", indent, axis, axis, taps, axis,
                  (long long)convolution_phase_axis(c, axis).reach);
        is_inside = emit_text(c->e, "%s%s(uint)y%zu < (uint)(%s)", is_inside ? is_inside : "",
                              is_inside ? " && " : "", axis, size);
        index = index ? emit_text(c->e, "(%s) * %s + y%zu", index, size, axis)
                      : emit_text(c->e, "y%zu", axis);
    }
    emit_line(c->e, "%sconst bool is_inside = %s;", indent, is_inside);
    return index;
}

/* The tap as an index into the packed weights. */
const char *convolution_tap_index(const struct convolution_kernel *c)
{
    const char *index = NULL;

    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        const char *tap =
            emit_text(c->e, "%s + j%zu * %lld", convolution_phase_number(c, axis, PHASE_FIRST),
                      axis, (long long)convolution_phase_axis(c, axis).step);

        index = index ? emit_text(c->e, "(%s) * %s + %s", index,
                                  convolution_size(c, c->node->in[1], axis), tap)
                      : tap;
    }
    return index;
}

/* Declare the result's coordinates of `place`, and leave places outside of the result. */
void convolution_write_result_place(const struct convolution_kernel *c, const char *leave)
{
    struct emitter *e = c->e;

    emit_line(e, "        if (place >= count)\n                %s;", leave);
    convolution_write_places(c, "q", "place", "        ");
    for (size_t axis = FIRST_SPATIAL; axis < c->rank; axis++) {
        long long phases = (long long)convolution_phase_axis(c, axis).phases;

        emit_line(e,
                  phases > 1 ? "        const int o%zu = q%zu * %lld + r%zu;"
                             : "        const int o%zu = q%zu;",
                  axis, axis, phases, axis);
        if (phases > 1)
            emit_line(e, "        if (o%zu >= %s)\n                %s;", axis,
                      convolution_size(c, c->node->out, axis), leave);
    }
}

/* The row of the group's space at `o<axis>` of a filter. */
static const char *row_of_filter(const struct convolution_kernel *c)
{
    const char *row = emit_text(c->e, "place / %s * %s + filter", c->places,
                                convolution_size(c, c->node->out, 1));

    for (size_t axis = FIRST_SPATIAL; axis + 1 < c->rank; axis++)
        row =
            emit_text(c->e, "(%s) * %s + o%zu", row, convolution_size(c, c->node->out, axis), axis);
    return row;
}

void convolution_write_row(const struct convolution_kernel *c, const char *own, const char *indent)
{
    emit_line(c->e, "%sconst int filter = channel_group * %s + %s;", indent, c->filters, own);
    emit_line(c->e, "%sconst int row = %s, c = o%zu;", indent, row_of_filter(c), c->rank - 1);
}

void convolution_write_result(const struct convolution_kernel *c, const char *type, const char *sum,
                              const char *indent)
{
    const struct value *bias = c->shape.bias;

    emit_line(c->e, "%sconst %s v_%s = %s%s;", indent, type, c->call.out->name, sum,
              bias ? emit_text(c->e, " + p_%s[filter]", bias->name) : "");
    c->e->is_declared[c->node->out] = true;
}
