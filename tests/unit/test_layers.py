"""No circles: not between modules, and not between the rooms of any package. Imports inside functions count.

Imports under TYPE_CHECKING count too: who reads the one has to know the other. Modules that are imported by a name in a
table (`import_module`) do not count: a table of dialects, rules or drivers is how a lower floor lets a higher one join
it. `python -m tests.unit.test_layers` prints the floors.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOPS = ("agent", "rag", "executors")
MOST_ROOMS = 12
ONE_FILE_EACH = {"agent.checks.rules", "agent.api.routes"}  # a file for each rule, and for each kind of route
Graph = Mapping[str, frozenset[str]]


def type_checking(tree: ast.AST) -> set[int]:
    """The ids of all nodes that only a type checker sees."""
    return {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
        for statement in node.body
        for inner in ast.walk(statement)
    }


def imported(tree: ast.AST, *, types: bool = False) -> Iterator[str]:
    """What a module imports; of `from a import b`, `a.b` and `a`. Args: types: with what only a type checker sees."""
    skipped = set() if types else type_checking(tree)
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield f"{node.module}.{alias.name}"
                yield node.module


@cache
def modules(*, types: bool = False) -> Graph:
    """Every module of the three packages, with those that it imports. Args: types: see `imported`."""
    paths = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for top in TOPS
        for path in (ROOT / top).rglob("*.py")
    }
    graph = {}
    for name, path in paths.items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found = [it for it in imported(tree, types=types) if it in paths and it != name]
        # `from a import b` is a matter of `a` itself only where `b` is no module.
        whole = {it for it in found if not any(other.startswith(f"{it}.") for other in found)}
        graph[name] = frozenset(whole)
    return graph


def rooms(package: str, graph: Graph) -> Graph:
    """The modules and packages directly in a package, with those of them that each imports."""
    prefix = f"{package}."
    found: dict[str, set[str]] = {}
    for name, others in graph.items():
        if not name.startswith(prefix):
            continue
        room = name.removeprefix(prefix).split(".")[0]
        found.setdefault(room, set())
        found[room] |= {it.removeprefix(prefix).split(".")[0] for it in others if it.startswith(prefix)} - {room}
    return {room: frozenset(others) for room, others in found.items()}


def circle(graph: Graph) -> list[str]:
    """The nodes of a circle, the first one again at the end; empty where there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def floors(graph: Graph) -> list[list[str]]:
    """The nodes by floor, the ground first: each stands above all that it imports."""
    sorter = TopologicalSorter(graph)
    sorter.prepare()
    found = []
    while sorter.is_active():
        ready = sorter.get_ready()
        found.append(sorted(ready))
        sorter.done(*ready)
    return found


def packages() -> list[str]:
    return sorted({name.rpartition(".")[0] for name in modules() if "." in name})


def test_no_module_imports_itself_by_way_of_others() -> None:
    assert circle(modules(types=True)) == []


@pytest.mark.parametrize("package", packages())
def test_rooms_of_a_package_form_no_circle(package: str) -> None:
    assert circle(rooms(package, modules(types=True))) == []


@pytest.mark.parametrize("package", sorted(set(packages()) - ONE_FILE_EACH))
def test_a_package_fits_on_one_sheet(package: str) -> None:
    assert len(rooms(package, modules())) <= MOST_ROOMS


def test_agent_has_few_loose_files() -> None:
    assert len(list((ROOT / "agent").glob("*.py"))) <= 10


def test_finds_circles_that_only_functions_close() -> None:
    first = ast.parse("def f():\n    from agent.b import g")
    second = ast.parse("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from agent.c import C\nimport agent.a")
    graph = {"agent.a": frozenset(imported(first)), "agent.b": frozenset(imported(second))}

    assert "agent.c" not in graph["agent.b"]
    assert set(circle(graph)) == {"agent.a", "agent.b"}
    assert "agent.c" in imported(second, types=True)
    assert circle({"agent.a": frozenset(imported(first))}) == []


def test_draws_a_room_above_what_it_imports() -> None:
    assert floors({"a": frozenset({"b"}), "b": frozenset(), "c": frozenset({"a", "b"})}) == [["b"], ["a"], ["c"]]


if __name__ == "__main__":
    for top in TOPS:
        print(f"{top}/")
        for number, names in reversed(list(enumerate(floors(rooms(top, modules())), 1))):
            print(f"  {number:2}  {', '.join(names)}")
