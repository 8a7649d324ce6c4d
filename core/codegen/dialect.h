#ifndef CORE_CODEGEN_DIALECT_H
#define CORE_CODEGEN_DIALECT_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/*
 * The languages that kforge writes kernels in, a row for each.
 *
 * What every such language has is written once, in the part of OpenCL C that
 * each can be given by a few definitions, the prelude: numbers are float,
 * double, int, uint, long, ulong and those of 8 and 16 bits; halves are read
 * by vload_half() and written by vstore_half().  The kernels of the
 * reference, of the roofs and of random data need no more than that and
 * get_global_id(0).
 *
 * What languages say differently, the kernels of the built-in generator say
 * by words with a `$` before them, which the row translates: `$group_id0` is
 * the number of the work-group along axis 0.
 */

enum dialect_word {
    WORD_KERNEL,   /* begins a kernel's declaration */
    WORD_ARGUMENT, /* before a kernel's pointer to the device's memory */
    WORD_GLOBAL,   /* the same, of a variable */
    WORD_LOCAL,    /* before an array that a work-group shares */
    WORD_BARRIER,  /* a work-group's work-items wait for each other and see its local memory */
    WORD_GLOBAL_ID,
    WORD_GLOBAL_SIZE,
    WORD_GROUP_ID,
    WORD_GROUP_COUNT,
    WORD_LOCAL_ID,
    WORD_LOCAL_SIZE,
    WORD_COUNT
};

/*
 * Vectors of neighbouring elements, as formulas (formula.h): $T the type of
 * an element, $n how many, $t the vector's type, $v a vector, $x elements,
 * $p a pointer, $i a number, $h the same in hexadecimal digits, $c a condition, $a and $b what it
 * decides on.
 */
struct vector_words {
    const char *type;
    const char *make;                         /* from one element for all, or one for each */
    const char *load, *store;                 /* wherever an element may be */
    const char *load_aligned, *store_aligned; /* at a multiple of the vector's size */
    const char *component, *low, *high;       /* an element; half of the elements */
    const char *choice;                       /* element by element */
};

struct dialect {
    const char *prelude;
    const char *vectors; /* definitions that vectors need; "" where the language has them */
    const char *axes;    /* what the three axes of the index space are called */
    const char *words[WORD_COUNT]; /* a `?` stands for the axis */
    struct vector_words vector;
    const char *bounds;      /* before a kernel's name and the work-items of its groups; or NULL */
    const char *approximate; /* the compiler's option for the device's own functions; or NULL */
    /*
     * Definitions of copy_later<bytes>(to, from, is_there), which copies 4 or 16 bytes to memory
     * that the work-group shares while its work-items go on, zeros where nothing is there;
     * copies_end() ends a set of copies, copies_wait<n>() waits for all sets but the last n.  NULL
     * where there are none.
     */
    const char *copies;
    const char *prefetch; /* a statement by which what is at $p comes nearer; NULL for none */
    const char *shuffle;  /* $x of the work-item whose number differs in the bits of $i */
    int warp;             /* work-items whose registers are read by `$shuffle`; 0 for none */
    bool is_aligned;      /* a vector that is not at a multiple of its size is loaded by elements */
    bool has_matrix;      /* it reaches the matrix units of Hopper, and tensor maps */
};

/* NULL where no kernels can be written in it. */
const struct dialect *dialect_of(const char *language);

/* Append `text` with its words translated; the blank after one that is empty goes with it. */
void dialect_translate(const struct dialect *dialect, const char *text, struct strbuf *out);

#endif
