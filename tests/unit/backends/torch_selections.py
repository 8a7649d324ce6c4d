"""Test that graphs say what masks select: x[mask], nonzero(mask), and sums and assignments of these.  Part of torch_modules.py."""
from torch_graphs import GraphCase

EXPERTS = "self.gate = nn.Linear(4, 3)\nself.nets = nn.ModuleList([nn.Sequential(nn.LayerNorm(4), nn.Linear(4, 5), nn.SiLU(), " \
          "nn.Linear(5, 4)) for _ in range(3)])"


class Selections(GraphCase):
    """Models of selections by masks."""

    def test_sums_of_selections(self):
        self.check("m = t > 0\nreturn (x[m].mean(), x[t > 0].sum(), ((x[m] - t[m]) ** 2).mean(), F.mse_loss(x[m], t[m]), "
                   "F.l1_loss(x[t > 0], t[t > 0], reduction='sum'), torch.masked_select(x, m).amax(), x[x[:, 0] > 0].sum(0), "
                   "x[x[:, 0] > 0][:, 1:3].mean(dim=1).sum(), x[t > 9].sum())", x="torch.randn(5, 6)", t="torch.randn(5, 6)")

    def test_losses_of_selections(self):
        self.check("m = l != -100\nreturn (F.cross_entropy(x[m], l[m]), F.cross_entropy(x.view(-1, 5)[m.view(-1)], l[m]), "
                   "x[m].log_softmax(-1)[:, 2].mean(), F.nll_loss(x[l > 2], l[l > 2], reduction='sum'))",
                   x="torch.randn(4, 6, 5)", l="torch.randint(0, 5, (4, 6)).masked_fill(torch.rand(4, 6) > 0.6, -100)")

    def test_assignments_of_selections(self):
        self.check("g = i.clone()\nm = g == 3\nf = g[:, :1].repeat(1, 4)\ng[m] = f[m]\ny = x.clone()\ny[m] *= 2\n"
                   "y[i == 3] += x[m].sigmoid().mul_(3)\nreturn g, y", i="torch.randint(0, 4, (5, 4))", x="torch.randn(5, 4)")

    def test_experts_that_compute_what_was_sent_to_them(self):
        self.check("out, k = torch.zeros_like(x), self.gate(x).argmax(-1)\nfor j, net in enumerate(self.nets):\n    m = k == j\n"
                   "    out[m] = net(x[m])\nreturn out", EXPERTS, x="torch.randn(7, 4)")
        self.check("out = torch.zeros_like(x)\nw, e = self.gate(x).softmax(-1).topk(2, -1)\nfor k, net in enumerate(self.nets):\n"
                   "    idx, top = torch.where(F.one_hot(e, 3).permute(2, 1, 0)[k])\n    cur = x[None, top].reshape(-1, 4)\n"
                   "    out.index_add_(0, top, net(cur) * w[top, idx, None])\nreturn out", EXPERTS, x="torch.randn(7, 4)")

    def test_assignments_at_the_places_of_a_mask(self):
        self.check("out, e = torch.zeros_like(x), self.gate(x).topk(2)[1]\nfor i, net in enumerate(self.nets):\n"
                   "    row, nth = torch.where(e == i)\n    out[row] += x[row, nth, None] * net(x[row])\n"
                   "y = x.clone()\ny[(x[:, 0] > 0).nonzero().squeeze(1)] = x[x[:, 0] > 0] * 2\nreturn out, y", EXPERTS, x="torch.randn(7, 4)")
        self.check("i = (x > 0).nonzero()\ny = x.clone()\ny[i[:, 0]] = y[i[:, 0]] * i[:, 1:]\nreturn y", x="torch.randn(7, 4)")

    def test_masks_that_do_not_depend_on_data(self):
        self.check("e = torch.eye(5, dtype=torch.bool, device=x.device)\ns = x @ x.T\nn = s[~e].view(5, 4)\ny = s.clone()\n"
                   "y[~e] = n.flatten() * 2\nu = s[torch.triu(torch.ones(5, 5, dtype=torch.bool), diagonal=1)]\n"
                   "return n.logsumexp(1), u, y, s[torch.arange(5) != 2].sum(0)", x="torch.randn(5, 3)")

    def test_lengths_that_depend_on_data_are_unknown(self):
        for body, what in (("return x[x > 0]", "a result"), ("return x[x > 0].cumsum(0).sum()", "cumsum"),
                           ("y = x[x > 0]\nreturn y.sum() / y.shape[0]", "shape"),
                           ("return x.sum() * len(torch.nonzero(x > 0))", "__len__"),
                           ("y = x[x > 0]\nreturn (y.unsqueeze(1) * y).sum()", "selections by different"),
                           ("return (x[x > 0] * x[x > 1]).sum()", "selections by different"),
                           ("return (x[x > 0].softmax(0)).sum()", "softmax over the rows"),
                           ("y = x.clone()\ny[x > 0] = y[x > 1]\nreturn y", "an assignment")):
            unknown = self.describe(body, x="torch.randn(3, 4)").problem("f32")["torch"]["unknown"]
            self.assertRegex("".join(unknown), f"^case.py:1[34]: {what}.* of what a mask selects, .*: keep all elements")
