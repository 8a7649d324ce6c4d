import torch
import torch.nn as nn

TOKENS = 128
HIDDEN = 2880


class Model(nn.Module):
    """Residual addition and RMS normalization at the hidden size of gpt-oss-20b; the sum is an output too."""

    def __init__(self, hidden):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(hidden) + 0.5)

    def forward(self, x, residual):
        h = x + residual
        return h, h * torch.rsqrt(h.pow(2).mean(dim=-1, keepdim=True) + 1e-5) * self.weight


def get_inputs():
    return [torch.randn(TOKENS, HIDDEN), torch.randn(TOKENS, HIDDEN)]


def get_init_inputs():
    return [HIDDEN]
