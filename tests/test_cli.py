"""The command line: what people and scripts see of it, and what it leaves on the disk.

What is to be seen word for word is in `golden/`; `pytest --update-golden` writes it anew.
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import arcwise
from arcwise import ParserOptions, Treebank, _progress, cli, hc, training
from arcwise.cli import report, train
from arcwise.cli.flags import names_of
from arcwise.draw import draw_all
from arcwise.evaluation import compare
from arcwise.json_output import treebank_to_json
from arcwise.learners import learner
from arcwise.network import DEFAULT_STATES
from arcwise.options import KINDS, PRESETS, SystemOptions
from arcwise.options.network import ALONE
from arcwise.options.parser import places
from arcwise.options.ranking import RankingOptions
from arcwise.recipe import pipeline_training
from treebank_texts import line, sentence

PROJECT = Path(__file__).resolve().parents[1]
GARDEN = PROJECT / "examples" / "garden"
TRAIN, DEV = str(GARDEN / "train.conllu"), str(GARDEN / "dev.conllu")
COMMANDS = (
    "train", "distill", "parse", "evaluate", "compare", "draw", "calibrate", "suggest", "analyse", "update",
    "strip", "trace", "serve", "annotate", "info", "models", "package", "features",
)  # fmt: skip
TRAINING = ("train", "--components", "parser")
CYCLE = sentence(2, 1, 0, id="a-cycle")
COLUMNS_CUT = "1\tcut\n\n"
HEAD, DEPREL = 6, 7


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str


Arcwise = Callable[..., Result]


@pytest.fixture(autouse=True)
def _an_ordinary_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def arcwise_(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Arcwise:
    """Runs the command line in this process."""

    def run(*arguments: object, stdin: str = "") -> Result:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        capfd.readouterr()
        with pytest.raises(SystemExit) as exit:
            cli.main([str(argument) for argument in arguments])
        code = exit.value.code or 0
        assert isinstance(code, int)
        return Result(code, *capfd.readouterr())

    return run


def process(*arguments: object, program: tuple[str, ...] = ("-m", "arcwise")) -> list[str]:
    """What subprocess wants in order to run the command line from any folder."""
    return [sys.executable, *program, *map(str, arguments)]


def environment(**more: str) -> dict[str, str]:
    package = str(Path(arcwise.__file__).parents[1])
    return {**os.environ, "PYTHONPATH": os.pathsep.join([package, os.environ.get("PYTHONPATH", "")]), **more}


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of the garden, of three epochs."""
    return trained(tmp_path_factory.mktemp("model") / "garden.model")


HC = ("--search=hc", "--learner=adagrad", "--beam=8", "--folds=3", "--rank-epochs=2", "--rank-bits=14")


@pytest.fixture(scope="session")
def hc_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with a ranker."""
    return trained(tmp_path_factory.mktemp("model") / "hc.model", *HC)


@pytest.fixture(scope="session")
def linear_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same from the perceptron."""
    return trained(tmp_path_factory.mktemp("model") / "linear.model", "--learner", "perceptron")


def trained(path: Path, *options: str) -> Path:
    with pytest.raises(SystemExit) as exit:
        cli.main([*TRAINING, TRAIN, "--dev", DEV, "-o", str(path), "--epochs", "3", "--quiet", *options])
    assert not exit.value.code
    return path


def without_numbers(text: str) -> str:
    """What a model learns is not for golden files: only how it is told."""
    text = text.replace(TRAIN, "TRAIN").replace(DEV, "DEV").replace(" (best)", "")
    return re.sub(r"# [kM]B", "# bytes", re.sub(r"\d[\d,.]*\d|\d", "#", text))


# Help


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_teaches_within_80_columns(command: str, arcwise_: Arcwise, golden: Callable) -> None:
    shown = arcwise_(*filter(None, [command]), "--help")
    assert shown.code == 0
    assert "Examples:" in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    golden(f"help-{command or 'arcwise'}", shown.out)


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_needs_neither_numpy_nor_rich(command: str) -> None:
    """Nor the core, unless it shows names of the core: of systems, oracles, policies or learners."""
    code = (
        "import sys; from arcwise import cli\n"
        f"try: cli.main({[*filter(None, [command]), '--help']})\n"
        "except SystemExit: print([m for m in ('numpy', 'rich', 'arcwise._core') if m in sys.modules])"
    )
    shown = subprocess.run(process("-c", code, program=()), env=environment(), capture_output=True, text=True)
    needed = ["arcwise._core"] if command in ("train", "features") else []
    assert shown.stdout.endswith(f"{needed}\n")


def test_the_package_does_not_bring_the_command_line_with_it() -> None:
    code = (
        "import sys, arcwise; [getattr(arcwise, n) for n in arcwise.__all__]; print('click' in sys.modules)"
    )
    shown = subprocess.run(process("-c", code, program=()), env=environment(), capture_output=True, text=True)
    assert shown.stdout == "False\n"


def test_modules_are_found_when_they_are_asked_for() -> None:
    code = (
        "import sys, arcwise; print('numpy' in sys.modules, {'hc', 'search'} <= set(dir(arcwise)));"
        "print(arcwise.search.Task, arcwise.hc.train, arcwise.text.rebuild)"
    )
    shown = subprocess.run(process("-c", code, program=()), env=environment(), capture_output=True, text=True)
    assert shown.stdout.startswith("False True\n<class 'arcwise.search.Task'>"), shown.stderr


def test_the_package_has_every_name_that_it_lists() -> None:
    assert set(arcwise.__all__) <= set(dir(arcwise))
    assert arcwise.Treebank is Treebank
    with pytest.raises(AttributeError, match="nonsense"):
        _ = arcwise.nonsense


def test_the_version_is_that_of_the_package(arcwise_: Arcwise) -> None:
    assert arcwise_("--version").out == f"arcwise {arcwise.__version__}\n"


def test_python_m_arcwise_is_the_command() -> None:
    shown = subprocess.run(process("--version"), env=environment(), capture_output=True, text=True)
    assert shown.stdout == f"python -m arcwise {arcwise.__version__}\n"


# Training


def test_train_has_an_option_for_every_field_of_the_options() -> None:
    names = {parameter.name for parameter in train.train.params}
    assert set(names_of(ParserOptions, RankingOptions)) <= names
    assert all(set(places(kind)) <= names for kind in KINDS.values())


def test_options_without_flags_are_the_defaults_and_flags_are_kept_in_the_model(
    arcwise_: Arcwise, tmp_path: Path, model: Path
) -> None:
    own = json.loads(arcwise_("info", model, "--json").out)["options"]
    planned = learner("network").planned(ParserOptions.of(epochs=3).resolved(), 2306)
    assert own == planned.to_dict()

    linear = (
        "--system arc-eager --root first --multi-root --oracle dynamic --policy sample --k 0 --p 0.5 "
        "--learner adagrad --alpha 0.5 --rho 0.02 --penalty 1e-5 --cutoff 0.01 --features zn2011 "
        "--nonprojective skip --encoding head+path --epochs 1 --seed 7"
    )
    own = options_of(linear, arcwise_, tmp_path / "m")
    assert own == {
        "system": {
            "name": "arc-eager",
            "root": "first",
            "single_root": False,
            "nonprojective": "skip",
            "encoding": "head+path",
        },
        "policy": {"name": "sample", "oracle": "dynamic", "k": 0, "p": 0.5},
        "learner": {
            "name": "adagrad",
            "features": "zn2011",
            "alpha": 0.5,
            "rho": 0.02,
            "penalty": 1e-5,
            "cutoff": 0.01,
        },
        "epochs": 1,
        "patience": None,
        "seed": 7,
        "leave_out": [],
    }

    (tmp_path / "some.vec").write_text("the 0.5 1\ngarden 1 0.5\n", encoding="utf-8")
    networks = (
        f"--system arc-hybrid --learner network --encoder conv --layers 1 --window 2 --width 16 --hidden 32 "
        f"--tokens form:suffix:upos --affixes 2 --states S0:N0:S0~N0.distance --rate 0.01 --decay 0.1 "
        f"--average 0.9 --clip 1 --dropout 0.1 --hidden-dropout 0.2 --word-dropout 0.5 --batch 200 "
        f"--leave-out xpos --leave-out lemma --vectors {tmp_path / 'some.vec'} --vectors-limit 1 "
        f"--tune-vectors --dev {DEV} --patience 4 --epochs 1"
    )
    own = options_of(networks, arcwise_, tmp_path / "m")
    assert own["system"] == {**SystemOptions().to_dict(), "name": "arc-hybrid"}
    assert own["policy"] == {"name": "explore", "oracle": "dynamic", "k": 1, "p": 0.9}
    assert [own[name] for name in ("leave_out", "patience", "epochs")] == [["lemma", "xpos"], 4, 1]
    assert own["learner"] == {
        "name": "network",
        "encoder": "conv",
        "layers": 1,
        "window": 2,
        "width": 16,
        "hidden": 32,
        "tokens": "form suffix upos",
        "affixes": 2,
        "states": "S0 N0 S0~N0.distance",
        "rate": 0.01,
        "decay": 0.1,
        "average": 0.9,
        "clip": 1.0,
        "dropout": 0.1,
        "hidden_dropout": 0.2,
        "word_dropout": 0.5,
        "shown_tags": 1.0,
        "batch": 200,
        "vectors": str(tmp_path / "some.vec"),
        "vectors_limit": 1,
        "tune_vectors": True,
        "embedding_bits": None,
    }


def options_of(flags: str, arcwise_: Arcwise, path: Path) -> dict[str, Any]:
    """The options in the model that is trained with some flags; a colon stands for a space in one of them."""
    arguments = [flag.replace(":", " ") for flag in flags.split()]
    assert arcwise_(*TRAINING, TRAIN, "-o", path, *arguments).code == 0
    options = json.loads(arcwise_("info", path, "--json").out)["options"]
    assert isinstance(options, dict)
    return options


def test_flags_win_over_a_preset(arcwise_: Arcwise, tmp_path: Path) -> None:
    preset = PRESETS["fast"]
    own = options_of("--preset fast --epochs 1 --width 64", arcwise_, tmp_path / "m")["learner"]
    assert own["hidden"] == preset["hidden"] != ALONE["hidden"]
    assert own["width"] == 64 != preset["width"]


def test_no_tags_leaves_out_all_columns_but_the_words(arcwise_: Arcwise, tmp_path: Path) -> None:
    own = options_of("--no-tags --learner perceptron --epochs 1", arcwise_, tmp_path / "m")
    assert own["leave_out"] == ["lemma", "upos", "xpos", "feats"]
    text = Treebank.from_words([["Ruth", "sings"]]).to_string()
    assert arcwise_("parse", tmp_path / "m", stdin=text).err == ""


def test_training_ends_when_patience_does(arcwise_: Arcwise, tmp_path: Path) -> None:
    # A learning rate of next to nothing: no epoch is better than the first.
    command = (*TRAINING, TRAIN, "--dev", DEV, "-o", tmp_path / "m", "--rate", 1e-12, "--average", 0)
    told = arcwise_(*command, "--width", 16, "--hidden", 16, "--epochs", 9, "--patience", 2)
    assert told.code == 0
    assert "Kept epoch 1 of 3 " in told.err
    assert "3 of 9 epochs" in arcwise_("info", tmp_path / "m").out


def test_training_tells_in_plain_lines_what_it_does(
    arcwise_: Arcwise, tmp_path: Path, golden: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = arcwise_(*TRAINING, TRAIN, "--dev", DEV, "-o", "garden.model", "--epochs", 2)
    assert (told.code, told.out) == (0, "")
    assert "254 sentences, 2,306 words; 0 sentences left out; 7 arcs lifted; single root" in told.err
    golden("train", without_numbers(told.err))
    told = arcwise_(*TRAINING, TRAIN, "--dev", DEV, "-o", "m", "--epochs", 1, "--learner", "perceptron")
    golden("train-linear", without_numbers(told.err))
    beam = "--learner perceptron --train-beam 4 --violation early --relaxed --negative worst"
    told = arcwise_(*TRAINING, TRAIN, "--dev", DEV, "-o", "m", "--epochs", 1, *beam.split())
    golden("train-beam", without_numbers(told.err))
    told = arcwise_(
        *("train", TRAIN, "-o", "garden.model", "--epochs", 2, "--nonprojective", "skip", "--no-tags"),
        *("--augment", 0),
    )
    assert "without LEMMA, UPOS, XPOS, FEATS" in told.err
    assert (
        "247 sentences" in told.err
        and "7 sentences left out" in told.err
        and "Kept epoch 2 of 2:" in told.err
    )


def test_quiet_training_says_nothing(arcwise_: Arcwise, tmp_path: Path) -> None:
    assert arcwise_(*TRAINING, DEV, "-o", tmp_path / "m", "--epochs", 1, "--quiet") == Result(0, "", "")


def test_training_on_a_terminal_shows_a_table_and_a_bar(tmp_path: Path) -> None:
    # Long enough for a bar to appear.
    shown = on_a_terminal(*TRAINING, TRAIN, "--dev", DEV, "-o", tmp_path / "m", "--epochs", 90)
    assert re.search(r"epoch +loss +wrong +dev UAS +dev LAS +words/s", shown)
    assert re.search(r"parser .*━.*epoch \d+/90", shown)
    assert "\x1b[32m" in shown  # green: a better epoch


def test_no_color_is_respected(tmp_path: Path) -> None:
    shown = on_a_terminal(*TRAINING, TRAIN, "-o", tmp_path / "m", "--epochs", 2, NO_COLOR="1")
    assert not re.search(r"\x1b\[(\d+;)*[349]\dm", shown)


def on_a_terminal(*arguments: object, **more: str) -> str:
    """What a terminal of 80 columns gets to see on standard error."""
    leader, follower = pty.openpty()
    environ = environment(TERM="xterm-256color", **more)
    with subprocess.Popen(process(*arguments), stdout=subprocess.DEVNULL, stderr=follower, env=environ):
        os.close(follower)
        shown = b""
        try:
            while chunk := os.read(leader, 65536):
                shown += chunk
        except OSError:  # the other end is closed
            pass
    os.close(leader)
    return shown.decode()


def test_the_same_command_gives_the_same_model(arcwise_: Arcwise, tmp_path: Path, model: Path) -> None:
    arcwise_(*TRAINING, TRAIN, "--dev", DEV, "-o", tmp_path / "m", "--epochs", 3, "--threads", 3)
    assert (tmp_path / "m").read_bytes() == model.read_bytes()


def interrupt_at(step: int, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sends this process a signal in a step of training."""
    steps = iter(range(1, step + 1))
    original = report.Report.step

    def counting(self: report.Report, epoch: int, words: int) -> None:
        original(self, epoch, words)
        if next(steps, None) == step:
            os.kill(os.getpid(), number)

    monkeypatch.setattr(report.Report, "step", counting)


@pytest.mark.parametrize(
    "options",
    [
        "--width 16 --hidden 16 --batch 200",
        "--learner perceptron",
        "--learner adagrad",
        "--learner perceptron --train-beam 2",
        "--system easy-first",
        f"--learner perceptron --dev {DEV}",
    ],
)
@pytest.mark.parametrize(
    ("step", "number"),
    [(1, signal.SIGINT), (3, signal.SIGINT), (7, signal.SIGTERM), (9, signal.SIGINT), (10, signal.SIGTERM)],
)
def test_an_interrupted_and_resumed_run_ends_in_the_same_model(
    step: int, number: int, options: str, arcwise_: Arcwise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "WORDS_A_STEP", 800)  # three steps an epoch
    monkeypatch.chdir(tmp_path)
    command = (*TRAINING, TRAIN, "--epochs", 4, *options.split())
    assert arcwise_(*command, "-o", "whole.model").code == 0

    with monkeypatch.context() as patch:
        interrupt_at(step, number, patch)
        broken = arcwise_(*command, "-o", "broken.model")
    assert broken.code == 128 + number
    assert not Path("broken.model").exists()
    assert "the run is stored in broken.model.checkpoint" in broken.err
    assert f"Go on with: arcwise {' '.join(TRAINING)} {TRAIN}" in broken.err
    assert broken.err.endswith("--resume\n")

    assert arcwise_(*command, "-o", "broken.model", "--resume").code == 0
    assert Path("broken.model").read_bytes() == Path("whole.model").read_bytes()
    assert not Path("broken.model.checkpoint").exists()


def test_a_signal_in_the_last_epoch_s_last_step_leaves_a_checkpoint_that_ends_at_once(
    arcwise_: Arcwise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    command = (*TRAINING, TRAIN, "--dev", DEV, "-o", tmp_path / "m", "--epochs", 3)
    with monkeypatch.context() as patch:
        interrupt_at(6, signal.SIGINT, patch)
        assert arcwise_(*command).code == 130
    assert arcwise_(*command, "--resume").code == 0
    assert (tmp_path / "m").read_bytes() == model.read_bytes()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_from_outside_store_the_run(number: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "m"
    with subprocess.Popen(
        process(*TRAINING, TRAIN, "-o", path, "--epochs", 100000),
        env=environment(),
        stderr=subprocess.PIPE,
        text=True,
    ) as run:
        assert run.stderr is not None
        for told in run.stderr:
            if told.startswith("epoch 2/"):
                run.send_signal(number)
                break
        assert "--resume" in run.stderr.read()
    assert run.returncode == 128 + number
    assert [file.name for file in tmp_path.iterdir()] == ["m.checkpoint"]


def test_a_crash_loses_little_for_a_run_that_takes_minutes(
    arcwise_: Arcwise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: Path
) -> None:
    command = [*TRAINING, TRAIN, "--dev", DEV, "-o", str(tmp_path / "m"), "--epochs", "3"]

    def crash(self: report.Report, part: str, epoch: arcwise.Epoch, line: str, *, better: bool) -> None:
        if epoch.number == 3:
            raise RuntimeError

    with monkeypatch.context() as patch:
        patch.setattr(pipeline_training, "SECONDS_BETWEEN_CHECKPOINTS", 0.0)
        patch.setattr(report.Report, "epoch", crash)
        with pytest.raises(RuntimeError):
            cli.main(command)
    resumed = arcwise_(*command, "--resume")
    assert "Going on in epoch 3 of 3." in resumed.err
    assert (tmp_path / "m").read_bytes() == model.read_bytes()


def test_no_checkpoint_is_stored_within_a_minute(
    arcwise_: Arcwise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: arcwise.Training, path: Path) -> None:
        raise AssertionError

    monkeypatch.setattr(arcwise.Training, "save_checkpoint", refuse)
    assert arcwise_(*TRAINING, DEV, "-o", tmp_path / "m", "--epochs", 3).code == 0


def test_resuming_takes_the_same_run_only(
    arcwise_: Arcwise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "m"
    linear = ("--learner", "perceptron")
    missing = arcwise_(*TRAINING, TRAIN, "-o", model, "--resume")
    assert missing.code == 1
    assert (
        missing.err
        == f"Error: There is no {model}.checkpoint to go on with (--resume): start the run anew.\n"
    )

    with monkeypatch.context() as patch:
        interrupt_at(6, signal.SIGINT, patch)
        assert arcwise_(*TRAINING, TRAIN, "-o", model, "--epochs", 9, *linear).code == 130
    assert "other options" in arcwise_(*TRAINING, TRAIN, "-o", model, *linear, "--seed", 2, "--resume").err
    assert "another treebank" in arcwise_(*TRAINING, DEV, "-o", model, *linear, "--resume").err
    assert "another dev" in arcwise_(*TRAINING, TRAIN, "-o", model, *linear, "--dev", DEV, "--resume").err
    for epochs in (1, 2):
        too_few = arcwise_(*TRAINING, TRAIN, "-o", model, *linear, "--epochs", epochs, "--resume")
        assert too_few.code == 1 and f"has 2 epochs already: ask for more than {epochs}." in too_few.err
    assert Path(f"{model}.checkpoint").exists()
    afresh = arcwise_(*TRAINING, TRAIN, "-o", model, *linear, "--epochs", 2)
    assert f"{model}.checkpoint is of an earlier run" in afresh.err
    assert not Path(f"{model}.checkpoint").exists()


def test_bad_sentences_are_refused_or_skipped_and_named(arcwise_: Arcwise, tmp_path: Path) -> None:
    path = tmp_path / "some-bad.conllu"
    path.write_text(CYCLE + Path(DEV).read_text(encoding="utf-8") + COLUMNS_CUT, encoding="utf-8")
    refused = arcwise_(*TRAINING, path, "-o", tmp_path / "m")
    assert refused.code == 1 and "a-cycle" in refused.err
    skipped = arcwise_(*TRAINING, path, "-o", tmp_path / "m", "--epochs", 1, "--skip-bad")
    assert skipped.code == 0
    assert skipped.err.count("Skipped: ") == 2
    assert f"2 malformed sentences skipped in {path}." in skipped.err
    assert "43 sentences" in skipped.err


# Parsing


def columns(text: str) -> list[list[str]]:
    return [row.split("\t") for row in text.splitlines()]


def without_trees(text: str) -> list[list[str]]:
    return [row[:HEAD] + row[DEPREL + 1 :] for row in columns(text)]


def test_parsing_fills_in_head_and_deprel_and_nothing_else(arcwise_: Arcwise, model: Path) -> None:
    text = Path(DEV).read_text(encoding="utf-8")
    bare = "\n".join(
        "\t".join([*row[:HEAD], "_", "_", *row[DEPREL + 1 :]]) if len(row) == 10 else "\t".join(row)
        for row in columns(text)
    )
    parsed = arcwise_("parse", model, stdin=bare + "\n")
    assert (parsed.code, parsed.err) == (0, "")
    assert without_trees(parsed.out) == without_trees(text)
    expected = arcwise.Parser.load(model).parse(Treebank.read(DEV))
    assert parsed.out == expected.to_string()


def test_text_without_the_columns_of_the_training_is_parsed_with_a_note(
    arcwise_: Arcwise, model: Path
) -> None:
    text = Treebank.from_words([["Ruth", "sings"]]).to_string()
    parsed = arcwise_("parse", model, stdin=text)
    assert parsed.code == 0
    assert "lacks UPOS, XPOS, FEATS, with which" in parsed.err
    assert columns(parsed.out)[0][6] in {"0", "2"}


def test_parsing_gives_the_same_from_anywhere_to_anywhere(
    arcwise_: Arcwise, model: Path, tmp_path: Path
) -> None:
    expected = arcwise_("parse", model, DEV).out
    assert arcwise_("parse", model, "-", stdin=Path(DEV).read_text(encoding="utf-8")).out == expected
    assert arcwise_("parse", model, DEV, "--threads", 3).out == expected
    assert arcwise_("parse", model, DEV, "-o", tmp_path / "parsed.conllu") == Result(0, "", "")
    assert (tmp_path / "parsed.conllu").read_text(encoding="utf-8") == expected
    assert arcwise_("parse", model, DEV, tmp_path / "parsed.conllu").out == expected * 2


def test_parsing_and_scoring_take_a_beam(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    parsed = arcwise_("parse", model, DEV, "--beam", 4, "-o", tmp_path / "parsed.conllu")
    assert parsed == Result(0, "", "")
    expected = arcwise.Parser.load(model).parse(Treebank.read(DEV), beam=4)
    assert (tmp_path / "parsed.conllu").read_text(encoding="utf-8") == expected.to_string()
    assert expected.to_string() != arcwise_("parse", model, DEV).out
    scored = json.loads(arcwise_("evaluate", model, DEV, "--beam", 4, "--json", "--no-conll18").out)
    score = arcwise.Parser.load(model).evaluate(DEV, beam=4).attachment.las
    assert scored["attachment"]["las"] == score
    refused = arcwise_("evaluate", DEV, DEV, "--beam", 4)
    assert refused.code == 2 and "said of a model" in refused.err
    assert arcwise_("parse", model, DEV, "--beam", 0).code == 2
    arcwise_(
        *TRAINING,
        DEV,
        "-o",
        tmp_path / "easy",
        "--system",
        "easy-first",
        "--epochs",
        1,
        "--learner",
        "perceptron",
    )
    refused = arcwise_("parse", tmp_path / "easy", DEV, "--beam", 4)
    assert refused == Result(1, "", "Error: " + refused.err.removeprefix("Error: "))
    assert "easy-first does not" in refused.err


def test_heads_that_are_given_are_kept_if_asked(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    dev = Treebank.read(DEV)
    heads, labels = dev.heads.copy(), dev.labels.copy()
    heads[::2] = labels[::3] = -1
    half = tmp_path / "half.conllu"
    dev.with_trees(heads, labels, dev.label_names).write(half)
    whole = arcwise_("parse", model, half, "--keep-heads")
    assert (whole.code, whole.err) == (0, "")
    for given, found in zip(columns(half.read_text(encoding="utf-8")), columns(whole.out), strict=True):
        if given[0].isdigit():
            assert given[HEAD] in ("_", found[HEAD]) and found[HEAD] != "_"
            assert given[DEPREL] in ("_", found[DEPREL]) and found[DEPREL] != "_"
    assert without_trees(whole.out) == without_trees(half.read_text(encoding="utf-8"))
    assert whole.out not in (arcwise_("parse", model, half).out, dev.to_string())
    assert arcwise_("parse", model, DEV, "--keep-heads", "--beam", 4).out == dev.to_string()


def test_constraints_in_misc_are_kept_to_if_asked(arcwise_: Arcwise, model: Path) -> None:
    text = Treebank.read(DEV)[0].to_string().replace("\t_\n", "\tFixedHead=4|FixedDeprel=new\n", 1)
    parsed = arcwise_("parse", model, "--constraints", stdin=text)
    assert (parsed.code, parsed.err) == (0, "")
    [sentence] = Treebank.from_string(parsed.out)
    assert (sentence[0].head, sentence[0].deprel) == (4, "new")
    assert without_trees(parsed.out) == without_trees(text)
    assert arcwise_("parse", model, "--constraints", "--keep-heads", stdin=parsed.out) == parsed


def test_parsing_writes_probabilities_in_misc(arcwise_: Arcwise, model: Path) -> None:
    parser, treebank = arcwise.Parser.load(model), Treebank.read(DEV)
    plain = arcwise_("parse", model, DEV).out
    for options, asked in (
        (("moves",), {"probabilities": "moves"}),
        (("samples",), {"probabilities": "samples"}),
        (("samples", "--samples", 7, "--seed", 2), {"probabilities": "samples", "samples": 7, "seed": 2}),
        (("moves", "--beam", 4), {"probabilities": "moves", "beam": 4}),
    ):
        parsed = arcwise_("parse", model, DEV, "--probabilities", *options)
        assert (parsed.code, parsed.err) == (0, "")
        assert parsed.out == parser.parse(treebank, **asked).to_string()
        assert parsed.out.count("|DeprelProb=") == treebank.word_count
        if "beam" not in asked:
            without = re.sub(r"\|?HeadProb=.*", "", parsed.out)
            assert without.replace("_\n", "\n") == plain.replace("_\n", "\n")
    again = arcwise_("parse", model, "--probabilities", "moves", stdin=parsed.out).out
    assert again == arcwise_("parse", model, DEV, "--probabilities", "moves").out


def test_parsing_writes_the_best_trees_with_ranks_and_probabilities(
    arcwise_: Arcwise, model: Path, linear_model: Path
) -> None:
    parser, treebank = arcwise.Parser.load(model), Treebank.read(DEV)
    written = arcwise_("parse", model, DEV, "--nbest", 3)
    assert (written.code, written.err) == (0, "")
    trees = Treebank.from_string(written.out)
    best = [candidate for candidates in parser.nbest(treebank, 3) for candidate in candidates]
    assert len(trees) == len(best)
    for tree, (candidate, score) in zip(trees, best, strict=True):
        assert tree.heads.tolist() == candidate.heads.tolist()
        assert tree.comments[:-2] == candidate.comments
        assert tree.comments[-1] == f"# prob = {math.exp(score):.4f}"
    assert [tree.comments[-2] for tree in trees][:4] == [
        "# rank = 1",
        "# rank = 2",
        "# rank = 3",
        "# rank = 1",
    ]
    rest = "".join(line for line in written.out.splitlines(True) if not re.match("# (rank|prob) = ", line))
    assert rest == "".join(sentence.to_string() for sentence, _ in best)

    drawn = arcwise_("parse", model, DEV, "--nbest", 3, "--samples", 20)
    assert drawn.out.count("# rank = 1\n") == len(treebank)
    assert drawn.out != written.out
    once_more = arcwise_("parse", model, "--nbest", 1, stdin=drawn.out)
    assert once_more.out.count("# rank =") == drawn.out.count("# rank =")
    assert "# score = " in arcwise_("parse", linear_model, DEV, "--nbest", 2).out


def test_probabilities_that_there_are_not_are_refused(
    arcwise_: Arcwise, model: Path, linear_model: Path
) -> None:
    for options, reason in (
        (("--probabilities", "moves", "--nbest", 2), "leave out --probabilities"),
        (("--samples", 5), "give one of them"),
        (("--probabilities", "moves", "--samples", 5), "give one of them"),
        (("--seed", 5), "give --samples"),
        (("--nbest", 2, "--to", "conllx"), "CoNLL-X has no comments to tell several trees apart"),
        (("--nbest", 2, "--samples", 5, "--beam", 3), "ask for one of them"),
    ):
        refused = arcwise_("parse", model, DEV, *options)
        assert (refused.code, refused.out) == (1, "")
        assert reason in refused.err
    for options in (("--probabilities", "moves"), ("--nbest", 2, "--samples", 5)):
        refused = arcwise_("parse", linear_model, DEV, *options)
        assert (refused.code, refused.out) == (1, "")
        assert "its learner, perceptron, has only scores. Train one with the learner network" in refused.err


def test_best_trees_are_written_as_json_and_drawn(arcwise_: Arcwise, model: Path, linear_model: Path) -> None:
    best = arcwise.Parser.load(model).nbest(Treebank.read(DEV), 2)
    written = arcwise_("parse", model, DEV, "--nbest", 2, "--to", "json")
    assert written.code == 0
    found = [json.loads(line) for line in written.out.splitlines()]
    trees = [(rank, *tree) for candidates in best for rank, tree in enumerate(candidates, 1)]
    assert [one["rank"] for one in found] == [rank for rank, _, _ in trees]
    assert [one["prob"] for one in found] == pytest.approx([math.exp(s) for _, _, s in trees], abs=1e-6)
    assert [[t["head"] for t in one["tokens"]] for one in found] == [s.heads.tolist() for _, s, _ in trees]
    # The trees of a sentence stand in the same place.
    once = {
        line["sent_id"]: line
        for line in map(json.loads, arcwise_("parse", model, DEV, "--to", "json").out.splitlines())
    }
    for one in found:
        assert [t["start"] for t in one["tokens"]] == [t["start"] for t in once[one["sent_id"]]["tokens"]]
    again = arcwise_("parse", model, "--nbest", 2, stdin=arcwise_("parse", model, DEV, "--nbest", 2).out)
    assert again.code == 0
    assert "score" in json.loads(
        arcwise_("parse", linear_model, DEV, "--nbest", 2, "--to", "json").out.split("\n")[0]
    )
    drawn = arcwise_("parse", model, DEV, "--nbest", 2, "--to", "tree").out
    assert drawn.count("# rank = ") == drawn.count("# prob = ") == len(trees)


def test_json_that_was_written_is_read_again(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    expected = arcwise_("parse", model, DEV)
    lines = arcwise_("parse", model, DEV, "--to", "json").out
    document = arcwise.Document(Treebank.read(DEV)).to_json()
    for name, text in (("a.json", document), ("b.jsonl", lines), ("c", lines), ("d.txt", document)):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert arcwise_("parse", model, tmp_path / name) == expected
    for text in (document, lines, json.dumps(json.loads(document), indent=1)):
        assert arcwise_("parse", model, stdin=text) == expected
    assert arcwise_("parse", model, tmp_path / "b.jsonl", "--to", "json").out == lines
    ranked = arcwise_("parse", model, DEV, "--nbest", 2, "--to", "json").out
    again = arcwise_("parse", model, "--nbest", 1, stdin=ranked)
    assert again.code == 0 and "TokenRange" not in again.out


def test_json_of_others_is_not_taken_for_text(arcwise_: Arcwise, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"name": "value", "list": [1, 2]}')
    refused = arcwise_("parse", tmp_path / "x.json")
    assert (refused.code, refused.out) == (1, "")
    assert "x.json:1: sentence number 1: this is JSON, but not of arcwise" in refused.err
    (tmp_path / "x.json").write_text('{"tokens": [{"id": 1, "form": "Go"}]}\n{"tokens": [{}]}\n')
    refused = arcwise_("parse", tmp_path / "x.json")
    assert refused.code == 1 and "x.json:2: sentence number 2: word 1: it has no id" in refused.err
    skipped = arcwise_("parse", tmp_path / "x.json", "--skip-bad")
    assert skipped.code == 0 and skipped.out.startswith("1\tGo\t")
    assert "1 malformed sentence skipped" in skipped.err
    assert arcwise_("parse", stdin='{"Go!" he said.}').out.startswith("# newdoc")


def test_places_go_on_from_part_to_part(
    arcwise_: Arcwise, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = arcwise_("parse", model, DEV, "--to", "json").out
    (tmp_path / "lines.jsonl").write_text(expected, encoding="utf-8")
    monkeypatch.setattr("arcwise.inputs.CONLL_BYTES", 3000)
    assert arcwise_("parse", model, DEV, "--to", "json", "--threads", 2).out == expected
    assert arcwise_("parse", model, tmp_path / "lines.jsonl", "--to", "json").out == expected


def test_ranges_are_written_where_they_are_asked_for(arcwise_: Arcwise) -> None:
    text = "Go on. Don't stop.\n"
    plain, ranged = (arcwise_("parse", *more, stdin=text).out for more in ((), ("--ranges",)))
    lines = arcwise_("parse", "--to", "json", stdin=text).out
    assert '"ranges"' not in lines and arcwise_("parse", stdin=lines).out == plain
    lines = arcwise_("parse", "--to", "json", "--ranges", stdin=text).out
    assert arcwise_("parse", stdin=lines).out == ranged and "TokenRange=7:12" in ranged


def test_a_trace_shows_the_moves_of_a_sentence(
    arcwise_: Arcwise, model: Path, linear_model: Path, golden: Callable
) -> None:
    shown = arcwise_("trace", model, DEV, "--sentence", 2, "--gold", "--moves", 1)
    assert (shown.code, shown.err) == (0, "")
    trace = arcwise.Parser.load(model).trace(Treebank.read(DEV)[1], gold=Treebank.read(DEV)[1])
    assert shown.out.startswith(trace.to_text(1) + "\n\n")
    golden("trace", without_numbers(shown.out))
    assert arcwise_("trace", model, DEV).out.startswith(
        str(arcwise.Parser.load(model).trace(Treebank.read(DEV)[0]))
    )
    assert " score\n" in arcwise_("trace", linear_model, DEV).out
    refused = arcwise_("trace", model, DEV, "--sentence", 1000)
    assert refused.code == 1 and "There is no sentence 1000" in refused.err


def test_parsing_changes_a_file_in_place(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "text.conllu"
    path.write_bytes(Path(DEV).read_bytes())
    expected = arcwise_("parse", model, path).out
    assert arcwise_("parse", model, path, "-o", path).code == 0
    assert path.read_text(encoding="utf-8") == expected
    assert list(tmp_path.iterdir()) == [path]


def test_formats_go_in_and_out(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    conllx = arcwise_("parse", model, DEV, "--to", "conllx").out
    assert "#" not in conllx and "1-2" not in conllx
    path = tmp_path / "text.conll"
    path.write_text(conllx, encoding="utf-8")
    assert arcwise_("parse", model, path).out == conllx
    assert arcwise_("parse", model, "--format", "conllx", stdin=conllx).out == conllx
    # Whatever the formats of the inputs, the output is of one.
    assert arcwise_("parse", model, path, DEV).out == conllx * 2


def test_parsing_goes_on_without_bad_sentences_if_asked(
    arcwise_: Arcwise, model: Path, tmp_path: Path
) -> None:
    text = COLUMNS_CUT + sentence("_", "_") + COLUMNS_CUT
    refused = arcwise_("parse", model, stdin=text)
    assert (refused.code, refused.out) == (1, "")
    assert refused.err.startswith("Error: <stdin>:1: ")
    skipped = arcwise_("parse", model, "--skip-bad", stdin=text)
    assert skipped.code == 0
    assert without_trees(skipped.out) == without_trees(sentence("_", "_"))
    assert skipped.err.count("Skipped: <stdin>:") == 2
    assert skipped.err.endswith("2 malformed sentences skipped in <stdin>.\n")


def test_a_failure_leaves_no_output_behind_and_an_old_one_as_it_was(
    arcwise_: Arcwise, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("arcwise.inputs.CONLL_BYTES", 100)
    bad = tmp_path / "bad.conllu"
    bad.write_text(sentence("_") * 100 + COLUMNS_CUT, encoding="utf-8")
    assert arcwise_("parse", model, bad, "-o", tmp_path / "new").code == 1
    assert list(tmp_path.iterdir()) == [bad]
    (tmp_path / "old").write_text("as it was", encoding="utf-8")
    assert arcwise_("parse", model, bad, "-o", tmp_path / "old").code == 1
    assert (tmp_path / "old").read_text(encoding="utf-8") == "as it was"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["bad.conllu", "old"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_parsing_leaves_nothing_behind(
    number: signal.Signals, model: Path, tmp_path: Path
) -> None:
    with subprocess.Popen(
        process("parse", model, "-o", tmp_path / "parsed"),
        env=environment(),
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        while not list(tmp_path.iterdir()) and run.poll() is None:
            time.sleep(0.01)
        # Python misses a signal that comes just before a read which has nothing to read: as a user would, try
        # again.
        while run.poll() is None:
            run.send_signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(5)
        assert run.stderr is not None
        assert run.stderr.read() == b"Interrupted.\n"
    assert run.returncode == 128 + number
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_ends_parsing_quietly(unbuffered: str, model: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.conllu"
    path.write_bytes(Path(TRAIN).read_bytes() * 20)
    with subprocess.Popen(
        process("parse", model, path),
        env=environment(PYTHONUNBUFFERED=unbuffered),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as run:
        assert run.stdout is not None and run.stderr is not None
        run.stdout.readline()
        run.stdout.close()
        assert run.stderr.read() == b""
    assert run.returncode == 128 + signal.SIGPIPE


@pytest.mark.parametrize(
    ("arguments", "closed", "code", "said"),
    [
        (("parse", "MODEL", DEV), 1, 1, "The output cannot be written: Bad file descriptor."),
        (("info", "MODEL"), 1, 1, "The output cannot be written: Bad file descriptor."),
        (("parse", "MODEL"), 0, 1, "<stdin> cannot be read: Bad file descriptor."),
        (("strip", "MODEL", "-o", "OUTPUT"), 1, 0, "OUTPUT has"),
        (("strip", "MODEL", "-o", "OUTPUT"), 2, 0, ""),
        (("strip", "nothing", "-o", "OUTPUT"), 2, 1, ""),
        (("--help",), 1, 1, "The output cannot be written: Bad file descriptor."),
    ],
)
def test_a_closed_stream_gets_a_sentence(
    arguments: tuple[str, ...], closed: int, code: int, said: str, model: Path, tmp_path: Path
) -> None:
    names = {"MODEL": model, "OUTPUT": tmp_path / "m"}
    command = process(*(names.get(argument, argument) for argument in arguments))
    shell = ["sh", "-c", f'exec "$@" {closed}{"<" if closed == 0 else ">"}&-', "sh", *command]
    done = subprocess.run(shell, env=environment(), capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr and "Exception" not in done.stderr
    assert done.returncode == code, done.stderr
    assert said in done.stderr.replace(str(model), "OUTPUT")


def test_a_full_disk_gets_a_sentence(model: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    for command in (("parse", model, DEV), ("info", model)):
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                process(*command),
                env=environment(),
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.stderr == "Error: The output cannot be written: No space left on device.\n"
        assert done.returncode == 1


def test_a_run_that_was_told_to_ignore_ctrl_c_does(model: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        ["sh", "-c", 'trap "" INT; exec "$@"', "sh", *process("parse", model, "-o", tmp_path / "parsed")],
        env=environment(),
        stdin=subprocess.PIPE,
    ) as run:
        assert run.stdin is not None
        while not list(tmp_path.iterdir()) and run.poll() is None:
            time.sleep(0.01)
        for _ in range(3):
            run.send_signal(signal.SIGINT)
        run.stdin.write(Path(DEV).read_bytes())
        run.stdin.close()
    assert run.returncode == 0
    assert len(Treebank.read(tmp_path / "parsed")) == len(Treebank.read(DEV))


def test_tests_hear_ctrl_c_wherever_they_run() -> None:
    child = "[sys.executable, '-c', 'import signal; print(signal.getsignal(2))']"
    code = f"import subprocess, sys, conftest; conftest.pytest_configure(); subprocess.run({child})"
    shell = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable, "-c", code]
    path = os.pathsep.join([str(Path(__file__).parent), environment()["PYTHONPATH"]])
    done = subprocess.run(shell, env=environment(PYTHONPATH=path), capture_output=True, text=True, check=True)
    assert "default_int_handler" in done.stdout


def test_who_types_is_told_what_is_waited_for(
    arcwise_: Arcwise, model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Keyboard(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(io, "TextIOWrapper", Keyboard)
    assert "Reading CoNLL-U from the terminal" in arcwise_("parse", model).err


def test_long_parsing_shows_a_bar_on_a_terminal(model: Path, tmp_path: Path) -> None:
    # A program of its own, which takes two seconds to be no seconds.
    code = (
        "import sys; from arcwise import _progress, cli\n"
        f"_progress.SECONDS_BEFORE_THE_BAR = {{}}; cli.main(['parse', {str(model)!r}, {DEV!r}])"
    )
    for seconds, expected in ((0.0, True), (1000.0, False)):
        path = tmp_path / "program.py"
        path.write_text(code.format(seconds), encoding="utf-8")
        leader, follower = pty.openpty()
        subprocess.run(
            process(path, program=()),
            stdout=subprocess.DEVNULL,
            stderr=follower,
            env=environment(TERM="xterm"),
            check=True,
        )
        os.close(follower)
        try:
            shown = os.read(leader, 65536).decode()
        except OSError:  # nothing was written
            shown = ""
        os.close(leader)
        assert ("parsing" in shown) == expected


# Evaluation


@pytest.fixture(scope="session")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dev treebank with other trees: each word hangs on the one before it, labels as they were."""
    gold = Treebank.read(DEV)
    heads = [number for each in gold for number in range(len(each))]
    path = tmp_path_factory.mktemp("chain") / "chain.conllu"
    gold.with_trees(heads, gold.labels, gold.label_names).write(path)
    return path


def test_two_files_are_scored(arcwise_: Arcwise, chain: Path, golden: Callable) -> None:
    scored = arcwise_("evaluate", DEV, chain)
    assert (scored.code, scored.err) == (0, "")
    assert max(map(len, scored.out.splitlines())) <= 80
    golden("evaluate", scored.out)


def test_scores_come_as_one_json_document(arcwise_: Arcwise, chain: Path) -> None:
    document = json.loads(arcwise_("evaluate", DEV, chain, "--json").out)
    expected = arcwise.evaluate(Treebank.read(DEV), Treebank.read(chain)).to_dict()
    assert document == json.loads(json.dumps(expected))
    document = json.loads(arcwise_("evaluate", DEV, chain, "--json", "--no-conll18").out)
    assert document["conll18"] is None
    document = json.loads(arcwise_("evaluate", DEV, chain, "--json", "--punctuation", "form").out)
    by_form = arcwise.evaluate(Treebank.read(DEV), Treebank.read(chain), punctuation="form")
    assert document["attachment"]["no_punct"]["words"] == by_form.attachment.no_punct.words


def test_unknown_words_are_scored_apart(arcwise_: Arcwise, chain: Path) -> None:
    shown = arcwise_("evaluate", DEV, chain, "--unknown", TRAIN).out
    known = set(Treebank.read(TRAIN).column("form"))
    unknown = sum(form not in known for form in Treebank.read(DEV).column("form"))
    words = Treebank.read(DEV).word_count
    assert unknown and re.search(rf"metric +known +unknown\nwords +{words - unknown} +{unknown}\n", shown)
    document = json.loads(arcwise_("evaluate", DEV, chain, "--unknown", TRAIN, "--json").out)
    assert document["vocabulary"]["unknown"]["UFeats"]["gold"] == unknown
    assert document["vocabulary"]["known"]["LAS"]["f1"] < 100


def test_a_model_is_scored_as_what_it_parses(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    arcwise_("parse", model, DEV, "-o", tmp_path / "parsed.conllu")
    by_file = json.loads(arcwise_("evaluate", DEV, tmp_path / "parsed.conllu", "--json").out)
    by_model = json.loads(arcwise_("evaluate", model, DEV, "--json", "--threads", 2).out)
    assert by_model.pop("system") == str(model)
    assert by_file.pop("system") == str(tmp_path / "parsed.conllu")
    assert by_model.pop("tags") == {"trained": "gold", "given": "gold"}
    assert by_file.pop("tags") is None
    assert by_model == by_file
    kept = json.loads(arcwise_("info", model, "--json").out)["training"]
    without = json.loads(arcwise_("evaluate", model, DEV, "--no-grammar", "--json").out)
    assert without["attachment"]["las"] == kept["epochs"][kept["epoch"] - 1]["dev_las"]


def test_bad_sentences_are_left_out_on_both_sides(arcwise_: Arcwise, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.conllu", tmp_path / "system.conllu"
    good = [sentence(*heads) for heads in ((0, 1), (0, 1, 2), (0, 1, 2, 3))]
    gold.write_text("".join([good[0], sentence(2, 1), *good[1:]]), encoding="utf-8")
    system.write_text("".join([good[0], sentence(0, 1), COLUMNS_CUT, good[2]]), encoding="utf-8")
    scored = arcwise_("evaluate", gold, system, "--json", "--skip-bad")
    assert scored.code == 0
    assert scored.err.count("Skipped: ") == 2
    attachment = json.loads(scored.out)["attachment"]
    assert (attachment["sentences"], attachment["words"], attachment["las"]) == (2, 6, 100.0)


@pytest.fixture(scope="session")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The dev treebank with the labels that it has, and words of every second sentence under its root."""
    gold = Treebank.read(DEV)
    heads = [
        word.head if number % 2 or word.head == 0 else each.root.id
        for number, each in enumerate(gold)
        for word in each
    ]
    path = tmp_path_factory.mktemp("flat") / "flat.conllu"
    gold.with_trees(heads, gold.labels, gold.label_names).write(path)
    return path


def test_the_worst_sentences_and_what_is_confused_are_shown(
    arcwise_: Arcwise, flat: Path, golden: Callable, tmp_path: Path
) -> None:
    page = tmp_path / "worst.html"
    shown = arcwise_(
        "evaluate", DEV, flat, "--no-conll18", "--worst", 2, "--html", page, "--confusion", "head-upos"
    )
    assert (shown.code, shown.err) == (0, "")
    golden("evaluate-worst", shown.out)
    assert page.read_text(encoding="utf-8").count("<svg") == 4
    document = json.loads(
        arcwise_("evaluate", DEV, flat, "--json", "--worst", 2, "--confusion", "deprel", "--no-conll18").out
    )
    assert [each["errors"] for each in document["worst"]] == [12, 9]
    wrong = [word for word in document["worst"][0]["tokens"] if word["error"]]
    assert len(wrong) == 12 and all(word["gold"] != word["system"] for word in wrong)
    assert document["confusion"]["deprel"]["wrong"] == []
    assert document["attachment"]["las"] == pytest.approx(
        100 - sum(errors["las"] for errors in document["errors"].values())
    )


def test_pictures_of_confusion_are_drawn(arcwise_: Arcwise, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    gold, system, path = tmp_path / "gold.conllu", tmp_path / "system.conllu", tmp_path / "confusion.svg"
    hostile = line(1, "a", 0, "root") + line(2, "b", 1, r"$\frac_{<b>") + "\n"
    gold.write_text(hostile, encoding="utf-8")
    system.write_text(hostile.replace("<b>", "x"), encoding="utf-8")
    asked = ("evaluate", gold, system, "--confusion", "deprel", "--confusion", "upos", "--plot")
    assert arcwise_(*asked, path).code == 0
    assert "<svg" in path.read_text(encoding="utf-8")
    refused = arcwise_(*asked, tmp_path / "a.xyz")
    assert refused.code == 1 and "end its name in .png" in refused.err


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--html", "x.html"), "--worst N"),
        (("--calibration", "--worst", "2"), "leave out --worst"),
        (("--unknown", "x.conllu", "--no-conll18"), "leave out --calibration and --no-conll18"),
        (("--confusion", "lemma"), "is not one of"),
    ],
)
def test_what_does_not_go_together_is_refused(
    arcwise_: Arcwise, flat: Path, options: tuple[str, ...], complaint: str
) -> None:
    refused = arcwise_("evaluate", DEV, flat, *options)
    assert refused.code == 2 and complaint in refused.err


def test_errors_of_other_words_are_refused(arcwise_: Arcwise) -> None:
    refused = arcwise_("evaluate", DEV, TRAIN, "--worst", 2)
    assert refused.code == 1 and "need the same words on both sides" in refused.err


def test_evaluation_says_which_tags_were_used(arcwise_: Arcwise, model: Path) -> None:
    told = " ".join(arcwise_("evaluate", model, DEV, "--no-conll18").out.split())
    assert (
        "The parser was trained with the tags of its treebank, and was given the tags of the gold file."
        in told
    )


def test_two_systems_are_compared(arcwise_: Arcwise, chain: Path, flat: Path, golden: Callable) -> None:
    # How numbers are drawn is for numpy to say.
    shown = arcwise_("compare", DEV, chain, flat, "--show", 1, "--resamples", 0)
    assert (shown.code, shown.err) == (0, "")
    names = {str(chain): "A.conllu", str(flat): "B.conllu", DEV: "DEV"}
    text = shown.out
    for name, short in names.items():
        text = text.replace(name, short)
    golden("compare", text)
    assert re.search(
        r"^LAS .* -7\d\.\d\d to -5\d\.\d\d ", arcwise_("compare", DEV, chain, flat).out, re.MULTILINE
    )
    document = json.loads(arcwise_("compare", DEV, chain, flat, "--json", "--show", 1).out)
    found = compare(*map(Treebank.read, (DEV, chain, flat)))
    assert document["scores"] == json.loads(json.dumps(found.to_dict()))["scores"]
    assert document["only_b"] == [index + 1 for index in found.only_b]
    assert len(document["shown"]["only_b"]) == 1


def test_models_are_compared_as_what_they_parse(
    arcwise_: Arcwise, model: Path, linear_model: Path, tmp_path: Path
) -> None:
    parsed = tmp_path / "parsed.conllu"
    arcwise_("parse", linear_model, DEV, "-o", parsed)
    by_file = json.loads(arcwise_("compare", DEV, model, parsed, "--json").out)
    by_model = json.loads(arcwise_("compare", DEV, model, linear_model, "--json").out)
    assert (by_file.pop("b"), by_model.pop("b")) == (str(parsed), str(linear_model))
    used = {"trained": "gold", "given": "gold"}
    assert (by_file.pop("tags"), by_model.pop("tags")) == ([used, None], [used, used])
    assert by_file == by_model
    assert "name the gold file first" in arcwise_("compare", model, DEV, parsed).err


# Pictures


def test_trees_are_drawn(arcwise_: Arcwise, tmp_path: Path) -> None:
    gold = Treebank.read(DEV)
    assert arcwise_("draw", DEV).out == draw_all(gold)
    one = arcwise_("draw", DEV, "--sentence", gold[2].id, "--sentence", "5-6", "--sentence", 1).out
    assert one == draw_all(gold.select([2, 4, 5, 0]))
    assert arcwise_("draw", stdin=gold[:1].to_string()).out == draw_all(gold[:1])
    (tmp_path / "dev.json").write_text(treebank_to_json(gold), encoding="utf-8")
    assert arcwise_("draw", tmp_path / "dev.json").out == draw_all(gold)
    assert arcwise_("draw", DEV, "--to", "svg", "--sentence", 4).out == gold[3].to_svg() + "\n"
    assert arcwise_("draw", DEV, "--to", "svg").out.count("<svg ") == len(gold) + 1
    path = tmp_path / "trees.html"
    assert arcwise_("draw", DEV, "--to", "html", "-o", path).out == ""
    assert path.read_text(encoding="utf-8").count("<figure>") == len(gold)
    for chosen in ("0", "51", "7-3", "no-such-id"):
        refused = arcwise_("draw", DEV, "--sentence", chosen)
        assert refused.code == 1 and f"There is no sentence {chosen}" in refused.err


def test_an_id_that_is_a_number_is_taken_for_an_id(arcwise_: Arcwise, tmp_path: Path) -> None:
    path = tmp_path / "numbers.conllu"
    path.write_text(sentence(0, id="2") + sentence(0, 1, id="1"), encoding="utf-8")
    assert arcwise_("draw", path, "--sentence", "1").out.startswith("# 1: w1 w2")


def test_parsing_draws_pictures(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    page = tmp_path / "trees.html"
    assert arcwise_("parse", model, DEV, "--to", "html", "--min-confidence", 0.99, "-o", page).code == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>") and text.endswith("</html>\n")
    assert text.count("<figure>") == len(Treebank.read(DEV))
    assert "stroke-dasharray" in text and "The parser is not sure of" in text
    picture = arcwise_("parse", model, DEV, "--to", "svg").out
    assert len(list(ElementTree.fromstring(picture))) == len(Treebank.read(DEV))
    drawn = arcwise_("parse", model, DEV, "--to", "tree", "--min-confidence", 0.99).out
    assert re.search(r" 0\.\d\d \?\n", drawn)
    ranked = arcwise_("parse", model, DEV, "--to", "html", "--nbest", 2).out
    assert "rank 1, prob " in ranked and "rank 2, prob " in ranked
    assert "SVG has no comments" in arcwise_("parse", model, DEV, "--to", "svg", "--nbest", 2).err
    assert ElementTree.fromstring(arcwise_("parse", model, "--to", "svg").out).attrib["height"] == "0"


def test_one_picture_is_bounded(arcwise_: Arcwise, tmp_path: Path) -> None:
    path = tmp_path / "many.conllu"
    path.write_text(sentence(0) * 501, encoding="utf-8")
    refused = arcwise_("draw", path, "--to", "svg", "-o", tmp_path / "many.svg")
    assert refused.code == 1 and "500 sentences at most" in refused.err
    assert list(tmp_path.iterdir()) == [path]


def test_a_trace_needs_no_model(arcwise_: Arcwise, golden: Callable, tmp_path: Path) -> None:
    shown = arcwise_("trace", "--system", "arc-hybrid", DEV, "--sentence", 2)
    assert (shown.code, shown.err) == (0, "")
    golden("trace-oracle", shown.out)
    crossing = tmp_path / "crossing.conllu"
    crossing.write_text(sentence(3, 4, 0, 3), encoding="utf-8")
    lifted = arcwise_("trace", "--system", "arc-eager", crossing)
    assert lifted.code == 0 and "they are lifted" in lifted.err
    assert arcwise_("trace", "--system", "covington", crossing).err == ""
    assert "choose one of arc-eager" in arcwise_("trace", "--system", "arc-lazy", DEV).err
    assert "Name a model" in arcwise_("trace").err
    assert "name the gold file alone" in arcwise_("trace", "--system", "arc-eager", "en", DEV).err


def test_moves_of_a_trace_are_taken_by_hand(arcwise_: Arcwise, golden: Callable, model: Path) -> None:
    flags = ("--sentence", 2, "--moves", 2)
    taken = arcwise_("trace", "--system", "arc-hybrid", DEV, *flags, "--take", "4:LEFT", "--take", "6:SHIFT")
    golden("trace-by-hand", taken.out + taken.err)
    wrong = arcwise_("trace", "--system", "arc-hybrid", DEV, *flags, "--take", "1:REDUCE")
    assert wrong.code == 1 and "REDUCE is not legal at step 1: only SHIFT is." in wrong.err
    unclear = arcwise_("trace", "--system", "arc-hybrid", DEV, "--take", "SHIFT")
    assert unclear.code == 1 and "as in 12:SHIFT" in unclear.err
    sentence = Treebank.read(DEV)[1]
    parser = arcwise.Parser.load(model)
    trace = parser.trace(sentence, gold=sentence, moves={2: "SHIFT"}, follow="oracle")
    shown = arcwise_(
        "trace", model, DEV, "--sentence", 2, "--gold", "--take", "2:SHIFT", "--follow", "oracle"
    )
    assert shown.out.startswith(f"{trace}\n\n") and "Note: the tree lacks " in shown.err
    assert "needs a gold tree" in arcwise_("trace", model, DEV, "--follow", "oracle").err
    mine = arcwise_("trace", "--system", "examples/systems/right_to_left.py", DEV)
    assert mine.code == 0 and "   1  ROOT                     . " in mine.out


def test_a_trace_is_written_as_json_and_as_a_page(arcwise_: Arcwise, model: Path, tmp_path: Path) -> None:
    document = json.loads(arcwise_("trace", model, DEV, "--gold", "--to", "json").out)
    gold = Treebank.read(DEV)[0]
    assert document == json.loads(arcwise.Parser.load(model).trace(gold, gold=gold).to_json())
    page = tmp_path / "trace.html"
    assert arcwise_("trace", model, DEV, "--to", "html", "-o", page).out == ""
    assert page.read_text(encoding="utf-8").count("<tbody>") == len(document["steps"])


# Calibration and suggestions


@pytest.fixture(scope="session")
def calibrated(model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "calibrated.model"
    arcwise.Parser.load(model).calibrate(DEV).save(path)
    return path


def without_kinds_of_maps(text: str) -> str:
    """Which fits best is learnt; which bins are empty too."""
    text = re.sub(r" +", " ", without_numbers(text))
    text = re.sub(r"(?<=: )\w+(?=, log loss)", "KIND", text)
    text = re.sub(r"^ .*((?: #){6})$", r" KIND\1", text, flags=re.MULTILINE)
    return "\n".join(line for line in text.split("\n") if line.strip("# ") or not line)


def test_calibrating_tells_what_was_fitted_and_writes_the_model(
    arcwise_: Arcwise, model: Path, calibrated: Path, tmp_path: Path, golden: Callable
) -> None:
    path = tmp_path / "model"
    path.write_bytes(model.read_bytes())
    done = arcwise_("calibrate", path, DEV)
    assert (done.code, done.out) == (0, "")
    golden("calibrate", without_kinds_of_maps(done.err.replace(str(path), "MODEL")))
    assert path.read_bytes() == calibrated.read_bytes()
    other = tmp_path / "other"
    assert arcwise_("calibrate", model, DEV, "-o", other, "--threads", 2).code == 0
    assert other.read_bytes() == calibrated.read_bytes()


def test_info_tells_of_calibration(arcwise_: Arcwise, model: Path, calibrated: Path) -> None:
    told = arcwise_("info", calibrated).out
    assert re.search(r"calibrationtemperature[\d.]+;.*dev.conllu:417words", "".join(told.split()))
    assert "calibration" not in arcwise_("info", model).out
    document = json.loads(arcwise_("info", calibrated, "--json").out)
    assert set(document["calibration"]["maps"]) == {
        f"{e}.{t}" for e in ("moves", "samples") for t in ("head", "deprel")
    }


def test_calibration_is_shown_before_and_after(
    arcwise_: Arcwise, model: Path, calibrated: Path, golden: Callable
) -> None:
    shown = arcwise_("evaluate", calibrated, DEV, "--calibration").out
    golden("evaluate-calibration", without_kinds_of_maps(re.sub(r" +$", "", shown, flags=re.MULTILINE)))
    raw = json.loads(arcwise_("evaluate", model, DEV, "--calibration", "--json").out)
    document = json.loads(arcwise_("evaluate", calibrated, DEV, "--calibration", "--json").out)
    assert raw["after"] is None
    assert document["before"] == raw["before"]
    assert document["after"]["heads"]["log_loss"] < document["before"]["heads"]["log_loss"]
    assert (
        sum(bin["count"] for bin in document["after"]["moves"]["bins"]) == document["after"]["moves"]["count"]
    )
    drawn = json.loads(
        arcwise_("evaluate", model, DEV, "--calibration", "--json", "--probabilities", "samples").out
    )
    assert drawn["before"]["moves"] == raw["before"]["moves"]
    assert drawn["before"]["heads"] != raw["before"]["heads"]


def test_a_plot_is_drawn_or_its_lack_explained(
    arcwise_: Arcwise, calibrated: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    refused = arcwise_("evaluate", calibrated, DEV, "--calibration", "--plot", tmp_path / "a.png")
    assert refused.code == 1 and "arcwise[plot]" in refused.err and not list(tmp_path.iterdir())
    monkeypatch.undo()
    assert "add --calibration" in arcwise_("evaluate", calibrated, DEV, "--plot", tmp_path / "a.png").err
    pytest.importorskip("matplotlib")
    assert arcwise_("evaluate", calibrated, DEV, "--calibration", "--plot", tmp_path / "a.png").code == 0
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    refused = arcwise_("evaluate", calibrated, DEV, "--calibration", "--plot", tmp_path / "a.txt")
    assert refused.code == 1 and ".png" in refused.err


def test_words_of_low_confidence_are_marked_or_dropped(arcwise_: Arcwise, calibrated: Path) -> None:
    # Not as it is written, with fewer digits.
    plain = arcwise.Parser.load(calibrated).parse(Treebank.read(DEV), probabilities="moves")
    marked = Treebank.from_string(arcwise_("parse", calibrated, DEV, "--min-confidence", 0.9).out)
    dropped = arcwise_("parse", calibrated, DEV, "--min-confidence", 0.9, "--drop").out
    unsure = plain.deprel_probs < 0.9
    assert 0 < unsure.sum() < len(unsure)
    assert ["LowConfidence=Yes" in misc for misc in marked.column("misc")] == unsure.tolist()
    assert marked.heads.tolist() == plain.heads.tolist()
    rows = [row for row in (line.split("\t") for line in dropped.splitlines()) if row[0].isdigit()]
    assert [(row[HEAD], row[DEPREL]) == ("_", "_") for row in rows] == unsure.tolist()
    again = arcwise_("parse", calibrated, "--probabilities", "moves", stdin=marked.to_string()).out
    assert "LowConfidence" not in again


def test_uncalibrated_probabilities_are_those_of_the_model(
    arcwise_: Arcwise, model: Path, calibrated: Path
) -> None:
    own = arcwise_("parse", model, DEV, "--probabilities", "samples").out
    assert arcwise_("parse", calibrated, DEV, "--probabilities", "samples", "--uncalibrated").out == own
    assert arcwise_("parse", calibrated, DEV, "--probabilities", "samples").out != own


@pytest.mark.parametrize(
    "options",
    ["--drop", "--uncalibrated", "--min-confidence 0.5 --nbest 2", "--min-confidence 0.5 --to conllx"],
)
def test_options_that_need_another_say_so(options: str, arcwise_: Arcwise, calibrated: Path) -> None:
    refused = arcwise_("parse", calibrated, DEV, *options.split())
    assert (refused.code, refused.out) == (1, "")


def test_suggestions_are_listed_or_written_to_be_corrected(
    arcwise_: Arcwise, calibrated: Path, tmp_path: Path, golden: Callable
) -> None:
    listed = arcwise_("suggest", calibrated, DEV, "-n", 3)
    assert listed.code == 0
    lines = listed.out.splitlines()
    assert lines[0].split() == ["rank", "score", "sentence"] and len(lines) == 4
    scores = [float(line.split()[1]) for line in lines[1:]]
    assert scores == sorted(scores, reverse=True)
    written = arcwise_("suggest", calibrated, DEV, "-n", 3, "-o", tmp_path / "next.conllu")
    assert (written.out, written.code) == ("", 0) and "3 sentences" in written.err
    chosen = Treebank.read(tmp_path / "next.conllu")
    assert [sentence.id for sentence in chosen] == [line.split()[2].rstrip(":") for line in lines[1:]]
    assert "DeprelProb=" in chosen.column("misc")[0]
    assert arcwise_("suggest", calibrated, DEV, "-n", 3, "--words", 50).code == 2


# Corrections


def test_a_model_learns_from_corrections_and_tells_what_changed(
    arcwise_: Arcwise, tmp_path: Path, golden: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    trained(Path("old.model"), "--learner", "adagrad", "--keep-training-state")
    Path("corrected.conllu").write_text(Treebank.read(DEV)[:10].to_string(), encoding="utf-8")
    command = ("update", "old.model", "corrected.conllu", "-o", "new.model", "--replay", TRAIN, "--epochs", 2)
    told = arcwise_(*command)
    assert told.code == 0
    golden("update", without_numbers(told.err))
    assert re.findall(r"^epoch (\d+/\d+):", told.err, re.MULTILINE) == ["1/2", "2/2"]
    before, after = re.findall(r"LAS ([\d.]+) before, ([\d.]+) now", told.err)[0]
    assert float(before) < float(after)
    assert [
        json.loads(arcwise_("evaluate", name, "corrected.conllu", "--json").out)["attachment"]["las"]
        for name in ("old.model", "new.model")
    ] == pytest.approx([float(before), float(after)], abs=0.01)
    assert arcwise_(*command, "--quiet") == Result(0, "", "")
    facts = arcwise_("info", "new.model").out
    assert re.search(
        r"^update 1 +corrected.conllu: 10 sentences, .* 200 replayed; 2 epochs", facts, re.MULTILINE
    )
    assert re.search(r"^training state +kept, [\d.]+ [kM]B", facts, re.MULTILINE)


def test_a_stripped_model_parses_as_before(arcwise_: Arcwise, tmp_path: Path) -> None:
    whole, small = trained(tmp_path / "whole", "--keep-training-state"), tmp_path / "small"
    assert arcwise_("strip", whole, "-o", small).code == 0
    assert small.stat().st_size < whole.stat().st_size
    assert arcwise_("parse", small, DEV).out == arcwise_("parse", whole, DEV).out
    assert "training state  not kept" in arcwise_("info", small).out
    again = arcwise_("strip", small, "-o", tmp_path / "again")
    assert "it had no training state" in again.err
    assert (tmp_path / "again").read_bytes() == small.read_bytes()


def test_a_linear_model_without_its_training_state_is_not_updated(
    arcwise_: Arcwise, linear_model: Path, tmp_path: Path
) -> None:
    refused = arcwise_("update", linear_model, DEV, "-o", tmp_path / "new")
    assert refused.code == 1
    assert "train it with one (--keep-training-state)" in refused.err


# Looking into models and features


def test_info_tells_what_is_in_a_model(
    arcwise_: Arcwise, model: Path, golden: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(model.parent)
    told = arcwise_("info", model.name).out
    assert "trained on      train.conllu: 254 sentences, 2,306 words" in told
    assert max(map(len, told.splitlines())) <= 80
    told = re.sub(r"^(fingerprint +)\w+", r"\1#", told, flags=re.MULTILINE).replace(" kept", "")
    golden("info", without_numbers(told))


def test_info_tells_what_is_in_a_linear_model(arcwise_: Arcwise, linear_model: Path) -> None:
    told = arcwise_("info", linear_model).out
    assert re.search(r"^learner +averaged perceptron *$", told, re.MULTILINE)
    assert re.search(r"^features +default, \d+ templates *$", told, re.MULTILINE)
    assert re.search(r"^weights +[\d,]+ for [\d,]+ features *$", told, re.MULTILINE)


def test_a_model_trained_with_a_beam_says_so_and_parses_with_it(arcwise_: Arcwise, tmp_path: Path) -> None:
    path = trained(tmp_path / "m", "--learner", "perceptron", "--train-beam", "4")
    training = r"^training +beam 4, dynamic oracle, max violation, 3 epochs, seed 1 *$"
    assert re.search(training, arcwise_("info", path).out, re.MULTILINE)
    by_default = arcwise_("parse", path, DEV).out
    assert by_default == arcwise_("parse", path, DEV, "--beam", 4).out
    assert by_default != arcwise_("parse", path, DEV, "--beam", 1).out


def test_info_as_json_has_everything(arcwise_: Arcwise, model: Path) -> None:
    document = json.loads(arcwise_("info", model, "--json").out)
    assert document["bytes"] == model.stat().st_size
    assert document["label_names"] == Treebank.read(TRAIN).label_names
    assert len(document["training"]["epochs"]) == 3


def test_a_model_s_templates_train_the_same_weights(
    arcwise_: Arcwise, linear_model: Path, tmp_path: Path
) -> None:
    (tmp_path / "own.txt").write_text(arcwise_("info", linear_model, "--templates").out, encoding="utf-8")
    trained(tmp_path / "m", "--learner", "perceptron", "--features", str(tmp_path / "own.txt"))
    one, other = arcwise.Parser.load(linear_model), arcwise.Parser.load(tmp_path / "m")
    assert all((one._arrays[name] == other._arrays[name]).all() for name in one._arrays)


@pytest.mark.parametrize("system", DEFAULT_STATES)
def test_printed_inputs_of_a_network_are_those_it_has(system: str, arcwise_: Arcwise, tmp_path: Path) -> None:
    printed = arcwise_("features", "network", "--system", system).out
    assert printed.startswith(f"# network for {system}: ")
    command = (*TRAINING, DEV, "-o", tmp_path / "m", "--epochs", 1, "--system", system, "--width", 16)
    assert arcwise_(*command, "--states", printed).code == 0
    own = json.loads(arcwise_("info", tmp_path / "m", "--json").out)["network"]["state_inputs"]
    assert own == printed.splitlines()[1:] == arcwise.network.default_states(system)


def test_features_are_printed(arcwise_: Arcwise, golden: Callable) -> None:
    golden("features", arcwise_("features", "zn2011", "--system", "arc-eager").out)


@pytest.mark.parametrize("system", arcwise.options.SYSTEMS)
def test_printed_features_are_a_feature_file(system: str, arcwise_: Arcwise, tmp_path: Path) -> None:
    printed = arcwise_("features", "--system", system).out
    path = tmp_path / "own.txt"
    path.write_text(printed, encoding="utf-8")
    again = arcwise_("features", path, "--system", system)
    assert again.code == 0
    assert again.out.splitlines()[1:] == printed.splitlines()[1:]
    command = (*TRAINING, DEV, "-o", tmp_path / "m", "--epochs", 1, "--system", system)
    assert arcwise_(*command, "--learner", "perceptron", "--features", path).code == 0
    expected = arcwise.features.builtin("default", system)
    assert arcwise_("info", tmp_path / "m", "--templates").out.splitlines() == expected


# What goes wrong


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("train {missing} -o {new}", "does not exist"),
        ("train {folder} -o {new}", "is a directory"),
        ("train {empty} -o {new}", "has no sentences"),
        ("train {cycle} -o {new}", "cycle"),
        ("train {model} -o {new}", "binary"),
        ("train {train} --dev {missing} -o {new}", "does not exist"),
        ("train {train} --dev {empty} -o {new}", "has no sentences"),
        ("train {train} --dev {cycle} -o {new}", "cycle"),
        ("train {train} -o {folder}", "is a directory"),
        ("train {train} -o {missing}/model", "there is no folder"),
        ("train {train} -o /proc/model", "cannot be written"),
        ("train {train} -o -", "name a file"),
        ("train {own} -o {own}", "choose another name"),
        ("train {train} --vectors {own} -o {own}", "is a file of vectors of this run"),
        ("train - --dev - -o {new}", "standard input"),
        ("train {train} -o {new} --epochs 0", "from 1 to 2^31 - 1 epochs"),
        ("train {train} -o {new} --p 1.5", "between 0 and 1"),
        ("train {train} -o {new} --k 99999999999", "number of epochs"),
        ("train {train} -o {new} --features zn2011", "The learner network has no use for features"),
        ("train {train} -o {new} --learner perceptron --features {missing}", "no feature set or file"),
        ("train {train} -o {new} --learner perceptron --features {folder}", "Is a directory"),
        (
            "train {train} -o {new} --learner perceptron --states S0",
            "The learner perceptron has no use for states",
        ),
        ("train {train} -o {new} --learner network --system easy-first", "left-to-right systems only"),
        ("train {train} -o {new} --states L0", "L0, which arc-eager does not have"),
        ("train {train} -o {new} --tokens vowels", "no input of words called 'vowels'"),
        ("train {train} -o {new} --vectors {missing}", "No such file"),
        ("train {train} -o {new} --vectors {folder}", "is a directory"),
        ("train {train} -o {new} --vectors {empty}", "has no vectors in it"),
        ("train {train} -o {new} --patience 2", "a better score on a dev set"),
        (
            "train {train} -o {new} --system arc-standard --oracle static --policy explore",
            "the dynamic oracle",
        ),
        ("parse {missing} {dev}", "no model of this name: installed are"),
        ("parse {folder} {dev}", "is a directory"),
        ("parse -m {empty} {dev}", "is not an arcwise model"),
        ("parse --model {dev} {dev}", "is not an arcwise model"),
        ("parse {truncated} {dev}", "damaged or cut short"),
        ("parse {model} {dev} {missing}", "does not exist"),
        ("parse {model} {folder}", "is a directory"),
        ("parse {model} {model}", "binary"),
        ("parse {model} {cycle} --keep-heads", "a-cycle: the heads make a cycle"),
        ("parse {model} {against} --constraints", "word 1 has head 3 and word 1 does not have head 3;"),
        (
            "parse {model} {against} --keep-heads --constraints",
            "word 1 cannot have both the head 2 and the head 3;",
        ),
        ("parse {model} {dev} -o {folder}", "is a directory"),
        ("parse {model} {dev} -o {missing}/parsed", "there is no folder"),
        ("parse {model} {dev} -o /dev/full", "cannot be written"),
        ("evaluate {missing} {dev}", "does not exist"),
        ("evaluate {dev} {missing}", "does not exist"),
        ("evaluate {dev} {folder}", "is a directory"),
        ("evaluate {dev} {train}", "are not the same"),
        ("evaluate {dev} {cycle}", "cycle"),
        ("evaluate {dev} {model}", "name the model first"),
        ("evaluate {empty} {empty}", "has no sentences"),
        ("evaluate {model} {empty}", "has no sentences"),
        ("evaluate {truncated} {dev}", "damaged or cut short"),
        ("update {missing} {dev} -o {new}", "No such file"),
        ("update {truncated} {dev} -o {new}", "damaged or cut short"),
        ("update {model} {missing} -o {new}", "does not exist"),
        ("update {model} {empty} -o {new}", "has no sentence to learn from"),
        ("update {model} {cycle} -o {new}", "cycle"),
        ("update {model} {dev} --replay {missing} -o {new}", "does not exist"),
        ("update {model} {dev} -o {new} --rate 0", "rate must be a positive number"),
        ("update {model} {dev} -o -", "name a file"),
        ("update {model} {own} -o {own}", "choose another name"),
        ("strip {missing} -o {new}", "No such file"),
        ("strip {model} -o {folder}", "is a directory"),
        ("evaluate {linear} {dev} --calibration", "This model has no probabilities"),
        ("calibrate {linear} {dev} -o {new}", "Train one with the learner"),
        ("calibrate {model} {own} -o {new}", "is too small to calibrate with"),
        ("calibrate {model} {empty} -o {new}", "is too small to calibrate with"),
        ("calibrate {model} {dev} -o {folder}", "is a directory"),
        ("suggest {linear} {dev}", "This model has no probabilities"),
        ("suggest {model} {empty}", "has no sentences to choose from"),
        ("parse {linear} {dev} --min-confidence 0.5 -o {new}", "This model has no probabilities"),
        ("info {missing}", "No such file"),
        ("info {folder}", "Is a directory"),
        ("info {empty}", "is not an arcwise model"),
        ("info {truncated}", "damaged or cut short"),
        ("info {model} --templates", "is a network, which has no templates"),
        ("features network --system easy-first", "There is no network for easy-first"),
        ("features {missing}", "no feature set or file"),
        ("features {dev}", "is no atom"),
    ],
)
def test_what_goes_wrong_is_one_sentence_with_no_trace_on_the_disk(
    command: str, reason: str, arcwise_: Arcwise, model: Path, linear_model: Path, tmp_path: Path
) -> None:
    files = {name: tmp_path / name for name in ("folder", "empty", "cycle", "against", "truncated", "own")}
    files["folder"].mkdir()
    files["empty"].touch()
    files["cycle"].write_text(CYCLE, encoding="utf-8")
    against = Treebank.read(DEV)[0].to_string().replace("\t_\n", "\tFixedHead=3|NotHead=3\n", 1)
    files["against"].write_text(against, encoding="utf-8")
    files["own"].write_text(sentence(0), encoding="utf-8")
    files["truncated"].write_bytes(model.read_bytes()[:-1])
    named = {
        "train": TRAIN,
        "dev": DEV,
        "model": model,
        "linear": linear_model,
        "new": tmp_path / "new",
        "missing": tmp_path / "none",
    }
    before = sorted(tmp_path.rglob("*"))

    result = arcwise_(*command.format(**files, **named).split())

    assert result.code == 1
    assert result.err.startswith("Error: ") and reason in result.err
    assert result.err.count("\n") == 1
    assert sorted(tmp_path.rglob("*")) == before
    assert files["own"].read_text(encoding="utf-8") == sentence(0)


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_a_read_only_output_is_refused_before_the_work(arcwise_: Arcwise, tmp_path: Path) -> None:
    path = tmp_path / "m"
    path.touch(mode=0o444)
    assert "is read-only" in arcwise_(*TRAINING, TRAIN, "-o", path).err
    tmp_path.chmod(0o555)
    assert "cannot be written" in arcwise_(*TRAINING, TRAIN, "-o", tmp_path / "new").err


@pytest.mark.parametrize(
    "command",
    ["train", "train x", "evaluate x", "evaluate - -", "info", "x", "info m --json --templates"],
)
def test_wrong_usage_has_an_exit_code_of_its_own(command: str, arcwise_: Arcwise) -> None:
    result = arcwise_(*command.split())
    assert result.code == 2
    assert result.err.startswith("Usage: arcwise")


def test_parsing_nothing_gives_nothing(arcwise_: Arcwise, model: Path) -> None:
    assert arcwise_("parse", model) == Result(0, "", "")


def test_what_an_encoding_lacks_is_spelled_out(model: Path, tmp_path: Path) -> None:
    path = tmp_path / "gold.conllu"
    path.write_text(line(1, "w", 0, "ügy") + "\n", encoding="utf-8")
    scored = subprocess.run(
        process("evaluate", path, path),
        env=environment(PYTHONIOENCODING="ascii"),
        capture_output=True,
        text=True,
    )
    assert scored.returncode == 0
    assert "\\xfcgy" in scored.stdout


# The example


# HC-search


def test_training_hc_tells_of_all_its_steps(
    arcwise_: Arcwise, tmp_path: Path, golden: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = arcwise_(*TRAINING, TRAIN, "--dev", DEV, "-o", "hc.model", "--epochs", 1, "--jobs", 2, *HC)
    assert (told.code, told.out) == (0, "")
    golden("train-hc", without_numbers(told.err))
    assert [path.name for path in tmp_path.iterdir()] == ["hc.model"]
    about = arcwise_("info", "hc.model").out
    assert "hc: a beam of 8, and a ranker; alpha" in about and "14 bits" in about
    without_dev = arcwise_(*TRAINING, TRAIN, "-o", "hc.model", "--epochs", 1, *HC)
    assert "alpha by one sentence in 10" in without_dev.err and "held out UAS" in without_dev.err
    assert "on trees held out" in " ".join(arcwise_("info", "hc.model").out.split())


def test_ranking_options_are_kept_in_the_model(arcwise_: Arcwise, tmp_path: Path) -> None:
    (tmp_path / "templates").write_text("arc: h.upos m.upos  # and no more\n")
    flags = ("--rank-groups=coarse", "--rank-loss=heads", "--rank-aggressiveness=0.5", "--seed=5")
    arguments = (*TRAINING, TRAIN, "-o", tmp_path / "m", "--epochs", 1, *HC, *flags)
    assert arcwise_(*arguments, "--rank-features", tmp_path / "templates").code == 0
    ranking = json.loads(arcwise_("info", tmp_path / "m", "--json").out)["ranking"]
    assert ranking["options"] == {
        "beam": 8,
        "folds": 3,
        "groups": "coarse",
        "loss": "heads",
        "epochs": 2,
        "aggressiveness": 0.5,
        "features": str(tmp_path / "templates"),
        "bits": 14,
        "seed": 5,
    }
    assert ranking["templates"] == ["arc: h.upos m.upos"]


@pytest.mark.parametrize(
    ("step", "done"), [("cross-validation", 0), ("cross-validation", 500), ("ranking", 0)]
)
def test_interrupted_hc_training_goes_on_to_the_same_model(
    step: str, done: int, arcwise_: Arcwise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, hc_model: Path
) -> None:
    """In the first fold, in the second, and in ranking."""
    monkeypatch.chdir(tmp_path)
    command = (*TRAINING, TRAIN, "--dev", DEV, "-o", "m", "--epochs", 3, "--jobs", 1, *HC)
    original = _progress.Bar.show

    def show(self: _progress.Bar, completed: int, note: str = "") -> None:
        original(self, completed, note)
        if self._what == step and completed >= done:
            os.kill(os.getpid(), signal.SIGINT)

    with monkeypatch.context() as patch:
        patch.setattr(_progress.Bar, "show", show)
        broken = arcwise_(*command)
    assert broken.code == 130
    assert "what was done is stored in m.hc" in broken.err and broken.err.endswith("--resume\n")
    assert not Path("m").exists() and not Path("m.checkpoint").exists()
    other = arcwise_(*command, "--resume", "--seed", 2)
    assert other.code == 1 and "resume with the same ones" in other.err
    resumed = arcwise_(*command, "--resume")
    assert resumed.code == 0 and "epoch 1/3" not in resumed.err
    assert Path("m").read_bytes() == hc_model.read_bytes()
    assert not Path("m.hc").exists()


def test_a_ranker_parses_unless_another_search_is_asked_for(arcwise_: Arcwise, hc_model: Path) -> None:
    text = Path(DEV).read_text(encoding="utf-8")
    parsed = {
        search: arcwise_("parse", hc_model, *search, stdin=text).out
        for search in ((), ("--search", "hc"), ("--search", "beam"), ("--search", "greedy"), ("--beam", "8"))
    }
    assert parsed[()] == parsed["--search", "hc"] == parsed["--beam", "8"]
    assert len({parsed[()], parsed["--search", "beam"], parsed["--search", "greedy"]}) == 3
    scored = arcwise_("evaluate", hc_model, DEV, "--search", "greedy", "--json", "--no-conll18")
    assert json.loads(scored.out)["attachment"]["las"] > 80


def test_errors_are_told_apart(
    arcwise_: Arcwise, hc_model: Path, linear_model: Path, golden: Callable
) -> None:
    golden("analyse", without_numbers(arcwise_("analyse", hc_model, DEV).out))
    document = json.loads(arcwise_("analyse", hc_model, DEV, "--json", "--beam", 4).out)
    assert [oracle["k"] for oracle in document["oracles"]] == [1, 2, 4]
    plain = arcwise_("analyse", linear_model, DEV, "--beam", 4).out
    assert "ranker" not in plain and "generation" in plain


def test_ranking_templates_are_printed(arcwise_: Arcwise, tmp_path: Path) -> None:
    printed = arcwise_("features", "ranking").out
    assert "grand: g.tag h.tag m.tag" in printed
    (tmp_path / "templates").write_text(printed)
    assert sorted(hc.features.choose(str(tmp_path / "templates"), ["upos"])) == sorted(
        hc.features.choose("default", ["upos"])
    )


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ("--folds 4", "add --search hc"),
        ("--search hc --system easy-first", "HC-search needs a beam"),
        ("--search hc --learner l2s --system arc-hybrid", "HC-search needs a beam"),
        ("--search hc --beam 1", "at least 2 wide"),
        ("--search hc --folds 1", "at least 2 folds"),
        ("--search hc --folds 9999 --learner adagrad --epochs 1", "use fewer folds"),
        ("--search hc --rank-features nothing --learner adagrad --epochs 1", "no feature set or file called"),
    ],
)
def test_wrong_options_of_hc_are_refused(flags: str, message: str, arcwise_: Arcwise, tmp_path: Path) -> None:
    refused = arcwise_(*TRAINING, TRAIN, "-o", tmp_path / "m", *flags.split())
    assert refused.code == 1 and message in refused.err


def test_the_example_shows_trees_and_scores_from_any_folder(tmp_path: Path) -> None:
    shown = subprocess.run(
        process(PROJECT / "examples" / "garden.py", program=()),
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    assert "The farmer planted beans behind the barn.\n" in shown
    assert re.search(r"^The     <┐.* det$", shown, flags=re.MULTILINE)
    assert "On 417 words of 43 held-back sentences" in shown


def test_sentences_may_differ_though_words_do_not(arcwise_: Arcwise, tmp_path: Path) -> None:
    def word(number: int, form: str, head: int) -> str:
        return f"{number}\t{form}\t_\tVERB\t_\t_\t{head}\t{'root' if head == 0 else 'conj'}\t_\t_\n"

    (tmp_path / "gold.conllu").write_text(f"{word(1, 'Go', 0)}\n{word(1, 'Stay', 0)}\n", encoding="utf-8")
    (tmp_path / "system.conllu").write_text(f"{word(1, 'Go', 0)}{word(2, 'Stay', 1)}\n", encoding="utf-8")
    scored = arcwise_("evaluate", tmp_path / "gold.conllu", tmp_path / "system.conllu", "--json")
    assert (scored.code, scored.err) == (0, "")
    scores = json.loads(scored.out)["conll18"]
    assert [scores[metric]["f1"] for metric in ("Words", "Sentences", "UAS")] == [100.0, 0.0, 50.0]
