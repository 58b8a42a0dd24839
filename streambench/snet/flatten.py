"""The flattened program: names resolved, nets without a signature put in the place of their names.

It is a program again, of the same meaning: first the boxes, then the nets with a signature, which scope labels, each
before those that use it, and last the main net, which is the source's last one. What that does not reach is left out.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from streambench.snet import syntax
from streambench.snet.errors import Place, SnetError
from streambench.snet.nesting import DEEPEST, MOST_PARTS, Sizes, check_nesting, too_deep, too_large
from streambench.snet.syntax import (
    At,
    Box,
    Definition,
    Feedback,
    Filter,
    Labels,
    Name,
    Net,
    NetType,
    Network,
    Parallel,
    Program,
    Serial,
    SignatureName,
    Star,
    Sync,
    Type,
    TypeName,
    placed,
)
from streambench.snet.wellformed import check_box, check_filter, check_patterns, check_sync


def flatten(program: Program) -> Program:
    """The program flattened. Raises SnetError for what is not well formed: an unknown name, a net within itself, …"""
    nets = [each for each in program.definitions if isinstance(each, Net)]
    if not nets:
        raise SnetError(program.place, "the program has no net.")
    check_nesting(program, program.place)
    main = nets[-1]
    if main.body is None:
        raise SnetError(main.place, f"the main net, {main.name}, has no body.")
    flat = _Flat({}, {}, {each.name for each in nets})
    network = _net(main, _Scope(program.definitions, None, ""), flat)
    last = flat.nets.pop(main.name, None) or Net(main.name, None, (), network, main.place)
    return Program((*flat.boxes.values(), *flat.nets.values(), last), program.place)


@dataclass
class _Flat:
    """What has been flattened: boxes and nets by the names that they have in the result."""

    boxes: dict[str, Box]
    nets: dict[str, Net]
    used: set[str]
    """Names of nets that are in use."""
    done: dict[int, Network] = field(default_factory=dict)
    """By the identity of a net's definition, what stands in the place of its name."""
    open: list[Net] = field(default_factory=list)
    """Nets being flattened, the outermost first."""
    level: int = 0
    """How many networks are being flattened, each within the one before."""
    sizes: Sizes = field(default_factory=Sizes)
    types: dict[int, Type] = field(default_factory=dict)
    """By the identity of a type's definition, it without names."""
    mappings: dict[int, list[syntax.Mapping]] = field(default_factory=dict)
    """And of a signature's."""


class _Scope:
    """The names that can be used at a place: those of a net's own definitions, then those around it."""

    def __init__(self, definitions: tuple[Definition, ...], outer: _Scope | None, prefix: str) -> None:
        self.names: dict[str, Definition] = {}
        self.outer = outer
        self.prefix = prefix
        for each in definitions:
            if each.name in self.names:
                raise SnetError(each.place, f"{each.name} is declared twice.")
            self.names[each.name] = each

    def find(self, name: str) -> tuple[Definition, _Scope] | None:
        """The definition and the scope that it stands in."""
        if name in self.names:
            return self.names[name], self
        return None if self.outer is None else self.outer.find(name)


def _net(net: Net, scope: _Scope, flat: _Flat) -> Network:
    """What stands in the place of a net's name: the name of one with a signature, else the net's own network."""
    if id(net) in flat.done:
        return flat.done[id(net)]
    if any(each is net for each in flat.open):
        raise SnetError(net.place, f"net {net.name} is part of itself; a star or a feedback repeats.")
    flat.open.append(net)
    inner = _Scope(net.definitions, scope, f"{scope.prefix}{net.name}_")
    signature = None if net.signature is None else tuple(_mappings(net.signature, scope, flat, net.place))
    body = None if net.body is None else _network(net.body, inner, flat)
    flat.open.pop()
    if signature is None:
        assert body is not None
        flat.done[id(net)] = body
        return body
    name = net.name if scope.outer is None else _free(net.name, scope.prefix, flat.used)
    flat.nets[name] = Net(name, signature, (), body, net.place)
    flat.done[id(net)] = Name(name, net.place)
    return flat.done[id(net)]


def _free(name: str, prefix: str, used: set[str]) -> str:
    """A name for a net that was another's own: its own, or with those of the nets around it before it."""
    free = name
    count = 1
    while free in used:
        free = f"{prefix}{name}" if count == 1 else f"{prefix}{name}_{count}"
        count += 1
    used.add(free)
    return free


def _network(tree: Network, scope: _Scope, flat: _Flat, initial: bool = False) -> Network:
    """``tree`` with its names resolved; ``initial``: it may be an initialiser box."""
    flat.level += 1
    if flat.level > DEEPEST:
        raise too_deep(tree.place)
    network = _resolved(tree, scope, flat, initial)
    flat.sizes.check(network)
    flat.level -= 1
    return network


def _resolved(tree: Network, scope: _Scope, flat: _Flat, initial: bool) -> Network:
    if isinstance(tree, Name):
        return _named(tree, scope, flat, initial)
    if isinstance(tree, Filter):
        check_filter(tree)
        return tree
    if isinstance(tree, Sync):
        check_sync(tree)
        return tree
    if isinstance(tree, Serial):
        parts = [_network(each, scope, flat) for each in tree.parts]
        if sum(flat.sizes.of(each)[0] for each in parts) > MOST_PARTS:
            raise too_large(tree.place)
        joined = (one for each in parts for one in (each.parts if isinstance(each, Serial) else (each,)))
        return replace(tree, parts=tuple(joined))
    if isinstance(tree, Parallel):
        branches = tuple(_network(each, scope, flat, initial=True) for each in tree.branches)
        if all(_is_initialiser(each, flat) for each in branches):
            raise SnetError(tree.place, "no branch takes records: all are initialiser boxes.")
        return replace(tree, branches=branches)
    if isinstance(tree, Star):
        check_patterns(tree.exits)
    elif isinstance(tree, Feedback):
        check_patterns(tree.back)
    return replace(tree, operand=_network(tree.operand, scope, flat, initial and isinstance(tree, At)))


def _named(tree: Name, scope: _Scope, flat: _Flat, initial: bool) -> Network:
    definition, around = scope.find(tree.name) or (None, scope)
    if isinstance(definition, Net):
        name = _net(definition, around, flat)
        return replace(name, place=tree.place) if isinstance(name, Name) else name
    if not isinstance(definition, Box):
        raise SnetError(tree.place, f"{tree.name} is neither a box nor a net that is declared here.")
    check_box(definition)
    if definition.inputs is None and not initial:
        raise SnetError(tree.place, f"box {tree.name} takes no records: an initialiser is a branch of `|` or `||`.")
    known = flat.boxes.setdefault(tree.name, definition)
    if known != definition:
        raise SnetError(definition.place, f"box {tree.name} is declared otherwise before, at {known.place}.")
    if tree.name in flat.used:
        raise SnetError(definition.place, f"{tree.name} is the name of a box and of a net.")
    return tree


def _is_initialiser(tree: Network, flat: _Flat) -> bool:
    named = placed(tree)
    return isinstance(named, Name) and named.name in flat.boxes and flat.boxes[named.name].inputs is None


def _mappings(
    signature: NetType, scope: _Scope, flat: _Flat, place: Place, open: tuple[str, ...] = ()
) -> list[syntax.Mapping]:
    """The lines of a signature without names."""
    mappings: dict[syntax.Mapping, None] = {}
    if len(open) > DEEPEST:
        raise too_deep(place)
    for each in (signature,) if isinstance(signature, str) else signature:
        if not isinstance(each, str):
            output = each.output and _type(each.output, scope, flat, place)
            mappings[syntax.Mapping(_type(each.input, scope, flat, place), output)] = None
            continue
        entry = scope.find(each)
        if entry is None or not isinstance(entry[0], SignatureName) or each in open:
            raise SnetError(place, f"{each} is no typesig that is declared here.")
        if id(entry[0]) not in flat.mappings:
            flat.mappings[id(entry[0])] = _mappings(entry[0].signature, entry[1], flat, entry[0].place, (*open, each))
        mappings.update(dict.fromkeys(flat.mappings[id(entry[0])]))
    return list(mappings)


def _type(type: Type, scope: _Scope, flat: _Flat, place: Place, open: tuple[str, ...] = ()) -> Type:
    """The type without names."""
    if len(open) > DEEPEST:
        raise too_deep(place)
    variants: dict[Labels, None] = {}
    for each in type:
        if not isinstance(each, str):
            variants[each] = None
            continue
        entry = scope.find(each)
        if entry is None or not isinstance(entry[0], TypeName) or each in open:
            raise SnetError(place, f"{each} is no type that is declared here.")
        if id(entry[0]) not in flat.types:
            flat.types[id(entry[0])] = _type(entry[0].type, entry[1], flat, entry[0].place, (*open, each))
        inner = flat.types[id(entry[0])]
        variants.update((one, None) for one in inner if not isinstance(one, str))
    return tuple(variants)
