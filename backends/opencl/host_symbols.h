#ifndef BACKENDS_OPENCL_HOST_SYMBOLS_H
#define BACKENDS_OPENCL_HOST_SYMBOLS_H

/*
 * Hides the functions of the process from a driver that links kernels inside it.
 *
 * A driver for CPUs may resolve a function that a kernel declares, but does not define, by dlsym()
 * among all libraries of the process. A candidate could then call the C library or OpenBLAS, which
 * no kernel needs. After host_symbols_hide() the driver finds only what the libraries in its own
 * folder define, and memcpy() and similar functions. A candidate that calls another function does
 * not build.
 */

/*
 * Hide the process's functions from the driver to which the address `function` belongs. Does
 * nothing for a driver in the C library's folder: such drivers (PoCL) link kernels with the
 * system's linker, which finds no functions of the process.
 */
void host_symbols_hide(const void *function);

#endif
