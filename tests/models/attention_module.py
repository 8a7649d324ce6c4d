import torch
import torch.nn as nn


class Model(nn.Module):
    """A complete transformer block made of PyTorch modules."""

    def __init__(self, d, heads):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.attention = nn.MultiheadAttention(d, heads, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(approximate='tanh'), nn.Linear(2 * d, d))

    def forward(self, x):
        h = self.norm(x)
        x = x + self.attention(h, h, h, need_weights=False)[0]
        return x + self.mlp(self.norm(x))


def get_inputs():
    return [torch.randn(2, 10, 24)]


def get_init_inputs():
    return [24, 3]
