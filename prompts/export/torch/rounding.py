KERNELS += r'''
__device__ inline unsigned kforge_tf32(unsigned x, unsigned away)
{
    bool is_finite = (x & 0x7f800000u) != 0x7f800000u;

    return is_finite ? (x + (away ? 0x1000u : 0xfffu + (x >> 13 & 1u))) & ~0x1fffu : x;
}

extern "C" __global__ void kforge_round(const unsigned *x, unsigned *y, unsigned long long count, unsigned away)
{
    unsigned long long i = ((unsigned long long)blockIdx.x * blockDim.x + threadIdx.x) * 4;

    if (i + 4 <= count) {
        uint4 v = *(const uint4 *)(x + i);

        v.x = kforge_tf32(v.x, away);
        v.y = kforge_tf32(v.y, away);
        v.z = kforge_tf32(v.z, away);
        v.w = kforge_tf32(v.w, away);
        *(uint4 *)(y + i) = v;
        return;
    }
    for (; i < count; i++)
        y[i] = kforge_tf32(x[i], away);
}
'''


def round_first(index, is_away):
    """Let the kernels read a copy of a tensor whose elements are rounded to TF32, and fill it by a launch before theirs."""
    _, role, _, shape, _ = TENSORS[index]
    count, copy, threads = math.prod(shape), len(TENSORS) + len(PLAN['scratch']), 256
    for launch in PLAN['prepare'] + PLAN['launches']:
        for one in launch['args']:
            if one['kind'] == 'buffer' and one['index'] == index:
                one['index'] = copy
        for one in launch['tensor_maps']:
            if one['buffer'] == index:
                one['buffer'] = copy
    PLAN['scratch'].append(4 * count)
    PLAN['prepare' if role == 'param' else 'launches'].insert(0, {
        'kernel': 'kforge_round', 'blocks': [-(-count // (4 * threads)), 1, 1], 'local': [threads, 1, 1], 'cluster': [0, 0, 0],
        'shared': 0, 'tensor_maps': [],
        'args': [{'kind': kind, 'index': where, 'bits': bits} for kind, where, bits in
                 (('buffer', index, 0), ('buffer', copy, 0), ('value', 0, count), ('value', 0, int(is_away)))]})


for index, is_away in ROUNDED:
    round_first(index, is_away)
