#ifndef BACKENDS_HOST_SPAWN_H
#define BACKENDS_HOST_SPAWN_H

#include <stdbool.h>

/*
 * Run a program to its end in the current folder, without input and with English messages. Its
 * output is written to the descriptor `output`. True if it ended with status 0.
 */
bool spawn_run(const char *const *argv, int output);

#endif
