#include "backends/host/allowed.h"

#include <string.h>

#include "core/base/array.h"

const char allowed_text[] =
    "a kernel may call the functions of <math.h>, memcpy, memmove, memset, memcmp and its own, and "
    "use OpenMP's parallel regions, loops, sections and critical sections";

/* Functions of libm on double; the same names with "f" appended are on float. */
static const char *const mathematics[] = {
    "acos",   "acosh",     "asin",  "asinh", "atan",      "atan2",   "atanh",     "cbrt",
    "ceil",   "cos",       "cosh",  "erf",   "erfc",      "exp",     "exp10",     "exp2",
    "expm1",  "fabs",      "fdim",  "floor", "fma",       "fmax",    "fmin",      "fmod",
    "frexp",  "hypot",     "ilogb", "ldexp", "llrint",    "llround", "log",       "log10",
    "log1p",  "log2",      "logb",  "lrint", "lround",    "modf",    "nearbyint", "nextafter",
    "pow",    "remainder", "rint",  "round", "roundeven", "scalbln", "scalbn",    "sin",
    "sincos", "sinh",      "sqrt",  "tan",   "tanh",      "tgamma",  "trunc",     "copysign",
};

/* Functions that compilers call for copies and for thread-local variables. */
static const char *const of_compilers[] = {"memcpy", "memmove", "memset", "memcmp",
                                           "__tls_get_addr"};

static bool is_mathematics(const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < COUNT(mathematics); i++) {
        size_t known = strlen(mathematics[i]);

        if (strncmp(name, mathematics[i], known) == 0 &&
            (len == known || (len == known + 1 && name[known] == 'f')))
            return true;
    }
    return false;
}

bool allowed_function(const char *name)
{
    /* prefix of libmvec's functions, by the vector function ABI */
    static const char vectors[] = "_ZGV";

    for (size_t i = 0; i < COUNT(of_compilers); i++)
        if (strcmp(name, of_compilers[i]) == 0)
            return true;
    return is_mathematics(name) || strncmp(name, vectors, strlen(vectors)) == 0;
}

bool allowed_library(const char *name)
{
    static const char *const names[] = {"libm.so.", "libmvec.so.", "libc.so.", "ld-linux"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}
