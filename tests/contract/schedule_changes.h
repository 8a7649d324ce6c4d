#ifndef TESTS_CONTRACT_SCHEDULE_CHANGES_H
#define TESTS_CONTRACT_SCHEDULE_CHANGES_H

/*
 * Schedule changes for a GPU, as different from each other as possible. Each applies to the first
 * schedule.
 */
static const char *const gpu_changes[] = {
    "fuse: 1 -> 1",
    "fuse: 1 -> 0",
    "fast: 0 -> 1, vec: 4 -> 1, lanes: 256 -> 32, hold: 4 -> 0, local: 16 -> 0, pack: 0 -> 1",
    "vec: 4 -> 2, group: 256 -> 64, lanes: 256 -> 1, store: 0 -> 1, tile_m: 4 -> 8, order: 0 -> 1",
    "vec: 4 -> 8, tile_n: 4 -> 8, group: 256 -> 0, lanes: 256 -> 64, hold: 4 -> 16, local: 16 -> 0",
    "items: 1 -> 4, block: 1 -> 4, lanes: 256 -> 1024, hold: 4 -> 1, local: 16 -> 8",
    "local: 16 -> 8, slices: 1 -> 2",
    "group: 256 -> 64, slices: 1 -> 4, order: 0 -> 1",
};

/*
 * Schedule changes that use matrix units. Matrix units round operands more than a float32 problem
 * allows.
 */
static const char *const matrix_changes[] = {
    "matrix: 0 -> 1",
    "matrix: 0 -> 1, span: 256 -> 64, group: 256 -> 128, stages: 4 -> 2, order: 0 -> 1",
    "matrix: 0 -> 1, span: 256 -> 128, stages: 4 -> 6, cluster: 1 -> 2, turns: 1 -> 2",
    "matrix: 0 -> 1, fast: 0 -> 2, stages: 4 -> 3, cluster: 1 -> 2, persist: 0 -> 132",
    "matrix: 0 -> 1, span: 256 -> 128, turns: 1 -> 4",
    "matrix: 0 -> 3, span: 256 -> 128, stages: 4 -> 6, cluster: 1 -> 2, order: 0 -> 1",
    "matrix: 0 -> 1, fast: 0 -> 2, warpgroup: 1 -> 0, span: 256 -> 128",
    "matrix: 0 -> 1, warpgroup: 1 -> 0, group: 256 -> 128, stages: 4 -> 2, order: 0 -> 1",
};

enum { MATRIX_CHANGE_COUNT = sizeof(matrix_changes) / sizeof(*matrix_changes) };
enum { GPU_CHANGE_COUNT = sizeof(gpu_changes) / sizeof(*gpu_changes) };

#endif
