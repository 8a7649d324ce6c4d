#include "core/judge/device_oracle/oracle_kernel_alike.h"

/* The doubles that the rows of an operand take. */
static int64_t room_of(const struct oracle_alike *a)
{
    return 2 * a->matrices * (int64_t)a->rows.rows;
}

int64_t oracle_alike_room(const struct oracle_kernel *kernel, const struct oracle_alike rows[2],
                          double terms)
{
    return oracle_writer_spreads(kernel->writer) && terms >= ALIKE_LEAST_TERMS
               ? room_of(&rows[0]) + room_of(&rows[1])
               : 0;
}

static void write_rows(struct oracle_kernel *k, const struct oracle_alike *a, int operand,
                       int64_t place)
{
    long long rows = (long long)a->rows.rows;

    oracle_kernel_begin(k, room_of(a) / 2);
    oracle_kernel_add(k,
                      "    const INDEX first = i / %lld * %lld + i %% %lld * %lld;\n"
                      "#define ROW_ELEMENT(j) X%d(first + (j) * %lld)\n"
                      "    ALIKE(ROW_ELEMENT, %lld, TERMS, state + %lldL + 2 * (long)i)\n"
                      "#undef ROW_ELEMENT\n",
                      rows, (long long)a->size, rows, (long long)a->rows.row_step, operand,
                      (long long)a->rows.step, (long long)a->rows.n, (long long)place);
    oracle_kernel_end(k);
}

void oracle_alike_write(struct oracle_kernel *kernel, const struct oracle_alike rows[2],
                        double terms, int64_t place)
{
    int64_t second = place + room_of(&rows[0]);

    if (!oracle_alike_room(kernel, rows, terms)) {
        oracle_kernel_add(kernel, "#define ALIKE_SUM(y, variance) 0\n");
        return;
    }
    write_rows(kernel, &rows[0], 0, place);
    write_rows(kernel, &rows[1], 1, second);
    oracle_kernel_add(kernel,
                      "#define ALIKE_SUM(y, variance) alike_variance(state + %lldL + 2 * "
                      "(long)(%s), state + %lldL + 2 * (long)(%s), TERMS, y, (variance) / "
                      "(UNIT_VARIANCE * (TERMS + 64) * GROWTH))\n",
                      (long long)place, rows[0].index, (long long)second, rows[1].index);
}

void oracle_alike_undefine(struct oracle_kernel *kernel)
{
    oracle_kernel_add(kernel, "#undef ALIKE_SUM\n");
}
