import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A batched product, a bias that broadcasts, ReLU6."""

    def __init__(self, n):
        super().__init__()
        self.bias = nn.Parameter(torch.randn(n, 1, 1))

    def forward(self, a, b):
        return F.relu6(torch.bmm(a, b) + self.bias)


def get_inputs():
    return [torch.randn(6, 16, 20), torch.randn(6, 20, 24)]


def get_init_inputs():
    return [6]
