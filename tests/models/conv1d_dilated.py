import torch
import torch.nn as nn


class Model(nn.Module):
    """A dilated and strided 1-D convolution."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(6, 8, 5, stride=2, dilation=3, padding=4)

    def forward(self, x):
        return torch.relu(self.conv(x))


def get_inputs():
    return [torch.randn(3, 6, 64)]


def get_init_inputs():
    return []
