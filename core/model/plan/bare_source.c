#include "core/model/plan/bare_source.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/strbuf.h"
#include "core/base/text.h"

/* Constant expressions, where the compiler can reinterpret bits in them. */
static const char head[] = "#if defined(__has_builtin)\n"
                           "#if __has_builtin(__builtin_bit_cast)\n"
                           "#define KFORGE_CONSTANT 1\n"
                           "#endif\n"
                           "#endif\n"
                           "#ifdef KFORGE_CONSTANT\n"
                           "#define KFORGE_FLOAT(bits) __builtin_bit_cast(float, bits##u)\n"
                           "#define KFORGE_DOUBLE(bits) __builtin_bit_cast(double, bits##ull)\n"
                           "#else\n"
                           "#define KFORGE_FLOAT(bits) __int_as_float(bits)\n"
                           "#define KFORGE_DOUBLE(bits) __longlong_as_double(bits##ll)\n"
                           "#endif\n";

struct name {
    const char *name, *meaning;
    bool is_type;
};

/* Sorted by name. 64-bit types are those of NVIDIA's own headers, if they have no others. */
static const struct name names[] = {
    {"CHAR_BIT", "8", false},
    {"DBL_DIG", "15", false},
    {"DBL_EPSILON", "2.2204460492503131e-16", false},
    {"DBL_MANT_DIG", "53", false},
    {"DBL_MAX", "1.7976931348623157e308", false},
    {"DBL_MIN", "2.2250738585072014e-308", false},
    {"FLT_DIG", "6", false},
    {"FLT_EPSILON", "1.19209290e-7f", false},
    {"FLT_MANT_DIG", "24", false},
    {"FLT_MAX", "3.40282347e38f", false},
    {"FLT_MIN", "1.17549435e-38f", false},
    {"HUGE_VAL", "KFORGE_DOUBLE(0x7ff0000000000000)", false},
    {"HUGE_VALF", "KFORGE_FLOAT(0x7f800000)", false},
    {"INFINITY", "KFORGE_FLOAT(0x7f800000)", false},
    {"INT16_MAX", "32767", false},
    {"INT16_MIN", "(-32768)", false},
    {"INT32_MAX", "2147483647", false},
    {"INT32_MIN", "(-2147483647 - 1)", false},
    {"INT64_MAX", "9223372036854775807LL", false},
    {"INT64_MIN", "(-9223372036854775807LL - 1)", false},
    {"INT8_MAX", "127", false},
    {"INT8_MIN", "(-128)", false},
    {"INT_MAX", "2147483647", false},
    {"INT_MIN", "(-2147483647 - 1)", false},
    {"LLONG_MAX", "9223372036854775807LL", false},
    {"LLONG_MIN", "(-9223372036854775807LL - 1)", false},
    {"LONG_MAX", "9223372036854775807L", false},
    {"LONG_MIN", "(-9223372036854775807L - 1)", false},
    {"M_1_PI", "0.31830988618379067154", false},
    {"M_2_PI", "0.63661977236758134308", false},
    {"M_2_SQRTPI", "1.12837916709551257390", false},
    {"M_E", "2.7182818284590452354", false},
    {"M_LN10", "2.30258509299404568402", false},
    {"M_LN2", "0.69314718055994530942", false},
    {"M_LOG10E", "0.43429448190325182765", false},
    {"M_LOG2E", "1.4426950408889634074", false},
    {"M_PI", "3.14159265358979323846", false},
    {"M_PI_2", "1.57079632679489661923", false},
    {"M_PI_4", "0.78539816339744830962", false},
    {"M_SQRT1_2", "0.70710678118654752440", false},
    {"M_SQRT2", "1.41421356237309504880", false},
    {"NAN", "KFORGE_FLOAT(0x7fffffff)", false},
    {"SCHAR_MAX", "127", false},
    {"SCHAR_MIN", "(-128)", false},
    {"SHRT_MAX", "32767", false},
    {"SHRT_MIN", "(-32768)", false},
    {"SIZE_MAX", "18446744073709551615UL", false},
    {"UCHAR_MAX", "255", false},
    {"UINT16_MAX", "65535", false},
    {"UINT32_MAX", "4294967295U", false},
    {"UINT64_MAX", "18446744073709551615ULL", false},
    {"UINT8_MAX", "255", false},
    {"UINT_MAX", "4294967295U", false},
    {"ULLONG_MAX", "18446744073709551615ULL", false},
    {"ULONG_MAX", "18446744073709551615UL", false},
    {"USHRT_MAX", "65535", false},
    {"int16_t", "short", true},
    {"int32_t", "int", true},
    {"int64_t", "long long", true},
    {"int8_t", "signed char", true},
    {"intptr_t", "long long", true},
    {"uchar", "unsigned char", true},
    {"uint", "unsigned int", true},
    {"uint16_t", "unsigned short", true},
    {"uint32_t", "unsigned int", true},
    {"uint64_t", "unsigned long long", true},
    {"uint8_t", "unsigned char", true},
    {"uintptr_t", "unsigned long long", true},
    {"ulong", "unsigned long", true},
    {"ushort", "unsigned short", true},
};

/* Standard headers that kernels include. */
static const char *const headers[] = {
    "cfloat",  "climits",  "cmath",  "cstddef",  "cstdint",  "cstdio",  "cstdlib",  "cuda.h",
    "float.h", "limits.h", "math.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", NULL};

/* Words between which and a macro's name no declaration begins. */
static const char *const operators[] = {"and",  "case",   "defined", "do",     "elif",
                                        "else", "if",     "ifdef",   "ifndef", "not",
                                        "or",   "return", "undef",   NULL};

struct word {
    const char *text;
    size_t len;
};

static bool is_among(const struct word *word, const char *const *list)
{
    for (; *list; list++)
        if (strlen(*list) == word->len && memcmp(*list, word->text, word->len) == 0)
            return true;
    return false;
}

static int compare(const void *key, const void *item)
{
    const struct word *word = key;
    const struct name *name = item;
    int order = strncmp(word->text, name->name, word->len);

    return order ? order : name->name[word->len] ? -1 : 0;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* The word directly before `at`, empty if something else is there. */
static struct word word_before(const char *source, const char *at)
{
    struct word word = {.text = at};

    while (word.text > source && (word.text[-1] == ' ' || word.text[-1] == '\t'))
        word.text--;
    for (; word.text > source && text_is_of_name(word.text[-1]); word.text--)
        word.len++;
    return word;
}

/* True where the source itself gives the name a meaning: "#define NAN", "float NAN =",
 * "using int8_t =", "typedef char int8_t;". */
static bool is_definition(const char *source, const struct word *word, const struct name *name)
{
    static const char *const defining[] = {"define", "using", NULL};
    struct word before = word_before(source, word->text);
    const char *next = skip_blanks(word->text + word->len);

    if (is_among(&before, defining) || (*next == '=' && next[1] != '='))
        return true;
    if (name->is_type)
        return *next == ';';
    return before.len && !isdigit((unsigned char)*before.text) && !is_among(&before, operators);
}

enum { USED = 1, DEFINED = 2 };

/* Note for each name whether the source uses or defines it. */
static void find_names(const char *source, unsigned char marks[COUNT(names)])
{
    for (const char *at = source; *at;) {
        struct word word = {at, 0};
        const struct name *name;

        while (text_is_of_name(at[word.len]))
            word.len++;
        at += word.len ? word.len : 1;
        name = word.len ? bsearch(&word, names, COUNT(names), sizeof(*names), compare) : NULL;
        if (name)
            marks[name - names] |= is_definition(source, &word, name) ? DEFINED : USED;
    }
}

static void define_names(const char *source, struct strbuf *text)
{
    unsigned char marks[COUNT(names)] = {0};
    bool has_head = false;

    find_names(source, marks);
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct name *name = &names[i];

        if (marks[i] != USED)
            continue;
        if (!has_head && strncmp(name->meaning, "KFORGE", 6) == 0) {
            strbuf_adds(text, head);
            has_head = true;
        }
        if (name->is_type)
            strbuf_addf(text, "typedef %s %s;\n", name->meaning, name->name);
        else
            strbuf_addf(text, "#ifndef %s\n#define %s %s\n#endif\n", name->name, name->name,
                        name->meaning);
    }
}

/* True if the line includes one of the headers. */
static bool is_include(const char *line)
{
    static const char include[] = "include";
    const char *at = skip_blanks(line);
    struct word header;

    if (*at != '#')
        return false;
    at = skip_blanks(at + 1);
    if (strncmp(at, include, sizeof(include) - 1) != 0)
        return false;
    at = skip_blanks(at + sizeof(include) - 1);
    if (*at != '<' && *at != '"')
        return false;
    header = (struct word){at + 1, strcspn(at + 1, ">\"\n")};
    return is_among(&header, headers);
}

char *bare_source_complete(const char *source, const char *file)
{
    struct strbuf text = {0};

    define_names(source, &text);
    if (text.len)
        strbuf_addf(&text, "#line 1 \"%s\"\n", file);
    for (const char *line = source; *line;) {
        size_t length = strcspn(line, "\n");

        length += line[length] == '\n';
        strbuf_adds(&text, is_include(line) ? "//" : "");
        strbuf_add(&text, line, length);
        line += length;
    }
    return strbuf_take(&text);
}
