#include "backends/host/allowed.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"

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
static const char *const of_compilers[] = {"memcpy", "memmove", "memset",
                                           "memcmp", "bcmp",    "__tls_get_addr"};

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
    return is_mathematics(name) || text_begins(name, vectors);
}

static bool begins_with_any(const char *name, const char *const *beginnings, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_begins(name, beginnings[i]))
            return true;
    return false;
}

bool allowed_library(const char *name)
{
    static const char *const names[] = {"libm.so.", "libmvec.so.", "libc.so.", "ld-linux"};

    return begins_with_any(name, names, COUNT(names));
}

const char allowed_runtime_text[] =
    "a kernel may call SYCL, the functions of <cmath>, memcpy and the like, and the C++ library "
    "without files, clocks, threads and sleeping";

bool allowed_runtime_function(const char *name)
{
    /* Beginnings of mangled names: of the implementations, then of the C++ library. */
    static const char *const beginnings[] = {"_ZN7hipsycl",
                                             "_ZNK7hipsycl",
                                             "_ZN4sycl",
                                             "_ZNK4sycl",
                                             "__sycl",
                                             "__spirv",
                                             "_ZSt",
                                             "_ZTI",
                                             "_ZTS",
                                             "_ZTV",
                                             "_ZTT",
                                             "_Znw",
                                             "_Zna",
                                             "_Zdl",
                                             "_Zda",
                                             "_ZNSo",
                                             "_ZNKSt5ctypeIcE",
                                             "_ZNSt8ios_base4InitC",
                                             "_ZNSt8ios_base4InitD",
                                             "_ZNSt9exception",
                                             "_ZNKSt9exception",
                                             "_ZNSt15__exception_ptr",
                                             "_ZNKSt15__exception_ptr",
                                             "_ZNSt11logic_error",
                                             "_ZNSt12out_of_range",
                                             "_ZNSt13runtime_error",
                                             "_ZNSt16invalid_argument",
                                             "_ZNSt3_V2",
                                             "_ZNKSt3_V2",
                                             "_ZNSt7__cxx1112basic_string",
                                             "_ZNKSt7__cxx1112basic_string",
                                             "_ZNSt8__detail",
                                             "_ZNKSt8__detail",
                                             "_ZNSt18condition_variable",
                                             "__cxa_",
                                             "_Unwind_"};
    static const char *const names[] = {"__gxx_personality_v0",
                                        "__libc_single_threaded",
                                        "__assert_fail",
                                        "pthread_mutex_lock",
                                        "pthread_mutex_unlock",
                                        "pthread_once",
                                        "strlen",
                                        "memchr",
                                        "strcmp",
                                        "abort"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return allowed_function(name) || begins_with_any(name, beginnings, COUNT(beginnings));
}

bool allowed_runtime_library(const char *name)
{
    static const char *const names[] = {"libacpp-", "libsycl.so", "libstdc++.so.", "libgcc_s.so."};

    return allowed_library(name) || begins_with_any(name, names, COUNT(names));
}
