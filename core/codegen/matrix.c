#include "core/codegen/matrix.h"

#include "core/codegen/formula.h"

/*
 * After the "PTX ISA": mbarrier, cp.async.bulk.tensor and wgmma, whose matrix
 * descriptor is in its section on asynchronous warpgroup level operands in
 * shared memory: the address and the stride between eights of lines in units
 * of 16 bytes, and the swizzle.
 */
static const char functions[] =
    "struct __align__(64) tensor_map { ulong opaque[16]; };\n"
    "__device__ inline uint shared_address(const void *p)\n"
    "{\n"
    "    return (uint)__cvta_generic_to_shared(p);\n"
    "}\n"
    "__device__ inline void barrier_init(ulong *barrier, int arrivals)\n"
    "{\n"
    "    asm volatile(\"mbarrier.init.shared.b64 [%0], %1;\" ::\"r\"(shared_address(barrier)),\n"
    "                 \"r\"(arrivals));\n"
    "}\n"
    "__device__ inline void barriers_visible()\n"
    "{\n"
    "    asm volatile(\"fence.mbarrier_init.release.cluster;\\n\"\n"
    "                 \"fence.proxy.async;\" ::: \"memory\");\n"
    "}\n"
    "__device__ inline void barrier_expect(ulong *barrier, int bytes)\n"
    "{\n"
    "    asm volatile(\"mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;\" ::\n"
    "                 \"r\"(shared_address(barrier)), \"r\"(bytes) : \"memory\");\n"
    "}\n"
    "__device__ inline void barrier_arrive(ulong *barrier)\n"
    "{\n"
    "    asm volatile(\"mbarrier.arrive.shared.b64 _, [%0];\" ::\"r\"(shared_address(barrier))\n"
    "                 : \"memory\");\n"
    "}\n"
    "__device__ inline void barrier_wait(ulong *barrier, int phase)\n"
    "{\n"
    "    asm volatile(\"{\\n.reg .pred done;\\nagain:\\n\"\n"
    "                 \"mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\\n\"\n"
    "                 \"@!done bra again;\\n}\" ::\"r\"(shared_address(barrier)), \"r\"(phase)\n"
    "                 : \"memory\");\n"
    "}\n"
    "__device__ inline void copy_box(void *to, const tensor_map *map, int x, int y, ulong "
    "*barrier)\n"
    "{\n"
    "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.tile\"\n"
    "                 \".mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];\" ::\n"
    "                 \"r\"(shared_address(to)), \"l\"(map), \"r\"(x), \"r\"(y),\n"
    "                 \"r\"(shared_address(barrier)) : \"memory\");\n"
    "}\n"
    "__device__ inline int cluster_rank()\n"
    "{\n"
    "    int rank;\n"
    "    asm volatile(\"mov.u32 %0, %%cluster_ctarank;\" : \"=r\"(rank));\n"
    "    return rank;\n"
    "}\n"
    "__device__ inline void cluster_barrier()\n"
    "{\n"
    "    asm volatile(\"barrier.cluster.arrive;\\nbarrier.cluster.wait;\" ::: \"memory\");\n"
    "}\n"
    "__device__ inline void barrier_arrive_at_all(ulong *barrier)\n"
    "{\n"
    "    for (int rank = 0; rank < 2; rank++)\n"
    "        asm volatile(\"{\\n.reg .b32 there;\\n\"\n"
    "                     \"mapa.shared::cluster.u32 there, %0, %1;\\n\"\n"
    "                     \"mbarrier.arrive.shared::cluster.b64 _, [there];\\n}\" "
    "::\n"
    "                     \"r\"(shared_address(barrier)), \"r\"(rank) : \"memory\");\n"
    "}\n"
    "__device__ inline void copy_box_to_all(void *to, const tensor_map *map, int x, int y,\n"
    "                                       ulong *barrier)\n"
    "{\n"
    "    asm volatile(\"cp.async.bulk.tensor.2d.shared::cluster.global.tile\"\n"
    "                 \".mbarrier::complete_tx::bytes.multicast::cluster\"\n"
    "                 \" [%0], [%1, {%2, %3}], [%4], %5;\" ::\n"
    "                 \"r\"(shared_address(to)), \"l\"(map), \"r\"(x), \"r\"(y),\n"
    "                 \"r\"(shared_address(barrier)), \"h\"((ushort)3) : \"memory\");\n"
    "}\n"
    "__device__ inline ulong descriptor(const void *tile)\n"
    "{\n"
    "    return (ulong)(shared_address(tile) >> 4 & 0x3fff) | 1ul << 16 | 64ul << 32 | 1ul << 62;\n"
    "}\n"
    "template <int count> __device__ inline void registers_up()\n"
    "{\n"
    "    asm volatile(\"setmaxnreg.inc.sync.aligned.u32 %0;\" ::\"n\"(count));\n"
    "}\n"
    "template <int count> __device__ inline void registers_down()\n"
    "{\n"
    "    asm volatile(\"setmaxnreg.dec.sync.aligned.u32 %0;\" ::\"n\"(count));\n"
    "}\n"
    "__device__ inline void multiply_begin()\n"
    "{\n"
    "    asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n"
    "}\n"
    "__device__ inline void multiply_end()\n"
    "{\n"
    "    asm volatile(\"wgmma.commit_group.sync.aligned;\" ::: \"memory\");\n"
    "}\n"
    "template <int pending> __device__ inline void multiply_wait()\n"
    "{\n"
    "    asm volatile(\"wgmma.wait_group.sync.aligned %0;\" ::\"n\"(pending) : \"memory\");\n"
    "}\n";

/* For both: a number's pair, what the compiler must not know, the registers of neighbours. */
static const char shared_functions[] =
    "__device__ inline uint pack(float low, float high)\n"
    "{\n"
    "    uint both;\n"
    "    asm(\"cvt.rn.$Tx2.f32 %0, %1, %2;\" : \"=r\"(both) : \"f\"(high), \"f\"(low));\n"
    "    return both;\n"
    "}\n"
    "__device__ inline int unknown(int x)\n"
    "{\n"
    "    asm volatile(\"\" : \"+r\"(x));\n"
    "    return x;\n"
    "}\n"
    "template <class number> __device__ inline number of_quad(number x, int others)\n"
    "{\n"
    "    return __shfl_xor_sync(15u << (threadIdx.x & 28), x, others);\n"
    "}\n";

/* After the "PTX ISA": ldmatrix, and mma.sync, whose sums are as those of wgmma for 8 columns. */
static const char warp_functions[] =
    "__device__ inline void load_squares(uint (&to)[4], const ushort *line)\n"
    "{\n"
    "    asm volatile(\"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\"\n"
    "                 : \"=r\"(to[0]), \"=r\"(to[1]), \"=r\"(to[2]), \"=r\"(to[3])\n"
    "                 : \"r\"((uint)__cvta_generic_to_shared(line)) : \"memory\");\n"
    "}\n"
    "__device__ inline void multiply_8(float *d, const uint (&a)[4], uint b0, uint b1)\n"
    "{\n"
    "    asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f32.$T.$T.f32 {%0, %1, %2, %3}, \"\n"
    "                 \"{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\"\n"
    "                 : \"+f\"(d[0]), \"+f\"(d[1]), \"+f\"(d[2]), \"+f\"(d[3])\n"
    "                 : \"r\"(a[0]), \"r\"(a[1]), \"r\"(a[2]), \"r\"(a[3]), \"r\"(b0), "
    "\"r\"(b1));\n"
    "}\n";

/* Add the product of 64 lines and `columns` lines, 16 steps of the sum, to sums in registers. */
static void write_multiply(int columns, const char *type, struct strbuf *out)
{
    int count = columns / 2;

    strbuf_addf(out,
                "__device__ inline void multiply_%d(float (&d)[%d], ulong a, ulong b)\n{\n"
                "    asm volatile(\"{\\n.reg .pred adds;\\nsetp.eq.u32 adds, 0, 0;\\n\"\n"
                "                 \"wgmma.mma_async.sync.aligned.m64n%dk16.f32.%s.%s {\"\n",
                columns, count, columns, type, type);
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s%%%d%s", i % 16 == 0 ? "                 \"" : "", i,
                    i + 1 == count ? "\"\n"
                    : i % 16 == 15 ? ", \"\n"
                                   : ", ");
    strbuf_addf(out, "                 \"}, %%%d, %%%d, adds, 1, 1, 0, 0;\\n}\"\n", count,
                count + 1);
    for (int i = 0; i < count; i++)
        strbuf_addf(out, "%s\"+f\"(d[%d])%s",
                    i == 0       ? "                 : "
                    : i % 8 == 0 ? "                   "
                                 : "",
                    i,
                    i + 1 == count ? "\n"
                    : i % 8 == 7   ? ",\n"
                                   : ", ");
    strbuf_adds(out, "                 : \"l\"(a), \"l\"(b));\n}\n");
}

void matrix_functions(int columns, const char *type, struct strbuf *out)
{
    struct formula_words words = {.of = {['T'] = type}};

    strbuf_adds(out, "#ifdef __CUDA_ARCH_FEAT_SM90_ALL\n");
    strbuf_adds(out, functions);
    formula_expand(shared_functions, &words, out);
    write_multiply(columns, type, out);
    strbuf_adds(out, "#endif\n");
}

void matrix_warp_functions(const char *type, struct strbuf *out)
{
    struct formula_words words = {.of = {['T'] = type}};

    formula_expand(shared_functions, &words, out);
    formula_expand(warp_functions, &words, out);
}
