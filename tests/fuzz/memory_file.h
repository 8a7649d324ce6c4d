#ifndef TESTS_FUZZ_MEMORY_FILE_H
#define TESTS_FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>

/* A file in memory that holds a fuzzer's input, for code that opens a file by its path. */
struct memory_file {
    int fd;
    char path[32];
};

struct memory_file memory_file_open(const uint8_t *data, size_t size);
void memory_file_close(struct memory_file *file);

#endif
