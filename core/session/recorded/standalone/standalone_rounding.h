#ifndef CORE_SESSION_RECORDED_STANDALONE_STANDALONE_ROUNDING_H
#define CORE_SESSION_RECORDED_STANDALONE_STANDALONE_ROUNDING_H

#include "core/base/json.h"
#include "core/model/graph.h"

/*
 * PyTorch computes convolutions in float32 by NVIDIA's matrix units with operands in TF32, unless
 * it is told not to. To give the same values, an exported class rounds these operands first: inputs
 * and params that only convolutions read. cuDNN rounds ties to even before transposed and 1 x 1
 * convolutions and away from zero before others; those with groups it computes in full float32.
 */

/*
 * Find the tensors to round: an array of [index, ties go away from zero]. It is empty if there are
 * no such convolutions. NULL with the error set if one reads what kernels compute, or what others
 * read; the error names the node.
 */
struct json *standalone_rounding(const struct graph *graph, struct error *err);

#endif
