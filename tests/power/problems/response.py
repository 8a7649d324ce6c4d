import torch
import torch.nn as nn


class Model(nn.Module):
    """A local response norm across channels, and the largest of each window."""

    def __init__(self, size):
        super().__init__()
        self.norm = nn.LocalResponseNorm(size, alpha=0.02, beta=0.75, k=1.5)
        self.pool = nn.MaxPool2d(3, stride=2, ceil_mode=True)

    def forward(self, x):
        return self.pool(self.norm(x))


def get_inputs():
    return [2 * torch.randn(2, 14, 12, 19)]


def get_init_inputs():
    return [5]
