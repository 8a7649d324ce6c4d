/*
 * Sets the words of a buffer from `origin` on to `word`, `bytes` bytes in all, and the guard zones
 * before and after them to `guard`.  The first 2 * GUARD / 256 work-items set 256 bytes of a guard
 * each, the others 256 bytes of the contents.  Built with -DGUARD, the bytes of a guard zone.
 */

kernel void generate(global uchar *allocation, ulong origin, ulong bytes, uint word, uchar guard)
{
    ulong item = get_global_id(0), guards = 2 * GUARD / 256;
    ulong first = 256 * (item - guards);
    global uchar *contents = allocation + origin;
    if (item < guards / 2) {
        for (ulong i = 0; i < 16; i++)
            vstore16((uchar16)guard, i, contents - GUARD + 256 * item);
    } else if (item < guards) {
        for (ulong i = 0; i < 16; i++)
            vstore16((uchar16)guard, i, contents + bytes + 256 * (item - guards / 2));
    } else if (first + 256 <= bytes) {
        for (ulong i = 0; i < 4; i++)
            vstore16((uint16)word, i, (global uint *)(contents + first));
    } else {
        for (ulong i = first; i < bytes; i++)
            contents[i] = (uchar)(word >> 8 * (i & 3));
    }
}
