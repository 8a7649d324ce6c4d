import torch
import torch.nn as nn

BATCH = 1024
IN = 8192
OUT = 8192


class Model(nn.Module):
    """A linear layer, ReLU, and a scale for each feature."""

    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.scale = nn.Parameter(torch.rand(features_out))

    def forward(self, x):
        return torch.relu(self.linear(x)) * self.scale


def get_inputs():
    return [torch.rand(BATCH, IN)]


def get_init_inputs():
    return [IN, OUT]
