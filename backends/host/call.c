#include "backends/host/call.h"

#include <string.h>

static void add_to_stack(struct call *call, uint64_t word)
{
    if (call->stack_count < CALL_STACK_WORDS)
        call->stack[call->stack_count++] = word;
}

void call_add_whole(struct call *call, uint64_t word)
{
    if (call->whole_count < CALL_WHOLE_REGISTERS)
        call->whole[call->whole_count++] = word;
    else
        add_to_stack(call, word);
}

void call_add_real(struct call *call, uint64_t bits)
{
    if (call->real_count < CALL_REAL_REGISTERS)
        memcpy(&call->real[call->real_count++], &bits, sizeof(bits));
    else
        add_to_stack(call, bits);
}

/* Pass all argument registers and the whole stack; the function reads only its own parameters. */
#ifdef __x86_64__
#define WHOLE_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define WHOLE(w)    (w)[0], (w)[1], (w)[2], (w)[3], (w)[4], (w)[5]
#else
#define WHOLE_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t
#define WHOLE(w)    (w)[0], (w)[1], (w)[2], (w)[3], (w)[4], (w)[5], (w)[6], (w)[7]
#endif
#define REAL_TYPES  double, double, double, double, double, double, double, double
#define REAL(r)     (r)[0], (r)[1], (r)[2], (r)[3], (r)[4], (r)[5], (r)[6], (r)[7]
#define FOUR(s)     (s)[0], (s)[1], (s)[2], (s)[3]
#define EIGHT(s, i) FOUR((s) + (i)), FOUR((s) + (i) + 4)
#define EIGHT_TYPES uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t

typedef void few_fn(WHOLE_TYPES, REAL_TYPES, EIGHT_TYPES);
typedef void many_fn(WHOLE_TYPES, REAL_TYPES, EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES,
                     EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES, EIGHT_TYPES);

void call_make(const struct call *call, void *function)
{
    const uint64_t *w = call->whole, *s = call->stack;
    const double *r = call->real;
    many_fn *many;
    few_fn *few;

    memcpy(&many, &function, sizeof(many));
    memcpy(&few, &function, sizeof(few));
    if (call->stack_count <= 8)
        few(WHOLE(w), REAL(r), EIGHT(s, 0));
    else
        many(WHOLE(w), REAL(r), EIGHT(s, 0), EIGHT(s, 8), EIGHT(s, 16), EIGHT(s, 24), EIGHT(s, 32),
             EIGHT(s, 40), EIGHT(s, 48), EIGHT(s, 56));
}
