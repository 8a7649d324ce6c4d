import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer, batch normalization, and Swish with a bias."""

    def __init__(self, k, n):
        super().__init__()
        self.linear = nn.Linear(k, n)
        self.norm = nn.BatchNorm1d(n)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        x = self.norm(self.linear(x)) + self.bias
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(32, 40)]


def get_init_inputs():
    return [40, 56]
