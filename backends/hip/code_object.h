#ifndef BACKENDS_HIP_CODE_OBJECT_H
#define BACKENDS_HIP_CODE_OBJECT_H

#include "backends/cuda/ptx.h"
#include "core/base/strbuf.h"

/*
 * Reads the kernels in an AMD code object: an ELF file with a note in MessagePack that describes
 * them. The formats are those of LLVM's "User Guide for AMDGPU Backend", section "Code Object V3
 * Metadata", and of the MessagePack specification. The compiler wrote the file from a source that
 * may be malicious, so every length and offset is checked.
 */

/*
 * Append the kernels with their parameters: "a pointer" or "a number" with its length in bytes.
 * Hidden parameters, which the driver sets, are left out. A file that cannot be parsed has none.
 */
void code_object_read(const struct strbuf *file, struct ptx_entries *found);

#endif
