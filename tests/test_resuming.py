"""Runs of `arcwise train` that are broken off and taken up again: the same model of the same data or none."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path

import pytest

from arcwise import ModelError, ParserOptions, Treebank, cli, hc, training
from arcwise.cli.interrupts import HeldInterrupts, Interrupted

COMMON = ["--epochs=2", "--threads=1", "--jobs=1", "--quiet", "--licence=CC0", "--segmenter=epochs=2"]
NETWORK = ["--width=16", "--hidden=16", "--batch=100"]
APART = ["--tagger=epochs=2,width=16,hidden=16", "--tag-folds=2"]
HC = ["--search=hc", "--learner=adagrad", "--beam=4", "--folds=2", "--rank-epochs=1", "--rank-bits=12"]
RUNS = {
    "shared": [*COMMON, *NETWORK],
    "apart": [*COMMON, *NETWORK, *APART],
    "hc": [*COMMON, *APART, *HC],
}
LAST_PARTS = {"shared": "m.arc.parts/segmenter.part", "apart": "m.arc.parts/jackknifed.part"}
LAST_PARTS["hc"] = "m.arc.hc/parser.part"


@pytest.fixture(autouse=True)
def here(garden: Treebank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with small treebanks."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(training, "WORDS_A_STEP", 100)
    garden[:24].write("train.conllu")
    garden[24:30].write("dev.conllu")
    return tmp_path


def train(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit:
        cli.main(["train", "train.conllu", "-o", "m.arc", *arguments])
    return int(exit.value.code or 0)


def break_off(monkeypatch: pytest.MonkeyPatch, when: Callable[[], bool], *arguments: str) -> int:
    """Interrupts a run at the first moment, of those at which it can be, when this holds."""

    def check(held: HeldInterrupts) -> None:
        if when():
            raise Interrupted(2)

    with monkeypatch.context() as patch:
        patch.setattr(HeldInterrupts, "check", check)
        return train(*arguments)


def change(path: str, old: str, new: str) -> None:
    """Changes one value in a treebank; there are as many words and sentences as before."""
    text = Path(path).read_text(encoding="utf-8")
    assert old in text
    Path(path).write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize("dev", [[], ["--dev=dev.conllu"]], ids=["alone", "dev"])
@pytest.mark.parametrize("how", RUNS)
def test_a_run_goes_on_from_any_moment_to_the_same_bytes(here, monkeypatch, how, dev):
    options = [*RUNS[how], *dev]
    assert train(*options) == 0
    whole = Path("m.arc").read_bytes()
    Path("m.arc").unlink()
    for moment in itertools.count(1, 3):
        seen = itertools.count(1)
        if break_off(monkeypatch, lambda seen=seen, moment=moment: next(seen) == moment, *options) == 0:
            break
        if not list(here.glob("m.arc.*")):
            continue  # there was nothing to keep yet
        assert train(*options, "--resume") == 0
        assert Path("m.arc").read_bytes() == whole, moment
        assert {path.name for path in here.iterdir()} == {"train.conllu", "dev.conllu", "m.arc"}
        Path("m.arc").unlink()
    assert moment > 9


@pytest.mark.parametrize("how", RUNS)
@pytest.mark.parametrize("name", ["train.conllu", "dev.conllu"])
def test_what_was_made_from_other_treebanks_is_refused_and_stays(monkeypatch, capfd, how, name):
    options = [*RUNS[how], "--dev=dev.conllu"]
    assert break_off(monkeypatch, Path(LAST_PARTS[how]).exists, *options) == 130
    before = Path(name).read_bytes()
    change(name, "\tNOUN\t", "\tPROPN\t")
    capfd.readouterr()
    assert train(*options, "--resume") == 1
    error = capfd.readouterr().err
    assert "other treebanks or with other options" in error and "without what is stored (--resume)" in error
    assert not Path("m.arc").exists()
    Path(name).write_bytes(before)
    assert train(*options, "--resume") == 0


@pytest.mark.parametrize("how", ["apart", "hc"])
@pytest.mark.parametrize(
    "other", ["--tag-folds=3", "--tagger=epochs=1,width=16,hidden=16", "--segmenter=epochs=1", "--seed=2"]
)
def test_what_was_made_with_other_options_is_refused(monkeypatch, capfd, how, other):
    assert break_off(monkeypatch, Path(LAST_PARTS[how]).exists, *RUNS[how]) == 130
    assert train(*RUNS[how], other, "--resume") == 1
    assert "other treebanks or with other options" in capfd.readouterr().err


def test_a_checkpoint_of_an_earlier_run_does_not_stand_in_the_way(monkeypatch):
    options = RUNS["apart"]
    assert break_off(monkeypatch, Path(LAST_PARTS["apart"]).exists, *options, "--seed=2") == 130
    assert Path("m.arc.checkpoint").exists()
    tagged = Path("m.arc.parts/tagger.part")
    assert break_off(monkeypatch, lambda: not Path("m.arc.checkpoint").exists() and tagged.exists(), *options)
    assert train(*options, "--resume") == 0


def test_a_damaged_part_is_named(monkeypatch, capfd):
    part = Path(LAST_PARTS["apart"])
    assert break_off(monkeypatch, part.exists, *RUNS["apart"]) == 130
    part.write_bytes(part.read_bytes()[:-10])
    assert train(*RUNS["apart"], "--resume") == 1
    assert f"{part} is damaged: remove it, and it is made again" in capfd.readouterr().err
    part.unlink()
    assert train(*RUNS["apart"], "--resume") == 0


def test_candidates_of_other_templates_are_refused(garden, here):
    templates = here / "templates"
    options = ParserOptions.of(learner="perceptron", epochs=1, features=str(templates))
    templates.write_text("S0.form N0.form\n")
    hc.cross_validate(garden[:12], options, folds=2, beam=2, store=here)
    templates.write_text("S0.form N0.upos\n")
    with pytest.raises(ModelError, match="other options"):
        hc.cross_validate(garden[:12], options, folds=2, beam=2, store=here)
