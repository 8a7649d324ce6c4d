#include <cblas.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/mem.h"
#include "core/judge/host_library/host_library_family.h"
#include "core/model/op/op_recurrence.h"

/* A step of a recurrent layer (op_recurrence.h): a product, and then its gates for each row. */
struct step {
    const struct recurrence *r;
    const float *x, *hidden, *cell; /* gates and states before the step */
    float *z, *next, *next_cell;    /* the product; states after the step */
};

static float sigmoid(float x)
{
    return 1 / (1 + expf(-x));
}

WIDE static void compute_row(const struct step *step, size_t row)
{
    size_t width = (size_t)step->r->width, begin = row * width;
    const float *x = step->x + begin * step->r->gates, *z = step->z + begin * step->r->gates;
    const float *hidden = step->hidden + begin;
    float *next = step->next + begin;

    for (size_t j = 0; j < width; j++) {
        float first = x[j] + z[j];

        if (step->r->cell == CELL_TANH) {
            next[j] = tanhf(first);
        } else if (step->r->cell == CELL_RELU) {
            next[j] = first > 0 ? first : 0;
        } else if (step->r->cell == CELL_GRU) {
            float update = sigmoid(x[width + j] + z[width + j]);

            next[j] = (1 - update) * tanhf(x[2 * width + j] + sigmoid(first) * z[2 * width + j]) +
                      update * hidden[j];
        } else {
            float cell = sigmoid(x[width + j] + z[width + j]) * step->cell[begin + j] +
                         sigmoid(first) * tanhf(x[2 * width + j] + z[2 * width + j]);

            step->next_cell[begin + j] = cell;
            next[j] = sigmoid(x[3 * width + j] + z[3 * width + j]) * tanhf(cell);
        }
    }
}

static void compute_step(const struct host_library_step *call, const struct step *step)
{
    const struct recurrence *r = step->r;
    blasint batch = (blasint)r->batch, width = (blasint)r->width;
    blasint row = (blasint)r->gates * width;

    for (blasint i = 0; i < batch && r->bias; i++)
        cblas_scopy(row, call->in[r->bias], 1, step->z + (size_t)i * (size_t)row, 1);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, batch, row, width, 1, step->hidden, width,
                call->in[1], width, r->bias ? 1 : 0, step->z, row);
    for (size_t i = 0; i < (size_t)r->batch; i++)
        compute_row(step, i);
}

static void run(struct host_library_step *call)
{
    struct recurrence r = recurrence_of(&call->op);
    size_t state = (size_t)(r.batch * r.width), all = (size_t)r.steps * state;
    float *z = mem_alloc_zeroed(r.gates * state, sizeof(*z));
    struct step step = {.r = &r, .hidden = call->in[2], .z = z};

    step.cell = call->in[r.states > 1 ? 3 : 2];
    for (int64_t i = 0; i < r.steps; i++) {
        size_t at = (size_t)(r.is_reversed ? r.steps - 1 - i : i) * state;

        step.x = call->in[0] + at * r.gates;
        step.next = call->out + at;
        step.next_cell = call->out + (r.states > 1 ? all : 0) + at;
        compute_step(call, &step);
        step.hidden = step.next;
        step.cell = step.next_cell;
    }
    free(z);
}

const struct host_library_rule host_library_recurrence[] = {
    {"rnn", .run = run}, {"gru", .run = run}, {"lstm", .run = run}, {0}};
