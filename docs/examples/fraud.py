"""High-mobility fraud, figure 1 of paper 000: phones that call from places too far apart for the time between."""

import numpy as np

import streambench

CALLS, PHONES, DAY, HOUR = 100_000, 2_000, 86_400, 3_600
AREA = 49  # the area code of interest
LIMIT = 300.0  # metres a second: nobody travels faster

random = np.random.default_rng(7)
caller = random.integers(0, PHONES, CALLS)
cloned = random.random(CALLS) < 0.002  # another phone with the caller's number, somewhere else
records = {
    "ts": np.sort(random.integers(0, DAY, CALLS)),
    "duration": random.integers(1, 600, CALLS),
    "area": np.where(random.random(CALLS) < 0.7, AREA, 43),
    "caller": caller,
    "callee": random.integers(0, PHONES, CALLS),
    "x": np.where(cloned, 900_000, caller * 100) + random.integers(0, 1_000, CALLS),
    "y": random.integers(0, 1_000, CALLS),
}


@streambench.filtered
def in_area(area):
    return area == AREA


@streambench.mapped(emits=("ts", "phone", "x", "y"))
def located(ts, caller, x, y):
    return ts, caller, x, y


@streambench.keyed(
    key="phone",
    state=[("calls", "int64"), ("ts", "int64"), ("x", "int64"), ("y", "int64")],
    emits={"ts": "int64", "phone": "int64", "speed": "float64"},
)
def travelled(state, ts, phone, x, y):
    metres = float((x - state.x) ** 2 + (y - state.y) ** 2) ** 0.5
    speed = metres / max(ts - state.ts, 1)
    state.calls += 1
    state.ts, state.x, state.y = ts, x, y
    if state.calls > 1:
        return ts, phone, speed
    return None


@streambench.filtered
def too_fast(speed):
    return speed > LIMIT


def build() -> streambench.Pipeline:
    """A new pipeline in every call: operators hold state. Its answer is the number of cases by hour."""
    source = streambench.TableSource(list(records.values()), list(records))
    cases = streambench.window({"cases": "count"}, size=HOUR)
    return streambench.Pipeline([source, in_area, located, travelled, too_fast, cases, streambench.TableSink()])


if __name__ == "__main__":
    pipeline = build()
    pipeline.run(workers=2)
    for start, _, cases in zip(*(column.tolist() for column in pipeline.sink.rows()), strict=True):
        print(f"{start // HOUR:2}:00 {cases:4} cases")
