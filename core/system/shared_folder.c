#include "core/system/shared_folder.h"

#include <stddef.h>
#include <sys/vfs.h>

#include "core/base/array.h"

bool shared_folder_is(const char *path)
{
    static const unsigned long kinds[] = {
        0x6969,     /* NFS */
        0xff534d42, /* CIFS */
        0xfe534d42, /* SMB 2 */
        0x0bd00bd0, /* Lustre */
        0x47504653, /* GPFS */
        0x19830326, /* BeeGFS */
        0x00c36400, /* Ceph */
        0x65735546, /* FUSE: GlusterFS, sshfs */
    };
    struct statfs found;

    if (statfs(path, &found) != 0)
        return false;
    for (size_t i = 0; i < COUNT(kinds); i++)
        if (((unsigned long)found.f_type & 0xffffffff) == kinds[i])
            return true;
    return false;
}
