import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer, max pooling, a sum, and a scale factor."""

    def __init__(self, k, n, factor):
        super().__init__()
        self.matmul = nn.Linear(k, n)
        self.pool = nn.MaxPool1d(2)
        self.factor = factor

    def forward(self, x):
        x = self.pool(self.matmul(x).unsqueeze(1)).squeeze(1)
        return torch.sum(x, dim=1) * self.factor


def get_inputs():
    return [torch.rand(24, 64)]


def get_init_inputs():
    return [64, 128, 0.5]
