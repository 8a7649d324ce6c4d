import torch
import torch.nn as nn


class Model(nn.Module):
    """A convolution, batch normalization, in-place ReLU, and max pooling."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8),
                                  nn.ReLU(inplace=True), nn.MaxPool2d(2))

    def forward(self, x):
        return self.body(x)


def get_inputs():
    return [torch.rand(2, 3, 16, 20)]


def get_init_inputs():
    return []
