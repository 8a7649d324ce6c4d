#ifndef CORE_CODEGEN_DIALECT_H
#define CORE_CODEGEN_DIALECT_H

#include <stdbool.h>

#include "core/base/strbuf.h"

/*
 * The dialects of the kernel languages, a row for each.
 *
 * Code that all languages share is written once, in the part of OpenCL C that the prelude defines
 * in each language: the types float, double, int, uint, long, ulong and those of 8 and 16 bits,
 * vload_half() and vstore_half() for halves, and get_global_id(0). The plain kernels, the roof
 * probes and the kernels of random data need no more.
 *
 * The built-in generator also uses words that differ between languages. It writes them with a `$`,
 * and dialect_translate() replaces them: `$group_id0` is the work-group's index along axis 0.
 */

enum dialect_word {
    WORD_KERNEL,   /* begins a kernel's declaration */
    WORD_ARGUMENT, /* before a kernel's pointer to global memory */
    WORD_GLOBAL,   /* before a variable that points to global memory */
    WORD_LOCAL,    /* before an array in local memory */
    WORD_BARRIER,  /* a barrier of the work-group that also orders its local memory */
    WORD_GLOBAL_ID,
    WORD_GLOBAL_SIZE,
    WORD_GROUP_ID,
    WORD_GROUP_COUNT,
    WORD_LOCAL_ID,
    WORD_LOCAL_SIZE,
    WORD_COUNT
};

/*
 * Vectors of neighbouring elements, as formulas (formula.h): $T is the type of an element, $n their
 * number, $t the vector's type, $v a vector, $x elements, $p a pointer, $i a number, $h the same in
 * hexadecimal, $c a condition, and $a and $b are the operands of a choice.
 */
struct vector_words {
    const char *type;
    const char *make;         /* a vector that repeats one element, or of $n elements */
    const char *load, *store; /* at an element that need not be aligned to the vector's size */
    const char *load_aligned,
        *store_aligned;                 /* at an element that is aligned to the vector's size */
    const char *component, *low, *high; /* one element; half of the elements */
    const char *choice;                 /* of $a and $b for each element, by $c */
};

struct dialect {
    const char *prelude;
    /*
     * Definitions of larger() and smaller(), the extremes of two numbers, which are NaN if a number
     * is NaN, and of tanh_log1p(), which is used together with them; "" if the prelude has them.
     */
    const char *order;
    const char *vectors; /* definitions that vectors need; "" if they are part of the language */
    const char *axes;    /* the names of the three axes of the index space */
    const char *words[WORD_COUNT]; /* a `?` stands for the axis */
    struct vector_words vector;
    const char *bounds;      /* limits the work-items of a group, before a kernel's name; or NULL */
    const char *approximate; /* compiler option for the device's approximate functions; or NULL */
    /*
     * Definitions of copy_later<bytes>(to, from, is_there), which copies 4 or 16 bytes to local
     * memory asynchronously, or zeros if not is_there; copies_end(), which ends a set of copies;
     * and copies_wait<n>(), which waits for all sets but the last n. NULL if there are none.
     */
    const char *copies;
    /*
     * Definitions of add_to(pointer, x), which adds to a float or an int atomically, and of
     * raise_to(pointer, x), which replaces a smaller one; or NULL.
     */
    const char *additions;
    const char *prefetch; /* a statement that prefetches from $p; or NULL */
    const char *shuffle; /* $x of the work-item whose index in the warp differs in the bits of $i */
    const char *part_barrier; /* a barrier of the first $i work-items of a work-group; or NULL */
    int warp;                 /* work-items that `shuffle` reaches; 0 for none */
    bool is_aligned;   /* vectors that are not aligned to their size are loaded by elements */
    bool has_divisors; /* has `shared_divisor`, by which numbers are divided without a branch */
    bool has_matrix;   /* has Hopper's matrix units and tensor maps */
    /*
     * The language has no index space: a kernel is a function of one work-item with a further
     * parameter `item_at`, the work-item's place. Another function calls it for all work-items.
     */
    bool has_calls;
};

/* The dialect of a language; NULL if kforge writes no kernels in it. */
const struct dialect *dialect_of(const char *language);

/*
 * Append `text` with its words translated. A blank after a word whose translation is empty is
 * dropped.
 */
void dialect_translate(const struct dialect *dialect, const char *text, struct strbuf *out);

#endif
