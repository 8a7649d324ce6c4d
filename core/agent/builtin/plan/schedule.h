#ifndef CORE_AGENT_BUILTIN_PLAN_SCHEDULE_H
#define CORE_AGENT_BUILTIN_PLAN_SCHEDULE_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/model/device_info.h"

/*
 * The schedule of a generated kernel: a few named integers ("knobs") such as tile sizes and vector
 * widths. Their names and legal values are the vocabulary in which the analyst recommends changes
 * and the engineer edits them: "tile_m: 4 -> 8, unroll: 1 -> 4".
 *
 * The first line of a generated source is its schedule:
 *
 * // schedule: fuse=1 vec=16 group=1 tile_m=4 tile_n=32 unroll=1 pack=1 order=0 local=0 fast=1
 */

struct dialect;

/* Families of kernels, as bits. */
enum family {
    FAMILY_PLAIN = 1,        /* a plain kernel (core/codegen/plain.h) for one operation */
    FAMILY_ELEMENTWISE = 2,  /* fused elementwise operations */
    FAMILY_ROWWISE = 4,      /* reductions and normalizations along rows */
    FAMILY_PRODUCT = 8,      /* a matrix product with its epilogue */
    FAMILY_MOVEMENT = 16,    /* gather, slice and the like, with inlined operations */
    FAMILY_CONVOLUTION = 32, /* a convolution with its epilogue */
    FAMILY_ATTENTION = 64,   /* softmax(q k) v */
    FAMILY_SCAN = 128,       /* running sums and products */
    FAMILY_TRANSPOSE = 256,  /* movements that make another axis the last one */
    FAMILY_POOLING = 512,    /* the maximum or mean of windows */
    FAMILY_SLICES = 1024,  /* in addition to FAMILY_ROWWISE: rows that are split (fusion_split.h) */
    FAMILY_COLUMNS = 2048, /* statistics of the columns of a product (fusion_epilogue.h) */
};

enum knob {
    KNOB_FUSE,      /* 0: plain kernels only */
    KNOB_VEC,       /* elements in a vector */
    KNOB_ITEMS,     /* vectors that a work-item computes, one after the other */
    KNOB_GROUP,     /* work-items in a work-group; 0: the driver chooses */
    KNOB_LANES,     /* work-items that share a row */
    KNOB_HOLD,      /* vectors of its row that each lane keeps in registers between passes */
    KNOB_STORE,     /* 1: a pass stores its elements in the output buffer for the next pass */
    KNOB_TILE_M,    /* rows of the product that a work-item computes */
    KNOB_TILE_N,    /* columns of the product that a work-item computes */
    KNOB_UNROLL,    /* steps of the sum in one iteration of the loop */
    KNOB_PACK,      /* 1: the second operand is first copied to panels of tile_n columns */
    KNOB_ORDER,     /* 0: consecutive work-groups share rows of the product, 1: columns */
    KNOB_LOCAL,     /* steps of the sum in a block of local memory; 0: operands in global memory */
    KNOB_SLICES,    /* sets of work-items that share the steps of a block */
    KNOB_MATRIX,    /* operands on matrix units, enum matrix_operands */
    KNOB_WARPGROUP, /* matrix units: 1: warpgroups and tensor maps (Hopper), 0: single warps */
    KNOB_SPAN,      /* matrix units: columns of a work-group's tile */
    KNOB_STAGES,    /* matrix units: tiles of operands in the ring of shared memory */
    KNOB_CLUSTER,   /* matrix units: work-groups that share each tile of columns */
    KNOB_TURNS,     /* matrix units: tiles that a work-group computes one after the other */
    KNOB_PERSIST,   /* matrix units: work-groups that stay and take tiles in turn; 0: one a tile */
    KNOB_BLOCK,     /* squares along each side of a transposed block */
    KNOB_FAST,      /* 1: erf by a polynomial, 2: FAST_DEVICE */
    KNOB_DROP,      /* 1: leave out operations that return their operand (algebra.h) */
    KNOB_FOLD,      /* 1: products whose columns are summed become products with a vector */
    KNOB_CHAIN,     /* 1: products of products in the order that costs least */
    KNOB_AHEAD,     /* 1: compute values that depend on params alone in `prepare` */
    KNOB_COUNT
};

/*
 * The type that operands of a product on matrix units are rounded to; the sums are f32. With
 * MATRIX_PARTS operands are not rounded, but split into three parts in bf16.
 */
enum matrix_operands { MATRIX_NONE, MATRIX_HALVES, MATRIX_BFLOATS, MATRIX_PARTS };

/*
 * A value of KNOB_FAST: also use the device's approximate functions, for results that may be
 * rounded.
 */
enum { FAST_DEVICE = 2 };

struct schedule {
    int of[KNOB_COUNT];
};

enum { KNOB_MAX_VALUES = 10 };

struct knob_row {
    const char *name;
    unsigned families; /* families of kernels that the knob affects */
    int values[KNOB_MAX_VALUES];
    size_t count;
    const char *meaning;
};

extern const struct knob_row knob_table[KNOB_COUNT];

/* True if the value is one of the knob's. */
bool knob_has(enum knob knob, long value);

/* A cautious schedule for the device, the first one of a session. */
struct schedule schedule_first(const struct device_info *device);

/* The instructions by which kernels can use the device's matrix units. */
enum matrix_units { MATRIX_UNITS_NONE, MATRIX_UNITS_WARP, MATRIX_UNITS_WARPGROUP };

/* MATRIX_UNITS_NONE also if the device does not name its architecture. */
enum matrix_units schedule_matrix_units(const struct device_info *device);

/* The work-items of a product's work-group along columns and along rows. */
void schedule_group_shape(const struct schedule *schedule, int *columns, int *rows);

/* Rows of a work-group's tile of a product on matrix units. */
int schedule_tile_rows(const struct schedule *schedule);

/* Shared memory in bytes that the ring of stages of a product on matrix units takes. */
int schedule_stage_bytes(const struct schedule *schedule);

/* Append the schedule's line, without a line break, with the knobs of `families`. */
void schedule_print(const struct schedule *schedule, unsigned families, struct strbuf *out);

/*
 * Read the schedule from the first line of a source; false if it holds no legal schedule. Knobs
 * that the line does not name keep their values.
 */
bool schedule_read(struct schedule *schedule, const char *source);

/*
 * The schedule that kernels of the dialect follow; NULL is a language that these agents do not
 * write. In a language of calls (C) work-items share no
 * memory, so each one is a work-group of its own; lanes of a row become elements of a vector.
 */
struct schedule schedule_fit(const struct schedule *wanted, const struct dialect *dialect);

/* True if kernels of the dialect may differ under these schedules. */
bool schedule_differs(const struct schedule *a, const struct schedule *b,
                      const struct dialect *dialect);

/* Check that the values are legal together; the error names the knobs and the limit. */
enum status schedule_check(const struct schedule *schedule, struct error *err) MUST_CHECK;

/*
 * Apply a change such as "vec: 4 -> 8". STATUS_INVALID names the vocabulary, and the schedule stays
 * as it is.
 */
enum status schedule_change(struct schedule *schedule, const char *change,
                            struct error *err) MUST_CHECK;

/* Undo a change: set each knob to the value left of the arrow. */
enum status schedule_undo(struct schedule *schedule, const char *change,
                          struct error *err) MUST_CHECK;

/* Undo half of a change. STATUS_NOT_FOUND if no legal schedule lies between. */
enum status schedule_halve(struct schedule *schedule, const char *change) MUST_CHECK;

/* Append "name: from -> to" for each knob of `families` that differs, in the order of the table. */
void schedule_difference(const struct schedule *from, const struct schedule *to, unsigned families,
                         struct strbuf *out);

#endif
