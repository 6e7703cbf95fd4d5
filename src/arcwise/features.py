"""Feature templates: the built-in sets, and sets that users write.

A template is a line of atoms that are looked at together, such as ``S0.form N0.upos``. An atom is a
place in the state, a dot and an attribute:

- places: ``S0`` is the top of the stack and ``S1`` … lie under it, ``N0`` is the front of the buffer;
  easy-first has ``L0`` and ``R0``, two neighbours in its list, and ``L1 L2 R1 R2`` around them. Steps
  lead on from a place: ``h`` to its head, ``l``/``r`` to its outermost dependent on a side, ``l2``/``r2``
  to the next one in (``S0h``, ``N0l2``, ``S0hh``).
- attributes: the columns ``form lemma upos xpos feats``, what can be read off the form (``lower shape
  prefix1``…``prefix4 suffix1``…``suffix4``), and what the tree so far says: ``deprel``, ``left-count``,
  ``right-count``, ``left-labels``, ``right-labels``.
- ``S0~N0.distance`` is the distance between two places, and ``bias`` a feature of every state.

The attribute ``tag`` stands for XPOS, or for UPOS in a treebank without XPOS.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from arcwise import _core, names
from arcwise.errors import FeatureError
from arcwise.options import COLUMNS

if TYPE_CHECKING:
    from arcwise.transitions.system import System


@dataclass(frozen=True)
class _Layout:
    """Where a system's decisions look: the two nodes that an arc may join, and what lies around."""

    left: str
    right: str
    ahead: tuple[str, ...]
    behind: tuple[str, ...]
    behind_label: str
    dependents: tuple[str, ...]
    """The places whose dependents tell something, as place and side: ``S0l``."""
    more_pairs: tuple[tuple[str, str], ...] = ()
    more: tuple[str, ...] = ()
    """Templates that no other system has."""


LAYOUTS = {
    "arc-eager": _Layout(
        left="S0",
        right="N0",
        ahead=("N1", "N2"),
        behind=("S0h", "S0hh"),
        behind_label="S0h.deprel",
        dependents=("S0l", "S0r", "N0l"),
    ),
    "arc-hybrid": _Layout(
        left="S0",
        right="N0",
        ahead=("N1", "N2"),
        behind=("S1", "S2"),
        behind_label="S1r.deprel",
        dependents=("S0l", "S0r", "N0l"),
        more_pairs=(("S1", "S0"),),
    ),
    "arc-standard": _Layout(
        left="S1",
        right="S0",
        ahead=("N0", "N1"),
        behind=("S2", "S3"),
        behind_label="S2r.deprel",
        dependents=("S1l", "S1r", "S0l", "S0r"),
        more_pairs=(("S0", "N0"),),
    ),
    "easy-first": _Layout(
        left="L0",
        right="R0",
        ahead=("R1", "R2"),
        behind=("L1", "L2"),
        behind_label="L1r.deprel",
        dependents=("L0l", "L0r", "R0l", "R0r"),
        more_pairs=(("L1", "L0"), ("R0", "R1")),
    ),
}

LAYOUTS["arc-hybrid-swap"] = LAYOUTS["arc-hybrid"]
# S2 and S3 are the ends of what has been passed between S0 and N0. Either may have a head.
LAYOUTS["covington"] = _Layout(
    left="S0",
    right="N0",
    ahead=("N1", "N2"),
    behind=("S1", "S3"),
    behind_label="S0h.deprel",
    dependents=("S0l", "S0r", "N0l"),
    more=(
        "S0.deprel",
        "N0.deprel",
        "S0.deprel N0.deprel",
        "S0.tag N0.tag S0.deprel N0.deprel",
        "S0.tag N0.tag N0h.tag",
        "S0.tag N0.tag S0h.tag",
        "S0.tag S2.tag N0.tag",
        "S0.tag S2.tag S3.tag N0.tag",
        "S0.tag N0.tag N0.left-count",
        "S2.form",
        "S2.tag",
        "N0h~N0.distance",
        "S0h~S0.distance",
    ),
)

ANY_LAYOUT = _Layout(
    left="S0",
    right="N0",
    ahead=("N1", "N2"),
    behind=("S1", "S2"),
    behind_label="S1r.deprel",
    dependents=("S0l", "S0r", "S1l", "S1r", "N0l"),
    more_pairs=(("S1", "S0"),),
)
"""Of a left-to-right system that has none of its own: arcs may join the words next to each other."""

SETS = ("zn2011", "default", "turbo", "l2s")


def _pair(a: str, b: str) -> Iterator[str]:
    yield f"{a}.form {a}.tag {b}.form {b}.tag"
    yield f"{a}.form {a}.tag {b}.form"
    yield f"{a}.form {b}.form {b}.tag"
    yield f"{a}.form {a}.tag {b}.tag"
    yield f"{a}.tag {b}.form {b}.tag"
    yield f"{a}.form {b}.form"
    yield f"{a}.tag {b}.tag"


def _zn2011(at: _Layout) -> Iterator[str]:
    """Zhang & Nivre 2011, Tables 1 and 2, with the places of another system for those of arc-eager."""
    a, b = at.left, at.right
    yield "bias"
    for node in (a, b, *at.ahead):
        yield from (f"{node}.form {node}.tag", f"{node}.form", f"{node}.tag")
    yield from _pair(a, b)
    yield f"{b}.tag {at.ahead[0]}.tag"
    yield f"{b}.tag {at.ahead[0]}.tag {at.ahead[1]}.tag"
    yield f"{a}.tag {b}.tag {at.ahead[0]}.tag"
    yield f"{at.behind[0]}.tag {a}.tag {b}.tag"
    for dependent in at.dependents:
        yield f"{a}.tag {b}.tag {dependent}.tag"
    distance = f"{a}~{b}.distance"
    for atoms in (
        "{a}.form",
        "{a}.tag",
        "{b}.form",
        "{b}.tag",
        "{a}.form {b}.form",
        "{a}.tag {b}.tag",
    ):
        yield f"{atoms.format(a=a, b=b)} {distance}"
    for dependent in at.dependents:
        node, side = dependent[:-1], {"l": "left", "r": "right"}[dependent[-1]]
        for valency in (f"{side}-count", f"{side}-labels"):
            yield f"{node}.form {node}.{valency}"
            yield f"{node}.tag {node}.{valency}"
        inner = f"{dependent}2"
        for place in (dependent, inner):
            yield from (f"{place}.form", f"{place}.tag", f"{place}.deprel")
        yield f"{node}.tag {dependent}.tag {inner}.tag"
    for place in at.behind:
        yield from (f"{place}.form", f"{place}.tag")
    yield f"{a}.tag {at.behind[0]}.tag {at.behind[1]}.tag"
    yield at.behind_label
    if at.behind[0] == f"{a}h":
        yield f"{a}.deprel"
    for pair in at.more_pairs:
        yield from _pair(*pair)
    yield from at.more


def _both_tags(at: _Layout) -> Iterator[str]:
    """UPOS beside XPOS: what is rare for one tag set is often frequent for the other."""
    a, b, c, d = at.left, at.right, *at.ahead
    yield from (f"{a}.upos", f"{b}.upos", f"{c}.upos", f"{a}.upos {b}.upos")
    yield f"{b}.upos {c}.upos {d}.upos"
    yield f"{b}.form {c}.upos"
    yield f"{a}.upos {b}.upos {c}.upos"
    yield f"{a}.form {b}.upos"
    yield f"{a}.upos {b}.form"
    for place in (at.behind[0], *at.dependents):
        yield f"{a}.upos {b}.upos {place}.upos"


def _morphology(at: _Layout) -> Iterator[str]:
    a, b, c = at.left, at.right, at.ahead[0]
    yield from (f"{a}.feats", f"{b}.feats", f"{c}.feats", f"{a}.feats {b}.feats")
    yield f"{a}.tag {a}.feats"
    yield f"{b}.tag {b}.feats"
    yield f"{a}.tag {b}.tag {a}.feats"
    yield f"{a}.tag {b}.tag {b}.feats"
    yield f"{a}.tag {b}.tag {a}.feats {b}.feats"
    yield f"{at.behind[0]}.feats {b}.feats"


def _lemmas(at: _Layout) -> Iterator[str]:
    a, b, c = at.left, at.right, at.ahead[0]
    yield from (f"{a}.lemma", f"{b}.lemma", f"{c}.lemma", f"{a}.lemma {b}.lemma")
    yield f"{a}.lemma {b}.tag"
    yield f"{a}.tag {b}.lemma"


def _spelling(at: _Layout) -> Iterator[str]:
    a, b, c = at.left, at.right, at.ahead[0]
    for node in (a, b):
        for attribute in ("suffix1", "suffix2", "suffix3", "prefix3", "shape"):
            yield f"{node}.{attribute}"
    yield from (f"{c}.suffix1", f"{c}.suffix2", f"{c}.suffix3")
    yield f"{a}.suffix1 {b}.suffix1"
    yield f"{a}.suffix2 {b}.suffix2"
    for attribute in ("suffix2", "suffix3"):
        yield f"{a}.{attribute} {b}.tag"
        yield f"{a}.tag {b}.{attribute}"
    yield f"{a}.tag {b}.tag {a}.suffix1"
    yield f"{a}.tag {b}.tag {b}.suffix1"
    yield f"{at.behind[0]}.suffix1 {a}.suffix1 {b}.suffix1"


def _turbo(at: _Layout) -> Iterator[str]:
    """What is left of zn2011 without what costs a compact model more time than it is worth: forms together
    with what the tree so far or the distance says, and forms and heads that are far away; and the ends of
    words, without which languages of many forms are lost."""
    far = f"{at.left}hh"
    for line in _zn2011(at):
        of_tree = any(said in line for said in ("distance", "-count", "-labels"))
        if not (("form" in line and of_tree) or line.endswith("2.form") or line.startswith(far)):
            yield line
    a, b = at.left, at.right
    yield from (f"{a}.suffix2", f"{b}.suffix2", f"{a}.suffix2 {b}.tag", f"{a}.tag {b}.suffix2")


def _l2s(at: _Layout) -> Iterator[str]:
    """Chang et al. 2015, Table 3: form and tag of each place, alone, by two and by three; the label too of
    dependents. In a list of neighbours the left one is s1 and the right one b1."""
    s1, s2, s3, b1, b2, b3 = (
        ("L0", "L1", "L2", "R0", "R1", "R2") if at.left == "L0" else ("S0", "S1", "S2", "N0", "N1", "N2")
    )
    left_s1, left2_s1, right_s1 = f"{s1}l", f"{s1}l2", f"{s1}r"
    left_s2, right_s2 = f"{s2}l", f"{s2}r"
    left_b1, left2_b1 = f"{b1}l", f"{b1}l2"

    def together(*places: str) -> Iterator[str]:
        attributes = (("form", "tag", "deprel") if place[2:] else ("form", "tag") for place in places)
        for chosen in itertools.product(*attributes):
            yield " ".join(f"{place}.{attribute}" for place, attribute in zip(places, chosen, strict=True))

    yield "bias"
    nodes = (s1, s2, s3, b1, b2, b3)
    for place in (*nodes, left_s1, left2_s1, right_s1, right_s2, left_b1, left2_b1, left_s2):
        yield from together(place)
    for place in nodes:
        yield f"{place}.form {place}.tag"
    for pair in ((s1, b1), (s1, s2), (b1, b2)):
        yield from together(*pair)
    for places in (
        (s1, s2, s3),
        (s1, b1, b2),
        (s1, s2, b1),
        (s1, b1, b3),
        (b1, b2, b3),
        (s1, right_s1, right_s2),
        (s1, left2_s1, left2_b1),
        (b1, left_b1, left2_b1),
        (s1, s2, left_b1),
        (s1, b1, left_s1),
        (s1, b1, left_s2),
        (s1, b1, left_b1),
    ):
        yield from together(*places)


def builtin(name: str, system: str | System, columns: Collection[str] = COLUMNS) -> list[str]:
    """The templates of a built-in set for a system, given the columns that the treebank has.

    >>> builtin("zn2011", "arc-eager", columns=["upos"])[1:4]
    ['S0.form S0.upos', 'S0.form', 'S0.upos']
    """
    if name not in SETS:
        raise FeatureError(f"There is no feature set called '{name}': choose {_names(SETS)}, or give a file.")
    layout = LAYOUTS.get(names.features_of(system) or "", ANY_LAYOUT)
    lines = list({"l2s": _l2s, "turbo": _turbo}.get(name, _zn2011)(layout))
    if name in ("default", "turbo") and {"upos", "xpos"} <= set(columns):
        lines += _both_tags(layout)
    if name == "default":
        for part in (_morphology, _lemmas, _spelling):
            lines += part(layout)
    return resolve(lines, columns)


def _names(sets: Sequence[str]) -> str:
    return " or ".join(filter(None, (", ".join(sets[:-1]), sets[-1])))


def resolve(lines: Iterable[str], columns: Collection[str]) -> list[str]:
    """Puts a real column for ``tag``; leaves out what needs a column that is not there, or repeats."""
    tag = next((column for column in ("xpos", "upos") if column in columns), "tag")
    missing = {*COLUMNS, "tag"} - set(columns)
    resolved: dict[frozenset[str], str] = {}
    for line in lines:
        atoms = [f"{a[:-4]}.{tag}" if a.endswith(".tag") else a for a in line.split()]
        if not any(atom.rpartition(".")[2] in missing for atom in atoms):
            resolved.setdefault(frozenset(atoms), " ".join(atoms))
    return list(resolved.values())


def read(path: str | Path, sets: Sequence[str] = SETS) -> list[str]:
    """The templates of a file: one a line, ``#`` starts a comment. `sets` are what else can be named."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise FeatureError(
            f"There is no feature set or file called '{path}': choose {_names(sets)}, or name a file."
        ) from error
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise FeatureError(f"The feature file {path} cannot be read: {reason}.") from error
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    return [line for line in lines if line]


def choose(name: str, system: str | System, columns: Collection[str]) -> list[str]:
    """The templates of a built-in set or of a file, checked, given the columns that the treebank has."""
    if name in SETS:
        lines = builtin(name, system, columns)
    else:
        own = read(name)
        check(own, system)
        lines = resolve(own, columns)
        if not lines:
            raise FeatureError(f"Every template of {name} needs a column that the treebank does not have.")
    check(lines, system)
    return lines


def check(lines: list[str], system: str | System) -> None:
    """Raises FeatureError if a template is wrong, or looks where the system has nothing."""
    try:
        slots = _core.check_templates(resolve(lines, COLUMNS))
    except ValueError as error:
        raise FeatureError(str(error)) from error
    check_slots("The templates", slots, system)


def check_slots(what: str, slots: Iterable[str], system: str | System) -> None:
    """Raises FeatureError if one of the slots is none of the system's."""
    # Tagging, which is no transition system, goes from left to right as well.
    own = "SN" if system not in names.SYSTEMS or names.system(system).left_to_right else "LR"
    for slot in slots:
        if slot[0] not in own:
            raise FeatureError(
                f"{what} look at {slot}, which {system} does not have: its places are "
                + ("L0 L1 L2 R0 R1 R2." if own == "LR" else "S0 … S3 and N0 … N3.")
            )
