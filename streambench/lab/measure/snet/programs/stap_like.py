"""The boxes of a search for moving targets in the manner of MTI-STAP, on NumPy, which works outside the GIL.

A substitute: the program of the paper is not public. What each box does is textbook radar: bursts of pulses are sent,
their echoes arrive at several channels; ranges come of the correlation with the pulse, speeds of a Fourier transform
over pulses; for each speed a sum of channels and neighbouring speeds is found that sees little of the ground.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

CHANNELS, PULSES, SAMPLES = 8, 32, 384
RANGES = 320  # those of which the whole pulse comes back in time
CHIRP = 64  # samples of the pulse
SKEW = 0.05 + 0.02j  # of the receiver's two parts
LOADING = 0.01  # of the mean power is added to every diagonal
GUARD, AROUND = 2, 12  # ranges on each side: left out, and averaged
THRESHOLD = 25.0  # times the noise

_time = np.arange(CHIRP) / CHIRP
PULSE = np.exp(1j * np.pi * CHIRP / 2 * (_time - 0.5) ** 2)
PULSE_BANDS = np.fft.fft(PULSE, SAMPLES)
_bands = np.arange(SAMPLES) / SAMPLES
EQUALIZER = 1 + 0.2 * np.exp(2j * np.pi * (_bands[None, :] * 3 + np.arange(CHANNELS)[:, None] / CHANNELS))
PHASES = np.exp(2j * np.pi * 0.37 * np.arange(CHANNELS) ** 2)
GAIN = 1 + np.arange(RANGES) / RANGES
WINDOW = np.hamming(PULSES)
ANGLE = 0.15  # between channels, of what is looked for, in turns
LOOK = np.concatenate([np.exp(2j * np.pi * ANGLE * np.arange(CHANNELS)) * near for near in (-0.43, 1.0, -0.43)])
"""A target's share in the channels at its own speed and at those beside it, which the window blurs."""


def unpack(raw: Array) -> Any:
    """Pairs of 16 bits: channels, pulses, samples."""
    return (raw[..., 0] + 1j * raw[..., 1],)


def remove_offset(echo: Array) -> Any:
    """The receiver's constant part."""
    return (echo - echo.mean(axis=(1, 2), keepdims=True),)


def balance(echo: Array) -> Any:
    """Undo what one part of the receiver sees of the other."""
    return ((echo - SKEW * echo.conj()) / (1 - abs(SKEW) ** 2),)


def to_bands(echo: Array) -> Any:
    """A Fourier transform over samples."""
    return (np.fft.fft(echo, axis=2),)


def equalize(bands: Array) -> Any:
    """Channels hear alike."""
    return (bands * EQUALIZER[:, None, :],)


def compress(bands: Array) -> Any:
    """The correlation with the pulse."""
    return (bands * PULSE_BANDS.conj(),)


def to_ranges(bands: Array) -> Any:
    """Back from bands."""
    return (np.fft.ifft(bands, axis=2),)


def crop(echo: Array) -> Any:
    """Ranges of which the whole pulse is there."""
    return (echo[:, :, :RANGES],)


def gain(echo: Array) -> Any:
    """What is far is weaker."""
    return (echo * GAIN,)


def calibrate(echo: Array) -> Any:
    """Channels have one phase."""
    return (echo * PHASES[:, None, None],)


def taper(echo: Array) -> Any:
    """Less of the first and last pulses, so that speeds do not leak."""
    return (echo * WINDOW[:, None],)


def doppler(echo: Array) -> Any:
    """A Fourier transform over pulses: speeds."""
    return (np.fft.fft(echo, axis=1),)


def turn(speeds: Array) -> Any:
    """Speeds, ranges, channels."""
    return (np.ascontiguousarray(speeds.transpose(1, 2, 0)),)


def stack(speeds: Array) -> Any:
    """With each speed's channels those of the speeds beside it."""
    return (np.concatenate([np.roll(speeds, 1, 0), speeds, np.roll(speeds, -1, 0)], axis=2),)


def part(cells: Array) -> Any:
    """The ground is learnt beside what it is taken from."""
    return [{"training": cells}, {"cells": cells}]


def choose(training: Array) -> Any:
    """Three of four ranges."""
    return (training[:, np.arange(training.shape[1]) % 4 != 0],)


def covariance(training: Array) -> Any:
    """Of channels and neighbouring speeds, for each speed."""
    return (training.transpose(0, 2, 1) @ training.conj() / training.shape[1],)


def load(clutter: Array) -> Any:
    """A little more on the diagonal, or few ranges would tell too much."""
    mean = np.trace(clutter, axis1=1, axis2=2).real / clutter.shape[1]
    return (clutter + LOADING * mean[:, None, None] * np.eye(clutter.shape[1]),)


def factor(clutter: Array) -> Any:
    """Cholesky's."""
    return (np.linalg.cholesky(clutter),)


def forward(factor: Array) -> Any:
    """The first half of the solution."""
    return factor, np.linalg.solve(factor, np.broadcast_to(LOOK[:, None], (len(factor), len(LOOK), 1)))


def backward(factor: Array, half: Array) -> Any:
    """The second half: the weights of all channels and neighbouring speeds."""
    return (np.linalg.solve(factor.conj().transpose(0, 2, 1), half)[..., 0],)


def normalize(weights: Array) -> Any:
    """What is looked for is heard as it is."""
    return (weights / (weights.conj() @ LOOK)[:, None],)


def level(cells: Array) -> Any:
    """Every burst on one scale."""
    return (cells / np.sqrt((cells.real**2 + cells.imag**2).mean()),)


def beam(weights: Array, cells: Array) -> Any:
    """The sums: speeds, ranges."""
    return ((cells @ weights.conj()[..., None])[..., 0],)


def power(sums: Array) -> Any:
    """Of each."""
    return (sums.real**2 + sums.imag**2,)


def share(power: Array) -> Any:
    """Peaks and noise are found beside each other."""
    return [{"power": power}, {"around": power}]


def peaks(power: Array) -> Any:
    """Where no neighbour is greater."""
    is_peak = np.ones(power.shape, bool)
    for axis in (0, 1):
        for shift in (-1, 1):
            is_peak &= power >= np.roll(power, shift, axis)
    return power, is_peak


def noise(around: Array) -> Any:
    """The mean of the ranges on both sides, but for the nearest."""
    ranges = around.shape[1]
    padded = np.pad(around, ((0, 0), (AROUND + GUARD, AROUND + GUARD)), mode="wrap")
    sums = np.concatenate([np.zeros((len(around), 1)), padded.cumsum(axis=1)], axis=1)
    left = sums[:, AROUND : AROUND + ranges] - sums[:, :ranges]
    begin = AROUND + 2 * GUARD + 1
    right = sums[:, begin + AROUND : begin + AROUND + ranges] - sums[:, begin : begin + ranges]
    return ((left + right) / (2 * AROUND),)


def detect(power: Array, peak: Array, noise: Array) -> Any:
    """Rows of speed and range."""
    return (np.argwhere(peak & (power > THRESHOLD * noise)),)
