"""The decorators: what a user writes above a function to have it as an operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, overload

import numpy.typing as npt

from streambench.operators.column_types import record_type
from streambench.operators.filtered_operator import FilteredOperator
from streambench.operators.function_operator import Function, KeyedOperator, Names, UnitOperator
from streambench.operators.mapped_operator import MappedOperator
from streambench.operators.timed_operator import TimedOperator
from streambench.pyx.tuples.span import Span


def stateless(
    *, emits: Names = (), appends: Names = (), reads: Names | None = None, most: int = 1, numba: bool | None = None
) -> Callable[[Function], UnitOperator]:
    """A stateless operator around a function of columns, called for consecutive tuples: ``function(*read, *written)``.

    Its first parameters are called as the columns that it reads (or ``reads`` names them), arrays that cannot be
    written to. The last are arrays for the columns of ``emits``, with room for ``most`` outputs for each tuple; it
    returns how many it wrote, or None for one for each tuple. With ``appends`` in place of ``emits`` the operator
    emits its input with these columns added, and the function fills them.

    How many tuples a call gets is the runtime's affair: what the function makes of a tuple must depend on that tuple
    only. It refuses one by any exception. Workers call it at the same time, so it must change nothing but what it
    writes to; and arrays are good for the call only.

    ``numba``: True: compiled by Numba; False: called under the GIL; None: compiled where Numba is installed. Raises
    OptionError for parameters that do not fit, the pipeline also for columns that are not there and for what Numba
    cannot compile.
    """
    return lambda function: UnitOperator(
        function, most, emits=emits, appends=appends, reads=reads, state=None, numba=numba
    )


def mapped(
    *,
    emits: Names = (),
    appends: Names = (),
    reads: Names | None = None,
    texts: Names = (),
    numba: bool | None = None,
) -> Callable[[Function], MappedOperator]:
    """A stateless operator around ``function(*read)``, called for each tuple with values, not arrays.

    It returns the values of the columns of ``emits`` (a tuple, or one value by itself), or None to emit nothing. With
    ``appends`` it returns those of the columns that are added to the tuple. It refuses a tuple by any exception.
    Neighbours that Numba compiles run as one loop. Without Numba every tuple is a call into Python, under the GIL:
    right but slow. ``reads`` and ``numba`` as for ``stateless``.

    ``texts``: columns of an ``ArrowSource``'s texts that the function is given as such, ``str``, or None for null, in
    place of codes. It is not compiled then.
    """
    return lambda function: MappedOperator(
        function, emits=emits, appends=appends, reads=reads, texts=texts, numba=numba
    )


@overload
def filtered(
    function: Callable[..., object], *, reads: Names | None = None, texts: Names = (), numba: bool | None = None
) -> FilteredOperator: ...
@overload
def filtered(
    *, reads: Names | None = None, texts: Names = (), numba: bool | None = None
) -> Callable[[Callable[..., object]], FilteredOperator]: ...
def filtered(
    function: Callable[..., object] | None = None,
    *,
    reads: Names | None = None,
    texts: Names = (),
    numba: bool | None = None,
) -> FilteredOperator | Callable[[Callable[..., object]], FilteredOperator]:
    """A filter around ``function(*read)``, called for each tuple with values: True keeps the tuple, all its columns.

    As a decorator, or in one line: ``filtered(lambda celsius: celsius > 30)``. The function refuses a tuple by any
    exception. ``reads`` and ``numba`` as for ``stateless``, ``texts`` as for ``mapped``. Raises OptionError as
    ``stateless`` does, and for a function that returns anything but True or False.
    """
    if function is not None:
        return FilteredOperator(function, reads=reads, texts=texts, numba=numba)
    return lambda each: FilteredOperator(each, reads=reads, texts=texts, numba=numba)


def stateful(
    *,
    state: npt.DTypeLike,
    emits: Names = (),
    appends: Names = (),
    reads: Names | None = None,
    most: int = 1,
    initial: Mapping[str, npt.ArrayLike] | None = None,
    flush: Function | None = None,
    numba: bool | None = None,
) -> Callable[[Function], UnitOperator]:
    """A stateful operator around ``function(state, *read, *written)``, which sees all tuples in order.

    ``state``: a dtype with fields, or its fields: the function is given one such record, and keeps in it what it needs,
    as ``state.total``. ``initial``: the values of fields that do not begin at zero. All else is as for ``stateless``;
    what the function makes of a tuple may depend on those before it. The state is copied for each call, so that a
    refused tuple can be told: keep it small.

    ``flush(state, *written)`` is called once, at the end of the stream, and returns how many outputs it wrote, at most
    ``most``.
    """
    return lambda function: UnitOperator(
        function,
        most,
        initial,
        flush,
        emits=emits,
        appends=appends,
        reads=reads,
        state=record_type(function.__name__, state),
        numba=numba,
    )


def keyed(
    *,
    key: str | Sequence[str],
    state: npt.DTypeLike,
    emits: Names = (),
    appends: Names = (),
    reads: Names | None = None,
    texts: Names = (),
    most: int = 1,
    initial: Mapping[str, npt.ArrayLike] | None = None,
    flush: Function | None = None,
    on_time: Function | None = None,
    time: str = "ts",
    slack: Span = 0,
    timers_at_end: bool = True,
    low_key: int = 0,
    high_key: int = 0,
    numba: bool | None = None,
) -> Callable[[Function], KeyedOperator]:
    """A partitioned stateful operator around ``function(state, *read)``, called for each tuple with its key's state.

    ``key``: the column of the key, of any type, or several columns. Keys are equal where their bits are: each NaN of
    other bits is another key, and -0.0 is another than 0.0. ``state``: a dtype with fields, or its fields; each key has
    such a record. ``initial``: the values of fields that do not begin at zero. The function is given values, not
    arrays, and returns the values of the columns of ``emits`` (a tuple, or one value by itself), or None to emit
    nothing. With ``appends`` it returns those of the columns that are added to the tuple. With ``most`` above 1 it is
    ``function(state, *read, *written)``: it writes up to ``most`` outputs to arrays and returns how many. It refuses a
    tuple by any exception. Without Numba every tuple is a call into Python, under the GIL: right but slow. The state is
    copied for each tuple, so that a refused one can be told: keep it small.

    ``flush(state)`` is called at the end of the stream for each key that has come, in ascending order of the key, NaN
    last, texts by their codes, and returns as ``function`` does. Its further parameters are called as columns of the
    key, and given their values.

    ``on_time(state)``, with parameters and outputs as ``flush``, is called at a time that the function asks for by its
    state's field ``timer``, an int64: before the first tuple of the stream whose column ``time`` has come to it,
    whatever the key. Of several timers the earlier comes first, of equal times the lower key. A key has one timer:
    another time in the field moves it. It is pending while it is later than the key's last call; at first the field is
    -2**63. ``on_time`` may ask again, for a later time. ``timers_at_end``: those that are pending when the stream ends
    are called, too, each once and before ``flush``. ``slack``: as of a ``window``; a tuple whose time goes back further
    is left out and counted in ``late``, and without a slack refused.

    ``low_key``, ``high_key``: of one column of integers, from ``low_key`` to ``high_key`` - 1, see ``--partition-by
    range``; the states of those from 0 to ``high_key`` - 1 are found fastest. ``reads`` and ``numba`` as for
    ``stateless``, ``texts`` as for ``mapped``; ``flush`` is given codes.
    """
    timed: dict[str, Any] = {}
    if on_time is not None:
        timed = {"on_time": on_time, "time": time, "slack": slack, "timers_at_end": timers_at_end}
    kind = TimedOperator if timed else KeyedOperator
    return lambda function: kind(
        function,
        key,
        record_type(function.__name__, state),
        low_key,
        high_key,
        most=most,
        initial=initial,
        flush=flush,
        emits=emits,
        appends=appends,
        reads=reads,
        texts=texts,
        numba=numba,
        **timed,
    )
