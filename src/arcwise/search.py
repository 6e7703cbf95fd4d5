"""Learning to search: a structured predictor from a short decoder (Chang et al. 2015).

A task is a class with one method, an ordinary loop that asks `search.predict` for one decision after the
other and says at the end how much it got wrong. The same method trains and predicts. Here is a tagger:

    >>> from arcwise import search
    >>> class Tagger(search.Task):
    ...     actions = ["DET", "NOUN", "VERB"]
    ...
    ...     def run(self, search, example):
    ...         words, gold = example
    ...         tags = []
    ...         for i, word in enumerate(words):
    ...             features = [word, "last:" + (tags[-1] if tags else "-")]
    ...             tags.append(search.predict(features, reference=gold[i] if gold else None))
    ...         if gold:
    ...             search.loss(sum(a != b for a, b in zip(tags, gold)))
    ...         return tags
    >>> dog = ("the dog barks".split(), ["DET", "NOUN", "VERB"])
    >>> dogs = ("dogs bark".split(), ["NOUN", "VERB"])
    >>> model = search.train(Tagger(), [dog, dogs], epochs=10)
    >>> model.predict([("the dogs bark".split(), None)])
    [['DET', 'NOUN', 'VERB']]

In training a decoder is run once to see where it gets to (the roll-in), and again for what would have come
of other actions on the way (roll-outs); from the differences the learner learns which action to take. So a
run may depend on nothing but its example and the answers to its predictions.

docs/learning_to_search.md is a tutorial.
"""

from __future__ import annotations

import logging
import math
import operator
import os
import time
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, ClassVar

from arcwise import _core, model_file
from arcwise._core import SearchRun
from arcwise._kinds import stored_options
from arcwise._progress import Bar
from arcwise.errors import ModelError, OptionError, SearchError

__all__ = ["Epoch", "Model", "SearchOptions", "SearchRun", "Task", "examine", "load", "train"]

logger = logging.getLogger("arcwise")
KIND = "search"
SECONDS_BEFORE_A_WARNING = 5.0
MANY_ROLL_OUTS = 20
"""For an example: more are worth a word, if nobody asked for them."""
ROLLINS = ("reference", "learned", "mix")
ROLLOUTS = ("reference", "learned", "mix", "none", "exact")
MIXINGS = ("anneal", "constant", "epochs")
UNITS = ("state", "trajectory")
REDUCTIONS = ("oaa", "wap")
UPDATES = ("default", "sgd", "ftrl")
PRESETS: dict[str, dict[str, Any]] = {
    "l2s": {"rollin": "mix", "rollout": "reference", "mixing": "anneal", "per": "state"},
    "dagger": {"rollin": "mix", "rollout": "reference", "mixing": "epochs", "per": "trajectory", "beta": 0.0},
    "aggrevate": {"rollin": "mix", "rollout": "reference", "mixing": "epochs", "per": "state"},
    "searn": {"rollin": "mix", "rollout": "mix", "mixing": "anneal", "per": "state"},
    "lols": {"rollin": "learned", "rollout": "mix", "mixing": "constant", "per": "trajectory"},
}
"""Options that go together, by the names of the algorithms."""
_OF_EVERY_PRESET = {"alpha": 1e-5, "beta": 0.5}

PathLike = str | os.PathLike[str]


class Task:
    """What is to be learnt: a class with a `run` of its own.

    Attributes:
        actions: What predictions are made from: any hashable values but None, the same in every run. To load
            a model, a task may leave them to the file.
        policies: How many kinds of predictions there are, if weights are not to be shared by all: an
            action and a label, say. They are told apart by `search.predict(..., policy=1)`.
    """

    actions: Sequence[Hashable] | None = None
    policies: int = 1

    def run(self, search: SearchRun, example: Any) -> Any:
        """Makes the decisions for an example, states the loss, and returns what was built.

        `search.predict(features, reference=…, allowed=…, costs=…, policy=…)` returns the action to take.

        - `features`: text and numbers, in a list, or in a dict of such lists by namespace; a function that
          returns them is called only where they are needed.
        - `reference`: what would be best here as far as the gold annotation tells: an action, or a list or
          set of several (of which the reference policy takes the first; of a set, the first in `actions`).
        - `allowed`: the actions to choose from; all, if not given. Tuples that are used again and again are
          faster than lists.
        - `costs`: what each allowed action will lose if all goes well afterwards, where this is known: a
          number for each, in their order, or a dict. Roll-outs by the reference are then skipped.

        `search.loss(value)` adds to the loss of the run. In prediction (`search.is_training` is False)
        references, costs and losses are ignored.
        """
        raise NotImplementedError("A task needs a method run(self, search, example).")


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """How a task is learnt. Where an option is None, the preset says.

    Attributes:
        preset: `l2s`, the paper's: rolls in with a mixture in which the learned policy soon prevails, rolls
            out with the reference. `dagger`: rolls in with the reference in the first epoch and
            the learned policy afterwards. `aggrevate`: the same with a mixture, in which the reference's
            share is halved every epoch. `searn`: rolls in and out with the mixture. `lols`: rolls in with the
            learned policy and out with either, for references that are poor.
        rollin: Who acts before a deviation: `reference`, `learned`, or `mix`.
        rollout: Who acts after it: the same, or `none` (an action costs 0 if it is the reference's, else 1),
            or `exact` (every prediction comes with costs).
        mixing: How often a mixture is the reference: `anneal`: (1 - alpha)^t after t decisions that were
            learnt from (the paper says that of the learned policy, but means that the reference acts less
            and less); `constant`: beta; `epochs`: beta^(e - 1) in epoch e, and always in the first.
        per: Whether it is drawn in each `state` or once for a `trajectory` which policy acts.
        alpha, beta: See mixing. None: 1e-5 and 0.5, save in dagger.
        deviations: How many predictions of an example are learnt from, drawn at random; None: all.
        epochs: Passes over the examples.
        shuffle: Whether each pass has an order of its own.
        seed: Of all that is random; the same seed gives the same model.
        reduction: From costs to regressions: `oaa` (one against all) or `wap` (weighted all pairs).
        update: `default` (adaptive, normalised, importance-invariant), `sgd`, or `ftrl` (FTRL-proximal).
        hidden: Hidden units of a network with one layer; 0: a linear model. The paper has 5.
        shared: Whether all actions share the hidden units; otherwise each has so many of its own.
        direct: With hidden units: whether actions have weights for the features as well.
        rate: Of learning; None: the update's own.
        power_t: With sgd, the rate after t decisions is rate / t^power_t.
        ftrl_beta, l1, l2: Of ftrl.
        bits: Weights are in a table of 2^bits.
        interactions: Namespaces whose features are combined, two or three at a time: (("word", "tag"),).
    """

    preset: str = "l2s"
    rollin: str | None = None
    rollout: str | None = None
    mixing: str | None = None
    per: str | None = None
    alpha: float | None = None
    beta: float | None = None
    deviations: int | None = None
    epochs: int = 5
    shuffle: bool = True
    seed: int = 1
    reduction: str = "oaa"
    update: str = "default"
    hidden: int = 0
    shared: bool = False
    direct: bool = True
    rate: float | None = None
    power_t: float = 0.0
    ftrl_beta: float = 1.0
    l1: float = 0.0
    l2: float = 0.0
    bits: int = 22
    interactions: tuple[tuple[str, ...], ...] = ()

    _CHOICES: ClassVar[dict[str, tuple[str | None, ...]]] = {
        "preset": tuple(PRESETS),
        "rollin": (None, *ROLLINS),
        "rollout": (None, *ROLLOUTS),
        "mixing": (None, *MIXINGS),
        "per": (None, *UNITS),
        "reduction": REDUCTIONS,
        "update": UPDATES,
    }

    def __post_init__(self) -> None:
        for name, choices in self._CHOICES.items():
            value = getattr(self, name)
            if value not in choices:
                known = ", ".join(c for c in choices if c is not None)
                raise OptionError(f"There is no {name} called '{value}': choose one of {known}.")
        for holds, sentence in self._conditions():
            if not holds:
                raise OptionError(sentence)
        names = [[group] if isinstance(group, str) else list(group) for group in self.interactions]
        if not all(len(group) in (2, 3) and all(isinstance(n, str) for n in group) for group in names):
            raise OptionError('Interactions are of two or three namespaces each: (("word", "tag"),).')
        object.__setattr__(self, "interactions", tuple(tuple(group) for group in names))

    def _conditions(self) -> Iterator[tuple[bool, str]]:
        """What must hold, and what to say if it does not."""
        for name in ("alpha", "beta"):
            value = getattr(self, name)
            yield value is None or 0 <= value <= 1, f"{name} must be a number from 0 to 1."
        yield (
            self.deviations is None or 1 <= self.deviations < 2**31,
            "At least one prediction of an example must be learnt from (deviations).",
        )
        yield 1 <= self.epochs < 2**31, "Training takes at least one epoch."
        yield 0 <= self.seed < 2**63, "The seed must be a number from 0 to 2^63 - 1."
        yield self.rate is None or 0 < self.rate < math.inf, "The rate must be a positive number."

    def resolved(self) -> SearchOptions:
        """The same with all that the preset says filled in.

        >>> options = SearchOptions(preset="lols", beta=0.25).resolved()
        >>> options.rollin, options.rollout, options.mixing, options.beta
        ('learned', 'mix', 'constant', 0.25)
        """
        of_preset = {**_OF_EVERY_PRESET, **PRESETS[self.preset]}
        return replace(self, **{n: v for n, v in of_preset.items() if getattr(self, n) is None})

    def to_dict(self) -> dict[str, Any]:
        """All of them, as JSON has them."""
        return {**asdict(self), "interactions": [list(names) for names in self.interactions]}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> SearchOptions:
        """Reads what `to_dict` gave; what this version does not know is an error."""
        return stored_options(cls, values)

    def _for_the_core(self) -> _core.LearningToSearchOptions:
        r = self.resolved()
        return _core.LearningToSearchOptions(
            rollin=str(r.rollin),
            rollout=str(r.rollout),
            mixing=str(r.mixing),
            per=str(r.per),
            alpha=float(r.alpha or 0),
            beta=float(r.beta or 0),
            deviations=r.deviations or 0,
            seed=r.seed,
        )


def _check_names(values: Iterable[str]) -> None:
    unknown = set(values) - {field.name for field in fields(SearchOptions)}
    if unknown:
        raise OptionError(f"There is no option called {', '.join(sorted(unknown))}.")


@dataclass(frozen=True)
class Epoch:
    """What a pass over the examples came to."""

    number: int
    loss: float
    """The mean loss of the roll-ins, by whoever rolled in."""
    examples: int
    predictions: int
    """In roll-ins."""
    decisions: int
    """How many predictions were learnt from. Those whose actions all cost the same are not."""
    roll_outs: int
    """How often the decoder was run again."""
    seconds: float

    @property
    def predictions_per_second(self) -> float:
        return self.predictions / self.seconds if self.seconds > 0 else 0.0


class Model:
    """A trained task. Get one with `train` or `load`.

    Attributes:
        task: Whose `run` is called.
        actions: What it predicts, a tuple.
        options: How it was trained.
        epochs: What each `Epoch` of training came to; none in a model that was loaded.
    """

    def __init__(
        self,
        task: Task,
        actions: tuple[Hashable, ...],
        options: SearchOptions,
        learner: _core.CostSensitiveLearner,
        epochs: Sequence[Epoch] = (),
    ) -> None:
        self.task = task
        self.actions = actions
        self.options = options
        self.epochs = list(epochs)
        self._learner = learner

    def __repr__(self) -> str:
        return f"<Model of {type(self.task).__name__}: {len(self.actions)} actions>"

    def predict(self, examples: Iterable[Any], *, beam: int = 1, progress: bool = True) -> list[Any]:
        """What the task's `run` returns for each of these examples.

        Each decision is the one of the lowest predicted cost; or, with a `beam` of that width, the sum of
        them is to be low, over all decisions of an example. In a beam `run` is called again and again, at
        most about `beam` times for each decision, the last time with the decisions that were found.

        Decoders are Python and hold its lock (the GIL): several threads are no faster than one.
        """
        width = self._checked_beam(beam)
        search = _core.Search(self._learner, self.actions, self.options._for_the_core())
        total = len(examples) if isinstance(examples, Sequence) else None
        run = self.task.run
        outputs = []
        with Bar("predicting", total, shown=progress) as bar:
            for number, example in enumerate(examples):
                outputs.append(search.predict(run, example, number, width))
                bar.show(number + 1)
        return outputs

    def predict_one(self, example: Any, *, beam: int = 1) -> Any:
        """What the task's `run` returns for an example; see `predict`."""
        return self.predict((example,), beam=beam, progress=False)[0]

    def _checked_beam(self, beam: int) -> int:
        try:
            width = operator.index(beam)
        except TypeError:
            width = 0
        if not 1 <= width < 2**31:
            raise OptionError(
                f"A beam is at least 1 wide, and less than 2^31, and {beam!r} is not: give a whole number, "
                "such as beam=8."
            )
        if width > 1 and self.options.reduction == "wap":
            raise OptionError(
                "A beam adds up what decisions are predicted to cost, and the reduction wap predicts only "
                "which of two actions costs less: predict without a beam, or train with reduction='oaa'."
            )
        return width

    def save(self, path: PathLike) -> None:
        """Writes the model file, whole or not at all.

        It holds the weights, the options and the actions, which must be text, numbers, truth values or
        tuples of these; the task itself is code, and `load` is to be given it again.
        """
        header = {
            "kind": KIND,
            "task": type(self.task).__name__,
            "policies": self.task.policies,
            "actions": [_encoded(action) for action in self.actions],
            "options": self.options.to_dict(),
        }
        model_file.write(path, header, self._learner.state(training=False))


def train(
    task: Task,
    examples: Iterable[Any],
    options: SearchOptions | None = None,
    *,
    progress: bool = True,
    on_epoch: Callable[[Epoch], object] | None = None,
    **changes: Any,
) -> Model:
    """Learns a task from examples.

    Args:
        task: What is learnt; its `run` is called many times.
        examples: Anything that `run` knows what to do with.
        options: How it is learnt; `changes` replace single ones: `train(task, examples, preset="lols")`.
        progress: Whether to show a bar on a terminal when it takes longer than two seconds.
        on_epoch: Called with each `Epoch` when it is done.

    Raises:
        SearchError: The task does what it must not; errors of its own come through as they are.
    """
    _check_names(changes)
    # Who has chosen roll-outs knows what they are for.
    by_default = options is None and not {"preset", "rollout"} & set(changes)
    options = replace(options or SearchOptions(), **changes)
    examples = list(examples)
    if not examples:
        raise SearchError("There are no examples: give at least one to learn from.")
    actions = _checked_actions(task.actions)
    learner = _learner(options, len(actions), task.policies)
    search = _core.Search(learner, actions, options._for_the_core())
    epochs: list[Epoch] = []
    with Bar("learning", options.epochs * len(examples), shown=progress) as bar:
        for number in range(1, options.epochs + 1):
            order: Iterable[int] = range(len(examples))
            if options.shuffle:
                order = _core.shuffled(len(examples), options.seed, number).tolist()
            before, started = search.progress(), time.perf_counter()
            for done, index in enumerate(order, start=1):
                search.train(task.run, examples[index], number, index)
                if by_default and time.perf_counter() - started > SECONDS_BEFORE_A_WARNING:
                    by_default = False
                    _warn_of_roll_outs(search.progress()["roll_outs"], done)
                bar.show((number - 1) * len(examples) + done, f"epoch {number} of {options.epochs}")
            counts = {n: value - before[n] for n, value in search.progress().items()}
            epochs.append(
                Epoch(
                    number=number,
                    loss=counts["loss"] / len(examples),
                    examples=len(examples),
                    predictions=counts["predictions"],
                    decisions=counts["decisions"],
                    roll_outs=counts["roll_outs"],
                    seconds=time.perf_counter() - started,
                )
            )
            if on_epoch is not None:
                on_epoch(epochs[-1])
    return Model(task, actions, options, learner, epochs)


def _warn_of_roll_outs(roll_outs: int, examples: int) -> None:
    if roll_outs >= MANY_ROLL_OUTS * examples:
        logger.warning(
            "Roll-outs run the task %d times for an example. Where the reference always knows the best way "
            "to go on, rollout='none' is faster and often better; preset='l2s' asks for roll-outs, without "
            "this warning.",
            roll_outs // examples,
        )


def load(path: PathLike, task: Task) -> Model:
    """Opens a model file that `Model.save` wrote, for the task that it was trained with.

    If the task has actions they must be those of the file.
    """
    header, arrays = model_file.read(path, KIND)
    try:
        options = SearchOptions.from_dict(header["options"])
        actions = _checked_actions([_decoded(action) for action in header["actions"]])
        policies = header["policies"]
        if type(policies) is not int:
            raise ModelError("its number of policies is none.")
        learner = _learner(options, len(actions), policies, **_weights_of(arrays))
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is damaged: {error}") from error
    own = None if task.actions is None else _checked_actions(task.actions)
    if own is not None and own != actions:
        differing = next(
            (
                f"action {i} is {a!r} in the file and {b!r} in the task"
                for i, (a, b) in enumerate(zip(actions, own, strict=False))
                if a != b
            ),
            f"the file has {len(actions)} and the task {len(own)}",
        )
        raise ModelError(f"{path} was trained for other actions: {differing}. Train a model for this task.")
    if policies != task.policies:
        raise ModelError(
            f"{path} was trained with {policies} policies and the task has {task.policies}: train a model "
            "for this task."
        )
    return Model(task, actions, options, learner)


def examine(
    task: Task, example: Any, options: SearchOptions | None = None, **changes: Any
) -> list[tuple[int, Any, dict[Any, float]]]:
    """What would be learnt from an example first of all, for looking at a task.

    Returns:
        For each prediction that makes a difference: its number, the action that the roll-in took, and what
        each allowed action costs.
    """
    _check_names(changes)
    options = replace(options or SearchOptions(), **changes)
    actions = _checked_actions(task.actions)
    learner = _learner(options, len(actions), task.policies)
    return _core.Search(learner, actions, options._for_the_core()).examine(task.run, example, 1, 0)


def _weights_of(arrays: dict[str, model_file.Array]) -> dict[str, model_file.Array]:
    """What is there to predict with; a file has nothing to go on learning from."""
    weights = {name: arrays[name] for name in ("slots", "weights")}
    if any(array.size for name, array in arrays.items() if name not in weights):
        raise ModelError("it has more than weights.")
    return weights


def _learner(
    options: SearchOptions, actions: int, policies: int, **weights: model_file.Array
) -> _core.CostSensitiveLearner:
    try:
        return _core.CostSensitiveLearner(
            actions,
            policies=policies,
            bits=options.bits,
            reduction=options.reduction,
            update=options.update,
            hidden=options.hidden,
            shared=options.shared,
            direct=options.direct,
            rate=options.rate,
            power_t=options.power_t,
            beta=options.ftrl_beta,
            l1=options.l1,
            l2=options.l2,
            interactions=[list(names) for names in options.interactions],
            seed=options.seed,
            **weights,
        )
    except ValueError as error:
        raise OptionError(str(error)) from error


def _checked_actions(actions: Iterable[Hashable] | None) -> tuple[Hashable, ...]:
    if actions is None:
        raise SearchError("The task has no actions: say what it predicts, as in actions = ['NOUN', 'VERB'].")
    if isinstance(actions, str):
        raise SearchError(f"The task's actions are one text, {actions!r}: write a list of them.")
    listed = tuple(actions)
    seen = set()
    for action in listed:
        if action is None:
            raise SearchError("None cannot be an action: it stands for no reference.")
        if action in seen:
            raise SearchError(f"The action {action!r} is there twice: name it once.")
        seen.add(action)
    if not listed:
        raise SearchError("The task has no actions: name at least one.")
    return listed


def _encoded(action: Hashable) -> Any:
    """An action as JSON has it; a tuple is an object, so that it is none of the others."""
    if isinstance(action, tuple):
        return {"tuple": [_encoded(part) for part in action]}
    if (
        type(action) in (str, int, bool)
        or (type(action) is float and math.isfinite(action))
        or action is None
    ):
        return action
    raise ModelError(
        f"The action {action!r} cannot be stored: use text, numbers, truth values or tuples of these."
    )


def _decoded(value: Any) -> Hashable:
    if isinstance(value, dict) and set(value) == {"tuple"} and isinstance(value["tuple"], list):
        return tuple(_decoded(part) for part in value["tuple"])
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    raise ModelError("an action is not what it should be.")
