#include "core/judge/device_oracle/oracle_kernel.h"

#include <float.h>
#include <math.h>

enum { OCTAVES = 32, FIT_NUMBERS = 2 * OCTAVES }; /* as in results.cl */
/* How many work-items compare rounded elements with exact ones; more where elements are many. */
enum { FEW_PARTS = 1 << 12, MANY_PARTS = 1 << 16, MANY_ELEMENTS = 1 << 26 };

static void write_step(struct oracle_writer *w, const size_t buffers[4], int64_t work_items,
                       const char *step)
{
    oracle_writer_begin(w, &(struct oracle_call_of_buffers){buffers, 4, work_items});
    strbuf_addf(w->source, "    %s\n}\n", step);
}

size_t oracle_write_fit(struct oracle_writer *w, const struct oracle_place *exact,
                        const struct oracle_place *rounded, int64_t count, double margin)
{
    int64_t parts = count < MANY_ELEMENTS ? FEW_PARTS : MANY_PARTS;
    size_t fit = oracle_writer_take(w, FIT_NUMBERS + (int64_t)3 * OCTAVES * (1 + parts));
    const size_t buffers[4] = {exact->elements, rounded->elements, exact->variances, fit};

    strbuf_addf(w->source,
                "#define COUNT %lldL\n#define FIT_PARTS %lld\n#define FIT_VARIANCE(x) %s\n"
                "#define FIT_MARGIN %.17g\n",
                (long long)count, (long long)parts,
                exact->is_result ? "square((double)(x))" : "(x)", fmin(margin, DBL_MAX));
    write_step(w, buffers, parts, "FIT_SUMS");
    write_step(w, buffers, (int64_t)3 * OCTAVES, "FIT_TOTALS");
    write_step(w, buffers, OCTAVES, "FIT_FACTORS");
    strbuf_adds(w->source,
                "#undef COUNT\n#undef FIT_PARTS\n#undef FIT_VARIANCE\n#undef FIT_MARGIN\n");
    return fit;
}

void oracle_fit_inner(struct oracle_writer *w, const struct oracle_place *exact,
                      const struct oracle_place *other, int64_t count)
{
    size_t fit = oracle_write_fit(w, exact, other, count, w->second_does.margin);

    oracle_writer_begin(
        w, &(struct oracle_call_of_buffers){(size_t[]){exact->variances, fit}, 2, count});
    strbuf_adds(w->source, "    b0[i] = fitted(b0[i], b1);\n}\n");
    oracle_writer_give(w, fit);
}
