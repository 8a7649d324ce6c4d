import torch
import torch.nn as nn


class Model(nn.Module):
    """A linear layer, dropout, and softmax."""

    def __init__(self, k, n):
        super().__init__()
        self.linear = nn.Linear(k, n)
        self.dropout = nn.Dropout(0.2)

    def forward(self, x):
        return torch.softmax(self.dropout(self.linear(x)), dim=1)


def get_inputs():
    return [torch.rand(20, 48)]


def get_init_inputs():
    return [48, 80]
