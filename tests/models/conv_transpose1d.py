import torch
import torch.nn as nn


class Model(nn.Module):
    """A transposed 1-D convolution."""

    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose1d(4, 6, 4, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        return torch.tanh(self.conv(x))


def get_inputs():
    return [torch.randn(2, 4, 30)]


def get_init_inputs():
    return []
