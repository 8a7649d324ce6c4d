import torch
import torch.nn as nn


class Model(nn.Module):
    """Squeeze and excitation: a convolution whose channels are weighted by a small network of their means."""

    def __init__(self, channels, squeezed):
        super().__init__()
        self.conv = nn.Conv2d(6, channels, 3, padding=1)
        self.down = nn.Linear(channels, squeezed)
        self.up = nn.Linear(squeezed, channels)

    def forward(self, x):
        y = self.conv(x)
        s = y.mean(dim=(2, 3))
        g = torch.sigmoid(self.up(torch.relu(self.down(s))))
        return y * g[:, :, None, None] + 0.5


def get_inputs():
    return [torch.randn(3, 6, 15, 17)]


def get_init_inputs():
    return [20, 5]
