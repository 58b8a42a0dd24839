"""A package's names, imported when first used: the command's start needs neither the compiled runtime nor pyarrow."""

TYPE_CHECKING = False  # typing itself is not imported: the command does not see Ctrl-C yet
if TYPE_CHECKING:
    from collections.abc import Callable


def names_of(package_file: str) -> "dict[str, str]":
    """By name: the module that it comes from, as the stub beside the package's ``__init__.py`` imports it."""
    with open(f"{package_file}i", encoding="utf-8") as stub:  # noqa: PTH123, pathlib takes longer than all of this
        imports = [line.split() for line in stub if line.startswith("from ")]
    return {words[-1]: words[1] for words in imports}


def importer(package: str, names: "dict[str, str]") -> "Callable[[str], object]":
    """The package's ``__getattr__``."""

    def named(name: str) -> object:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import importlib

        try:
            return getattr(importlib.import_module(names[name]), name)
        except ModuleNotFoundError as problem:
            from streambench.extras import MissingExtraError, extra_of

            if extra_of(problem) is None:
                raise
            raise MissingExtraError(name, problem) from None

    return named
