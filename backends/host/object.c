#include "backends/host/object.h"

#include <elf.h>
#include <string.h>

#include "backends/host/allowed.h"
#include "backends/host/checked_build.h"
#include "core/base/array.h"
#include "core/base/text.h"

/* The sections of an object. Borrows its bytes. */
struct object {
    const char *bytes;
    size_t len;
    const Elf64_Shdr *sections;
    size_t count;
    const struct object_rules *rules;
};

/* True if `count` items of `size` bytes at `offset` lie in the object. */
static bool is_inside(const struct object *object, uint64_t offset, uint64_t size, uint64_t count)
{
    return offset <= object->len && count <= (object->len - offset) / (size ? size : 1);
}

static bool open_object(const struct strbuf *whole, struct object *object)
{
    const Elf64_Ehdr *head = (const void *)whole->data;

    *object = (struct object){.bytes = whole->data, .len = whole->len};
    if (whole->len < sizeof(*head) || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        head->e_ident[EI_CLASS] != ELFCLASS64 ||
        !is_inside(object, head->e_shoff, sizeof(*object->sections), head->e_shnum))
        return false;
    object->sections = (const void *)(whole->data + head->e_shoff);
    object->count = head->e_shnum;
    return true;
}

/* The items of a section; NULL if it does not lie in the object. */
static const void *items_of(const struct object *object, const Elf64_Shdr *section, size_t size,
                            size_t *count)
{
    *count = section->sh_size / size;
    return is_inside(object, section->sh_offset, size, *count) ? object->bytes + section->sh_offset
                                                               : NULL;
}

/* A text in the string table that `section` links to; "" if it lies outside. */
static const char *text_at(const struct object *object, const Elf64_Shdr *section, uint64_t at)
{
    const Elf64_Shdr *table =
        section->sh_link < object->count ? &object->sections[section->sh_link] : NULL;

    if (!table || !is_inside(object, table->sh_offset, 1, table->sh_size) || at >= table->sh_size ||
        !memchr(object->bytes + table->sh_offset + at, '\0', table->sh_size - at))
        return "";
    return object->bytes + table->sh_offset + at;
}

/*
 * Find the line and column of the word's first place in the source; 1 and 1 if the source lacks it.
 */
static void find_word(const char *source, const char *word, unsigned *line, unsigned *column)
{
    size_t len = strlen(word);
    const char *at = source, *start = source;

    *line = *column = 1;
    while ((at = strstr(at, word)) &&
           ((at > source && text_is_of_name(at[-1])) || text_is_of_name(at[len])))
        at++;
    for (const char *c = source; at && c < at; c++)
        if (*c == '\n') {
            ++*line;
            start = c + 1;
        }
    if (at)
        *column = (unsigned)(at - start) + 1;
}

/* Append a message that points at the first place of the word in the source. */
static void add_fault(struct strbuf *faults, const struct object_rules *rules, const char *word,
                      const char *what)
{
    unsigned line, column;

    find_word(rules->source, word, &line, &column);
    strbuf_addf(faults, "%s:%u:%u: error: %s: %s\n", rules->file, line, column, word, what);
}

static bool may_call(const struct object_rules *rules, const char *name)
{
    return (rules->is_checked && checked_build_function(name)) ||
           (rules->has_runtime ? allowed_runtime_function(name) : allowed_function(name));
}

static bool may_load(const struct object_rules *rules, const char *name)
{
    return rules->has_runtime ? allowed_runtime_library(name) : allowed_library(name);
}

static void check_symbols(const struct object *object, const Elf64_Shdr *section,
                          struct strbuf *faults)
{
    const struct object_rules *rules = object->rules;
    size_t count;
    const Elf64_Sym *symbols = items_of(object, section, sizeof(*symbols), &count);

    for (size_t i = 1; symbols && i < count; i++) {
        const char *name = text_at(object, section, symbols[i].st_name);

        if (ELF64_ST_TYPE(symbols[i].st_info) == STT_GNU_IFUNC)
            add_fault(faults, rules, name, "is chosen by code that runs when the kernel is loaded");
        if (symbols[i].st_shndx == SHN_UNDEF && !may_call(rules, name))
            add_fault(faults, rules, name,
                      rules->has_runtime ? allowed_runtime_text : allowed_text);
    }
}

static void check_dynamic(const struct object *object, const Elf64_Shdr *section,
                          struct strbuf *faults)
{
    const struct object_rules *rules = object->rules;
    static const Elf64_Sxword starts[] = {DT_INIT, DT_FINI, DT_PREINIT_ARRAY, DT_INIT_ARRAY,
                                          DT_FINI_ARRAY};
    size_t count;
    const Elf64_Dyn *entries = items_of(object, section, sizeof(*entries), &count);

    for (size_t i = 0; entries && i < count && entries[i].d_tag != DT_NULL; i++) {
        const char *name = entries[i].d_tag == DT_NEEDED
                               ? text_at(object, section, entries[i].d_un.d_val)
                               : "libm.so.";

        if (!may_load(rules, name))
            add_fault(faults, rules, name, "a kernel may not load this library");
        for (size_t j = 0; j < COUNT(starts); j++)
            if (entries[i].d_tag == starts[j] && !rules->is_checked && !rules->has_runtime)
                add_fault(faults, rules, "constructor",
                          "a kernel may not have code that runs when it is loaded or unloaded");
        if (entries[i].d_tag == DT_TEXTREL)
            add_fault(faults, rules, "section", "a kernel may not change its code");
    }
}

static void check_relocations(const struct object *object, const Elf64_Shdr *section,
                              struct strbuf *faults)
{
    const struct object_rules *rules = object->rules;
    size_t count;
    const Elf64_Rela *items = items_of(object, section, sizeof(*items), &count);

    for (size_t i = 0; items && i < count; i++)
        if (ELF64_R_TYPE(items[i].r_info) == R_X86_64_IRELATIVE ||
            ELF64_R_TYPE(items[i].r_info) == R_AARCH64_IRELATIVE)
            add_fault(faults, rules, "ifunc",
                      "a kernel may not have code that runs when it is loaded");
}

/*
 * Refuse segments that are both writable and executable: in them a kernel could make unchecked
 * code.
 */
static void check_section(const struct object *object, const Elf64_Shdr *section,
                          struct strbuf *faults)
{
    const struct object_rules *rules = object->rules;
    if (section->sh_flags & SHF_WRITE && section->sh_flags & SHF_EXECINSTR)
        add_fault(faults, rules, "section", "a kernel may not change its code");
    if (section->sh_type == SHT_DYNSYM)
        check_symbols(object, section, faults);
    if (section->sh_type == SHT_DYNAMIC)
        check_dynamic(object, section, faults);
    if (section->sh_type == SHT_RELA)
        check_relocations(object, section, faults);
}

void object_check(const struct strbuf *object, const struct object_rules *rules,
                  struct strbuf *faults)
{
    struct object opened;

    if (!open_object(object, &opened)) {
        strbuf_adds(faults, "error: the compiler made no object of 64 bits\n");
        return;
    }
    opened.rules = rules;
    for (size_t i = 0; i < opened.count; i++)
        check_section(&opened, &opened.sections[i], faults);
}

void object_functions(const struct strbuf *object, void (*found)(void *data, const char *name),
                      void *data)
{
    struct object opened;

    if (!open_object(object, &opened))
        return;
    for (size_t i = 0; i < opened.count; i++) {
        const Elf64_Shdr *section = &opened.sections[i];
        size_t count = 0;
        const Elf64_Sym *symbols = section->sh_type == SHT_DYNSYM
                                       ? items_of(&opened, section, sizeof(*symbols), &count)
                                       : NULL;

        for (size_t j = 1; symbols && j < count; j++)
            if (symbols[j].st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbols[j].st_info) == STT_FUNC)
                found(data, text_at(&opened, section, symbols[j].st_name));
    }
}
