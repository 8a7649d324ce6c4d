#include "backends/opencl/host_symbols.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/array.h"

/* The length of the folder in the path of a library, with its slash. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? (size_t)(slash - path) + 1 : 0;
}

static bool is_same_folder(const char *path, const char *other)
{
    size_t length = folder_length(path);

    return length > 0 && length == folder_length(other) && memcmp(path, other, length) == 0;
}

/* The library that an address belongs to; NULL if there is none. */
static const char *library_of(const void *address)
{
    Dl_info info;

    return dladdr(address, &info) && info.dli_fname ? info.dli_fname : NULL;
}

/* True for a function that compilers call in code that does not call it itself. */
static bool is_runtime(const char *name)
{
    static const char *const names[] = {"memcpy", "memmove", "memset", "memcmp"};

    for (size_t i = 0; i < COUNT(names); i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Replaces dlsym() in the libraries of the driver. */
static void *find_beside_caller(void *handle, const char *name)
{
    const char *caller = library_of(__builtin_return_address(0));
    void *found = dlsym(handle, name);
    const char *definer = found ? library_of(found) : NULL;
    bool is_visible = is_runtime(name) || (caller && definer && is_same_folder(definer, caller));

    return is_visible ? found : NULL;
}

/* The tables of addresses that the loader filled in a library, from its dynamic section. */
struct relocations {
    struct {
        const Elf64_Rela *items;
        size_t bytes;
    } calls, others;
    const Elf64_Sym *symbols;
    const char *names;
};

static struct relocations read_dynamic(const Elf64_Dyn *dynamic)
{
    struct relocations tables = {0};

    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *at = (const void *)(uintptr_t)dynamic->d_un.d_ptr;

        if (dynamic->d_tag == DT_JMPREL)
            tables.calls.items = at;
        else if (dynamic->d_tag == DT_PLTRELSZ)
            tables.calls.bytes = dynamic->d_un.d_val;
        else if (dynamic->d_tag == DT_RELA)
            tables.others.items = at;
        else if (dynamic->d_tag == DT_RELASZ)
            tables.others.bytes = dynamic->d_un.d_val;
        else if (dynamic->d_tag == DT_SYMTAB)
            tables.symbols = at;
        else if (dynamic->d_tag == DT_STRTAB)
            tables.names = at;
    }
    return tables;
}

/* Replace the address of dlsym() at `slot`, on a page that may be read-only. */
static void replace(Elf64_Addr slot)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = slot & ~(page - 1);
    void *(*replacement)(void *, const char *) = find_beside_caller;

    if (mprotect((void *)start, slot + sizeof(replacement) - start, PROT_READ | PROT_WRITE) == 0)
        memcpy((void *)slot, &replacement, sizeof(replacement));
}

static void replace_in(const struct relocations *tables, const Elf64_Rela *items, size_t bytes,
                       Elf64_Addr base)
{
    for (size_t i = 0; items && i < bytes / sizeof(*items); i++) {
        size_t symbol = ELF64_R_SYM(items[i].r_info);

        if (symbol && strcmp(tables->names + tables->symbols[symbol].st_name, "dlsym") == 0)
            replace(base + items[i].r_offset);
    }
}

/* A callback of dl_iterate_phdr(). */
static int visit(struct dl_phdr_info *library, size_t size, void *driver)
{
    struct relocations tables = {0};

    (void)size;
    if (!library->dlpi_name || !is_same_folder(library->dlpi_name, driver))
        return 0;
    for (size_t i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            tables =
                read_dynamic((const void *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr));
    if (!tables.symbols || !tables.names)
        return 0;
    replace_in(&tables, tables.calls.items, tables.calls.bytes, library->dlpi_addr);
    replace_in(&tables, tables.others.items, tables.others.bytes, library->dlpi_addr);
    return 0;
}

/* True if both libraries are in one folder, also by links such as /lib. */
static bool are_together(const char *library, const char *other)
{
    char *path = realpath(library, NULL), *other_path = realpath(other, NULL);
    bool are = path && other_path && is_same_folder(path, other_path);

    free(path);
    free(other_path);
    return are;
}

void host_symbols_hide(const void *function)
{
    /* &getpid may be an address in the program itself, if it is linked for a fixed address. */
    const char *driver = library_of(function), *host = library_of(dlsym(RTLD_DEFAULT, "getpid"));

    if (driver && host && !are_together(driver, host))
        (void)dl_iterate_phdr(visit, (void *)(uintptr_t)driver);
}
