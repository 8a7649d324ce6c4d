import torch
import torch.nn as nn


class Model(nn.Module):
    """Rotary embedding: pairs of channels are rotated by an angle that depends on the position."""

    def forward(self, x, cos, sin):
        half = x.shape[-1] // 2
        turned = torch.cat([-x[..., half:], x[..., :half]], dim=-1)
        return x * cos[None, :, None] + turned * sin[None, :, None]


def get_inputs():
    return [torch.randn(2, 14, 3, 16), torch.rand(14, 16), torch.rand(14, 16)]


def get_init_inputs():
    return []
