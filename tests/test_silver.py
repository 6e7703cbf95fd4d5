"""Silver trees: what is learnt from them and what is not, how they are read, and runs that are broken off."""

from __future__ import annotations

import gzip
import lzma
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import OptionError, Parser, Pipeline, Treebank, TreebankError, cli, silver, training
from arcwise.options import ParserOptions, SilverOptions
from arcwise.options.tagger import TaggerOptions
from arcwise.silver import SilverTrees
from arcwise.training import Training
from trained import Interrupted, interrupted_after, las

SMALL: dict[str, Any] = {"width": 16, "hidden": 16, "epochs": 3, "batch": 60, "shown_tags": 0.1}
COLUMNS = ("lemma", "upos", "xpos", "feats")


@pytest.fixture(scope="module")
def gold(garden: Treebank) -> Treebank:
    return garden[:20]


@pytest.fixture(scope="module")
def trees(garden: Treebank) -> Treebank:
    """As if a parser had made them."""
    return garden[20:70]


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Several to a pass."""
    monkeypatch.setattr(silver, "CHUNK_WORDS", 100)


def start(gold: Treebank, trees: Any, *, tagger: bool = True, threads: int = 1, **changes: Any) -> Training:
    options = ParserOptions.of(**{**SMALL, **changes})
    along = TaggerOptions() if tagger else None
    return Training(gold, options=options, tagger=along, silver=trees, threads=threads)


def learnt(run: Training) -> dict[str, bytes]:
    """All that a run has learnt."""
    parser = run.finish()
    arrays = {f"parser.{name}": array.tobytes() for name, array in parser._arrays.items()}
    if (tagger := run.tagger()) is not None:
        arrays |= {f"tagger.{name}": array.tobytes() for name, array in tagger._arrays.items()}
    return arrays


def rewritten(treebank: Treebank, change: Callable[[int, list[str]], None]) -> Treebank:
    """The treebank with the columns of each word, numbered from 0, changed."""
    lines, number = [], 0
    for line in treebank.to_string().split("\n"):
        columns = line.split("\t")
        if columns[0].isdigit():
            change(number, columns)
            number += 1
        lines.append("\t".join(columns))
    return Treebank.from_string("\n".join(lines), check_trees=False)


FORM, LEMMA, UPOS, XPOS, FEATS, HEAD, DEPREL, MISC = 1, 2, 3, 4, 5, 6, 7, 9


@settings(max_examples=5)
@given(seed=st.integers(0, 1000))
def test_what_a_parser_was_not_sure_of_costs_nothing_whatever_it_was(gold, trees, seed):
    """Unsure words may have any head, label and tags, or none: the same is learnt."""
    draw = np.random.default_rng(seed)
    unsure = draw.random((3, trees.word_count)) < 0.3

    def nonsense(word: int, columns: list[str]) -> None:
        misc = []
        if unsure[0, word]:
            columns[HEAD], columns[DEPREL] = "0", "root"
            misc.append("HeadProb=0.1|DeprelProb=0.1")
        elif unsure[1, word]:
            columns[DEPREL] = "vocative"
            misc.append("HeadProb=0.9|DeprelProb=0.4")
        if unsure[2, word]:
            columns[LEMMA], columns[UPOS], columns[XPOS], columns[FEATS] = "x", "VERB", "VBD", "Tense=Past"
            misc.append("TagProb=0.3")
        columns[MISC] = "|".join(misc) or "_"

    def nothing(word: int, columns: list[str]) -> None:
        if unsure[0, word]:
            columns[HEAD] = columns[DEPREL] = "_"
        if unsure[1, word]:
            columns[DEPREL] = "_"
        if unsure[2, word]:
            columns[LEMMA] = columns[UPOS] = columns[XPOS] = columns[FEATS] = "_"
        columns[MISC] = "_"

    # Vectors are given to the same words, and tags that are shown would be others.
    how = {"shown_tags": 0.0, "tokens": "lower suffix", "epochs": 2}
    masked = learnt(start(gold, rewritten(trees, nonsense), silver_min_confidence=0.5, **how))
    assert masked == learnt(start(gold, rewritten(trees, nothing), **how))
    assert masked != learnt(start(gold, trees, **how))


def test_the_weight_is_that_of_decisions_in_the_mean_gradient(gold, trees):
    """It is (G + w S) / (g + w s) for the gradients G and S of g gold and s silver decisions."""
    plain = {"dropout": 0.0, "hidden_dropout": 0.0, "word_dropout": 0.0, "clip": 1e6, "batch": 1000}

    def gradient(weight: float) -> Any:
        run = start(gold, trees, tagger=False, silver_weight=weight, shown_tags=1.0, **{**plain, "epochs": 2})
        assert run._core.run(1).words == 0 and run._core.wanted_silver == 0
        run._give_silver(0)
        assert run._core.run(1).words > silver.CHUNK_WORDS  # a batch of both
        state = run._core.state()
        assert state["steps"] == 1
        return state["learner"]["dense.first"].view(np.float32).astype(np.float64)  # a share of it

    f = {weight: gradient(weight) for weight in (0.25, 0.5, 0.75, 1.0)}
    # With r = s / g, f(w) (1 + w r) lies on a line: that tells r, by three points, and then a fourth.
    bend = 0.75 * f[0.75] - 2 * 0.5 * f[0.5] + 0.25 * f[0.25]
    r = -bend @ (f[0.75] - 2 * f[0.5] + f[0.25]) / (bend @ bend)
    assert 1.5 < r < 3  # there are 417 silver words and 173 gold ones
    line = {weight: values * (1 + weight * r) for weight, values in f.items()}
    off = np.abs(line[1.0] - (2 * line[0.75] - line[0.5])).max()
    assert off < 1e-3 * np.abs(line[1.0] - line[0.5]).max()


def test_labels_tags_and_rules_of_lemmas_are_those_of_gold_trees(gold, trees):
    def others(word: int, columns: list[str]) -> None:
        columns[LEMMA], columns[UPOS], columns[XPOS] = "new" + columns[FORM], "NEW", "NEW"
        columns[FEATS], columns[DEPREL] = "New=Yes", "new"

    def nothing(word: int, columns: list[str]) -> None:
        columns[LEMMA] = columns[UPOS] = columns[XPOS] = columns[FEATS] = columns[DEPREL] = "_"

    how = {"shown_tags": 0.0, "tokens": "lower suffix", "epochs": 2}
    run = start(gold, rewritten(trees, others), **how)
    assert learnt(run) == learnt(start(gold, rewritten(trees, nothing), **how))
    alone = start(gold, None, **how)
    assert run.parser().info.labels == alone.finish().info.labels
    assert run.tagger().info.analyses == alone.tagger().info.analyses
    assert run.tagger().info.rules == alone.tagger().info.rules


def test_features_that_no_word_has_are_not_said_to_be_absent(gold, trees):
    """A file without any FEATS says nothing of them; in one with some, `_` says that a word has none."""

    def with_features(feats: Callable[[int], str]) -> dict[str, bytes]:
        def change(word: int, columns: list[str]) -> None:
            columns[FEATS] = feats(word)

        how = {"shown_tags": 0.0, "tokens": "lower suffix", "epochs": 2}
        return learnt(start(gold, rewritten(trees, change), **how))

    unknown = with_features(lambda word: "New=Yes")
    assert with_features(lambda word: "_") == unknown
    assert with_features(lambda word: "_" if word else "New=Yes") != unknown


def test_silver_trees_teach(garden, garden_dev, gold):
    how: dict[str, Any] = {"epochs": 8, "width": 32, "hidden": 32, "batch": 100}
    alone = las(start(gold, None, **how).finish(), garden_dev)
    assert las(start(gold, garden[20:], silver_weight=1, **how).finish(), garden_dev) > alone + 0.05


@pytest.mark.parametrize("tagger", [True, False])
def test_files_of_any_kind_teach_what_a_treebank_in_memory_does(gold, trees, tmp_path, monkeypatch, tagger):
    text = trees.to_bytes()
    (tmp_path / "plain.conllu").write_bytes(text)
    (tmp_path / "one.conllu.xz").write_bytes(lzma.compress(text))
    (tmp_path / "two.conllu.gz").write_bytes(gzip.compress(text))
    whole = start(gold, trees, tagger=tagger)
    expected = learnt(whole)
    assert whole.silver.chunk_count > 3
    monkeypatch.setattr(silver, "_BATCH_BYTES", 1000)  # parts that have nothing to do with chunks
    for name in ("plain.conllu", "one.conllu.xz", "two.conllu.gz"):
        run = start(gold, tmp_path / name, tagger=tagger)
        assert learnt(run) == expected
        assert run.silver.fingerprint == whole.silver.fingerprint
    assert learnt(start(gold, trees, tagger=tagger, threads=2)) == expected


def test_several_files_are_read_one_after_the_other(trees, tmp_path):
    trees[:20].write(tmp_path / "a.conllu")
    trees[20:].write(tmp_path / "b.conllu")
    both = SilverTrees([tmp_path / "a.conllu", tmp_path / "b.conllu"])
    assert (both.sentences, both.words) == (len(trees), trees.word_count)
    chunks = [chunk.to_string() for chunk in both.chunks()]
    assert chunks == [chunk.to_string() for chunk in SilverTrees.of(trees).chunks()]
    assert "".join(chunks) == trees.to_string()
    assert both.name == "a.conllu and 1 more"


def test_chunks_are_numbered_through_all_passes(trees):
    own = SilverTrees.of(trees)
    count = own.chunk_count
    assert count > 3
    once = [own.chunk(number).to_string() for number in range(count)]
    assert "".join(once) == trees.to_string()
    # In any order, and again.
    for number in (2, 2, 0, count, 2 * count + 1, count - 1):
        assert own.chunk(number).to_string() == once[number % count]
    assert all(own.chunk(n).word_count >= silver.CHUNK_WORDS for n in range(count - 1))


def test_variants_of_silver_sentences_differ_from_pass_to_pass(garden, trees):
    own = SilverTrees.of(trees).with_variants_as_in(garden, 0.5, seed=3)
    first, again = own.chunk(0), own.chunk(own.chunk_count)
    plain = SilverTrees.of(trees).chunk(0)
    assert first.to_string().startswith(plain.to_string()) and len(first) > len(plain)
    assert again.to_string() != first.to_string()
    assert own.chunk(0).to_string() == first.to_string()
    assert own.words == trees.word_count and own.words_seen == round(1.5 * trees.word_count)


def test_epochs_are_of_gold_trees_with_silver_ones_evenly_beside(gold, trees):
    run = start(gold, trees, epochs=5, silver_passes=2.5, gold_epochs=2, batch=40)
    run.finish()
    words = [epoch.words for epoch in run.history]
    assert words[3:] == [gold.word_count] * 2
    longest = max(len(sentence) for sentence in trees)
    for epoch in (1, 2, 3):
        assert abs(sum(words[:epoch]) - run.words_until(epoch)) <= 40 + longest
    assert run.words_until(5) == 5 * gold.word_count + round(2.5 * trees.word_count)


def test_as_many_passes_as_make_ten_million_words_and_the_last_fifth_of_epochs_alone():
    def planned(epochs: int, words: int, **given: Any) -> tuple[float | None, int | None]:
        own = SilverOptions(**given).planned(epochs, words)
        return own.passes, own.gold_epochs

    assert planned(20, 4_000_000) == (2.5, 4)
    assert planned(20, 400_000) == (16, 4)  # once in an epoch
    assert planned(20, 40_000_000) == (1, 4)
    assert planned(2, 1000) == (1, 1)
    assert planned(1, 1000) == (1, 0)
    assert planned(20, 4_000_000, passes=4.0, gold_epochs=0) == (4, 0)


def test_the_vocabulary_grows_by_no_more_than_it_may(gold, trees):
    def keys_of(parser):
        return {bytes(key) for key in parser._arrays["keys"].reshape(-1, 5)}

    keys = {
        words: keys_of(start(gold, trees, silver_words=words, epochs=2).finish()) for words in (0, 7, 1000)
    }
    alone = keys_of(start(gold, None, epochs=2).finish())
    assert keys[0] == alone
    assert alone < keys[7] < keys[1000]
    # So many words, of which the treebank may have some already, and as many other inputs.
    assert len(alone) + 7 <= len(keys[7]) <= len(alone) + 14


@pytest.mark.parametrize("tagger", [True, False])
def test_a_run_that_is_broken_off_goes_on_to_the_same_model(gold, trees, tmp_path, monkeypatch, tagger):
    monkeypatch.setattr(training, "WORDS_A_STEP", 100)
    trees.write(tmp_path / "silver.conllu")
    how: dict[str, Any] = {"tagger": tagger, "silver_passes": 3}
    whole = learnt(start(gold, tmp_path / "silver.conllu", **how))
    broken_off = 0
    for steps in (1, 4, 7, 12, 15):
        run = start(gold, tmp_path / "silver.conllu", **how)
        with pytest.raises(Interrupted):
            for _ in run.epochs(interrupted_after(steps)):
                pass
        run.save_checkpoint(tmp_path / "run.checkpoint")
        again = start(gold, tmp_path / "silver.conllu", **how)
        again.resume(tmp_path / "run.checkpoint")
        assert learnt(again) == whole, steps
        broken_off += 1
    assert broken_off == 5


def test_a_run_goes_on_with_the_same_silver_trees_only(gold, trees, tmp_path):
    run = start(gold, trees)
    next(run.epochs())
    run.save_checkpoint(tmp_path / "run.checkpoint")
    for other in (trees[1:], None):
        with pytest.raises(Exception, match="other silver trees"):
            start(gold, other).resume(tmp_path / "run.checkpoint")


def test_a_model_says_what_it_was_trained_on(gold, trees, tmp_path, capsys):
    trees.write(tmp_path / "silver.conllu")
    nlp = Pipeline.train(
        gold,
        silver=tmp_path / "silver.conllu",
        components=["tagger", "parser"],
        progress=False,
        silver_weight=0.5,
        **SMALL,
    )
    nlp.save(tmp_path / "m.arc")
    info = Pipeline.load(tmp_path / "m.arc").parser.info
    assert info.training["silver"] == {
        "file": "silver.conllu",
        "sentences": len(trees),
        "words": trees.word_count,
        "fingerprint": SilverTrees.of(trees).fingerprint,
    }
    assert info.options.silver == SilverOptions(weight=0.5, passes=2.0, gold_epochs=1)
    with pytest.raises(SystemExit):
        cli.main(["info", str(tmp_path / "m.arc")])
    told = re.sub(r"\s+", " ", capsys.readouterr().out)
    assert "silver.conllu" in told and "seen 2 times with weight 0.5" in told


def test_without_silver_trees_nothing_is_said_of_them(gold):
    parser = Parser.train(gold, **SMALL)
    assert "silver" not in parser.info.training and "silver" not in parser.info.options.to_dict()


def test_the_command_line_trains_with_silver_trees(gold, trees, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    gold.write("gold.conllu")
    Path("silver.conllu.xz").write_bytes(lzma.compress(trees.to_bytes()))
    flags = ["--width=16", "--hidden=16", "--epochs=3", "--segmenter=epochs=2", "--threads=1", "--jobs=1"]
    own = ["--silver=silver.conllu.xz", "--silver-weight=0.4", "--silver-min-confidence=0.1"]
    with pytest.raises(SystemExit) as exit:
        cli.main(["train", "gold.conllu", "-o", "m.arc", *flags, *own, "--silver-passes=2"])
    assert not exit.value.code
    told = re.sub(r"\s+", " ", capsys.readouterr().err)
    assert f"beside {trees.word_count:,} words of silver trees in silver.conllu.xz, seen 2 times" in told
    assert Pipeline.load("m.arc").parser.info.options.silver.weight == 0.4


def test_an_update_knows_nothing_of_silver_trees(gold, trees):
    parser = Parser.train(gold, silver=trees, **SMALL)
    assert parser.update(gold[:2]).info.options.silver == parser.info.options.silver


def test_silver_trees_that_cannot_be_read_are_refused(gold, trees, tmp_path):
    path = tmp_path / "silver.conllu"

    def refusal(given: Any, **changes: Any) -> str:
        with pytest.raises((TreebankError, OptionError)) as caught:
            start(gold, given, tagger=False, **changes).finish()
        return str(caught.value)

    assert "does not exist" in refusal(path)
    text = trees.to_string()
    path.write_text(text.replace("\t2\tnsubj", "\t200\tnsubj", 1), encoding="utf-8")
    bad = text[: text.index("\t2\tnsubj")].count("\n") + 1
    assert f"{path}:{bad}" in refusal(path) or f"line {bad}" in refusal(path)
    skipping = SilverTrees([path], skip_bad=True)
    assert (skipping.sentences, skipping.bad) == (len(trees) - 1, 1)
    path.write_text("", encoding="utf-8")
    assert "has no silver trees" in refusal(path)
    (tmp_path / "damaged.conllu.xz").write_bytes(lzma.compress(trees.to_bytes())[:-50])
    assert "damaged" in refusal(tmp_path / "damaged.conllu.xz")
    (tmp_path / "other.conllu.gz").write_bytes(trees.to_bytes())
    assert "cannot be read" in refusal(tmp_path / "other.conllu.gz")
    assert "standard input" in refusal("-")
    assert "There are no silver trees" in refusal([])
    unknown = trees.with_trees([-1] * trees.word_count, [-1] * trees.word_count, [])
    assert "nothing to learn from" in refusal(unknown)


def test_what_does_not_go_with_silver_trees_is_refused(gold, trees):
    def refusal(**changes: Any) -> str:
        with pytest.raises(OptionError) as caught:
            Pipeline.train(gold, progress=False, **changes)
        return str(caught.value)

    assert "does not learn from silver trees" in refusal(
        silver=trees, components=["parser"], learner="perceptron"
    )
    assert "share a network" in refusal(silver=trees, separate_tagger=True)
    assert "none is trained" in refusal(silver=trees, components=["tagger"])
    assert "name a file (silver)" in refusal(silver_weight=0.5)
    assert "above 0 and at most 1" in refusal(silver=trees, silver_weight=0.0)
    assert "cannot be on gold trees alone" in refusal(silver=trees, epochs=3, gold_epochs=3)
