/* An OpenCL driver that ends its process when it is loaded, as PoCL does where /sys is missing. */
#include <stdio.h>
#include <stdlib.h>

static void __attribute__((constructor)) crash(void)
{
    fputs("No memory for this driver\n", stderr);
    abort();
}
