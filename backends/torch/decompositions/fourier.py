"""
Decompositions of Fourier transforms into products with the matrix of cosines and sines, and of
spectrograms.  A transform of n elements takes n * n operations, so long ones are refused.
"""

import math

import torch
import torch.nn.functional as F

from graph import Unknown

from .complex_numbers import is_complex, joined, parts

MOST_LONG = 4096


def _matrices(rows, columns, n):
    """cos and sin of 2 pi i j / n."""
    if n > MOST_LONG:
        raise Unknown(f"a Fourier transform of {n} elements: at most {MOST_LONG}")
    place = torch.remainder(torch.arange(rows).unsqueeze(1) * torch.arange(columns), n)
    angle = place.to(torch.float32) * (2 * math.pi / n)
    return torch.cos(angle), torch.sin(angle)


def _scale(norm, n, is_inverse):
    if norm == "ortho":
        return 1 / math.sqrt(n)
    return 1 / n if (norm == "forward") != is_inverse else 1.0


def _sized(x, n):
    """The last axis cut, or padded by zeros, to n elements."""
    length = x.shape[-1]
    return x if length == n else x[..., :n] if length > n else F.pad(x, (0, n - length))


def _scaled(x, scale):
    return x if scale == 1 else x * scale


def _transformed(input, n, dim, norm, is_inverse, columns=None):
    n = input.shape[dim] if n is None else n
    cos, sin = _matrices(n, columns or n, n)
    sin, scale = (sin if is_inverse else -sin), _scale(norm, n, is_inverse)
    real, imaginary = (_sized(x.movedim(dim, -1), n) if isinstance(x, torch.Tensor) else None for x in parts(input))
    made = [torch.matmul(real, cos), torch.matmul(real, sin)]
    if imaginary is not None:
        made = [made[0] - torch.matmul(imaginary, sin), made[1] + torch.matmul(imaginary, cos)]
    return joined(*[_scaled(x, scale).movedim(-1, dim) for x in made])


def fft(input, n=None, dim=-1, norm=None):
    return _transformed(input, n, dim, norm, False)


def ifft(input, n=None, dim=-1, norm=None):
    return _transformed(input, n, dim, norm, True)


def rfft(input, n=None, dim=-1, norm=None):
    n = input.shape[dim] if n is None else n
    return _transformed(input, n, dim, norm, False, n // 2 + 1)


def irfft(input, n=None, dim=-1, norm=None):
    """All but the first and, if n is even, the last element stand for two."""
    n = 2 * (input.shape[dim] - 1) if n is None else n
    rows = n // 2 + 1
    cos, sin = _matrices(rows, n, n)
    place = torch.arange(rows)
    alone = (place == 0) | (place * 2 == n)
    weight = torch.where(alone, 1.0, 2.0).unsqueeze(1) * _scale(norm, n, True)
    real, imaginary = (_sized(x.movedim(dim, -1), rows) if isinstance(x, torch.Tensor) else None for x in parts(input))
    if imaginary is None:
        return torch.matmul(real, cos * weight).movedim(-1, dim)
    return (torch.matmul(real, cos * weight) - torch.matmul(imaginary, sin * weight)).movedim(-1, dim)


def hfft(input, n=None, dim=-1, norm=None):
    """The transform of a half of numbers that are symmetric, which is real."""
    turned = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return irfft(torch.conj(input) if is_complex(input) else input, n, dim, turned)


def ihfft(input, n=None, dim=-1, norm=None):
    turned = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}[norm]
    return torch.conj(rfft(input, n, dim, turned))


def _axes(input, s, dim, fallback):
    dim = (fallback if s is None or fallback is not None else tuple(range(-len(s), 0))) if dim is None else dim
    dim = tuple(range(input.dim())) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    return list(zip([None] * len(dim) if s is None else s, dim))


def _over_axes(one, fallback):
    def function(input, s=None, dim=None, norm=None):
        for n, axis in _axes(input, s, dim, fallback):
            input = one(input, n, axis, norm)
        return input
    return function


def _real_first(fallback):
    def function(input, s=None, dim=None, norm=None):
        *others, (n, axis) = _axes(input, s, dim, fallback)
        made = rfft(input, n, axis, norm)
        for n, axis in others:
            made = fft(made, n, axis, norm)
        return made
    return function


def _real_last(fallback):
    def function(input, s=None, dim=None, norm=None):
        *others, (n, axis) = _axes(input, s, dim, fallback)
        for size, other in others:
            input = ifft(input, size, other, norm)
        return irfft(input, n, axis, norm)
    return function


def _shifted(input, dim, before):
    dim = tuple(range(input.dim())) if dim is None else (dim,) if isinstance(dim, int) else tuple(dim)
    return torch.roll(input, [before(input.shape[d]) for d in dim], dim)


def fftshift(input, dim=None):
    return _shifted(input, dim, lambda n: n // 2)


def ifftshift(input, dim=None):
    return _shifted(input, dim, lambda n: (n + 1) // 2)


def hann_window(window_length, periodic=True, **kwargs):
    return hamming_window(window_length, periodic, 0.5, 0.5)


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, **kwargs):
    turn = 2 * math.pi / (window_length if periodic else window_length - 1)
    return alpha - torch.cos(torch.arange(window_length, dtype=torch.float32) * turn) * beta


def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="reflect",
         normalized=False, onesided=None, return_complex=None, align_to_window=None):
    """The transforms of windows along the last axis, [..., frequency, frame]."""
    hop, wide = hop_length or n_fft // 4, win_length or n_fft
    x = input if input.dim() > 1 else input.unsqueeze(0)
    if center:
        x = F.pad(x.unsqueeze(1), (n_fft // 2, n_fft // 2), mode=pad_mode).squeeze(1)
    frames = x.unfold(-1, n_fft, hop)
    if wide < n_fft:
        left = (n_fft - wide) // 2
        window = F.pad(torch.ones(wide) if window is None else window, (left, n_fft - wide - left))
    frames = frames if window is None else frames * window
    is_half = onesided is not False and not is_complex(input)
    made = (rfft if is_half else fft)(frames, None, -1, "ortho" if normalized else None).transpose(-2, -1)
    made = made if input.dim() > 1 else made.squeeze(0)
    return made if return_complex else torch.view_as_real(made)


FUNCTIONS = {f.__name__: f for f in (
    fft, ifft, rfft, irfft, hfft, ihfft, fftshift, ifftshift, hann_window, hamming_window, stft)}
FUNCTIONS.update(fft2=_over_axes(fft, (-2, -1)), ifft2=_over_axes(ifft, (-2, -1)), fftn=_over_axes(fft, None),
                 ifftn=_over_axes(ifft, None), rfft2=_real_first((-2, -1)), rfftn=_real_first(None),
                 irfft2=_real_last((-2, -1)), irfftn=_real_last(None))
