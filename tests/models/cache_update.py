import torch


class Model(torch.nn.Module):
    """Write new rows to distinct slots of a cache."""

    def forward(self, rows, slots, past):
        slot = slots[:rows.shape[0]]
        return past.index_copy(0, slot, rows * 2)


def get_inputs():
    return [torch.randn(7, 3, 4), torch.randperm(29), torch.randn(29, 3, 4)]


def get_init_inputs():
    return []
