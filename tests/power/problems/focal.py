import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The focal loss of each sample, with weights of the classes."""

    def __init__(self, classes, gamma):
        super().__init__()
        self.gamma = gamma
        self.weight = nn.Parameter(torch.rand(classes) + 0.5)

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=-1).gather(1, target[:, None])[:, 0]
        p = logp.exp()
        return -self.weight[target] * (1 - p) ** self.gamma * logp


def get_inputs():
    return [torch.randn(130, 19), torch.randint(0, 19, (130,))]


def get_init_inputs():
    return [19, 2.0]
