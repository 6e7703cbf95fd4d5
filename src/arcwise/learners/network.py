"""Networks: an encoder of words, and on it a head that scores moves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from arcwise import _core, names, network
from arcwise._terminal import counted
from arcwise.encoder import Encoder, key_count
from arcwise.learners.base import Frozen, Inputs, Learner, Learnt, Run
from arcwise.options.network import WORD
from arcwise.options.silver import SilverOptions

if TYPE_CHECKING:
    from arcwise.model_file import Array
    from arcwise.options import ParserOptions
    from arcwise.parser import ModelInfo, Parser
    from arcwise.silver import SilverTrees
    from arcwise.treebank import Treebank


def _frequent_forms(treebank: Treebank) -> list[str]:
    """Forms that a network learns an embedding for. Others show it what words without a vector are like."""
    return [form for form, count in Counter(treebank.column("form")).items() if count >= 2]


class Network(Learner):
    """A network, whose learner goes by mini-batches."""

    name = "network"
    title = "network"
    probabilistic = True
    has_encoder = True
    learns_from_silver = True
    plans_epochs = True
    epochs_of_update = 20
    rate_of_update = 0.03
    rate_of_replay = 0.0003

    def requirements(self, options: ParserOptions) -> Iterator[tuple[bool, str]]:
        yield (
            names.system(options.system.name).left_to_right,
            "A network scores the states of left-to-right systems only: choose the learner "
            f"{' or '.join(names.LINEAR_LEARNERS)} for {options.system}.",
        )

    def planned(
        self, options: ParserOptions, words: int, *, shared: bool = False, silver: SilverTrees | None = None
    ) -> ParserOptions:
        epochs = network.epochs(options.epochs, words, shared=shared and silver is None)
        how = options.silver
        if silver is not None:
            # An epoch is a pass over gold trees; what suits a network depends on all that it learns from.
            how = (how or SilverOptions()).planned(epochs, silver.words)
            words += silver.words
        own = options.network.planned(words, shared=shared)
        return replace(options, epochs=epochs, learner=own, silver=how)

    def shares_encoder(self, options: ParserOptions) -> bool:
        return options.network.shown_tags != 1

    def passes_of_update(self, words: int, replay: bool) -> int:
        return self.epochs_of_update if replay else network.passes_of_update(words)

    def inputs(self, options: ParserOptions, columns: Collection[str], treebank: Treebank) -> Inputs:
        described = network.describe(options, columns)
        own = options.network
        if own.vectors is None:
            return Inputs(network=described)
        from arcwise.vectors import Vectors

        are_added = WORD in described["token_inputs"]
        vectors = Vectors.read(
            own.vectors, own.vectors_limit, are_added=are_added, words=lambda: _frequent_forms(treebank)
        )
        return Inputs(network=described, vectors=vectors)

    def trainer(self, run: Run) -> _core.Trainer:
        if run.tagger is None:
            return _core.Trainer.network(run.treebank._core, run.core, self.core_options(run))
        tags, of_tagger = run.tagger
        update = network.UPDATE if run.alone else {}
        return _core.Trainer.joint(
            run.treebank._core,
            run.core,
            self.core_options(run, least_affix=of_tagger.least_affix),
            tags,
            network.options_of_tagger(of_tagger, network.words_in_an_epoch(run), run.threads, **update),
        )

    @staticmethod
    def core_options(run: Run, **more: Any) -> _core.NetworkOptions:
        """What the network looks like and how it learns, as the core has it."""
        o, vectors = run.options, run.inputs.vectors
        assert o.epochs is not None and o.network.shown_tags is not None
        learning = network.learning(o.network, network.words_in_an_epoch(run))
        return _core.NetworkOptions(
            **(run.inputs.network or {}),
            **{**learning, **(network.UPDATE if run.alone else {})},
            epochs=o.epochs,
            threads=run.threads,
            vectors=None if vectors is None else vectors.values.ravel(),
            vector_keys=None if vectors is None else vectors.keys,
            lowered_keys=None if vectors is None else vectors.lowered,
            tune_vectors=o.network.tune_vectors,
            vocabulary=None if run.before is None else run.before._arrays["keys"],
            shown_tags=o.network.shown_tags,
            silver=network.silver_options(run),
            own_sentences=run.own_sentences,
            **more,
        )

    def frozen(self, options: ParserOptions, inputs: Inputs, learnt: Learnt) -> Frozen:
        arrays = network.arrays_of(learnt, "parser")
        return Frozen(arrays, key_count(arrays), network.count_weights(arrays))

    def taken_up(self, before: Parser, fresh: Mapping[str, Array], *, alone: bool) -> dict[str, Array]:
        info = before.info
        if info.state is not None or info.network is None:
            state = super().taken_up(before, fresh, alone=alone)
        else:
            state = {**fresh, **network.thawed(info.network, before._arrays)}
        state |= {f"{table}.average": state[f"{table}.weights"] for table in network.TABLES}
        if alone:
            state |= network.moments_of_update(state, info.network or {}, network.RATE_OF_HEADS["parser"])
        return state

    def encoder(self, info: ModelInfo, arrays: Mapping[str, Array]) -> Encoder | None:
        return Encoder.of_network(info.network or {}, arrays)

    def model(
        self, info: ModelInfo, arrays: Mapping[str, Array], encoder: Encoder | None
    ) -> _core.NetworkModel:
        assert encoder is not None
        return network.model(encoder, info.network or {}, arrays, len(info.labels))

    def needs_tags(self, info: ModelInfo) -> bool:
        return info.options.network.shown_tags == 1

    def without_tags(self, info: ModelInfo) -> ModelInfo:
        if self.needs_tags(info) or info.network is None:
            return info
        inputs = network.without_tags(info.network["token_inputs"])
        return replace(info, network={**info.network, "token_inputs": inputs})

    def attributes(self, info: ModelInfo) -> set[str]:
        if not self.needs_tags(info) or info.network is None:
            return set()
        return network.columns_of_tokens(info.network["token_inputs"])

    def in_full(self, info: ModelInfo) -> str:
        return f"network, {self._shape(info.network or {})}"

    def facts(self, info: ModelInfo) -> dict[str, str]:
        o, shape, vectors = info.options.network, info.network or {}, info.training.get("vectors")
        facts = {
            "words": " ".join(shape["token_inputs"]),
            "states": " ".join(shape["state_inputs"]),
            "weights": f"{info.weights:,}, with the embeddings of {info.features:,} inputs of words",
        }
        if vectors is not None:
            how = "tuned" if o.tune_vectors else "fixed"
            facts["vectors"] = (
                f"{vectors['file']}: {counted(vectors['words'], 'word')}, {vectors['width']} values, {how}"
            )
        if (silver := info.training.get("silver")) is not None and info.options.silver is not None:
            how_often = info.options.silver
            taught = silver.get("teachers")
            facts["silver trees" if taught is None else f"text, by {taught}"] = (
                f"{silver['file']}: {counted(silver['words'], 'word')}, seen {how_often.passes:g} times with "
                f"weight {how_often.weight:g}; {counted(how_often.gold_epochs or 0, 'epoch')} without them"
            )
        facts["regularisation"] = (
            f"dropout {o.dropout:g} of words, {o.hidden_dropout:g} of hidden units; word dropout "
            f"{o.word_dropout:g}, decay {o.decay:g}"
        )
        return facts

    def to_be_trained(self, inputs: Inputs, weights: int | None) -> list[str]:
        shape = inputs.network or {}
        return [
            self._shape(shape),
            f"words by {' '.join(shape['token_inputs'])}",
            f"states by {counted(len(shape['state_inputs']), 'input')}",
            counted(weights or 0, "weight"),
        ]

    @staticmethod
    def _shape(shape: Mapping[str, Any]) -> str:
        encoder = "no encoder"
        if shape["encoder"] != "none":
            encoder = f"{shape['encoder']} encoder of {counted(shape['layers'], 'layer')}"
        return f"{encoder}, width {shape['width']}, {shape['hidden']} hidden units"
