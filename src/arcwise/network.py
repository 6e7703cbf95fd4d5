"""What a network looks at: the inputs of words and of states.

A state's inputs are in the notation of features, with spaces between: places, whose words a network sees by
their vectors, and what the tree so far says of a place: ``S0 N0 S0l S0l.deprel S0.left-count
S0~N0.distance``.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from arcwise import _core, names
from arcwise._numpy import np
from arcwise.encoder import ARRAYS as ENCODER_ARRAYS
from arcwise.encoder import SHAPE as SHAPE_OF_ENCODER
from arcwise.encoder import Encoder, embeddings
from arcwise.errors import FeatureError
from arcwise.features import check_slots
from arcwise.model_file import Arrays
from arcwise.options import COLUMNS, NetworkOptions, ParserOptions
from arcwise.options.network import VECTOR, WORD, NetworkFields
from arcwise.options.tagger import TaggerOptions

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from arcwise.learners import Run
    from arcwise.transitions.system import System

DEFAULT_TOKENS = "lower shape prefix suffix upos xpos feats feature"
COLUMN_OF = {**{column: column for column in COLUMNS}, "feature": "feats"}
"""The column that an input of words needs, if it needs one."""

DEFAULT_STATES = {
    "arc-eager": """
        S0 S1 S2 N0 N1 S0l S0r N0l
        S0.deprel S1.deprel S2.deprel
        S0l.deprel S0l2.deprel S0r.deprel S0r2.deprel N0l.deprel N0l2.deprel
        S0.left-count S0.right-count N0.left-count S0~N0.distance
    """,
    # Arcs join S0 and N0, or S1 and S0. A word on the stack has no head yet, and so no label.
    "arc-hybrid": """
        S0 S1 S2 N0 N1 S0l S0r N0l
        S0l.deprel S0l2.deprel S0r.deprel S0r2.deprel N0l.deprel N0l2.deprel S1l.deprel S1r.deprel
        S0.left-count S0.right-count N0.left-count S1.right-count S0~N0.distance S0~S1.distance
    """,
    # Arcs join S1 and S0.
    "arc-standard": """
        S0 S1 S2 S3 N0 N1 S0l S0r S1l S1r
        S0l.deprel S0l2.deprel S0r.deprel S0r2.deprel S1l.deprel S1l2.deprel S1r.deprel S1r2.deprel
        S0.left-count S0.right-count S1.left-count S1.right-count S0~S1.distance
    """,
    # Arcs join S0 and N0, which may have heads; S2 and S3 are the ends of what lies between them.
    "covington": """
        S0 S1 S2 S3 N0 N1 S0l S0r N0l S0h N0h
        S0.deprel N0.deprel S0l.deprel S0r.deprel N0l.deprel N0l2.deprel
        S0.left-count S0.right-count N0.left-count S0~N0.distance S0~S0h.distance N0~N0h.distance
    """,
}
DEFAULT_STATES["arc-hybrid-swap"] = DEFAULT_STATES["arc-hybrid"]
"""What a network looks at in the states of left-to-right systems."""
# Arcs may join any of the words that are seen.
ANY_STATES = """
    S0 S1 S2 N0 N1 S0l S0r S1l S1r N0l
    S0.deprel S0l.deprel S0l2.deprel S0r.deprel S0r2.deprel S1l.deprel S1r.deprel N0l.deprel
    S0.left-count S0.right-count S1.left-count S1.right-count N0.left-count S0~N0.distance S0~S1.distance
"""
"""The same in those of a system that has none of its own."""

DISTANCES, COUNTS = 9, 5
"""How many values a distance may have, and a number of dependents."""

WORDS_IN_ALL, WORDS_IN_ALL_SHARED = 4_000_000, 3_000_000
"""That a network sees in all passes; if a tagger shares it, each word teaches it more."""
FEWEST_EPOCHS, MOST_EPOCHS = 10, 30
WORDS_IN_A_BATCH = 300
STEPS_IN_AN_EPOCH = 200
FEWEST_WORDS_IN_A_BATCH = 20

TABLES = ("dense", "tokens", "extras")
"""The weights of a network, as its learner keeps them."""
BEFORE_TO_AFTER = 0.5
"""How many times larger the weights of hidden units are than those of moves, usually."""
HIDDEN_MARGIN = 1.5
"""Of the range of frozen hidden units, what training has not reached."""

UPDATE: dict[str, Any] = {"sure": 0.7, "given_rates": True}
"""How a network learns from corrections: nothing from what is right with this probability, and each weight at
a rate of its own."""
NOTHING_DROPPED: dict[str, Any] = {"dropout": 0.0, "hidden_dropout": 0.0, "word_dropout": 0.0}
"""In an update what is dropped would make what is right look wrong."""
AVERAGE_OF_UPDATE = 0.98
"""How much of the running average of weights stays in a step: there are few of them."""
WORDS_OF_UPDATE = 10_000
FEWEST_PASSES, MOST_PASSES = 6, 40
RATE_OF_ENCODER, RATE_OF_TOKENS = 0.01, 2.25
"""In an update, as shares of the learning rate: of the encoder's layers; and of rare inputs of words, times
the square root of how many have vectors, as in a small vocabulary none is rare."""
FREQUENT_INPUTS = 0.3
"""Of all inputs of words with vectors, those that learn the more slowly in an update the more frequent they
are."""
LEAST_OF_TOKENS = 0.001
RATE_OF_HEADS = {"parser": 0.1, "tagger": 0.3}

HEAD_ARRAYS = (
    "positions",
    "position_scales",
    "absent",
    "extras",
    "hidden_bias",
    "moves",
    "move_bias",
)
_SCALES = ("token_factors", "encoder_scales", "position_scales")


def count_weights(arrays: Mapping[str, NDArray[Any]]) -> int:
    """How many weights there are in the arrays of a network."""
    names = {*ENCODER_ARRAYS, *HEAD_ARRAYS} - {"keys", *_SCALES}
    # There are two of them in a byte.
    return sum(arrays[name].size for name in names) + int(arrays["rare_tokens"].size)


def arrays_of(learnt: Mapping[str, Mapping[str, Any]], head: str) -> dict[str, NDArray[Any]]:
    """What is stored of a network that was learnt: of its encoder, and of one of the heads on it."""
    encoder, own = learnt["encoder"], learnt[head]
    return {
        **{name: encoder[name] for name in ENCODER_ARRAYS},
        **{name: own[name] for name in HEAD_ARRAYS},
        "scales": np.array([encoder["token_scale"], own["score_scale"]], np.float32),
    }


def model(
    encoder: Encoder, shape: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], labels: int
) -> _core.NetworkModel:
    """A network as the core has it, from what a model file says of it."""
    encoder.demand_shape(shape)
    own: dict[str, Any] = {name: value for name, value in shape.items() if name not in SHAPE_OF_ENCODER}
    raw = Arrays.of(arrays).raw
    own |= {name: raw(name) for name in HEAD_ARRAYS}
    return _core.NetworkModel(encoder=encoder.core, labels=labels, score_scale=float(raw("scales")[1]), **own)


def tokens(options: NetworkOptions, columns: Collection[str]) -> list[str]:
    """The inputs of words that the treebank has something for.

    >>> tokens(NetworkOptions(tokens="form upos feature"), columns=["feats"])
    ['form', 'feature']
    """
    asked = (DEFAULT_TOKENS if options.tokens is None else options.tokens).split()
    own = [name for name in asked if COLUMN_OF.get(name) in (None, *columns)]
    if options.vectors is not None:
        # What is learnt of a word and its vector are one row in the model.
        own = [WORD if name == "lower" else name for name in own] if "lower" in own else [*own, VECTOR]
    if not own:
        raise FeatureError(
            "There is no input of words that the treebank has a column for: name one of form, lower, shape, "
            "prefix and suffix, which need none."
        )
    return own


def states(options: NetworkOptions, system: str | System) -> list[str]:
    """The inputs of states, checked."""
    if options.states is None:
        return default_states(system)
    # What 'arcwise features network' prints has a comment above it.
    own = [name for line in options.states.splitlines() for name in line.split("#")[0].split()]
    try:
        slots = _core.check_states(own)
    except ValueError as error:
        raise FeatureError(str(error)) from error
    check_slots("The inputs of states", slots, system)
    return own


def default_states(system: str | System) -> list[str]:
    """The inputs of states that suit a system.

    >>> default_states("arc-standard")[:4]
    ['S0', 'S1', 'S2', 'S3']
    """
    if not names.system(system).left_to_right:
        own = ", ".join(names.systems_with("left_to_right"))
        raise FeatureError(f"There is no network for {system}: choose a left-to-right system, {own}.")
    return DEFAULT_STATES.get(names.features_of(system) or "", ANY_STATES).split()


def is_label(extra: str) -> bool:
    """Whether what a state says of a place is a label, or a tagger's tag.

    >>> is_label("S0.deprel"), is_label("S0~N0.distance")
    (True, False)
    """
    return extra.endswith((".deprel", ".tag"))


def values_of(extra: str, labels: int) -> int:
    """How many values that may have; those of labels come after no word and no label."""
    return labels + 2 if is_label(extra) else DISTANCES if extra.endswith(".distance") else COUNTS


def columns_of_tokens(inputs: Collection[str]) -> set[str]:
    """The columns that inputs of words are read from."""
    return {COLUMN_OF[name] for name in inputs if name in COLUMN_OF}


def without_tags(inputs: Collection[str]) -> list[str]:
    """The inputs of words that can be read off their forms.

    >>> without_tags(["lower", "suffix", "upos"])
    ['lower', 'suffix']
    """
    return [name for name in inputs if name not in COLUMN_OF]


def describe(options: ParserOptions, columns: Collection[str]) -> dict[str, Any]:
    """The shape and inputs of a parser's network."""
    own = options.network
    return own.shape(tokens(own, columns), states(own, options.system.name))


def epochs(asked: int | None, words: int, *, shared: bool = False) -> int:
    """Passes over a treebank: the more the smaller it is.

    >>> [epochs(None, words) for words in (20_000, 200_000, 2_000_000)]
    [30, 20, 10]
    """
    if asked is not None:
        return asked
    in_all = WORDS_IN_ALL_SHARED if shared else WORDS_IN_ALL
    return max(FEWEST_EPOCHS, min(MOST_EPOCHS, round(in_all / max(1, words))))


def passes_of_update(words: int) -> int:
    """How often an update goes over corrected words: the more often the fewer they are.

    >>> [passes_of_update(words) for words in (60, 500, 5000)]
    [40, 20, 6]
    """
    return max(FEWEST_PASSES, min(MOST_PASSES, round(WORDS_OF_UPDATE / max(1, words))))


def batch(options: NetworkFields, words: int) -> int:
    """Words in a training step: so few that a small treebank, too, is many steps."""
    if options.batch is not None:
        return options.batch
    return max(FEWEST_WORDS_IN_A_BATCH, min(WORDS_IN_A_BATCH, words // STEPS_IN_AN_EPOCH))


def learning(options: NetworkFields, words: int) -> dict[str, Any]:
    """How a network learns from so many words, as the core has it."""
    names = ("rate", "decay", "average", "clip", "dropout", "hidden_dropout", "word_dropout")
    own = {name: getattr(options, name) for name in names}
    return {**own, "batch": batch(options, words), "embedding_bits": embedding_bits(options)}


def embedding_bits(options: NetworkFields) -> int:
    """Bits of a number in the embeddings of rare inputs of words.

    >>> embedding_bits(NetworkOptions()), embedding_bits(NetworkOptions(vectors="some.vec"))
    (8, 4)
    """
    has_vectors = isinstance(options, NetworkOptions) and options.vectors is not None
    return options.embedding_bits or (4 if has_vectors else 8)


def words_in_an_epoch(run: Run) -> int:
    """How many words a run goes through in an epoch, with silver trees if it has any."""
    words = run.treebank.word_count
    return words if run.silver is None else words + round(silver_words(run) / silver_epochs(run.options))


def silver_words(run: Run) -> int:
    """How many words of silver trees are seen in all."""
    how = run.options.silver
    assert run.silver is not None and how is not None and how.passes is not None
    return round(how.passes * run.silver.words_seen)


def silver_epochs(options: ParserOptions) -> int:
    """In how many epochs silver trees are seen: the first."""
    assert options.epochs is not None and options.silver is not None
    return options.epochs - (options.silver.gold_epochs or 0)


def silver_options(run: Run) -> _core.SilverOptions | None:
    """How a network learns from silver trees, or from text with teachers, whose inputs of words are counted
    for it."""
    how, own = run.options.silver, run.inputs.network
    if run.silver is None or how is None or own is None:
        return None
    teachers = run.silver.teachers
    counts = _core.SilverCounts(token_inputs=own["token_inputs"], longest_affix=own["longest_affix"])
    for chunk in run.silver.chunks():
        counts.add(chunk._core)
    return _core.SilverOptions(
        counts=counts,
        weight=how.weight,
        words=silver_words(run),
        epochs=silver_epochs(run.options),
        vocabulary=how.words,
        teachers=teachers.networks(None if run.tagger is None else run.tagger[0]) if teachers else [],
    )


def options_of_tagger(options: TaggerOptions, words: int, threads: int, **more: Any) -> _core.NetworkOptions:
    """How a tagger's network looks and learns from so many words."""
    assert options.epochs is not None
    return _core.NetworkOptions(
        **options.network,
        **{**learning(options, words), **more},
        least_affix=options.least_affix,
        epochs=options.epochs,
        threads=threads,
    )


def thawed(shape: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[np.uint8]]:
    """The weights of a frozen network as the state of its learner has them.

    The unit of hidden units does not show in a frozen network: it is chosen so that the weights before and
    after them are as large as they usually are.
    """

    def scaled(name: str, scales: Any) -> NDArray[np.float64]:
        return np.asarray(arrays[name].astype(np.float64) * scales)

    of_tokens, of_scores = arrays["scales"].astype(np.float64)
    positions = scaled("positions", np.tile(arrays["position_scales"], shape["width"]))
    moves = scaled("moves", of_scores)
    unit = math.sqrt(BEFORE_TO_AFTER * float(np.std(moves)) / (float(np.std(positions)) or 1.0)) or 1.0
    layers = [] if shape["encoder"] == "none" else np.split(arrays["encoder_bias"], shape["layers"])
    scales = np.split(arrays["encoder_scales"], max(1, len(layers)))
    weights = np.split(arrays["encoder_weights"], max(1, len(layers)))
    dense = [
        part
        for w, s, bias in zip(weights, scales, layers, strict=False)
        for part in (w * np.tile(s.astype(np.float64), len(w) // len(s)), bias)
    ]
    dense += [positions * unit, scaled("absent", unit), scaled("hidden_bias", unit), moves / unit]
    dense += [scaled("move_bias", of_scores)]
    learnt = {
        "dense.weights": np.concatenate(dense),
        "tokens.weights": embeddings(arrays, shape["width"]).ravel() * of_tokens,
        "extras.weights": scaled("extras", unit),
        "most_hidden": np.array([unit * np.iinfo(np.int16).max / HIDDEN_MARGIN]),
    }
    return {name: values.astype(np.float32).view(np.uint8) for name, values in learnt.items()}


def moments_of_update(
    state: Mapping[str, NDArray[Any]], shape: Mapping[str, Any], head: float, prefix: str = ""
) -> dict[str, NDArray[np.uint8]]:
    """What Adam is to know of the weights in a state, so that each has a rate of its own in an update.

    What is said of few words may change more: the vectors of rare inputs of words, which come last, learn
    fastest, those of frequent ones in proportion to their rank, and what all words go through, the encoder,
    hardly at all. `head` is the share of the rate for what is on top of it.
    """
    shares = {
        table: np.full(len(state[f"{prefix}{table}.weights"]) // np.float32().nbytes, head, np.float32)
        for table in TABLES
    }
    if shape["encoder"] != "none":
        shares["dense"][: _encoder_size(shape)] = RATE_OF_ENCODER
    rows = len(shares["tokens"]) // shape["width"]
    ranks = np.arange(rows, dtype=np.float32) / max(1.0, FREQUENT_INPUTS * rows)
    most = RATE_OF_TOKENS * max(1.0, rows) ** 0.5
    shares["tokens"] = np.repeat(most * np.clip(ranks, LEAST_OF_TOKENS, 1), shape["width"])
    moments = {}
    for table, own in shares.items():
        moments[f"{prefix}{table}.first"] = np.zeros_like(own, np.float32).view(np.uint8)
        moments[f"{prefix}{table}.second"] = (own.astype(np.float32) ** -2).view(np.uint8)
    return moments


def _encoder_size(shape: Mapping[str, Any]) -> int:
    """How many weights the layers of an encoder have, with their biases."""
    width, inputs = shape["width"], (2 * shape["window"] + 1) * shape["width"]
    outputs = 2 * width if shape["encoder"] == "conv" else 3 * width
    return int(shape["layers"] * (inputs + 1) * outputs)
