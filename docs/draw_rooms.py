"""Draws the rooms of the house and who uses whom, from the imports and cimports of every file, as ``docs/rooms.svg``.

``python docs/draw_rooms.py``. A room is a folder of ``streambench/``, ``streambench/lab/``, ``queries/``,
``datagen/`` or ``pyx/``. Files that lie beside the rooms are one box above them if they hand on what is in them, else
one box below them. Every arrow has its ends as its id in the SVG (``pyx/engine->pyx/tuples``), which is what a test
compares with the code.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DRAWING = ROOT / "docs" / "rooms.svg"
FOLDERS = {"lab": "streambench/lab", **{each: each for each in ("streambench", "queries", "datagen", "pyx")}}
GROUND = "ground"  # what lies beside the rooms of streambench/ (errors, the version): datagen uses it, too
ABOVE, BELOW = "(facades)", "(shared)"

Arrows = dict[str, set[str]]
"""The rooms that each room uses."""


def arrows(root: Path = ROOT) -> Arrows:
    """Which room uses which, itself left out."""
    imports: dict[str, set[str]] = defaultdict(set)
    loose: dict[str, set[str]] = defaultdict(set)  # the same for the files that lie beside the rooms
    for file in _sources(root):
        place = file.relative_to(root).parts
        place = place[1:] if place[:2] == ("streambench", "lab") else place
        used = {target for name in _imported(file) if (target := _room(root, name))}
        if len(place) > 2:
            imports["/".join(place[:2])] |= used
        else:
            loose["/".join(place)] |= used
    boxes = {}
    for name, used in loose.items():
        box = _box(root, name, used)
        imports[box] |= used
        boxes[name.rpartition(".")[0]] = box
    arrows_of = {room: {boxes.get(each, each) for each in used} - {room} for room, used in imports.items()}
    seen = {room for room, used in arrows_of.items() if used}.union(*arrows_of.values())
    return {room: used for room, used in arrows_of.items() if room in seen}


def _box(root: Path, file_name: str, used: set[str]) -> str:
    """The box of a file beside the rooms: it hands on what is in them, or is shared by them."""
    folder, name = file_name.split("/")
    above = {folder, "lab"} if folder == "streambench" else {folder}
    rooms = [
        (root / FOLDERS[package] / room) for package, room in (each.split("/") for each in used) if package in above
    ]
    if any(each.is_dir() for each in rooms) or name.startswith("__"):
        return f"{folder}/{ABOVE}"
    return f"{GROUND if folder == 'streambench' else folder}/{BELOW}"


def _sources(root: Path) -> Iterator[Path]:
    for name, folder in FOLDERS.items():
        for path in sorted((root / folder).rglob("*")):
            linked = any(each.is_symlink() for each in path.parents)
            others = name == "streambench" and path.is_relative_to(root / FOLDERS["lab"])
            if path.suffix in (".py", ".pyx", ".pxd") and not linked and not others:
                yield path


def _imported(file: Path) -> Iterator[str]:
    """The dotted names that a file imports or cimports, wherever in the file."""
    text = file.read_text()
    if file.suffix == ".py":
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Import):
                yield from (each.name for each in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                yield from (f"{node.module}.{each.name}" for each in node.names)
        return
    for module, bracketed, plain in re.findall(
        r"^[ \t]*from\s+([\w.]+)\s+c?import\s+(?:\(([^)]*)\)|([^\n(]+))", text, re.MULTILINE
    ):
        names = re.sub(r"#[^\n]*", "", bracketed or plain).split(",")
        yield from (f"{module}.{each.split()[0]}" for each in names if each.strip())
    yield from re.findall(r"^[ \t]*c?import\s+([\w.]+)", text, re.MULTILINE)


def _room(root: Path, name: str) -> str | None:
    """The room or file beside rooms (without its ending) that a dotted name is in; None outside the house."""
    package, *rest = name.split(".")
    if package != "streambench":
        return None
    place = rest if rest and rest[0] in FOLDERS else ["streambench", *rest]
    inside = "/".join(place[:2])
    folder = root / FOLDERS[place[0]]
    if len(place) > 1 and ((folder / place[1]).is_dir() or any(folder.glob(f"{place[1]}.p*"))):
        return inside
    return f"{place[0]}/__init__"


def floors(used: Mapping[str, set[str]]) -> dict[str, int]:
    """The floor of each room within its folder: one above the highest room of the folder that it uses."""
    floor_of: dict[str, int] = {}

    def floor(room: str, above: tuple[str, ...] = ()) -> int:
        folder = room.split("/")[0]
        if room not in floor_of:
            inside = [each for each in used.get(room, ()) if each.split("/")[0] == folder and each not in above]
            floor_of[room] = 1 + max((floor(each, (*above, room)) for each in inside), default=-1)
        return floor_of[room]

    for room in sorted({*used, *(each for targets in used.values() for each in targets)}):
        floor(room)
    return floor_of


def direct(used: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """The arrows that do not follow from others: their target cannot be reached by two or more."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        todo = [start]
        while todo:
            for each in used.get(todo.pop(), ()):
                if each not in seen:
                    seen.add(each)
                    todo.append(each)
        return seen

    return {
        (room, target)
        for room, targets in used.items()
        for target in targets
        if not any(target in reached(other) for other in targets - {target})
    }


def draw(used: Mapping[str, set[str]], out: Path = DRAWING) -> None:
    """Write the drawing: a box for each room, dark arrows for those that do not follow from others."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

    colours = {
        "streambench": "#dbe9f6",
        "lab": "#d8ecec",
        "queries": "#e3f1dc",
        "datagen": "#f6ead0",
        "pyx": "#f3dfe3",
        GROUND: "#dbe9f6",
    }
    places, frames = _layout(floors(used), used)
    settings = {"svg.fonttype": "none", "svg.hashsalt": "rooms", "font.size": 9, "font.family": "sans-serif"}
    with matplotlib.rc_context(settings):
        figure, axes = plt.subplots(figsize=(12, 13))
        for folder, (left, low, width, height) in frames.items():
            axes.add_patch(Rectangle((left, low), width, height, facecolor="#fafafa", edgecolor="#999999", zorder=0))
            title = "shared by all" if folder == GROUND else f"{FOLDERS[folder]}/"
            axes.text(left + 0.1, low + height - 0.1, title, va="top", weight="bold", size=11)
        kept = direct(used)
        for room in sorted(used):
            for target in sorted(used[room]):
                (x, y), (u, v) = places[room], places[target]
                bold = (room, target) in kept
                arrow = FancyArrowPatch(
                    (x, y - 0.2),
                    (u, v + 0.2),
                    arrowstyle="-|>",
                    mutation_scale=9,
                    linewidth=1.1 if bold else 0.5,
                    color="#333333" if bold else "#dddddd",
                    zorder=2 if bold else 1,
                    shrinkA=0,
                    shrinkB=0,
                )
                arrow.set_gid(f"{room}->{target}")
                axes.add_patch(arrow)
        for room, (x, y) in places.items():
            folder, name = room.split("/")
            box = FancyBboxPatch(
                (x - 0.52, y - 0.17),
                1.04,
                0.34,
                boxstyle="round,pad=0.03",
                facecolor=colours[folder],
                edgecolor="#555555",
                zorder=3,
            )
            axes.add_patch(box)
            axes.text(x, y, name, ha="center", va="center", zorder=4)
        axes.set_axis_off()
        axes.autoscale_view()
        axes.set_aspect("equal")
        figure.savefig(out, bbox_inches="tight", metadata={"Date": None})
        plt.close(figure)
    # Trailing blanks are matplotlib's; without them the file passes for text that somebody keeps.
    out.write_text("\n".join(line.rstrip() for line in out.read_text().splitlines()) + "\n")


def _layout(
    floor: Mapping[str, int], used: Mapping[str, set[str]]
) -> tuple[dict[str, tuple[float, float]], dict[str, tuple[float, float, float, float]]]:
    """The middle of each room's box, and the frame of each folder: left, bottom, width, height."""
    rows: dict[str, dict[int, list[str]]] = {folder: defaultdict(list) for folder in (*FOLDERS, GROUND)}
    for room in sorted(floor):
        rows[room.split("/")[0]][floor[room]].append(room)
    step, pitch = 0.95, 2.4
    tall = {folder: step * len(rows[folder]) + 0.3 for folder in rows}
    low = {"pyx": 0.0, "streambench": tall["pyx"] + 0.4, "datagen": 0.0, GROUND: -tall[GROUND] - 0.3}
    low["queries"] = low["streambench"] + tall["streambench"] + 0.4
    low["lab"] = max(low["queries"] + tall["queries"], tall["datagen"]) + 0.4
    left = {"lab": 0.0, "streambench": 0.0, "queries": 0.0, "pyx": 0.0, "datagen": 8.4, GROUND: 8.4}
    wide = {"lab": 12.2, "streambench": 8.0, "queries": 8.0, "pyx": 8.0, "datagen": 3.8, GROUND: 3.8}
    places: dict[str, tuple[float, float]] = {}
    for folder in (GROUND, "pyx", "datagen", "streambench", "queries", "lab"):
        for height in sorted(rows[folder]):
            row = sorted(rows[folder][height], key=lambda room: (_middle(room, used, places), room))
            space = min(pitch, wide[folder] / len(row))
            first = left[folder] + wide[folder] / 2 - space * (len(row) - 1) / 2
            for k, room in enumerate(row):
                places[room] = (first + space * k, low[folder] + 0.4 + step * height)
    frames = {folder: (left[folder], low[folder] - 0.1, wide[folder], tall[folder]) for folder in rows}
    return places, frames


def _middle(room: str, used: Mapping[str, set[str]], places: Mapping[str, tuple[float, float]]) -> float:
    """Where the rooms are, on the average, that a room uses and that have a place: arrows cross less so."""
    across = [places[each][0] for each in used.get(room, ()) if each in places]
    return sum(across) / len(across) if across else 0.0


if __name__ == "__main__":
    draw(arrows())
