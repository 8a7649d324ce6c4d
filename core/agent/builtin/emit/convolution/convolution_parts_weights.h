#ifndef CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PARTS_WEIGHTS_H
#define CORE_AGENT_BUILTIN_EMIT_CONVOLUTION_CONVOLUTION_PARTS_WEIGHTS_H

#include "core/agent/builtin/emit/convolution/convolution_parts_loads.h"

/* Write the kernel that splits or rounds the weights of convolution_parts.c ahead. */
void convolution_parts_weights(const struct parts *p);

/* Declare `taps<axis>` and `taps`, the numbers of taps in the phase. */
void convolution_parts_taps(const struct parts *p);

#endif
