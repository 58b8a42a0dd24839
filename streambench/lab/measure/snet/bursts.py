"""Bursts of radar echoes with targets at known places, and what is to be found in them, by NumPy without boxes."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from streambench.lab.measure.snet.programs.stap_like import (
    ANGLE,
    AROUND,
    CHANNELS,
    CHIRP,
    EQUALIZER,
    GAIN,
    GUARD,
    LOADING,
    LOOK,
    PHASES,
    PULSE,
    PULSES,
    RANGES,
    SAMPLES,
    SKEW,
    THRESHOLD,
    WINDOW,
)

Place = tuple[int, int]
"""Speed and range."""
KINDS = 8
"""So many different bursts there are; the others are these again."""


def planted(burst: int) -> list[Place]:
    """Where there is a target: two in each burst, neither so slow that it is like the ground."""
    draw = np.random.default_rng(100 + burst % KINDS)
    near, far = draw.integers(20, RANGES // 2 - 20), draw.integers(RANGES // 2 + 20, RANGES - 20)
    speeds = draw.integers(5, PULSES - 5, 2)
    return [(int(speeds[0]), int(near)), (int(speeds[1]), int(far))]


@cache
def _raw(kind: int) -> Any:
    draw = np.random.default_rng(kind)
    pulses, channels = np.arange(PULSES), np.arange(CHANNELS)

    def echo(distance: int, speed: float, angle: float, strength: complex) -> Any:
        """Of one thing: channels, pulses, samples."""
        heard = np.zeros(SAMPLES, complex)
        heard[distance : distance + CHIRP] = PULSE
        turned = np.exp(2j * np.pi * (channels[:, None] * angle + pulses * speed / PULSES))
        return strength * turned[..., None] * heard

    shape = (CHANNELS, PULSES, SAMPLES)
    clean = 20 * (draw.normal(size=shape) + 1j * draw.normal(size=shape))
    for distance in range(0, RANGES, 5):  # the ground: what it seems to move by depends on the angle
        angle = draw.uniform(-0.5, 0.5)
        clean += echo(distance, 2 * angle, angle, 60 * np.exp(2j * np.pi * draw.uniform()))
    for speed, distance in planted(kind):
        clean += echo(distance, speed, ANGLE, 80.0)
    uneven = np.fft.ifft(np.fft.fft(clean, axis=2) / EQUALIZER[:, None, :], axis=2) / PHASES[:, None, None]
    received = uneven + SKEW * uneven.conj() + 7 - 5j
    return np.rint(np.stack([received.real, received.imag], axis=-1)).astype(np.int16)


def bursts(count: int) -> list[dict[str, Any]]:
    """The records that go in."""
    return [{"raw": _raw(k % KINDS), "<burst>": k} for k in range(count)]


@cache
def _found(kind: int) -> frozenset[Place]:
    """As the boxes do, speed by speed and cell by cell, with another correlation, inverses and means."""
    raw = _raw(kind).astype(float)
    echo = raw[..., 0] + 1j * raw[..., 1]
    echo -= echo.mean(axis=(1, 2))[:, None, None]
    echo = (echo - SKEW * echo.conj()) / (1 - abs(SKEW) ** 2)
    ranges = np.empty((CHANNELS, PULSES, RANGES), complex)
    for c in range(CHANNELS):
        even = np.fft.ifft(np.fft.fft(echo[c]) * EQUALIZER[c])
        for r in range(RANGES):
            ranges[c, :, r] = even[:, r : r + CHIRP] @ PULSE.conj() * GAIN[r] * PHASES[c]
    turns = np.exp(-2j * np.pi * np.outer(np.arange(PULSES), np.arange(PULSES)) / PULSES)
    speeds = np.einsum("sp,cpr->src", turns * WINDOW, ranges)
    powers = np.empty((PULSES, RANGES))
    for s in range(PULSES):
        cells = np.hstack([speeds[s - 1], speeds[s], speeds[(s + 1) % PULSES]])
        training = cells[[r for r in range(RANGES) if r % 4]]
        clutter = np.einsum("ri,rj->ij", training, training.conj()) / len(training)
        clutter += LOADING * np.trace(clutter).real / len(LOOK) * np.eye(len(LOOK))
        weights = np.linalg.inv(clutter) @ LOOK
        powers[s] = abs(cells @ (weights / (weights.conj() @ LOOK)).conj()) ** 2
    targets = set[Place]()
    sides = [k for k in range(-AROUND - GUARD, AROUND + GUARD + 1) if abs(k) > GUARD]
    for s, r in zip(*np.nonzero(powers > 0), strict=True):
        beside = [powers[s - 1, r], powers[(s + 1) % PULSES, r], powers[s, r - 1], powers[s, (r + 1) % RANGES]]
        noise = np.mean([powers[s, (r + k) % RANGES] for k in sides])
        if powers[s, r] >= max(beside) and powers[s, r] > THRESHOLD * noise:
            targets.add((int(s), int(r)))
    return frozenset(targets)


def problem(count: int, records: list[dict[str, Any]]) -> str | None:
    """What is wrong with the targets of so many bursts, which leave in any order; None if nothing is."""
    if sorted(each["<burst>"] for each in records) != list(range(count)):
        return f"{len(records)} bursts came out of {count}"
    for each in records:
        burst, targets = each["<burst>"], {(int(s), int(r)) for s, r in each["targets"]}
        if targets != _found(burst % KINDS):
            return f"in burst {burst} there are {sorted(_found(burst % KINDS))}, found were {sorted(targets)}"
        if missing := {*planted(burst)} - targets:
            return f"in burst {burst} the targets {sorted(missing)} were not found"
    return None
