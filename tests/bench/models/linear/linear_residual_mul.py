import torch
import torch.nn as nn

BATCH = 1024
IN = 8192
OUT = 8192


class Model(nn.Module):
    """A linear layer, a residual, and a product with it."""

    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)

    def forward(self, x, residual):
        return (self.linear(x) + residual) * residual


def get_inputs():
    return [torch.rand(BATCH, IN), torch.randn(BATCH, OUT)]


def get_init_inputs():
    return [IN, OUT]
