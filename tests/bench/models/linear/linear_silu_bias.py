import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 1024
IN = 8192
OUT = 8192


class Model(nn.Module):
    """A linear layer, SiLU, and a second bias behind it."""

    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.shift = nn.Parameter(torch.randn(features_out))

    def forward(self, x):
        return F.silu(self.linear(x)) + self.shift


def get_inputs():
    return [torch.rand(BATCH, IN)]


def get_init_inputs():
    return [IN, OUT]
