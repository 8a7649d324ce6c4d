#include "backends/hip/code_object.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/hip/message_pack.h"
#include "core/base/mem.h"
#include "core/base/vec.h"

enum { NOTE_METADATA = 32 }; /* NT_AMDGPU_METADATA */

static bool is_key(const struct pack_item *key, const char *name)
{
    return key->kind == PACK_TEXT && key->length == strlen(name) &&
           memcmp(key->text, name, key->length) == 0;
}

static bool begins_with(const struct pack_item *text, const char *beginning)
{
    return text->kind == PACK_TEXT && text->length >= strlen(beginning) &&
           memcmp(text->text, beginning, strlen(beginning)) == 0;
}

/* Read one parameter: a map with an item for each of its properties. */
static void read_parameter(struct pack *pack, const struct pack_item *map, struct ptx_entry *entry)
{
    struct ptx_parameter parameter = {.type = "a number"};
    bool is_hidden = false;

    for (uint64_t i = 0; i < map->length && !pack->is_broken; i++) {
        struct pack_item key = pack_next(pack), value = pack_next(pack);

        if (is_key(&key, ".size"))
            parameter.length = (size_t)value.number;
        if (is_key(&key, ".value_kind") && begins_with(&value, "hidden_"))
            is_hidden = true;
        if (is_key(&key, ".value_kind") && begins_with(&value, "global_buffer"))
            snprintf(parameter.type, sizeof(parameter.type), "a pointer");
        pack_skip(pack, &value);
    }
    if (!is_hidden && !pack->is_broken)
        vec_push(&entry->parameters, parameter);
}

static void read_parameters(struct pack *pack, const struct pack_item *list,
                            struct ptx_entry *entry)
{
    for (uint64_t i = 0; i < list->length && !pack->is_broken; i++) {
        struct pack_item map = pack_next(pack);

        if (map.kind == PACK_MAP)
            read_parameter(pack, &map, entry);
        else
            pack_skip(pack, &map);
    }
}

static void read_block(struct pack *pack, const struct pack_item *list, struct ptx_entry *entry)
{
    for (uint64_t i = 0; i < list->length && !pack->is_broken; i++) {
        struct pack_item size = pack_next(pack);

        if (i < LAUNCH_MAX_RANK)
            entry->required_block[i] = (size_t)size.number;
        pack_skip(pack, &size);
    }
}

static void read_member(struct pack *pack, const struct pack_item *key,
                        const struct pack_item *value, struct ptx_entry *entry)
{
    if (is_key(key, ".name") && value->kind == PACK_TEXT && !entry->name) {
        struct strbuf name = {0};

        strbuf_add(&name, value->text, (size_t)value->length);
        entry->name = strbuf_take(&name);
    } else if (is_key(key, ".args") && value->kind == PACK_LIST) {
        read_parameters(pack, value, entry);
    } else if (is_key(key, ".reqd_workgroup_size") && value->kind == PACK_LIST) {
        read_block(pack, value, entry);
    } else if (is_key(key, ".vgpr_spill_count")) {
        entry->has_spills = true;
        entry->spill_bytes = 4 * (int64_t)(uint32_t)value->number;
    } else {
        pack_skip(pack, value);
    }
}

static void read_kernel(struct pack *pack, const struct pack_item *map, struct ptx_entries *found)
{
    struct ptx_entry entry = {0};

    for (uint64_t i = 0; i < map->length && !pack->is_broken; i++) {
        struct pack_item key = pack_next(pack), value = pack_next(pack);

        read_member(pack, &key, &value, &entry);
    }
    if (entry.name && !pack->is_broken) {
        vec_push(found, entry);
        return;
    }
    free(entry.name);
    vec_release(&entry.parameters);
}

static void read_kernels(struct pack *pack, const struct pack_item *list, struct ptx_entries *found)
{
    for (uint64_t i = 0; i < list->length && !pack->is_broken; i++) {
        struct pack_item map = pack_next(pack);

        if (map.kind == PACK_MAP)
            read_kernel(pack, &map, found);
        else
            pack_skip(pack, &map);
    }
}

static void read_metadata(const char *data, size_t bytes, struct ptx_entries *found)
{
    struct pack pack = {.at = data, .end = data + bytes};
    struct pack_item root = pack_next(&pack);

    for (uint64_t i = 0; root.kind == PACK_MAP && i < root.length && !pack.is_broken; i++) {
        struct pack_item key = pack_next(&pack), value = pack_next(&pack);

        if (is_key(&key, "amdhsa.kernels") && value.kind == PACK_LIST)
            read_kernels(&pack, &value, found);
        else
            pack_skip(&pack, &value);
    }
}

/* Names and contents of notes are padded to four bytes. */
static size_t padded(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

static void read_notes(const char *notes, size_t bytes, struct ptx_entries *found)
{
    Elf64_Nhdr note;

    while (bytes >= sizeof(note)) {
        size_t begin, end;

        memcpy(&note, notes, sizeof(note));
        begin = sizeof(note) + padded(note.n_namesz);
        end = begin + padded(note.n_descsz);
        if (begin + note.n_descsz > bytes)
            return;
        if (note.n_type == NOTE_METADATA)
            read_metadata(notes + begin, note.n_descsz, found);
        if (end >= bytes)
            return;
        notes += end;
        bytes -= end;
    }
}

/* Newer compilers bundle the file with one for the host, which is empty. */
static const char *find_elf(const struct strbuf *file, size_t *bytes)
{
    const char *elf = file->len ? memmem(file->data, file->len, ELFMAG, SELFMAG) : NULL;

    *bytes = elf ? file->len - (size_t)(elf - file->data) : 0;
    return *bytes >= sizeof(Elf64_Ehdr) ? elf : NULL;
}

void code_object_read(const struct strbuf *file, struct ptx_entries *found)
{
    size_t bytes;
    const char *elf = find_elf(file, &bytes);
    Elf64_Ehdr header;

    if (!elf)
        return;
    memcpy(&header, elf, sizeof(header));
    for (size_t i = 0; i < header.e_phnum; i++) {
        size_t at = header.e_phoff + i * sizeof(Elf64_Phdr);
        Elf64_Phdr part;

        if (header.e_phoff > bytes || at + sizeof(part) > bytes)
            return;
        memcpy(&part, elf + at, sizeof(part));
        if (part.p_type == PT_NOTE && part.p_offset <= bytes &&
            part.p_filesz <= bytes - part.p_offset)
            read_notes(elf + part.p_offset, part.p_filesz, found);
    }
}
