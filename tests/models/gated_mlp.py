import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A list of gated feed-forward blocks with residual connections."""

    def __init__(self, d, depth):
        super().__init__()
        self.gates = nn.ModuleList(nn.Linear(d, 2 * d, bias=False) for _ in range(depth))
        self.down = nn.ModuleList(nn.Linear(d, d, bias=False) for _ in range(depth))
        self.norm = nn.LayerNorm(d)

    def forward(self, x):
        assert x.shape[-1] == self.norm.normalized_shape[0]
        for gates, down in zip(self.gates, self.down):
            gate, up = gates(self.norm(x)).chunk(2, dim=-1)
            x = x + down(F.silu(gate) * up)
        return x


def get_inputs():
    return [torch.randn(2, 12, 32)]


def get_init_inputs():
    return [32, 2]
