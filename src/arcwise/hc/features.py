"""What a ranker looks at: templates over the parts of a whole tree.

A template is a line: a kind of parts, a colon, and atoms of the part's nodes, as in
``grand: g.tag h.tag m.tag m.deprel``. docs/hc_search.md has the kinds, their nodes and attributes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from arcwise import _core, features
from arcwise.errors import FeatureError
from arcwise.options import COLUMNS

SETS = ("default",)


def _arcs() -> Iterator[str]:
    for atoms in (
        "h.form h.tag m.form m.tag",
        "h.form m.form",
        "h.lemma m.lemma",
        "h.form m.tag",
        "h.tag m.form",
        "h.tag m.tag",
        "h.upos m.upos",
        "m.form",
        "m.tag",
        "h.form",
        "h.tag",
    ):
        yield f"{atoms} m.deprel h~m.direction"
    for atoms in ("h.tag m.tag", "h.tag m.tag m.deprel", "h.form m.tag", "h.tag m.form", "m.deprel"):
        yield f"{atoms} h~m.distance h~m.direction"
    for a, b in (("h+1", "m-1"), ("h-1", "m-1"), ("h+1", "m+1"), ("h-1", "m+1")):
        yield f"h.tag m.tag {a}.tag {b}.tag h~m.direction"
        yield f"h.upos m.upos {a}.upos {b}.upos m.deprel h~m.direction"
    yield "h.tag m.tag m.feats h.feats m.deprel"
    yield "h.tag m.tag m.suffix2 m.deprel h~m.direction"
    yield "h.tag m.suffix3 m.deprel h~m.direction"
    yield "h.suffix3 m.tag m.deprel h~m.direction"
    yield "h.suffix2 m.suffix2 m.deprel h~m.direction"
    yield "h.suffix3 m.suffix3 m.deprel"
    yield "h.tag m.tag h.suffix1 m.suffix1 m.deprel h~m.distance"


def _grands() -> Iterator[str]:
    yield "g.tag h.tag m.tag g~h.direction h~m.direction"
    yield "g.upos h.upos m.upos h.deprel m.deprel g~h.direction h~m.direction"
    yield "g.form h.tag m.tag m.deprel"
    yield "g.tag h.form m.tag m.deprel"
    yield "g.tag h.tag m.form m.deprel"
    yield "g.tag m.tag m.deprel"
    yield "g.form m.form"
    yield "g.lemma h.lemma m.tag"
    yield "h.deprel m.deprel h.tag"
    yield "g.suffix2 h.suffix2 m.suffix2"
    yield "g.tag h.suffix2 m.suffix2 m.deprel"


def _siblings() -> Iterator[str]:
    yield "h.tag s.tag m.tag h~m.direction"
    yield "h.upos s.upos m.upos s.deprel m.deprel h~m.direction"
    yield "s.tag m.tag s.deprel m.deprel"
    yield "h.tag s.deprel m.deprel h~m.direction"
    yield "h.form s.deprel m.deprel h~m.direction"
    yield "h.form s.tag m.tag"
    yield "h.tag s.form m.tag"
    yield "h.tag s.tag m.form"
    yield "s.form m.form"
    yield "s~m.distance s.tag m.tag"
    yield "h.suffix2 s.suffix2 m.suffix2"
    yield "h.tag s.suffix2 m.suffix2 m.deprel h~m.direction"
    yield "h.tag s.suffix1 m.suffix1 s.deprel m.deprel"


def _more_siblings() -> Iterator[tuple[str, str]]:
    yield "tri-sibling", "h.tag t.tag s.tag m.tag h~m.direction"
    yield "tri-sibling", "h.upos t.deprel s.deprel m.deprel h~m.direction"
    yield "grand-sibling", "g.tag h.tag s.tag m.tag h~m.direction"
    yield "grand-sibling", "g.upos h.deprel s.deprel m.deprel h~m.direction"


def _heads_in_a_row() -> Iterator[tuple[str, str]]:
    yield "head-bigram", "p.tag h.tag l.tag m.tag"
    yield "head-bigram", "p.upos h.upos l.deprel m.deprel p~h.distance p~h.direction"
    yield "head-bigram", "p~l.direction h~m.direction p~h.distance l.tag m.tag"
    yield "head-bigram", "l.suffix2 m.suffix2 p~h.distance h~m.direction"
    yield "head-bigram", "p.tag h.tag l.suffix1 m.suffix1 p~h.distance"
    yield "head-trigram", "o.upos p.upos h.upos k.upos l.upos m.upos"
    yield "head-trigram", "k.deprel l.deprel m.deprel o~p.distance p~h.distance"


def _wholes() -> Iterator[tuple[str, str]]:
    yield "span", "m.tag m.deprel m.size"
    yield "span", "m.tag h.tag m.size h~m.direction"
    yield "span", "m.tag l-1.tag r+1.tag"
    yield "span", "m.tag m.deprel l-1.tag"
    yield "span", "m.tag m.deprel r+1.tag"
    yield "span", "m.tag m.deprel l.tag r.tag"
    yield "span", "m.deprel r+1.form"
    yield "span", "m.deprel l-1.form"
    yield "valency", "h.tag h.left-count h.right-count"
    yield "valency", "h.upos h.deprel h.left-count h.right-count"
    yield "valency", "h.form h.left-count h.right-count"
    yield "valency", "h.form h.right-count"
    yield "root", "m.tag m.right-branch"
    yield "root", "m.right-branch"
    yield "root", "m.tag m.left-size m.right-size"
    yield "conjunct", "h.tag m.tag h.deprel"
    yield "conjunct", "h.tag m.tag c.form"
    yield "conjunct", "h.form m.form"
    yield "conjunct", "h.feats m.feats"
    yield "conjunct", "h.suffix2 m.suffix2"
    yield "conjunct", "h.left-size m.left-size h.tag m.tag"
    yield "conjunct", "h.left-count m.left-count m.right-count"
    yield "conjunct", "h.size m.size"
    yield "adposition", "h.form a.form m.form"
    yield "adposition", "h.lemma a.lemma m.lemma"
    yield "adposition", "h.tag a.form m.tag"
    yield "adposition", "h.form a.form"
    yield "adposition", "h.form a.form m.tag"
    yield "adposition", "h.tag a.form m.form"
    yield "adposition", "h.tag a.form m.tag m.deprel h~m.distance"
    yield "crossing", "bias"
    yield "crossing", "m.deprel"
    yield "crossing", "h.tag m.tag m.deprel"


def default() -> list[str]:
    """All templates, for any treebank: `tag` is XPOS, or UPOS where there is no XPOS."""
    lines = [f"arc: {atoms}" for atoms in _arcs()]
    lines += [f"grand: {atoms}" for atoms in _grands()]
    lines += [f"sibling: {atoms}" for atoms in _siblings()]
    for part in (_more_siblings, _heads_in_a_row, _wholes):
        lines += [f"{kind}: {atoms}" for kind, atoms in part()]
    return lines


def choose(name: str, columns: Collection[str]) -> list[str]:
    """The templates of a built-in set or of a file, checked, given the columns that the treebank has.

    >>> choose("default", ["upos"])[0]
    'arc: h.form h.upos m.form m.upos m.deprel h~m.direction'
    """
    lines = default() if name in SETS else features.read(name, SETS)
    check(lines)
    resolved = features.resolve(lines, columns)
    if not resolved:
        raise FeatureError(f"Every template of {name} needs a column that the treebank does not have.")
    return resolved


def check(lines: list[str]) -> None:
    """Raises FeatureError if a template is wrong."""
    try:
        _core.check_ranking_templates(features.resolve(lines, COLUMNS))
    except ValueError as error:
        raise FeatureError(str(error)) from error
