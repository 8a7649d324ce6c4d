import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """A transposed 3-D convolution, average pooling, max pooling and softmax."""

    def __init__(self):
        super().__init__()
        self.conv = nn.ConvTranspose3d(2, 4, 3, stride=2, padding=1, output_padding=1)

    def forward(self, x):
        x = F.max_pool3d(F.avg_pool3d(self.conv(x), 2), 2)
        return F.softmax(x, dim=1)


def get_inputs():
    return [torch.randn(1, 2, 8, 8, 8)]


def get_init_inputs():
    return []
