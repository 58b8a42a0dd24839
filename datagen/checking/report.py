"""What a check found: one line per property, with what was measured, what was expected, and how far off it may be."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """One checked property; the texts are for people, `ok` is the verdict."""

    name: str
    measured: str
    expected: str
    tolerance: str
    ok: bool


@dataclass
class DataReport:
    """All findings of one check."""

    findings: list[Finding] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether every property holds (and at least one was looked at)."""
        return bool(self.findings) and not self.failed

    @property
    def failed(self) -> list[Finding]:
        """The properties that do not hold."""
        return [finding for finding in self.findings if not finding.ok]

    def same(self, name: str, measured: object, expected: object) -> None:
        """Expect exactly this value."""
        self.findings.append(Finding(name, _text(measured), _text(expected), "exact", measured == expected))

    def near(self, name: str, measured: float | None, expected: float, tolerance: float, unit: str = "") -> None:
        """Expect this number within `tolerance`, both in `unit` ("%" scales shares by 100)."""
        scale = 100.0 if unit == "%" else 1.0
        suffix = f" {unit}" if unit else ""
        ok = measured is not None and abs(measured - expected) <= tolerance
        shown = "none" if measured is None else f"{_number(measured * scale, 4)}{suffix}"
        allowed = f"± {_number(tolerance * scale, 2)}{suffix}"
        self.findings.append(Finding(name, shown, f"{_number(expected * scale, 4)}{suffix}", allowed, ok))

    def within(self, name: str, low: float | None, high: float | None, least: float, most: float) -> None:
        """Expect all values, whose extremes are `low` and `high`, to lie in a range."""
        ok = low is not None and high is not None and low >= least and high <= most
        shown = "none" if low is None or high is None else f"{low:g} to {high:g}"
        self.findings.append(Finding(name, shown, f"{least:g} to {most:g}", "exact", ok))

    def at_least(self, name: str, measured: int | None, least: int) -> None:
        """Expect this number or more."""
        ok = measured is not None and measured >= least
        self.findings.append(Finding(name, _text(measured), f"{least:,} or more", "exact", ok))

    def fault(self, name: str, what: str) -> None:
        """Record that something could not even be looked at."""
        self.findings.append(Finding(name, what, "readable", "exact", False))


def _number(value: float, digits: int) -> str:
    return f"{value:,.0f}" if abs(value) >= 10**digits else f"{value:.{digits}g}"


def _text(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    text = str(value)
    return f"{text[:12]}…" if len(text) == 64 else text  # a hash
