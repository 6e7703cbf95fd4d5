"""Golden models: small files of every kind and format, and what they gave when they were made.

    python tests/golden_models.py tests/golden/models/7

makes those of the format that is written today. Files of a format are made once, by the version that writes
it, and are never made again: they are witnesses that later versions read them and give the same.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from arcwise import Parser, ParserOptions, Pipeline, Segmenter, Tagger, Training, Treebank, search
from arcwise.calibration.maps import KINDS

FOLDER = Path(__file__).parent / "golden" / "models"
GARDEN = Path(__file__).resolve().parents[1] / "examples" / "garden"
ENDING = ".model"
TEXT = "Anna waters the beans. The gardener didn't plant roses, did he?\n\nDu vent! He can't.\n"
TEMPLATES = "S0.form\nN0.upos\nS0.upos N0.upos\nS0.upos N0.upos N1.upos\n"
EASY_TEMPLATES = TEMPLATES.replace("S0", "L0").replace("N0", "R0").replace("N1", "R1")
SMALL: dict[str, Any] = {"width": 16, "hidden": 16, "layers": 1, "tokens": "shape upos", "affixes": 1}
SMALLEST = {**SMALL, "tokens": "upos", "states": "S0 N0", "encoder": "none"}
SMALL_TAGGER: dict[str, Any] = {"width": 16, "hidden": 16, "tokens": "shape suffix", "affixes": 2}
"""So that a network is small: few inputs of words and units."""


def garden(part: str = "dev", sentences: int | None = None) -> Treebank:
    return Treebank.read(GARDEN / f"{part}.conllu")[slice(sentences)]


class LengthTagger(search.Task):
    """Says whether words are long, or capitalised."""

    actions = ("short", ("long", 1), True)
    policies = 2

    def run(self, search: search.SearchRun, example: list[str]) -> list[Any]:
        found = []
        for word in example:
            gold = True if word[:1].isupper() else ("long", 1) if len(word) > 4 else "short"
            features = {"word": [word, f"n{len(word)}"], "first": [word[:1]]}
            found.append(search.predict(features, reference=gold, policy=len(word) % 2))
            search.loss(float(found[-1] != gold))
        return found


WORDS = [TEXT.split(), ["Some", "short", "words", "and", "several", "longer", "ones"]]


# What files give, as JSON has it.


def trees(parser: Parser, **how: Any) -> list[str]:
    parsed = parser.parse(garden(sentences=8), **how)
    return [" ".join(f"{t.head}:{t.deprel}" for t in sentence) for sentence in parsed]


def of_parser(path: Path) -> dict[str, Any]:
    return {"trees": trees(Parser.load(path))}


def of_beam(path: Path) -> dict[str, Any]:
    parser = Parser.load(path)
    return {"trees": trees(parser), "greedy": trees(parser, search="greedy")}


def of_calibrated(path: Path) -> dict[str, Any]:
    parser = Parser.load(path)
    parsed = parser.parse(garden(sentences=3), probabilities="moves")
    probabilities = {
        "head": parsed.head_probs.astype(float).round(4).tolist(),
        "deprel": parsed.deprel_probs.astype(float).round(4).tolist(),
    }
    return {"trees": trees(parser), "probabilities": probabilities}


def of_updated(path: Path) -> dict[str, Any]:
    """A parser that has kept its training state, and what its learner goes on from."""
    parser = Parser.load(path)
    state = {name: int(array.astype(int).sum()) for name, array in parser.training_state.items()}
    parser.update(garden(sentences=1), epochs=1)
    return {"trees": trees(parser), "state": state}


def of_tagger(path: Path) -> dict[str, Any]:
    return {"tagged": Tagger.load(path).tag(garden(sentences=4)).to_string().splitlines()}


def of_segmenter(path: Path) -> dict[str, Any]:
    return {"segmented": Segmenter.load(path).segment(TEXT).to_string().splitlines()}


def of_pipeline(path: Path) -> dict[str, Any]:
    pipeline = Pipeline.load(path)
    annotated = pipeline(TEXT).to_conllu().splitlines()
    return {"about": dict(pipeline.about), "annotated": annotated, "trees": trees(pipeline.demand("parser"))}


def of_search(path: Path) -> dict[str, Any]:
    return {"predicted": [json.dumps(found) for found in search.load(path, LengthTagger()).predict(WORDS)]}


def of_checkpoint(path: Path, options: ParserOptions) -> dict[str, Any]:
    training = Training(garden("train", 2), options=options)
    training.resume(path)
    done = len(training.history)
    training.finish()
    return {"done": done, "history": len(training.history)}


# How they were made.


def _parser(path: Path, **options: Any) -> None:
    Parser.train(garden("train", 12), **{"epochs": 2, **options}).save(path)


def _with_vectors(path: Path) -> None:
    """With more words than are frequent, so that those that come last have 4 bits."""
    words = [*(f"w{number}" for number in range(4100)), *sorted(set(garden().column("form")))]
    lines = [f"{word} {number % 7 - 3} {number % 11 - 5}\n" for number, word in enumerate(words)]
    Path("many.vec").write_text("".join(lines), encoding="utf-8")
    _parser(path, **{**SMALL, "tokens": "lower", "vectors": "many.vec"})


def _linear(path: Path, features: str = TEMPLATES, **options: Any) -> None:
    Path("small.features").write_text(features, encoding="utf-8")
    _parser(path, features="small.features", **options)


def _l2s(path: Path, **options: Any) -> None:
    _linear(path, learner="l2s", bits=12, prune=0.1, **options)


def _hc(path: Path) -> None:
    from arcwise.hc import Ranker, cross_validate

    Path("small.features").write_text(TEMPLATES, encoding="utf-8")
    Path("small.ranking").write_text(
        "arc: h.upos m.upos\narc: m.upos m.deprel h~m.direction\n", encoding="utf-8"
    )
    treebank = garden("train", 20)
    options = ParserOptions.of(learner="perceptron", features="small.features", epochs=2, train_beam=4)
    candidates = cross_validate(treebank, options=options, beam=4, folds=2)
    ranker, alpha = Ranker.train(candidates, bits=10, beam=4, epochs=2, features="small.ranking")
    Parser.train(treebank, options=options).with_ranker(ranker, alpha).save(path)


def _calibrated(path: Path) -> None:
    Path("small.features").write_text(TEMPLATES, encoding="utf-8")
    parser = Parser.train(garden("train", 12), learner="adagrad", features="small.features", epochs=2)
    calibrated = parser.calibrate(garden(sentences=40), samples=20)
    assert calibrated.info.calibration and calibrated.info.calibration.of_moves.kind in KINDS
    calibrated.save(path)


def _tagger(path: Path) -> None:
    tagger = Tagger.train(garden("train", 12), epochs=3, **SMALL_TAGGER)
    tagger.with_dictionary([("beans", "NOUN", "_", "_", "bean")]).save(path)


def _segmenter(path: Path) -> None:
    text = (
        "1-2\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tdid\t_\t_\t_\t_\t_\t_\t_\t_\n2\tn't\t_\t_\t_\t_\t_\t_\t_\t_\n"
        "3\t.\t_\t_\t_\t_\t_\t_\t_\t_\n\n"
    )
    text += "".join(text.replace("did", verb) for verb in ("would", "could", "has"))
    treebank = Treebank.from_string(garden("train", 20).to_string() + text)
    Segmenter.train(treebank, epochs=2, prune=0.3).with_bias(0.5).save(path)


def _pipeline(path: Path) -> None:
    Path("small.features").write_text(TEMPLATES, encoding="utf-8")
    own = {"learner": "perceptron", "features": "small.features", "epochs": 2}
    tagger = {"epochs": 2, **SMALL_TAGGER}
    treebank = garden("train", 12)
    made = Pipeline.train(treebank, gold_tags=True, tagger=tagger, segmenter={"prune": 0.3}, **own)
    made.save(path)


def _shared(path: Path) -> None:
    own = {**SMALL, "tokens": "shape suffix", "shown_tags": 0.1, "epochs": 3}
    made = Pipeline.train(
        garden("train", 12), tagger={"hidden": 16}, segmenter={"prune": 0.3, "epochs": 2}, **own
    )
    Pipeline(made.segmenter, made.tagger, made.parser, {"licence": "none"}).save(path)


def _search(path: Path) -> None:
    options = {"bits": 10, "hidden": 2, "epochs": 2, "interactions": (("word", "first"),)}
    search.train(LengthTagger(), WORDS, progress=False, **options).save(path)


OF_CHECKPOINTS = {
    "checkpoint-linear": ParserOptions.of(learner="perceptron", features="zn2011", epochs=2),
    "checkpoint-network": ParserOptions.of(**SMALLEST, epochs=2),
}


def _checkpoint(path: Path, options: ParserOptions) -> None:
    training = Training(garden("train", 2), options=options)
    next(training.epochs())
    training.save_checkpoint(path)


class Golden(NamedTuple):
    make: Callable[[Path], None]
    outputs: Callable[[Path], dict[str, Any]]


KINDS_OF_FILES = {
    "network": Golden(lambda path: _parser(path, **SMALL), of_parser),
    "network-conv": Golden(
        lambda path: _parser(path, **{**SMALLEST, "encoder": "conv", "system": "arc-hybrid"}), of_parser
    ),
    "network-plain": Golden(lambda path: _parser(path, system="arc-standard", **SMALLEST), of_parser),
    "network-vectors": Golden(_with_vectors, of_parser),
    "network-state": Golden(lambda path: _parser(path, keep_training_state=True, **SMALLEST), of_updated),
    "perceptron": Golden(lambda path: _linear(path, learner="perceptron", root="first"), of_parser),
    "perceptron-state": Golden(
        lambda path: _linear(path, learner="perceptron", keep_training_state=True), of_updated
    ),
    "perceptron-compact": Golden(lambda path: _linear(path, learner="perceptron", compact=1), of_parser),
    "easy-first": Golden(lambda path: _linear(path, EASY_TEMPLATES, system="easy-first"), of_parser),
    "beam": Golden(lambda path: _linear(path, learner="perceptron", train_beam=4), of_beam),
    "hc": Golden(_hc, of_beam),
    "adagrad": Golden(lambda path: _linear(path, learner="adagrad", system="arc-hybrid"), of_parser),
    "calibrated": Golden(_calibrated, of_calibrated),
    "l2s": Golden(_l2s, of_parser),
    "l2s-network": Golden(
        lambda path: _l2s(path, base="nn", reduction="wap", system="arc-hybrid", label_apart=False), of_parser
    ),
    "tagger": Golden(_tagger, of_tagger),
    "segmenter": Golden(_segmenter, of_segmenter),
    "pipeline": Golden(_pipeline, of_pipeline),
    "pipeline-shared": Golden(_shared, of_pipeline),
    "search": Golden(_search, of_search),
    **{
        name: Golden(
            lambda path, options=options: _checkpoint(path, options),
            lambda path, options=options: of_checkpoint(path, options),
        )
        for name, options in OF_CHECKPOINTS.items()
    },
}


SINCE = {"perceptron-compact": 6, "network-vectors": 7}
"""The first format that has files of a kind, if there were others before."""


def main(folder: Path) -> None:
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    work = folder / "work"
    work.mkdir()
    os.chdir(work)  # names of files in options are those of the folder
    for name, golden in KINDS_OF_FILES.items():
        path = folder / f"{name}{ENDING}"
        golden.make(path)
        outputs = json.dumps(golden.outputs(path), ensure_ascii=False, indent=1)
        path.with_suffix(".json").write_text(f"{outputs}\n", encoding="utf-8")
    for path in work.iterdir():
        path.unlink()
    work.rmdir()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
