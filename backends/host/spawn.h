#ifndef BACKENDS_HOST_SPAWN_H
#define BACKENDS_HOST_SPAWN_H

#include <stdbool.h>

/*
 * Run a program to its end in the folder that this process is in, with no input, and with its
 * messages in English. What it prints goes to `output`, a descriptor. Returns true if it ended with
 * status 0.
 */
bool spawn_run(const char *const *argv, int output);

#endif
