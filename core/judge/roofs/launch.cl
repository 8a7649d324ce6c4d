/*
 * A kernel that does nothing: its time is that of a launch.
 */

__kernel void empty(__global const float *a, __global float *y)
{
}
