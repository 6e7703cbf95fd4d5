"""How a parser is trained: which task is learnt, by which policy and learner."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arcwise.errors import OptionError
from arcwise.options.fields import Options, option, part, said_of, seed_option
from arcwise.options.learners import (
    KINDS,
    AdaGradOptions,
    L2sOptions,
    LearnerOptions,
    PerceptronOptions,
)
from arcwise.options.named import Named
from arcwise.options.network import NetworkOptions, check_names
from arcwise.options.silver import SilverOptions

if TYPE_CHECKING:
    from arcwise.transitions.system import AsDescribed, System

ROOTS = ("last", "first")
NONPROJECTIVE = ("lift", "skip")
ENCODINGS = ("head", "path", "head+path")
COLUMNS = ("lemma", "upos", "xpos", "feats")
"""The columns that a treebank may lack, and that can be left out."""
PRESETS: dict[str, dict[str, Any]] = {
    "default": {},
    "fast": {"encoder": "rnn", "layers": 1, "width": 48, "hidden": 64},
    "turbo": {"learner": "perceptron", "features": "turbo", "compact": 8},
}
"""Options that go together, by name."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SystemOptions(Named):
    """The transition system, and which trees it builds.

    The name is that of a built-in system; in its place may stand one that is written in Python, an
    `arcwise.transitions.System`.
    """

    TITLE = "The task"

    name: str | System = option(
        "arc-eager",
        "The transition system.",
        choices="SYSTEMS",
        name="system",
        common=True,
    )
    root: str = option(
        "last",
        "Where arc-eager keeps ROOT: after the last word, or before the first. The others have one place for "
        "it.",
        choices=ROOTS,
    )
    single_root: bool | None = option(
        None,
        "Exactly one word under ROOT, or any number.",
        unset="as the treebank has it",
        off="multi_root",
    )
    nonprojective: str = option(
        "lift",
        "Lift non-projective arcs and lower them after parsing, or skip such trees; of no account in a "
        "system that builds any tree.",
        choices=NONPROJECTIVE,
    )
    encoding: str = option(
        "head", "How the labels of lifted arcs say where they came from.", choices=ENCODINGS
    )

    def __post_init__(self) -> None:
        if not isinstance(self.name, str):
            _check_system(self.name)
        super().__post_init__()

    def requirements(self) -> Iterator[tuple[bool, str]]:
        from arcwise import names

        takes_root_first = names.systems_with("root_first")
        yield (
            self.root == "last" or self.name in takes_root_first,
            f"ROOT has one place in {self.name}: only {', '.join(takes_root_first)} takes root='first'.",
        )
        yield (
            self.nonprojective == "lift" or names.system(self.name).projective,
            f"Trees are skipped (nonprojective) for systems that cannot build them, and {self.name} builds "
            "any: leave the option out.",
        )

    @property
    def scheme(self) -> str | None:
        """How lifted arcs are marked; None if none is lifted, as in a system that builds any tree.

        >>> SystemOptions().scheme, SystemOptions(name="covington").scheme
        ('head', None)
        """
        from arcwise import names

        lifts = self.nonprojective == "lift" and names.system(self.name).projective
        return self.encoding if lifts else None

    def to_dict(self) -> dict[str, Any]:
        own = super().to_dict()
        return {**own, "name": self.name if isinstance(self.name, str) else self.name.to_dict()}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PolicyOptions(Named):
    """Which states training visits, and which moves count as correct there."""

    TITLE = "Policy and learner"

    name: str | None = option(
        None,
        "Which state training visits next: the oracle's, any correct one, the model's with probability p, or "
        "one drawn from the model.",
        choices="POLICIES",
        name="policy",
        unset="sample for adagrad, otherwise explore",
    )
    oracle: str | None = option(
        None, "Which moves count as correct.", choices="ORACLES", unset="what the policy needs"
    )
    k: int = option(
        1,
        "Epochs before explore and sample leave the gold path.",
        least=0,
        must="The number of epochs before exploration (k) goes from 0 to 2^31 - 1.",
    )
    p: float = option(
        0.9,
        "How often explore follows a wrong prediction: the p of Goldberg & Nivre 2013. In their paper of "
        "2012 p is how often it does not.",
        least=0,
        most=1,
        must="The probability of exploration (p) must lie between 0 and 1.",
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ParserOptions(Options):
    """How a parser is trained. Defaults make a good one.

    Parts may be given by their names: ``ParserOptions(system="arc-hybrid", learner="adagrad")``. `of` takes
    the options of all parts one by one, as ``Parser.train`` does.

    >>> ParserOptions.of(system="arc-hybrid", learner="adagrad", alpha=0.3).learner.alpha
    0.3
    """

    TITLE = "Policy and learner"

    system: SystemOptions = part(SystemOptions, "The transition system.")
    policy: PolicyOptions = part(PolicyOptions, "Which states training visits.")
    learner: LearnerOptions = part(
        Options,
        "A network, or a linear model: averaged perceptron, or AdaGrad-RDA (sparse, with probabilities); or "
        "learning to search with a cost-sensitive learner (l2s).",
        default=lambda: None,
        choices="LEARNERS",
        unset="network; perceptron for easy-first",
        common=True,
    )
    epochs: int | None = option(
        None,
        "Passes over the treebank.",
        least=1,
        unset="30 to 10 for a network, the fewer the larger the treebank; 3 for l2s; otherwise 15",
        must="Training takes from 1 to 2^31 - 1 epochs.",
        common=True,
    )
    patience: int | None = option(
        None,
        "End after so many epochs without a better LAS on dev.",
        least=1,
        unset="train all epochs",
        must="Patience lasts for at least one epoch.",
    )
    seed: int = seed_option(
        "Of shuffling, exploration and a network's first weights: the same seed gives the same model.",
        common=True,
    )
    silver: SilverOptions | None = part(
        SilverOptions,
        "How silver trees are learnt from, beside those of the treebank.",
        default=lambda: None,
        unset="there are none, or by default",
    )
    leave_out: tuple[str, ...] = option(
        (), "Columns that are taken for empty, of lemma, upos, xpos and feats.", metavar="COLUMN"
    )

    def __post_init__(self) -> None:
        # Parts that were given by name, or as a file has them.
        for name, kind in (("system", SystemOptions), ("policy", PolicyOptions)):
            given = getattr(self, name)
            if isinstance(given, Mapping):
                object.__setattr__(self, name, kind.from_dict(given))
            elif not isinstance(given, kind):
                object.__setattr__(self, name, kind(name=given))
        object.__setattr__(self, "learner", learner_of(self.learner, self.system))
        if isinstance(self.silver, Mapping):
            object.__setattr__(self, "silver", SilverOptions.from_dict(self.silver))
        if isinstance(self.leave_out, str):
            raise OptionError(f"Columns to leave out are several: write ('{self.leave_out}',).")
        super().__post_init__()
        check_names("column to leave out", list(dict.fromkeys(self.leave_out)), COLUMNS)
        # In one order and of one kind, so that the same options are equal.
        object.__setattr__(self, "leave_out", tuple(c for c in COLUMNS if c in self.leave_out))

    def requirements(self) -> Iterator[tuple[bool, str]]:
        from arcwise import learners

        yield from learners.learner(self.learner.name).requirements(self)

    @classmethod
    def of(cls, **given: Any) -> ParserOptions:
        """Options of all parts, one by one: each goes to the part that has it.

        What the chosen learner has no use for is refused.
        """
        return cls(**in_parts(given))

    def changed(self, **given: Any) -> ParserOptions:
        """The same with some options otherwise, one by one.

        >>> ParserOptions().changed(k=2).policy.k
        2
        """
        old = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        new = in_parts(given, self)
        for name, values in new.items():
            if isinstance(values, dict) and isinstance(old[name], Options):
                if name == "learner" and values.get("name") != old[name].name:
                    continue
                own = {n: v for n, v in values.items() if not (name == "learner" and n == "name")}
                new[name] = _with(old[name], own)
        return dataclasses.replace(self, **new)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> ParserOptions:
        """The options of a preset, with changes.

        >>> ParserOptions.preset("fast", epochs=10).learner.layers
        1
        """
        if name not in PRESETS:
            raise OptionError(f"There is no preset called '{name}': choose one of {', '.join(PRESETS)}.")
        return cls.of(**{**PRESETS[name], **changes})

    def resolved(self) -> ParserOptions:
        """The same with policy and oracle filled in, and the epochs of all but networks.

        >>> options = ParserOptions(learner="adagrad").resolved()
        >>> options.epochs, options.policy.name, options.policy.oracle
        (15, 'sample', 'dynamic')
        """
        from arcwise import learners, names

        system = names.system(self.system.name)
        if not (isinstance(self.system.name, str) or system.dynamic_oracle):
            raise OptionError(
                f"'{system.name}' says nothing of costs, and training needs them: write the method costs."
            )
        return learners.learner(self.learner.name).resolved(self)

    @property
    def network(self) -> NetworkOptions:
        """The learner's options, which must be a network's."""
        assert isinstance(self.learner, NetworkOptions)
        return self.learner

    def to_dict(self) -> dict[str, Any]:
        own = super().to_dict()
        if self.silver is None:  # as if there were no such option, which most models know nothing of
            del own["silver"]
        return {**own, "learner": {"name": self.learner.name, **own["learner"]}}

    @classmethod
    def from_dict(
        cls, values: Mapping[str, Any], system: System | type[AsDescribed] | None = None
    ) -> ParserOptions:
        """Reads what `to_dict` gave; what this version does not know is an error.

        A system that is written in Python has to be given.
        """
        own = values.get("system")
        if isinstance(own, Mapping) and (system is not None or not isinstance(own.get("name", ""), str)):
            from arcwise.transitions.system import given_for

            values = {**values, "system": {**own, "name": given_for(own.get("name"), system)}}
        return super().from_dict(values)

    def __getattr__(self, name: str) -> Any:
        # Once, the options of all parts stood here side by side, those of other learners too.
        if not name.startswith("_"):
            parts = [(home, self.__dict__.get(home)) for home in ("system", "policy", "learner")]
            homes: list[tuple[str, Any, Any]] = [
                (home, type(own), own) for home, own in parts if own is not None
            ]
            homes += [("learner", kind, None) for kind in KINDS.values()]
            for home, kind, own in homes:
                if (path := places(kind).get(name)) is not None:
                    new = f"options.{home}.{'.'.join(path)}"
                    warnings.warn(f"options.{name} is now {new}.", DeprecationWarning, stacklevel=2)
                    for step in path:
                        own = getattr(own, step, None)
                    return own
        raise AttributeError(f"'ParserOptions' has no attribute '{name}'")


def learner_of(given: Any, system: SystemOptions) -> LearnerOptions:
    """A learner's options: given whole, by a name, or as a file has them; None: what suits the system."""
    if isinstance(given, (NetworkOptions, PerceptronOptions, AdaGradOptions, L2sOptions)):
        return given
    values = dict(given) if isinstance(given, Mapping) else {}
    name = values.pop("name", None) if isinstance(given, Mapping) else given
    if name is None:
        from arcwise import names

        name = "network" if names.system(system.name).left_to_right else "perceptron"
    if not isinstance(name, str) or name not in KINDS:
        raise OptionError(f"There is no learner called '{name}': choose one of {', '.join(KINDS)}.")
    return KINDS[name].from_dict(values)


def places(kind: type[Options]) -> dict[str, tuple[str, ...]]:
    """Where each option of a part stands in it, by the name that it has where they are given one by one.

    >>> places(KINDS["perceptron"])["violation"]
    ('beam', 'violation')
    """
    found: dict[str, tuple[str, ...]] = {}
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        said = said_of(field)
        if said is None:
            continue
        if said.part is None:
            found[said.name or field.name] = (field.name,)
        else:
            found |= {name: (field.name, *path) for name, path in places(said.part).items()}
    return found


def in_parts(given: Mapping[str, Any], before: ParserOptions | None = None) -> dict[str, Any]:
    """Options that were given one by one, as the parts that have them.

    A part may stand among them whole, as options or as a file has them.

    >>> in_parts({"system": "arc-hybrid", "k": 2, "alpha": 0.3, "learner": "adagrad"})["learner"]
    {'name': 'adagrad', 'alpha': 0.3}
    """
    given = dict(given)
    for name, part_of in (("system", SystemOptions), ("policy", PolicyOptions)):
        if isinstance(given.get(name), Mapping):
            given[name] = part_of.from_dict(given[name])
    if isinstance(given.get("learner"), Mapping):
        system = given.get("system", "arc-eager")
        system = system if isinstance(system, SystemOptions) else SystemOptions(name=system)
        given["learner"] = learner_of(given["learner"], system)
    whole = {name: given.pop(name) for name in ("system", "policy") if isinstance(given.get(name), Options)}
    learner = given.pop("learner", None if before is None else before.learner.name)
    if isinstance(learner, Options):
        whole["learner"], learner = learner, str(learner)
    if learner is None:
        system = given.get("system", whole.get("system", "arc-eager"))
        learner = learner_of(
            None, system if isinstance(system, SystemOptions) else SystemOptions(name=system)
        )
    kind = type(learner_of(str(learner), SystemOptions()))  # which refuses what there is not
    own = {field.name: (field.name,) for field in dataclasses.fields(ParserOptions)}
    known = {
        **own,
        **{name: ("system", *path) for name, path in places(SystemOptions).items()},
        **{name: ("policy", *path) for name, path in places(PolicyOptions).items()},
        **{name: ("silver", *path) for name, path in places(SilverOptions).items()},
        **{name: ("learner", *path) for name, path in places(kind).items()},
    }
    found: dict[str, Any] = {"learner": {"name": kind.name}}
    for name, value in given.items():
        if name not in known:
            raise OptionError(_unknown(name, kind.name, known))
        *parts, last = known[name]
        at = found
        for step in parts:
            at = at.setdefault(step, {})
        at[last] = value
    beam = found["learner"].get("beam")
    if beam is not None and "width" not in beam and (before is None or before.learner.beam is None):  # type: ignore[union-attr]
        raise OptionError(
            f"Only training with a beam has a use for {next(iter(beam))}: give its width (train_beam) too."
        )
    if beam is not None and beam.get("width", 1) is None:
        found["learner"]["beam"] = None
    for name, part_ in whole.items():
        more = found.get(name, {})
        more.pop("name", None)
        found[name] = _with(part_, more)
    return found


def _with(options: Any, values: Mapping[str, Any]) -> Any:
    """Options with some of them otherwise, those of their parts too."""
    new = {}
    for name, value in values.items():
        old = getattr(options, name)
        nested = isinstance(old, Options) and isinstance(value, Mapping)
        new[name] = _with(old, value) if nested else value
    return dataclasses.replace(options, **new)


def _unknown(name: str, learner: str, known: Mapping[str, Any]) -> str:
    owners = [kind.name for kind in KINDS.values() if name in places(kind)]
    if owners:
        return (
            f"The learner {learner} has no use for {name}: leave it out, or choose the learner "
            f"{' or '.join(owners)}."
        )
    import difflib

    near = difflib.get_close_matches(name, known, 1)
    remedy = f"did you mean {near[0]}?" if near else "see ParserOptions."
    return f"There is no option called {name}: {remedy}"


def _check_system(system: object) -> None:
    from arcwise.transitions.system import System

    if isinstance(system, type) and issubclass(system, System):
        raise OptionError(f"A system is needed, and {system.__name__} is a class: write {system.__name__}().")
    if not isinstance(system, System):
        raise OptionError("A transition system is the name of one, or an arcwise.transitions.System.")
    system.for_the_core()


class TrainingOptions:
    """What `ParserOptions` were called when all of them stood side by side."""

    def __new__(cls, **given: Any) -> ParserOptions:  # type: ignore[misc]
        warnings.warn(
            "TrainingOptions is now ParserOptions: give all options one by one with ParserOptions.of.",
            DeprecationWarning,
            stacklevel=2,
        )
        return ParserOptions.of(**given)

    preset = ParserOptions.preset
    from_dict = ParserOptions.from_dict
