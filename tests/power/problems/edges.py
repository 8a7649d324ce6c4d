import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The strength and the direction of edges in grey pictures, with those below a share of the strongest removed."""

    def __init__(self):
        super().__init__()
        across = torch.tensor([[-1.0, 0.0, 1.0], [-2.0, 0.0, 2.0], [-1.0, 0.0, 1.0]])
        self.register_buffer("kernels", torch.stack((across, across.T))[:, None])

    def forward(self, x):
        grey = (x * torch.tensor([0.299, 0.587, 0.114])[:, None, None]).sum(dim=1, keepdim=True)
        g = F.conv2d(F.pad(grey, (1, 1, 1, 1), mode="replicate"), self.kernels)
        strength = torch.sqrt(g[:, 0] ** 2 + g[:, 1] ** 2 + 1e-12)
        least = 0.1 * strength.amax(dim=(1, 2), keepdim=True)
        return torch.where(strength < least, torch.zeros_like(strength), strength), g[:, 0] / (strength + 1e-3)


def get_inputs():
    return [torch.rand(3, 3, 21, 26)]


def get_init_inputs():
    return []
