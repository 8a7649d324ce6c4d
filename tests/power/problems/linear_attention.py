import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Attention by features elu(x) + 1, without a softmax: the keys' sums are computed once."""

    def forward(self, q, k, v):
        q = F.elu(q) + 1
        k = F.elu(k) + 1
        kv = torch.einsum("bhld,bhle->bhde", k, v)
        z = 1 / (torch.einsum("bhld,bhd->bhl", q, k.sum(dim=2)) + 1e-6)
        return torch.einsum("bhld,bhde,bhl->bhle", q, kv, z)


def get_inputs():
    return [torch.randn(2, 3, 40, 16), torch.randn(2, 3, 40, 16), torch.randn(2, 3, 40, 20)]


def get_init_inputs():
    return []
