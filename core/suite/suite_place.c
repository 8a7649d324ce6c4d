#include "core/suite/suite_place.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/mem.h"
#include "core/base/strbuf.h"
#include "core/base/vec.h"

/*
 * BatchMode: ssh asks for no password, because nobody could type it.  The times make ssh notice a
 * host that is gone: after 15 s when it connects, and after 4 x 15 s later.
 */
static const char ssh[] = "ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 "
                          "-o ServerAliveCountMax=4 ";

/* True for a name that is safe as a word for sh and is not an option of ssh. */
static bool is_host(const char *name, size_t len)
{
    if (len == 0 || *name == '-')
        return false;
    for (size_t i = 0; i < len; i++)
        if (!isalnum((unsigned char)name[i]) && !strchr("._-@:[]%", name[i]))
            return false;
    return true;
}

static enum status read_hosts(struct suite_place *place, const char *list, struct error *err)
{
    for (const char *at = list;; at++) {
        size_t len = strcspn(at, ",");
        struct strbuf name = {0}, prefix = {0};

        if (!is_host(at, len))
            return error_set(
                err, STATUS_INVALID,
                "--on ssh:%s: \"%.*s\" is not the name of a host: expected ssh:HOST,HOST", list,
                (int)len, at);
        strbuf_addf(&prefix, "%s'%.*s'", ssh, (int)len, at);
        strbuf_add(&name, at, len);
        vec_push(&place->hosts, ((struct suite_host){strbuf_take(&name), strbuf_take(&prefix)}));
        at += len;
        if (!*at)
            return STATUS_OK;
    }
}

enum status suite_place_parse(struct suite_place *place, const char *text, struct error *err)
{
    enum status st = STATUS_OK;

    *place = (struct suite_place){0};
    if (!text || strcmp(text, "here") == 0)
        return STATUS_OK;
    if (strncmp(text, "ssh:", 4) == 0) {
        place->kind = PLACE_HOSTS;
        st = read_hosts(place, text + 4, err);
    } else if (strcmp(text, "slurm") == 0 || strncmp(text, "slurm:", 6) == 0) {
        place->kind = PLACE_SLURM;
        place->options = text[5] ? mem_strdup(text + 6) : NULL;
    } else {
        st = error_set(err, STATUS_INVALID,
                       "--on %.60s: expected here, slurm, slurm:OPTIONS or ssh:HOST,HOST", text);
    }
    if (st)
        suite_place_release(place);
    return st;
}

void suite_place_release(struct suite_place *place)
{
    for (size_t i = 0; i < place->hosts.count; i++) {
        free(place->hosts.items[i].name);
        free(place->hosts.items[i].prefix);
    }
    vec_release(&place->hosts);
    free(place->options);
    *place = (struct suite_place){0};
}
