"""Models in KernelBench's form: a linear layer at the sizes of its level 2, and the operations after it."""

TEMPLATE = '''import torch
import torch.nn as nn
import torch.nn.functional as F

BATCH = 1024
IN = 8192
OUT = 8192


class Model(nn.Module):
    """{summary}"""

    def __init__(self, features_in, features_out):
        super().__init__()
        self.linear = nn.Linear(features_in, features_out)
        self.after = {layer}

    def forward(self, x, *others):
        x = self.linear(x)
        return {tail}


def get_inputs():
    return [torch.rand(BATCH, IN){others}]


def get_init_inputs():
    return [IN, OUT]
'''

# Name: (summary, expression over x, the layer or parameter that the expression uses).
TAILS = {
    "gelu": ("A linear layer and exact GELU.", "F.gelu(x)", ""),
    "groupnorm_hardtanh": ("A linear layer, group normalization, and two bounds.",
                           "F.hardtanh(self.after(x), -1.0, 1.0)", "nn.GroupNorm(64, features_out)"),
    "hardtanh": ("A linear layer, scaled, between two bounds, and GELU.", "F.gelu(F.hardtanh(x * 2, -1.0, 1.5))", ""),
    "layernorm_silu": ("A linear layer, layer normalization, and SiLU.", "F.silu(self.after(x))",
                       "nn.LayerNorm(features_out)"),
    "logsumexp": ("A linear layer, its logsumexp over the features, and leaky ReLU.",
                  "F.leaky_relu(torch.logsumexp(x, dim=1, keepdim=True) - 9, 0.01)", ""),
    "max_gelu": ("A linear layer, its largest feature, and GELU.",
                 "F.gelu(torch.max(x, dim=1, keepdim=True).values - 1)", ""),
    "mish_chain": ("A linear layer, Mish twice, and a clamped quotient.",
                   "torch.clamp(F.mish(F.mish(x)) / 2 + 0.5, 0.0, 1.0)", ""),
    "relu_scale": ("A linear layer, ReLU, and a scale for each feature.", "torch.relu(x) * self.after",
                   "nn.Parameter(torch.rand(features_out))"),
    "residual_mul": ("A linear layer, a residual, and a product with it.", "(x + others[0]) * others[0]", ""),
    "sigmoid_sum": ("A linear layer, and the sum of its sigmoids.",
                    "torch.sum(torch.sigmoid(x), dim=1, keepdim=True)", ""),
    "silu_bias": ("A linear layer, SiLU, and a second bias behind it.", "F.silu(x) + self.after",
                  "nn.Parameter(torch.randn(features_out))"),
    "softmax": ("A linear layer and softmax over its features.", "torch.softmax(x, dim=1)", ""),
}


def texts():
    """Return the text of each model file by the name of the model."""
    return {f"linear_{name}": TEMPLATE.format(
                summary=summary, tail=tail, layer=layer or "None",
                others=", torch.randn(BATCH, OUT)" if "others" in tail else "")
            for name, (summary, tail, layer) in TAILS.items()}
