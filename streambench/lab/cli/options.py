"""A command's options as one frozen dataclass, which the command line fills: each field says what stands there."""

from __future__ import annotations

import functools
import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

from streambench.lab.cli.flags import Flag, Flags
from streambench.lab.cli.local_path import LocalPath

Options = TypeVar("Options")
_OPTION, _ARGUMENT, _LIST, _INTO = "option", "argument", "list", "into"


def option(help: str, default: Any = None, spelled: str = "", **settings: Any) -> Any:
    """A field that an option fills, spelled as the field is called if not as ``spelled``, which may be several words.

    The field's type says what it takes, unless ``settings``, those of `click.option`, do. A default is shown.
    """
    named = {} if default is None else {"default": default}  # click tells None from nothing
    return field(metadata={_OPTION: Flag(tuple(spelled.split()), {"help": help, **named, **settings})})


def shared(flag: Flag) -> Any:
    """A field that an option fills which several commands have."""
    return field(metadata={_OPTION: flag})


def argument(metavar: str | None = None, **settings: Any) -> Any:
    """A field that an argument fills; ``settings``: those of `click.argument`."""
    return field(metadata={_ARGUMENT: {"metavar": metavar, **settings}})


def group(flags: Flags, into: Callable[..., Any] = dict) -> Any:
    """A field that a list of options fills: what ``into`` makes of their values by name."""
    return field(metadata={_LIST: flags, _INTO: into})


@typing.dataclass_transform(frozen_default=True, kw_only_default=True)
def command_options(cls: type[Options]) -> type[Options]:
    """A decorator: the class is a frozen dataclass."""
    return dataclass(frozen=True, kw_only=True)(cls)


def command_of(
    options: type[Options], cls: type[click.Command] = click.Command, **settings: Any
) -> Callable[[Callable[[Options], Any]], click.Command]:
    """A decorator: the command whose function is called with ``options``, filled; its docstring is the help."""

    def decorate(run: Callable[[Options], Any]) -> click.Command:
        @functools.wraps(run)
        def filled(**parameters: Any) -> Any:
            return run(options(**dict(_values(options, parameters))))

        return click.command(cls=cls, params=list(_parameters(options)), **settings)(filled)

    return decorate


def _values(options: type, parameters: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for each in _fields(options):
        flags = each.metadata.get(_LIST)
        value = parameters[each.name] if flags is None else each.metadata[_INTO](**flags.values(parameters))
        yield each.name, value


def _parameters(options: type) -> Iterator[click.Parameter]:
    """In the order of the fields, which is that of the help."""
    hints = typing.get_type_hints(options)
    for each in _fields(options):
        if _ARGUMENT in each.metadata:
            yield click.Argument([each.name], **{**_typed(hints[each.name]), **each.metadata[_ARGUMENT]})
        elif _LIST in each.metadata:
            yield from each.metadata[_LIST].options()
        else:
            declared, settings = each.metadata[_OPTION].declared, each.metadata[_OPTION].settings
            words = [word for word in declared if word[0] == "-"] or [f"--{each.name.replace('_', '-')}"]
            typed = {} if "callback" in settings else _typed(hints[each.name])  # what a callback takes is text
            shown = settings.get("default") is not None
            yield click.Option([*words, each.name], **{**typed, "show_default": shown, **settings})


def _fields(options: type) -> tuple[Field[Any], ...]:
    return fields(typing.cast(Any, options))


def _typed(hint: Any) -> dict[str, Any]:
    """The settings of click that follow from the field's type."""
    kinds = typing.get_args(hint) if typing.get_origin(hint) in (typing.Union, types.UnionType) else (hint,)
    kind = kinds[0]
    if kind is bool:
        return {"is_flag": True, **({"default": None} if len(kinds) > 1 else {})}
    if typing.get_origin(kind) is Literal:
        return {"type": click.Choice(typing.get_args(kind))}
    return {"type": LocalPath(path_type=Path) if kind is Path else kind} if inspect.isclass(kind) else {}
