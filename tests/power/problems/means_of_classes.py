import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The mean of each class's samples, and each sample's distance from its own class's mean."""

    def __init__(self, classes):
        super().__init__()
        self.classes = classes

    def forward(self, x, label):
        member = F.one_hot(label, self.classes).to(x.dtype)
        count = member.sum(dim=0).clamp(min=1)
        means = (member.T @ x) / count[:, None]
        return means, ((x - means[label]) ** 2).sum(dim=1).sqrt()


def get_inputs():
    return [torch.randn(90, 22), torch.randint(0, 7, (90,))]


def get_init_inputs():
    return [7]
