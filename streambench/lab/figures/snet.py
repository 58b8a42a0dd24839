"""Figures 8, 9, 11, 12 and 13 of paper 004 from an S-NET bench's document."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from operator import itemgetter

from streambench.lab.figures.lines import seconds as in_seconds
from streambench.lab.figures.points import Document, Point, Series, right_points, seconds, times_as_fast
from streambench.lab.figures.recipe import Axis, Drawn, Mark, Paper, Recipe, level, measured
from streambench.lab.record.run import Row
from streambench.lab.record.snet_summary import KIND, POINT, rows, wrong
from streambench.lab.record.summary import human

THREADS = "a thread for each entity"
FRONT, IDEAL = "FRONT", "ideal"


def points(document: Document, case: str) -> list[Point]:
    """The points of a case of which no run was wrong, in the document's order."""
    return right_points(document["runs"], POINT, POINT, lambda run: bool(run["case"] == case))


def of_front(data: Iterable[Point], workers: int | None = None) -> list[Point]:
    """Those that FRONT ran, with that many workers."""
    return [each for each in data if each["runtime"] == "front" and workers in (None, each["workers"])]


def by(point: Point) -> str:
    """Who ran it."""
    if point["runtime"] == "threads":
        return THREADS
    return f"FRONT, {point['workers']} worker{'s' * (point['workers'] > 1)}"


def _over_size(name: str, case: str, size: str, claim: str, records: Callable[[int], int] | None = None) -> Recipe:
    """Execution time over the size, and ``records`` a second where the paper has them, by the reference's count."""

    def rate(point: Point) -> Series:
        return {repeat: records(point["size"]) / elapsed for repeat, elapsed in point.series(seconds).items()}  # type: ignore[misc]

    def text(drawn: Drawn) -> str:
        beside = [
            each for each in rows(drawn.source["runs"]) if each["case"] == case and each["ratio_to"] == "threads 1"
        ]
        caption = f"Execution time{' and records a second' * (records is not None)} of `{case}`. {claim}"
        if beside:
            last = max(beside, key=lambda each: int(each["size"]))
            caption += f" Here {THREADS} takes {last['ratio']['median']:.3g} times as long as one worker of FRONT, at "
            caption += f"{last['size']:,}."
        return caption

    marks = [Mark(measured(seconds), "execution time", "time", by, case, log=True, unit=in_seconds)]
    if records is not None:
        marks.append(Mark(rate, "records per second", "rate", by, case, log=True, unit=human))
    axis = Axis(size, itemgetter("size"))
    return Recipe(name, f"runs of {case}", axis, lambda document: points(document, case), marks, text)


def _fibonacci_records(n: int) -> int:
    a, b = 0, 1
    for _ in range(n + 1):
        a, b = b, a + b
    return 8 * a - 2


def _beside_threads(document: Document) -> list[Point]:
    of_case = points(document, "stap-like")
    threads = next((each for each in of_case if each["runtime"] == "threads"), None)
    return [replace(each, beside=threads) for each in of_front(of_case)]


def _threads_take(drawn: Drawn) -> Iterable[Row]:
    threads = drawn.points[0].beside
    return () if threads is None else (level("time", THREADS, None, threads.middle(seconds)),)


def _gain(drawn: Drawn) -> str:
    most = max(each["workers"] for each in drawn.points)
    own = {each["concurrency"]: each.middle(seconds) for each in drawn.points if each["workers"] == most}
    best = min(own, key=lambda calls: own[calls])
    return (
        "A pipeline of 29 boxes in the manner of MTI-STAP, a substitute for it: the original is not public. The paper: "
        "several calls of one box at a time make FRONT faster, as far as the application goes."
        + (
            f" Here, with {most} workers, {best} at a time are the fastest, {own[1] / own[best]:.2f} times as fast as "
            "one."
            if len(own) > 1 and 1 in own
            else ""
        )
    )


def _tiles(point: Point) -> str:
    return f"{point['size']}/{point['tile']}"


def _beside_one_worker(document: Document) -> list[Point]:
    of_case = points(document, "cholesky")
    one = {_tiles(each): each for each in of_front(of_case, 1)}
    return [replace(each, beside=one[tiles]) for tiles in one for each in of_front(of_case) if _tiles(each) == tiles]


def _ideal_and_threads(drawn: Drawn) -> Iterable[Row]:
    one = {_tiles(each): each.middle(seconds) for each in of_front(drawn.points, 1)}
    yield from (level(_tiles(each), IDEAL, each["workers"], each["workers"]) for each in drawn.points)
    for each in points(drawn.source, "cholesky"):
        if each["runtime"] == "threads" and _tiles(each) in one:
            yield level(_tiles(each), THREADS, None, one[_tiles(each)] / each.middle(seconds))


def _cholesky(drawn: Drawn) -> str:
    gains = []
    for one in of_front(drawn.points, 1):
        most = max((each for each in drawn.points if _tiles(each) == _tiles(one)), key=itemgetter("workers"))
        if most["workers"] > 1:
            gain = one.middle(seconds) / most.middle(seconds)
            gains.append(f"{gain:.2f} times at {_tiles(one)} with {most['workers']} workers")
    return (
        "Cholesky decomposition by tiles. The paper: FRONT gains up to 24 cores with small tiles, up to 48 with tiles "
        "of four times the data; threads gain little." + (f" Here {', '.join(gains)}." if gains else "")
    )


def _size_and_tile(point: Point) -> str:
    return f"{point['size']:,} by {point['size']:,}, tiles of {point['tile']}"


SUFFER = "The paper: only threads suffer from more than 1,000 streams that join."
ENTITIES = "The paper: threads gain from the second pattern, which has fewer entities."
SWITCHES = "The paper: threads suffer from switches in a long pipeline, FRONT's workers walk it."
CALLS = Axis("calls of one box at a time", itemgetter("concurrency"))
STAP = (
    Mark(measured(seconds), "execution time", "time", by, "a: execution time", unit=in_seconds),
    Mark(times_as_fast, "times as fast", "speed-up", by, "b: threads' time to FRONT's"),
)
WORKERS = Axis("workers", itemgetter("workers"))
CHOLESKY = (Mark(times_as_fast, "times as fast as one worker", _tiles, FRONT, _size_and_tile),)
FIGURES = (
    _over_size("8", "fibonacci", "N", "The paper: FRONT is about 50 times as fast.", _fibonacci_records),
    _over_size("9", "power-of-two", "N", SUFFER, lambda n: 8 * 2**n - 2),
    _over_size("11a", "sieve-star", "N = M", SWITCHES),
    _over_size("11b", "sieve-feedback", "N = M", ENTITIES),
    Recipe("12", "runs of stap-like", CALLS, _beside_threads, STAP, _gain, references=_threads_take),
    Recipe("13", "runs of cholesky", WORKERS, _beside_one_worker, CHOLESKY, _cholesky, references=_ideal_and_threads),
)
PAPER = Paper(
    "004",
    KIND,
    FIGURES,
    "every run's answer was checked",
    lambda document: wrong(rows(document["runs"])),
    crowded=False,
)
CASES = frozenset(each.needs.removeprefix("runs of ") for each in FIGURES)
"""Those of the bench that have a figure; some have none."""
