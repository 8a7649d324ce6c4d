/* linear_gelu: A linear layer followed by exact GELU. */
#include "plan.h"

const struct tensor tensors[] = {
    {"x", INPUT, F32, 393216, 768, UNIFORM, -1, 1},
    {"w", PARAM, F32, 786432, 768, NORMAL, 0, 0.036},
    {"b", PARAM, F32, 1024, 1024, NORMAL, 0, 0.036},
    {"y", OUTPUT, F32, 524288, 1024, UNIFORM, 0, 0},
};
const size_t tensor_count = 4;
const struct tolerance tolerance = {0.0001, 0.0001, true};

static const size_t candidate_bytes[] = {1572864, 3145728, 4096, 2097152, 3145728};

static const struct argument candidate_prepare1_arguments[] = {
    {BUFFER, 1, 0, 0u},
    {BUFFER, 4, 0, 0u},
};
static const struct launch candidate_prepare[] = {
    {
        .kernel = "turn",
        .rank = 1,
        .global = {196608, 0, 0},
        .local = {256, 1, 1},
        .shared = 0,
        .cluster = {0, 0, 0},
        .arguments = candidate_prepare1_arguments,
        .argument_count = 2,
    },
};


static const struct argument candidate_each1_arguments[] = {
    {TENSOR_MAP, 0, 0, 0u},
    {BUFFER, 4, 0, 0u},
    {BUFFER, 2, 0, 0u},
    {BUFFER, 3, 0, 0u},
    {VALUE, 0, 4, 1024u},
    {VALUE, 0, 4, 1056964608u},
};
static const struct tensor_map candidate_each1_maps[] = {
    {0, 7, 2, {768, 512}, {3072, 1572864}, {32, 64}, 3},
};
static const struct launch candidate_each[] = {
    {
        .kernel = "linear_gelu",
        .rank = 2,
        .global = {1024, 128, 0},
        .local = {32, 8, 1},
        .shared = 4096,
        .cluster = {2, 1, 0},
        .arguments = candidate_each1_arguments,
        .argument_count = 6,
        .maps = candidate_each1_maps,
    },
};


const struct program candidate = {
    .file = KERNEL_FOLDER "kernel.cu",
    .options = "-DTILE=32 --use_fast_math",
    .buffer_bytes = candidate_bytes,
    .buffer_count = 5,
    .prepare = {candidate_prepare, 1},
    .each = {candidate_each, 1},

};

static const size_t plain_bytes[] = {1572864, 3145728, 4096, 2097152, 2097152};


static const struct argument plain_each1_arguments[] = {
    {BUFFER, 0, 0, 0u},
    {BUFFER, 1, 0, 0u},
    {BUFFER, 2, 0, 0u},
    {BUFFER, 4, 0, 0u},
    {VALUE, 0, 4, 512u},
    {VALUE, 0, 4, 1024u},
    {VALUE, 0, 4, 768u},
};

static const struct argument plain_each2_arguments[] = {
    {BUFFER, 4, 0, 0u},
    {BUFFER, 3, 0, 0u},
    {VALUE, 0, 4, 512u},
    {VALUE, 0, 4, 1024u},
    {VALUE, 0, 4, 768u},
};
static const struct launch plain_each[] = {
    {
        .kernel = "linear_0",
        .rank = 1,
        .global = {524288, 0, 0},
        .local = {256, 1, 1},
        .shared = 0,
        .cluster = {0, 0, 0},
        .arguments = plain_each1_arguments,
        .argument_count = 7,
    },
    {
        .kernel = "gelu_1",
        .rank = 1,
        .global = {524288, 0, 0},
        .local = {256, 1, 1},
        .shared = 0,
        .cluster = {0, 0, 0},
        .arguments = plain_each2_arguments,
        .argument_count = 5,
    },
};


static const struct program plain = {
    .file = KERNEL_FOLDER "plain_kernel.cu",
    .options = "",
    .buffer_bytes = plain_bytes,
    .buffer_count = 5,
    .each = {plain_each, 2},

};
const struct program *const reference = &plain;
