import torch
import torch.nn as nn


class Model(nn.Module):
    """RMS normalization, written with elementary operations."""

    def __init__(self, d):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(d))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


def get_inputs():
    return [torch.randn(4, 9, 64)]


def get_init_inputs():
    return [64]
