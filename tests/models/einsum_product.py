import torch
import torch.nn as nn


class Model(nn.Module):
    """The product of a 4-D and a 2-D tensor, written as einsum."""

    def forward(self, a, b):
        return torch.einsum('bijl,lk->bijk', a, b)


def get_inputs():
    return [torch.rand(2, 5, 6, 16), torch.rand(16, 9)]


def get_init_inputs():
    return []
