"""`streambench snet`: S-NET programs checked, drawn and run; a file for each subcommand."""

from __future__ import annotations

from streambench.lab.cli.lazy_group import LazyGroup

COMMANDS = {
    "check": "What is wrong with a program, the types of its nets, and the program flattened.",
    "draw": "Draw a program, or how a run unfolded it, as SVG.",
    "run": "Run a program over a stream of records.",
}


command = LazyGroup(
    listed=COMMANDS,
    package=__name__,
    help="""Check, draw or run programs in S-NET, the coordination language of paper 004.

    A program is a network of boxes, functions of yours, and of what the language itself has to route, split and join
    records. docs/snet.md tells the language.

    \b
    Examples:
      streambench snet check sieve.snet
      streambench snet draw sieve.snet -o sieve.svg
      streambench snet run sieve.snet -i numbers.jsonl
    """,
)
