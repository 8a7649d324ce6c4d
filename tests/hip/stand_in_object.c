/* A code object of AMD's format, whose code is CUDA's. */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/hip/stand_in.h"

enum { AMD_GPU = 224, NOTE_METADATA = 32 };

/* A text or the head of a list or map in MessagePack, with a length of 32 bits. */
static void put_head(FILE *out, unsigned char kind, size_t length)
{
    const unsigned char head[] = {kind, (unsigned char)(length >> 24),
                                  (unsigned char)(length >> 16), (unsigned char)(length >> 8),
                                  (unsigned char)length};

    fwrite(head, 1, sizeof(head), out);
}

enum { TEXT = 0xdb, LIST = 0xdd, MAP = 0xdf };

static void put_word(FILE *out, const char *word)
{
    put_head(out, TEXT, strlen(word));
    fputs(word, out);
}

static void put_number(FILE *out, size_t number)
{
    fputc(0xcd, out);
    fputc((int)(number >> 8 & 0xff), out);
    fputc((int)(number & 0xff), out);
}

/* The bytes of a type of PTX, ".u64". */
static size_t bytes_of(const char *type)
{
    return strtoul(type + 2, NULL, 10) / 8;
}

/* The parameters of a function in the source, from its first bracket on; NULL if it is not found.
 */
static const char *find_parameters(const char *source, const char *name, size_t length)
{
    for (const char *at = source; (at = strstr(at, name)); at++)
        if (at > source && strchr(" *\n", at[-1]) && at[length] == '(')
            return at + length + 1;
    return NULL;
}

/* True if the parameter at `index` is declared with a star, or its function is not found. */
static int is_pointer(const char *parameters, size_t index)
{
    for (; parameters && index > 0; index--) {
        parameters += strcspn(parameters, ",)");
        parameters += *parameters != '\0';
    }
    return !parameters || memchr(parameters, '*', strcspn(parameters, ",)"));
}

/* A parameter ".param .u64 name" or ".param .align 2 .b8 name[2]". */
static void put_parameter(FILE *out, const char *declaration, int may_be_pointer)
{
    const char *type = strstr(declaration, " .");
    const char *array = memchr(declaration, '[', strcspn(declaration, "\n"));
    size_t bytes;

    if (type && strncmp(type, " .align", 7) == 0)
        type = strstr(type + 2, " .");
    bytes = array ? strtoul(array + 1, NULL, 10) : type ? bytes_of(type + 1) : 0;
    put_head(out, MAP, 2);
    put_word(out, ".size");
    put_number(out, bytes);
    put_word(out, ".value_kind");
    put_word(out, !array && bytes == 8 && may_be_pointer ? "global_buffer" : "by_value");
}

static size_t count_of(const char *text, const char *end, const char *word)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, word)) && at < end; at++)
        count++;
    return count;
}

/* A kernel, from its name to the brace that begins its body. */
static void put_kernel(FILE *out, const char *source, const char *name)
{
    char word[256];
    const char *end = strchr(name, '{'), *block = strstr(name, ".reqntid ");
    size_t parameters = count_of(name, end, ".param ");
    const char *found;
    int has_block = block && block < end;
    const char *next = has_block ? block + strlen(".reqntid ") : NULL;

    put_head(out, MAP, has_block ? 4 : 3);
    put_word(out, ".name");
    snprintf(word, sizeof(word), "%.*s", (int)strcspn(name, "( \n"), name);
    found = find_parameters(source, word, strlen(word));
    put_word(out, word);
    put_word(out, ".vgpr_spill_count");
    put_number(out, 0);
    put_word(out, ".args");
    put_head(out, LIST, parameters);
    parameters = 0;
    for (const char *at = name; (at = strstr(at, ".param ")) && at < end; at++)
        put_parameter(out, at + strlen(".param"), is_pointer(found, parameters++));
    if (!has_block)
        return;
    put_word(out, ".reqd_workgroup_size");
    put_head(out, LIST, 3);
    for (int axis = 0; axis < 3; axis++) {
        size_t size = strtoul(next, NULL, 10);

        put_number(out, size ? size : 1);
        next += strspn(next, "0123456789");
        next += strspn(next, ", ");
    }
}

static char *describe(const char *source, const char *ptx, size_t *bytes)
{
    static const char mark[] = ".entry ";
    const char *end = ptx + strlen(ptx);
    char *data = NULL;
    FILE *out = open_memstream(&data, bytes);

    put_head(out, MAP, 1);
    put_word(out, "amdhsa.kernels");
    put_head(out, LIST, count_of(ptx, end, mark));
    for (const char *at = ptx; (at = strstr(at, mark)); at++)
        put_kernel(out, source, at + strlen(mark));
    fclose(out);
    return data;
}

/* The file: header, part, note with its name, metadata, code at 16 bytes. */
struct object_head {
    Elf64_Ehdr header;
    Elf64_Phdr part;
    Elf64_Nhdr note;
    char name[8]; /* "AMDGPU" */
};

struct stand_in_object stand_in_wrap(const char *source, const char *ptx, const void *code,
                                     size_t bytes)
{
    size_t metadata_bytes = 0;
    char *metadata = describe(source, ptx, &metadata_bytes);
    struct object_head head = {.header = {.e_ident = ELFMAG, .e_machine = AMD_GPU, .e_phnum = 1}};
    size_t used = offsetof(struct object_head, name) + sizeof(head.name);
    size_t at = (used + metadata_bytes + 15) & ~(size_t)15;
    struct stand_in_object made = {calloc(at + bytes, 1), at + bytes};

    head.header.e_phoff = sizeof(head.header);
    head.header.e_entry = at;
    head.part =
        (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = sizeof(head.header) + sizeof(head.part)};
    head.note = (Elf64_Nhdr){7, (Elf64_Word)metadata_bytes, NOTE_METADATA};
    head.part.p_filesz = sizeof(head.note) + sizeof(head.name) + metadata_bytes;
    memcpy(head.name, "AMDGPU", 7);
    memcpy(made.data, &head, used);
    memcpy(made.data + used, metadata, metadata_bytes);
    memcpy(made.data + at, code, bytes);
    free(metadata);
    return made;
}

const void *stand_in_code(const void *object)
{
    Elf64_Ehdr header;

    memcpy(&header, object, sizeof(header));
    return (const char *)object + header.e_entry;
}
