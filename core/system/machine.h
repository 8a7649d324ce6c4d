#ifndef CORE_SYSTEM_MACHINE_H
#define CORE_SYSTEM_MACHINE_H

/* The machine that this process runs on. */

/* Its physical memory in bytes, whether it is free or not. */
double machine_memory_bytes(void);

#endif
