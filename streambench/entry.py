"""Where the `streambench` command begins: Ctrl-C is seen to before anything else is imported. To be told to terminate
is the same by another name: temporary files go, and so do the processes that a command has started.

A KeyboardInterrupt in the middle of an import can be lost, or come out as another error: the import system and the
start-up code of extension modules do that. So while anything is being imported, now or later, Ctrl-C waits for the end
of the import. What comes before this file is Python's own start, some hundredths of a second that nobody can see to.
Nothing but the command imports this file, as that changes the process's signals. Here, too, the process is told to end
where it is refused memory: as a library the package raises MemoryError.
"""

from __future__ import annotations

import signal
import sys

TYPE_CHECKING = False  # known to type checkers; typing itself is not imported before the handler is there
if TYPE_CHECKING:
    from types import FrameType

RETRY = 0.001  # seconds
UNMAPPED = "failed to map segment", "cannot allocate memory"  # the loader's words, in an ImportError
INTERRUPTED, TERMINATED = 130, 143  # exit codes, as a shell tells them

terminated = False
awaits_import = False  # an interrupt does


def on_interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt, but not amid an import: then the timer asks again."""
    global terminated, awaits_import
    terminated |= number == signal.SIGTERM
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib."):
            awaits_import = True
            signal.setitimer(signal.ITIMER_REAL, RETRY)
            return
        frame = frame.f_back
    awaits_import = False
    signal.setitimer(signal.ITIMER_REAL, 0)
    if terminated:  # who ends a process may tell its group, too: once is enough
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def ask_again(number: int, frame: FrameType | None) -> None:
    """Of the timer: whoever has the signal now may raise it, or hold it back for longer."""
    first = signal.SIGTERM if terminated else signal.SIGINT
    handler = signal.getsignal(first)
    if callable(handler):
        handler(first, frame)


signal.signal(signal.SIGALRM, ask_again)
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where a shell's `&` has made it ignored
    signal.signal(signal.SIGINT, on_interrupt)
if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
    signal.signal(signal.SIGTERM, on_interrupt)


def main() -> None:
    """Run the command line. Exit codes: those of `streambench.lab.cli.main`, 130 after Ctrl-C, 143 after SIGTERM."""
    try:
        _main()
    except SystemExit as end:
        if terminated and end.code == INTERRUPTED:
            sys.exit(TERMINATED)
        raise


def _main() -> None:
    try:
        try:
            from streambench.lab import cli
            from streambench.lab.host.interrupts import held
            from streambench.lab.show.escaped_output import escape_output
            from streambench.pyx.machine.memory import end_without_memory

            with held():  # a stream that is interrupted there takes nothing more
                escape_output()
            end_without_memory()
            cli.main()
        finally:  # all is done or undone; what is left is the interpreter's own end
            signal.signal(signal.SIGINT, signal.SIG_IGN)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_REAL, 0)
            if awaits_import:  # the command was through within the timer's time
                raise KeyboardInterrupt
    except ImportError as problem:
        from streambench.extras import MissingExtraError, extra_of

        if isinstance(problem, ModuleNotFoundError) and extra_of(problem):
            print(f"streambench: {MissingExtraError('this command', problem)}", file=sys.stderr)
            sys.exit(1)
        if not any(each in str(problem).lower() for each in UNMAPPED):
            raise
        print(
            "streambench: there is too little memory to begin: end other programs, or raise the limit (ulimit -v).",
            file=sys.stderr,
        )
        sys.exit(1)
    except KeyboardInterrupt:  # before or after what the command itself looks after
        from streambench.lab.host import interrupts

        print(interrupts.INTERRUPTED, file=sys.stderr)
        sys.exit(INTERRUPTED)
