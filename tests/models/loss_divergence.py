import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Kullback-Leibler divergence of distributions made by get_inputs, and binary cross entropy."""

    def forward(self, p, q):
        return (F.kl_div(torch.log(p), q, reduction='batchmean'),
                F.binary_cross_entropy_with_logits(p * 4 - 1, q))


def get_inputs():
    return [torch.rand(16, 30).softmax(dim=-1), torch.rand(16, 30).softmax(dim=-1)]


def get_init_inputs():
    return []
