#ifndef BACKENDS_OPENCL_ERROR_H
#define BACKENDS_OPENCL_ERROR_H

#include <CL/cl.h>

/*
 * The name of an OpenCL error code, such as "CL_INVALID_WORK_GROUP_SIZE", which an engineer can
 * look up.  Never NULL.
 */
const char *opencl_error_name(cl_int code);

#endif
