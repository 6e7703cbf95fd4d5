"""Parsers that `peers.py` compares: how each is trained, loaded and made to parse. Each imports its own."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

GOLD_TAGS, RAW_TEXT = "gold tags", "raw text"

Parse = Callable[[str], str]
"""CoNLL-U with gold tags, or raw text, to CoNLL-U."""


class Kind(ABC):
    """A parser."""

    package = ""
    """What pip calls it."""
    module = ""
    starts: tuple[str, ...] = (GOLD_TAGS, RAW_TEXT)
    looks_at = ""
    """What it looks at of the gold tags, or another note of what it is."""

    def missing(self) -> str:
        """Why it cannot run; nothing, if it can."""
        top = self.module.partition(".")[0]
        there = importlib.util.find_spec(top) and importlib.util.find_spec(self.module)
        return "" if there else f"{self.package} is not installed"

    def version(self) -> str:
        return ".".join(metadata.version(self.package).split(".")[:2])

    @abstractmethod
    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        """Trains a model, and says how."""

    @abstractmethod
    def load(self, model: Path, start: str) -> Parse: ...


class Arcwise(Kind):
    """A parser of gold tags, by preset or learner."""

    module = "arcwise"
    starts = (GOLD_TAGS,)
    looks_at = "gold UPOS, XPOS, FEATS"

    def __init__(self, **options: Any) -> None:
        self._options = options

    def missing(self) -> str:
        from arcwise.options import PRESETS

        preset = self._options.get("preset", "default")
        return "" if preset in PRESETS else f"there is no preset {preset}"

    def version(self) -> str:
        return ""

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        from arcwise import Parser
        from parsers import options_of

        Parser.train(train, options=options_of(self._options, 1)).save(model)
        return "its defaults"

    def load(self, model: Path, start: str) -> Parse:
        import arcwise

        parser = arcwise.load(model)
        return lambda text: parser.parse(arcwise.Treebank.from_string(text, check_trees=False)).to_string()


class ArcwiseEnglish(Arcwise):
    """The English model that comes with arcwise."""

    starts = (RAW_TEXT,)
    looks_at = ""

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        return "as it comes with arcwise"

    def load(self, model: Path, start: str) -> Parse:
        import arcwise

        nlp = arcwise.load("en")
        return lambda text: nlp(text).to_conllu()


class Udpipe(Kind):
    """UDPipe 1: a parser of gold tags; from raw text, one of its own tagger's tags."""

    package = "ufal.udpipe"
    module = "ufal.udpipe"
    looks_at = "gold UPOS, FEATS"

    def __init__(self, beam: int | None = None) -> None:
        self._parser_options = "" if beam is None else f"beam_search={beam}"

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        # The search-based oracle takes most of the time of the parser's iterations.
        parser = f"iterations={iterations};structured_interval=0"
        before, how = ("none", "none"), f"{iterations} iterations, no search-based oracle"
        if start == RAW_TEXT:
            before = f"epochs={2 * iterations}", f"iterations={iterations}"
            how += f"; tagger {iterations}, tokenizer {2 * iterations}"
        train_udpipe(train, model, *before, parser)
        return how

    def load(self, model: Path, start: str) -> Parse:
        from ufal import udpipe

        loaded = udpipe.Model.load(str(model))
        given, tags = ("conllu", "none") if start == GOLD_TAGS else ("tokenize", "")
        pipeline = udpipe.Pipeline(loaded, given, tags, self._parser_options, "conllu")

        def parse(text: str) -> str:
            assert loaded is not None  # the pipeline does not keep it
            return pipeline.process(text)

        return parse


def train_udpipe(train: Path, model: Path, tokenizer: str, tagger: str, parser: str) -> None:
    """Trains what has options, as UDPipe spells them; the others are "none"."""
    from ufal import udpipe

    sentences, error = udpipe.Sentences(), udpipe.ProcessingError()
    reader = udpipe.InputFormat.newConlluInputFormat()
    reader.setText(train.read_text(encoding="utf-8"))
    while True:
        sentence = udpipe.Sentence()
        if not reader.nextSentence(sentence, error):
            break
        sentences.append(sentence)
    learnt = udpipe.Trainer.train(
        "morphodita_parsito", sentences, udpipe.Sentences(), tokenizer, tagger, parser, error
    )
    if error.occurred():
        raise RuntimeError(error.message)
    model.write_bytes(learnt)


def starts(words: list[str]) -> list[bool]:
    """That one sentence starts, and no other."""
    return [place == 0 for place in range(len(words))]


class Spacy(Kind):
    """spaCy: tok2vec and parser, which looks at words alone."""

    package = "spacy"
    module = "spacy"
    starts = (GOLD_TAGS,)
    looks_at = "words alone"

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        import random

        import spacy
        from spacy.training import Example
        from spacy.training.batchers import minibatch_by_words

        nlp = spacy.blank("en")
        nlp.add_pipe("parser")

        def gold() -> Iterator[Example]:
            for words, spaces, heads, labels in _columns(train.read_text(encoding="utf-8")):
                doc = spacy.tokens.Doc(nlp.vocab, words=words, spaces=spaces)
                known = {"heads": heads, "deps": labels, "sent_starts": starts(words)}
                yield Example.from_dict(doc, known)

        examples = list(gold())
        optimizer = nlp.initialize(lambda: examples)
        shuffled, generator = list(examples), random.Random(1)
        for _ in range(iterations):
            generator.shuffle(shuffled)
            for batch in minibatch_by_words(shuffled, size=1000):
                nlp.update(batch, sgd=optimizer, drop=0.1)
        # The average of all steps is better than the last.
        with nlp.use_params(optimizer.averages):
            nlp.to_disk(model)
        return f"{iterations} iterations"

    def load(self, model: Path, start: str) -> Parse:
        import spacy

        nlp = spacy.load(model)

        def parse(text: str) -> str:
            docs = (
                spacy.tokens.Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=starts(words))
                for words, spaces, _, _ in _columns(text)
            )
            return "".join(map(self._conllu, nlp.pipe(docs)))

        return parse

    @staticmethod
    def _conllu(doc: Any) -> str:
        """A sentence. Where the parser found several roots, all are under the first."""
        root = next(token.i for token in doc if token.head.i == token.i)
        lines = []
        for token in doc:
            head = root if token.head.i == token.i else token.head.i
            head, label = (0, "root") if token.i == root else (head + 1, token.dep_ or "dep")
            lines.append("\t".join(map(str, (token.i + 1, token.text, *"____", head, label, "_", "_"))))
        return "\n".join(lines) + "\n\n"


class VowpalWabbit(Kind):
    """Vowpal Wabbit's dep_parser, with its default learner."""

    package = "vowpalwabbit"
    module = "vowpalwabbit"
    starts = (GOLD_TAGS,)
    looks_at = "gold UPOS"

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        import vowpalwabbit

        text = train.read_text(encoding="utf-8")
        labels = sorted({word[7] for sentence in _sentences(text) for word in sentence})
        data, cache = model.with_suffix(".vw"), model.with_suffix(".cache")
        data.write_text(self._lines(text, labels), encoding="utf-8")
        model.with_suffix(".labels").write_text("\n".join(labels), encoding="utf-8")
        vowpalwabbit.Workspace(
            f"--quiet -k -d {data} --cache_file {cache} --passes {iterations} --holdout_off -b 24 "
            f"--search_task dep_parser --search {len(labels)} --num_label {len(labels)} "
            f"--root_label {labels.index('root') + 1} --search_alpha 1e-4 --search_rollin mix_per_roll "
            f"--search_rollout oracle --search_history_length 3 --search_no_caching --old_style_labels "
            f"-f {model}"
        ).finish()
        for path in (data, cache):
            path.unlink(missing_ok=True)
        return f"{iterations} passes"

    @staticmethod
    def _lines(text: str, labels: list[str]) -> str:
        """A line a word, and one more a sentence: the parser leaves the last one unattached.

        Heads and labels are one number, `--old_style_labels`: it takes no other."""
        numbers = {label: number for number, label in enumerate(labels, 1)}

        def lines(sentence: list[list[str]]) -> Iterator[str]:
            for word in sentence:
                form = re.sub(r"[:|\s]", "_", word[1])
                yield f"{256 * numbers.get(word[7], 1) + int(word[6]) + 1} |w {form} |p {word[3]}\n"
            root = next(word[0] for word in sentence if word[6] == "0")
            yield f"{256 + int(root) + 1} |w END |p END\n"

        return "\n".join("".join(lines(sentence)) for sentence in _sentences(text))

    def load(self, model: Path, start: str) -> Parse:
        import vowpalwabbit

        labels = model.with_suffix(".labels").read_text(encoding="utf-8").split("\n")

        def parse(text: str) -> str:
            data, output = model.with_suffix(".input"), model.with_suffix(".output")
            data.write_text(self._lines(text, labels), encoding="utf-8")
            vowpalwabbit.Workspace(f"--quiet -t -i {model} -d {data} -p {output}").finish()
            return _with_trees(text, output.read_text(encoding="utf-8").strip().split("\n\n"), labels)

        return parse


class Malt(Kind):
    """MaltParser, from a jar that $MALTPARSER names."""

    starts = (GOLD_TAGS,)
    looks_at = "gold XPOS"

    def missing(self) -> str:
        return "" if os.environ.get("MALTPARSER") else "$MALTPARSER names no jar"

    def version(self) -> str:
        found = re.search(r"\d[\d.]*\d", Path(os.environ["MALTPARSER"]).name)
        return found[0] if found else ""

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        data = model.with_suffix(".conll")
        data.write_text(_conll_x(train.read_text(encoding="utf-8")), encoding="utf-8")
        self._run(model, "-m", "learn", "-i", str(data), "-a", "nivreeager", "-l", "liblinear")
        model.write_text("The model is in the .mco file beside this one.\n")
        return "its defaults, arc-eager, liblinear"

    def load(self, model: Path, start: str) -> Parse:
        def parse(text: str) -> str:
            data, output = model.with_suffix(".input"), model.with_suffix(".output")
            data.write_text(_conll_x(text), encoding="utf-8")
            self._run(model, "-m", "parse", "-i", str(data), "-o", str(output))
            return output.read_text(encoding="utf-8")

        return parse

    @staticmethod
    def _run(model: Path, *arguments: str) -> None:
        jar = Path(os.environ["MALTPARSER"]).resolve()
        command = ["java", "-jar", str(jar), "-c", model.stem, *arguments]
        subprocess.run(command, cwd=model.parent, check=True, stdout=subprocess.DEVNULL)


class Stanza(Kind):
    """Stanza with its own English model, if it was downloaded."""

    package = "stanza"
    module = "stanza"
    starts = (RAW_TEXT,)
    looks_at = "trained on more than EWT"

    def missing(self) -> str:
        if missing := super().missing():
            return missing
        from stanza.resources.common import DEFAULT_MODEL_DIR

        there = (Path(DEFAULT_MODEL_DIR) / "en" / "depparse").is_dir()
        return "" if there else "its English model is not downloaded"

    def train(self, train: Path, model: Path, start: str, iterations: int) -> str:
        return "its own model"

    def load(self, model: Path, start: str) -> Parse:
        import stanza

        nlp = stanza.Pipeline(
            "en",
            processors="tokenize,mwt,pos,lemma,depparse",
            use_gpu=False,
            download_method=None,
            verbose=False,
        )
        return lambda text: f"{nlp(text):C}\n\n"


KINDS: dict[str, Kind] = {
    "arcwise default": Arcwise(preset="default"),
    "arcwise fast": Arcwise(preset="fast"),
    "arcwise turbo": Arcwise(preset="turbo"),
    "arcwise linear": Arcwise(learner="perceptron"),
    "arcwise en": ArcwiseEnglish(),
    "UDPipe, beam 5": Udpipe(),
    "UDPipe, greedy": Udpipe(beam=1),
    "spaCy": Spacy(),
    "Vowpal Wabbit": VowpalWabbit(),
    "MaltParser": Malt(),
    "Stanza": Stanza(),
}


def _sentences(text: str) -> Iterator[list[list[str]]]:
    """The columns of the words of each sentence of CoNLL-U."""
    for block in text.strip().split("\n\n"):
        lines = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        yield [columns for columns in lines if columns[0].isdigit()]


def _columns(text: str) -> Iterator[tuple[list[str], list[bool], list[int], list[str]]]:
    """Forms, whether a space follows, heads (counted from 0, a root its own) and labels."""
    for sentence in _sentences(text):
        heads = [int(word[6]) - 1 if word[6] not in "0_" else place for place, word in enumerate(sentence)]
        spaces = ["SpaceAfter=No" not in word[9] for word in sentence]
        yield [word[1] for word in sentence], spaces, heads, [word[7] for word in sentence]


def _conll_x(text: str) -> str:
    return "\n".join("".join("\t".join(word) + "\n" for word in own) for own in _sentences(text))


def _with_trees(text: str, found: list[str], labels: list[str]) -> str:
    """CoNLL-U with the heads and labels that were found, HEAD:LABEL a word and one more a sentence."""
    lines = []
    for sentence, own in zip(_sentences(text), found, strict=True):
        for word, arc in zip(sentence, own.split()[:-1], strict=True):
            head, label = arc.split(":")
            lines.append("\t".join([*word[:6], head, labels[int(label) - 1], *word[8:]]))
        lines.append("")
    return "\n".join(lines) + "\n"
