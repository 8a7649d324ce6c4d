import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Adaptive average pooling with leaky ReLU, and adaptive max pooling."""

    def forward(self, x):
        return F.leaky_relu(F.adaptive_avg_pool2d(x, (3, 4)), 0.2), F.adaptive_max_pool2d(x, 2)


def get_inputs():
    return [torch.randn(2, 5, 13, 11)]


def get_init_inputs():
    return []
