import torch
import torch.nn as nn

TOKENS = 128
DTYPE = torch.float32
PAST = 384
HEADS = 64
KV_HEADS = 8
WIDTH = 64


def turned(x, cosine, sine):
    """Rotary embedding: element i of the first and of the second half of a head form the pair that is rotated."""
    first, second = torch.chunk(x, 2, dim=-1)
    return torch.cat((first * cosine - second * sine, second * cosine + first * sine), dim=-1)


class Model(nn.Module):
    """The bias of a projection to queries, keys and values, rotary embedding, and the update of both caches."""

    def __init__(self, heads, kv_heads, width):
        super().__init__()
        self.heads, self.kv_heads, self.width = heads, kv_heads, width
        self.bias = nn.Parameter((torch.rand((heads + 2 * kv_heads) * width) * 2 - 1).to(DTYPE))

    def forward(self, qkv, cosine, sine, slots, k_past, v_past):
        tokens = qkv.shape[0]
        rows = (qkv + self.bias).reshape(tokens, self.heads + 2 * self.kv_heads, self.width)
        q, k, v = torch.split(rows, [self.heads, self.kv_heads, self.kv_heads], dim=1)
        slot = slots[:tokens]
        return (turned(q, cosine, sine), k_past.index_copy(0, slot, turned(k, cosine, sine)),
                v_past.index_copy(0, slot, v))


def get_inputs():
    rows = PAST + TOKENS
    turns = [torch.rand(TOKENS, 1, WIDTH // 2, dtype=DTYPE) * 2 - 1 for _ in range(2)]
    caches = [torch.randn(rows, KV_HEADS, WIDTH, dtype=DTYPE) for _ in range(2)]
    return [torch.randn(TOKENS, (HEADS + 2 * KV_HEADS) * WIDTH, dtype=DTYPE), *turns, torch.randperm(rows), *caches]


def get_init_inputs():
    return [HEADS, KV_HEADS, WIDTH]
