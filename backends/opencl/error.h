#ifndef BACKENDS_OPENCL_ERROR_H
#define BACKENDS_OPENCL_ERROR_H

#include <CL/cl.h>

/*
 * What OpenCL's numbers are called, so that an engineer can look them up:
 * "CL_INVALID_WORK_GROUP_SIZE".  Never NULL.
 */
const char *opencl_error_name(cl_int code);

#endif
