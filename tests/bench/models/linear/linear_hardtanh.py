import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 1024
IN = 8192
OUT = 8192


class Model(nn.Module):
    """A linear layer, scaled, between two bounds, and GELU."""

    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x):
        return F.gelu(F.hardtanh(self.linear(x) * 2, -1.0, 1.5))


def get_inputs():
    return [torch.rand(BATCH, IN)]


def get_init_inputs():
    return [IN, OUT]
