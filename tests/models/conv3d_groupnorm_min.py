import torch
import torch.nn as nn


class Model(nn.Module):
    """A 3-D convolution, group normalization, minimum and clamp."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv3d(2, 8, 3)
        self.norm = nn.GroupNorm(4, 8)

    def forward(self, x):
        x = self.norm(self.conv(x))
        return torch.clamp(torch.min(x, torch.tensor(0.25)), min=-0.5, max=1.0)


def get_inputs():
    return [torch.rand(2, 2, 6, 8, 8)]


def get_init_inputs():
    return []
