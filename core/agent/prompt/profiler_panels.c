#include "core/agent/prompt/profiler_panels.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/mem.h"
#include "core/system/file.h"

enum { PANELS_MAX_BYTES = 64 << 10 };

/*
 * Find the file in the folder with the longest name with which the picture's name begins, or NULL.
 */
static char *find_in(const char *folder, const char *picture)
{
    char *pattern = file_join(folder, "*.md"), *found = NULL;
    size_t longest = 0;
    glob_t files;

    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++) {
            const char *name = file_name(files.gl_pathv[i]);
            size_t len = strlen(name) - strlen(".md");

            if (len <= longest || strncasecmp(name, picture, len) != 0)
                continue;
            longest = len;
            free(found);
            found = mem_strdup(files.gl_pathv[i]);
        }
        globfree(&files);
    }
    free(pattern);
    return found;
}

enum status profiler_panels_add(const char *picture, struct strbuf *out, struct error *err)
{
    char *config = file_place_folder(FILE_CONFIG), *own = file_join(config, "profilers");
    char *shipped = file_shipped("prompts/profilers");
    char *found = find_in(own, picture);
    enum status st = STATUS_OK;

    if (!found)
        found = find_in(shipped, picture);
    if (found)
        st = file_read(found, PANELS_MAX_BYTES, out, err);
    free(found);
    free(shipped);
    free(own);
    free(config);
    return st;
}
