#include "core/system/machine.h"

#include <unistd.h>

double machine_memory_bytes(void)
{
    return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}
