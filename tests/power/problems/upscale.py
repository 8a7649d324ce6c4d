import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A picture at twice the size: a convolution, a shuffle of channels into pixels, and a smoothing."""

    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, 4 * channels, 3, padding=1)
        self.slope = nn.PReLU(channels)

    def forward(self, x):
        y = F.pixel_shuffle(self.conv(x), 2)
        y = self.slope(y)
        return F.avg_pool2d(y, 3, stride=1, padding=1, count_include_pad=False) + F.interpolate(x, scale_factor=2)


def get_inputs():
    return [torch.rand(2, 5, 11, 13)]


def get_init_inputs():
    return [5]
