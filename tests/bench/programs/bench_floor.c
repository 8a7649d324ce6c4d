/*
 * bench_floor: the smallest program that uses the OpenCL driver as a judge must. It builds and runs
 * one kernel on the first OpenCL device, prints "done", and keeps the driver loaded until its
 * standard input ends. tests/bench/judge.py measures its memory, which is the driver's share of the
 * memory of a worker.
 */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 1024 };

static const char source[] = "kernel void twice(global float *x)\n"
                             "{\n"
                             "    x[get_global_id(0)] *= 2;\n"
                             "}\n";

static void check(cl_int code, const char *what)
{
    if (!code)
        return;
    fprintf(stderr, "bench_floor: cannot %s: OpenCL says %d\n", what, code);
    exit(EXIT_FAILURE);
}

static cl_kernel build(cl_context context, cl_device_id device)
{
    const char *text = source;
    cl_int code;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    cl_kernel kernel;

    check(code, "take the source");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "build");
    kernel = clCreateKernel(program, "twice", &code);
    check(code, "find the kernel");
    return kernel;
}

static void run(cl_context context, cl_device_id device, cl_kernel kernel)
{
    const size_t global = ITEMS, local = 64;
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    cl_mem buffer;

    check(code, "make a queue");
    buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, ITEMS * sizeof(float), NULL, &code);
    check(code, "make a buffer");
    check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "set the argument");
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL), "run");
    check(clFinish(queue), "finish");
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_int code;

    check(clGetPlatformIDs(1, &platform, NULL), "find a platform");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "find a device");
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "open the device");
    run(context, device, build(context, device));
    puts("done");
    fflush(stdout);
    while (getchar() != EOF)
        ;
    return EXIT_SUCCESS;
}
