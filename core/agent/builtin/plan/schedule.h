#ifndef CORE_AGENT_BUILTIN_PLAN_SCHEDULE_H
#define CORE_AGENT_BUILTIN_PLAN_SCHEDULE_H

#include "core/base/status.h"
#include "core/base/strbuf.h"
#include "core/judge/device/backend.h"

/*
 * How a kernel goes about its work: a few named integers.  Names and legal
 * values are the vocabulary in which the analyst recommends and the engineer
 * edits: "tile_m: 4 -> 8, unroll: 1 -> 4".
 *
 * A schedule travels in the first line of the source that was written by it:
 *
 *	// schedule: fuse=1 vec=16 group=1 tile_m=4 tile_n=32 unroll=1 pack=1 order=0 local=0 fast=1
 */

/* What kinds of kernels there are, as bits. */
enum family {
    FAMILY_PLAIN = 1,        /* a reference kernel for one operation */
    FAMILY_ELEMENTWISE = 2,  /* elementwise operations, fused */
    FAMILY_ROWWISE = 4,      /* row by row: reductions and norms with what is around them */
    FAMILY_PRODUCT = 8,      /* a product with what follows it */
    FAMILY_MOVEMENT = 16,    /* movements with what is around them, computed place by place */
    FAMILY_CONVOLUTION = 32, /* a convolution with what follows it */
    FAMILY_ATTENTION = 64,   /* softmax(q k) v */
    FAMILY_SCAN = 128,       /* running results */
    FAMILY_TRANSPOSE = 256,  /* movements that make another axis the last */
    FAMILY_POOLING = 512,    /* the largest or the mean of each window */
};

enum knob {
    KNOB_FUSE,   /* 0: reference kernels only */
    KNOB_VEC,    /* elements in a vector */
    KNOB_ITEMS,  /* vectors that a work-item computes one after the other */
    KNOB_GROUP,  /* work-items in a work-group; 0: the driver chooses */
    KNOB_LANES,  /* work-items that share a row */
    KNOB_HOLD,   /* vectors of its row that a lane keeps in registers from pass to pass */
    KNOB_KEEP,   /* 1: a pass leaves its elements in the output for the next one */
    KNOB_TILE_M, /* rows of the product that a work-item computes */
    KNOB_TILE_N, /* columns of it */
    KNOB_UNROLL, /* steps of the sum in one turn of the loop */
    KNOB_PACK,   /* 1: the second operand is copied into panels of tile_n columns before */
    KNOB_ORDER,  /* 0: neighbouring work-groups share rows, 1: columns */
    KNOB_LOCAL,  /* steps of the sum whose operands a work-group copies to local memory; 0: none */
    KNOB_SLICES, /* sets of a group's work-items, each of which adds up some steps of each block */
    KNOB_MATRIX, /* products on matrix units: of floats elsewhere, or enum matrix_operands */
    KNOB_WARPGROUP, /* there, 1: by warpgroups, which Hopper has, with copies by tensor maps; 0: by
                       warps alone */
    KNOB_SPAN,      /* columns of a work-group's tile there; it has half a row for each work-item */
    KNOB_STAGES,    /* of tiles that are under way to it */
    KNOB_CLUSTER,   /* work-groups that share each tile of columns there */
    KNOB_TURNS,     /* tiles along columns that a work-group has there, one after the other */
    KNOB_BLOCK,     /* squares along each side of a block that is turned */
    KNOB_FAST,      /* 1: functions of several operations where the tolerance allows; 2: and all
                       others as the device approximates them, for results that may be rounded */
    KNOB_COUNT
};

/* What the operands of a product on matrix units are rounded to; the sums are floats. */
enum matrix_operands { MATRIX_NONE, MATRIX_HALVES, MATRIX_BFLOATS };

/* The second value of KNOB_FAST. */
enum { FAST_DEVICE = 2 };

struct schedule {
    int of[KNOB_COUNT];
};

enum { KNOB_MAX_VALUES = 10 };

struct knob_row {
    const char *name;
    unsigned families; /* that it means something to */
    int values[KNOB_MAX_VALUES];
    size_t count;
    const char *meaning;
};

extern const struct knob_row knob_table[KNOB_COUNT];

/* A cautious schedule for the device. */
struct schedule schedule_first(const struct device_info *device);

/* How kernels for the device reach its matrix units. */
enum matrix_units { MATRIX_UNITS_NONE, MATRIX_UNITS_WARP, MATRIX_UNITS_WARPGROUP };

/* None where the device has none, or says nothing of itself. */
enum matrix_units schedule_matrix_units(const struct device_info *device);

/* Work-items of a product's work-group along columns and along rows. */
void schedule_group_shape(const struct schedule *schedule, int *columns, int *rows);

/* What the stages of a product on matrix units take in memory that the work-group shares. */
int schedule_stage_bytes(const struct schedule *schedule);

/* Append the line, without its end, with the knobs of `families`. */
void schedule_print(const struct schedule *schedule, unsigned families, struct strbuf *out);

/* Read the first line of a source; false where it holds no legal schedule. Others knobs are kept.
 */
bool schedule_read(struct schedule *schedule, const char *source);

/* Whether the values go together; if not, the error says why. */
enum status schedule_check(const struct schedule *schedule, struct error *err) MUST_CHECK;

/* Follow a change.  STATUS_INVALID names what is not in the vocabulary; nothing is changed then. */
enum status schedule_change(struct schedule *schedule, const char *change,
                            struct error *err) MUST_CHECK;

/* Take a change back: from its right side to its left. */
enum status schedule_undo(struct schedule *schedule, const char *change,
                          struct error *err) MUST_CHECK;

/*
 * Go half of the way back from a change that was followed.  STATUS_NOT_FOUND
 * where no legal schedule is in between.
 */
enum status schedule_halve(struct schedule *schedule, const char *change) MUST_CHECK;

/* Append "name: from -> to" for every knob of `families` that differs, in the order of the table.
 */
void schedule_difference(const struct schedule *from, const struct schedule *to, unsigned families,
                         struct strbuf *out);

#endif
