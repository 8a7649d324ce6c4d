"""
Decompositions of losses.  Each follows the definition in PyTorch's documentation.
"""

import math

import torch
import torch.nn.functional as F

from distributions import whole_range
from graph import Unknown

from .norms import pairwise_distance, cosine_similarity


def _reduced(loss, reduction):
    return {"none": lambda: loss, "mean": loss.mean, "sum": loss.sum}[reduction]()


def _weighted(loss, weight, reduction):
    if weight is not None and reduction == "mean":
        raise Unknown("a weighted mean")
    return _reduced(loss if weight is None else loss * weight, reduction)


def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    difference = input - target
    return _weighted(difference * difference, weight, reduction)


def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    return _weighted((input - target).abs(), weight, reduction)


def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    distance = (input - target).abs()
    if not beta:
        return _reduced(distance, reduction)
    near = distance.clamp(max=beta)
    return _reduced(near * near * (0.5 / beta) + (distance - near), reduction)


def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    distance = (input - target).abs()
    near = distance.clamp(max=delta)
    return _weighted(near * near * 0.5 + (distance - near) * delta, weight, reduction)


def _may_be(target, ignore_index):
    """False if the distribution of the targets, or of the tensor that they are a view of, has no such number."""
    drawn = whole_range(target)
    return drawn is None or drawn[0] <= ignore_index <= drawn[1]


def _without(target, ignore_index):
    """The targets with a class in place of the number to ignore, which need not be one."""
    return torch.where(target == ignore_index, 0, target)


def _shares(target, weight, ignore_index):
    """The weight of each element, 0 for those to ignore; None if all have the same."""
    if not _may_be(target, ignore_index):
        return None if weight is None else weight[target]
    shares = None if weight is None else weight[_without(target, ignore_index)]
    seen = (target != ignore_index).to(torch.float32 if weight is None else weight.dtype)
    return seen if shares is None else shares * seen


def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
             reduction="mean"):
    if input.dim() < 2:
        return nll_loss(input.unsqueeze(0), target.unsqueeze(0), weight, None, ignore_index, None,
                        reduction).reshape([])
    shares = _shares(target, weight, ignore_index)
    named = _without(target, ignore_index) if _may_be(target, ignore_index) else target
    loss = -input.gather(1, named.unsqueeze(1)).squeeze(1)
    if shares is None:
        return _reduced(loss, reduction)
    loss = loss * shares
    return loss.sum() / shares.sum() if reduction == "mean" else _reduced(loss, reduction)


def cross_entropy(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None,
                  reduction="mean", label_smoothing=0.0):
    if input.dim() < 2:
        made = cross_entropy(input.unsqueeze(0), target.unsqueeze(0), weight, None, ignore_index, None,
                             reduction, label_smoothing)
        return made.reshape([])
    logs = torch.log_softmax(input, 1)
    scaled = logs if weight is None else logs * weight.reshape([-1] + [1] * (input.dim() - 2))
    if target.is_floating_point():
        if label_smoothing:
            target = target * (1 - label_smoothing) + label_smoothing / input.shape[1]
        loss = -(scaled * target).sum(1)
        return _reduced(loss, reduction)
    loss = nll_loss(logs, target, weight, None, ignore_index, None, "none")
    shares = _shares(target, weight, ignore_index)
    if label_smoothing:
        smooth = -scaled.mean(1)
        seen = _shares(target, None, ignore_index)
        smooth = smooth if seen is None else smooth * seen
        loss = loss * (1 - label_smoothing) + smooth * label_smoothing
    if shares is not None and reduction == "mean":
        return loss.sum() / shares.sum()
    return _reduced(loss, reduction)


def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    loss = target.exp() * (target - input) if log_target else target * (target.log() - input)
    if reduction == "batchmean":
        return loss.sum() / input.shape[0]
    return _reduced(loss, reduction)


def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None,
                         reduction="mean"):
    # PyTorch limits logarithms to at least -100 here.
    loss = -(target * input.log().clamp(min=-100) +
             (1 - target) * (1 - input).log().clamp(min=-100))
    return _reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, size_average=None, reduce=None,
                                     reduction="mean", pos_weight=None):
    if pos_weight is None:
        loss = input - input * target + F.softplus(-input)
    else:
        loss = input - input * target + ((pos_weight - 1) * target + 1) * F.softplus(-input)
    return _reduced(loss if weight is None else loss * weight, reduction)


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2, eps=1e-6, swap=False,
                        size_average=None, reduce=None, reduction="mean"):
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = torch.minimum(far, pairwise_distance(positive, negative, p, eps))
    return _reduced((near - far + margin).relu(), reduction)


def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    return _reduced(F.softplus(-target * input), reduction)


def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None,
                        reduction="mean"):
    return _reduced((-target * (input1 - input2) + margin).relu(), reduction)


def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None,
                         reduction="mean"):
    near = torch.where(target == -1, torch.zeros_like(input), input)
    far = torch.where(target == 1, torch.zeros_like(input), (margin - input).relu())
    return _reduced(near + far, reduction)


def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None,
                          reduction="mean"):
    likeness = cosine_similarity(input1, input2, dim=-1)
    loss = torch.where(target == 1, 1 - likeness, (likeness - margin).relu())
    return _reduced(loss, reduction)


def poisson_nll_loss(input, target, log_input=True, full=False, size_average=None, eps=1e-8,
                     reduce=None, reduction="mean"):
    loss = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        more = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        loss = loss + torch.where(target > 1, more, torch.zeros_like(loss))
    return _reduced(loss, reduction)


def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
    if not isinstance(var, torch.Tensor):
        var = torch.full_like(input, var)
    elif var.dim() < input.dim():
        var = var.unsqueeze(-1)
    var, away = var.clamp(min=eps), input - target
    loss = (var.log() + away * away / var) * 0.5
    return _reduced(loss + 0.5 * math.log(2 * math.pi) if full else loss, reduction)


def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    rows, named = (input, target) if input.dim() == 2 else (input.unsqueeze(0), target.reshape([1]))
    own = named.unsqueeze(1)
    near = (rows - rows.gather(1, own) + margin).relu()
    near = near if p == 1 else near * near
    near = near if weight is None else near * weight[named].unsqueeze(1)
    others = torch.arange(rows.shape[1], device=rows.device) != own
    loss = torch.where(others, near, 0.0).mean(1)
    return _reduced(loss if input.dim() == 2 or reduction != "none" else loss.squeeze(0), reduction)


def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    """The classes of each row are those before its first negative number."""
    rows, named = (input, target) if input.dim() == 2 else (input.unsqueeze(0), target.unsqueeze(0))
    seen = (named >= 0).to(torch.int64).cumprod(1) > 0
    is_own = (seen.unsqueeze(2) & (named.unsqueeze(2) == torch.arange(rows.shape[1]))).any(1)
    near = (1 - rows.gather(1, named.clamp(min=0)).unsqueeze(2) + rows.unsqueeze(1)).relu()
    loss = torch.where(seen.unsqueeze(2) & ~is_own.unsqueeze(1), near, 0.0).sum((1, 2)) / rows.shape[1]
    return _reduced(loss if input.dim() == 2 or reduction != "none" else loss.squeeze(0), reduction)


# The steps of ctc_loss, which follow each other in the graph; and a logarithm of no probability.
MOST_STEPS, NEVER = 256, -1e30


def _ctc_step(alpha, emitted, may_skip):
    """The logarithms of the probabilities of all paths to each state, one step later."""
    one = F.pad(alpha, (1, 0), value=NEVER)[:, :-1]
    two = F.pad(alpha, (2, 0), value=NEVER)[:, :-2].masked_fill(~may_skip, NEVER)
    return torch.logsumexp(torch.stack((alpha, one, two)), 0) + emitted


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    """Graves et al. 2006: a path goes through blanks and labels in turn, and may leave out a blank between two
    labels that differ."""
    if log_probs.dim() != 3 or targets.dim() != 2:
        raise Unknown("ctc_loss without a batch, or of targets in one row")
    if log_probs.shape[0] > MOST_STEPS:
        raise Unknown(f"ctc_loss of {log_probs.shape[0]} steps: at most {MOST_STEPS}")
    steps, batch, _ = log_probs.shape
    ends, counts = (torch.as_tensor(n, device=targets.device) for n in (input_lengths, target_lengths))
    states = torch.stack((torch.full_like(targets, blank), targets), -1).flatten(1)
    states = F.pad(states, (0, 1), value=blank)
    place = torch.arange(states.shape[1], device=targets.device)
    may_skip = (states != F.pad(states, (2, 0), value=blank)[:, :-2]) & (place % 2 == 1)
    emitted = log_probs.gather(2, states.expand(steps, -1, -1))
    alpha = torch.where(place < 2, emitted[0], NEVER)
    for step in range(1, steps):
        alpha = torch.where((step < ends).unsqueeze(-1), _ctc_step(alpha, emitted[step], may_skip), alpha)
    last = 2 * counts.expand(batch).unsqueeze(-1)
    at_label = torch.where(last > 0, alpha.gather(1, (last - 1).clamp(min=0)), NEVER)
    loss = -torch.logsumexp(torch.cat((alpha.gather(1, last), at_label), 1), 1)
    loss = torch.where(loss > -0.5 * NEVER, 0.0 if zero_infinity else math.inf, loss)
    return _reduced(loss / counts.clamp(min=1) if reduction == "mean" else loss, reduction)


FUNCTIONS = {f.__name__: f for f in (
    mse_loss, l1_loss, smooth_l1_loss, huber_loss, nll_loss, cross_entropy, kl_div,
    binary_cross_entropy, binary_cross_entropy_with_logits, triplet_margin_loss, soft_margin_loss,
    margin_ranking_loss, hinge_embedding_loss, cosine_embedding_loss, poisson_nll_loss,
    gaussian_nll_loss, multi_margin_loss, multilabel_margin_loss, ctc_loss)}
FUNCTIONS.update(nll_loss_nd=nll_loss, cross_entropy_loss=cross_entropy)
