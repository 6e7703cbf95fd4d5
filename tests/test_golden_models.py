"""Files of every kind and format, made by the versions that wrote them, load and give what they gave then."""

import json
import math
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from arcwise import (
    ArcwiseError,
    ModelError,
    Parser,
    ParserOptions,
    Pipeline,
    Training,
    Treebank,
    load,
    model_file,
)
from arcwise.models import PACKAGED
from arcwise.options.tagger import TaggerOptions
from conftest import GARDEN
from damage import VALUES, header_of, paths_in, put, remove, with_header
from golden_models import ENDING, FOLDER, KINDS_OF_FILES, SINCE, SMALLEST, TEXT, garden

FILES = sorted(FOLDER.glob(f"*/*{ENDING}"))
NEWEST = FOLDER / str(model_file.FORMAT)
CHANGES_OF_A_FILE = 40


def of(path):
    return f"{path.parent.name}-{path.stem}"


def test_there_is_a_file_of_every_kind_in_every_format_that_is_read():
    assert {path.parent.name for path in FILES} == {str(number) for number in model_file.READERS}
    for number in model_file.READERS:
        kinds = {kind for kind in KINDS_OF_FILES if SINCE.get(kind, number) <= number}
        assert {path.stem for path in FILES if path.parent.name == str(number)} == kinds


@pytest.mark.parametrize("path", FILES, ids=of)
def test_a_golden_file_gives_what_it_gave(path):
    assert header_of(path.read_bytes())["format"] == int(path.parent.name)
    expected = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    found = json.loads(json.dumps(KINDS_OF_FILES[path.stem].outputs(path)))
    for name, probabilities in expected.pop("probabilities", {}).items():
        # Logarithms are not the same to the last digit everywhere.
        assert found["probabilities"].pop(name) == pytest.approx(probabilities, abs=2e-4)
    found.pop("probabilities", None)
    assert found == expected


@pytest.mark.parametrize("path", [p for p in FILES if "checkpoint" not in p.stem], ids=of)
def test_what_is_loaded_is_saved_in_the_newest_format_and_gives_the_same(path, tmp_path):
    kind = header_of(path.read_bytes())["kind"]
    header, arrays = model_file.read(path, kind)
    copy = tmp_path / path.name
    model_file.write(copy, {n: v for n, v in header.items() if n not in ("format", "arrays")}, arrays)
    assert header_of(copy.read_bytes())["format"] == model_file.FORMAT
    outputs = KINDS_OF_FILES[path.stem].outputs
    assert outputs(copy) == outputs(path)


def test_the_english_model_has_checksums():
    assert header_of((PACKAGED / "en.arc").read_bytes())["format"] >= 3


def test_the_english_model_gives_the_same_trees_from_a_copy(tmp_path):
    english = load("en")
    english.save(tmp_path / "en.arc")
    dev = Treebank.read(GARDEN / "dev.conllu")
    copy = Pipeline.load(tmp_path / "en.arc")
    copy.save(tmp_path / "again.arc")
    assert (tmp_path / "again.arc").read_bytes() == (tmp_path / "en.arc").read_bytes()
    assert copy(TEXT).to_conllu() == english(TEXT).to_conllu()
    assert copy.parse(dev, tags="new").to_bytes() == english.parse(dev, tags="new").to_bytes()


# Right checksums and wrong contents.


@pytest.mark.parametrize("path", sorted(NEWEST.glob(f"*{ENDING}")), ids=of)
def test_no_value_in_a_header_gets_past_the_errors_of_the_package(path, tmp_path):
    content, outputs = path.read_bytes(), KINDS_OF_FILES[path.stem].outputs
    draw = random.Random(path.stem)
    places = list(paths_in(header_of(content)))
    for _ in range(CHANGES_OF_A_FILE):
        place, value = draw.choice(places), draw.choice((*VALUES, remove))
        refused_or_used(content, place, value, tmp_path / path.name, outputs)


def refused_or_used(content, place, value, damaged, outputs):
    def change(header):
        if value is remove:
            remove(header, place)
        else:
            put(header, place, value)

    damaged.write_bytes(with_header(content, change))
    try:
        outputs(damaged)
    except ArcwiseError as error:
        assert str(error).strip()
    except Exception as error:
        raise AssertionError(f"{place} = {value!r} ends in {error!r}") from error


# Checkpoints and odd numbers, written with right checksums.


@pytest.fixture(scope="module")
def joint_run(tmp_path_factory):
    """A run of a parser and a tagger that has one epoch behind it, and how to begin it again."""
    path = tmp_path_factory.mktemp("run") / "a.checkpoint"
    options = ParserOptions.of(**{**SMALLEST, "tokens": "shape", "shown_tags": 0.5}, epochs=3)

    def begin():
        return Training(garden("train", 3), options=options, tagger=TaggerOptions(hidden=16))

    training = begin()
    next(training.epochs())
    training.save_checkpoint(path)
    return path, begin


def with_changes(source, path, change):
    header, arrays = model_file.read(source, "checkpoint")
    header, arrays = dict(header), {name: array.copy() for name, array in arrays.items()}
    del header["format"], header["arrays"]
    change(header, arrays)
    model_file.write(path, header, arrays)
    return path


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("learner.tags.steps", []),
        ("learner.tags.steps", [-1]),
        ("learner.tags.steps", [1, 2]),
        ("learner.tags.steps", [2**62]),
        ("learner.seen", []),
        ("learner.seen", [-1]),
        ("learner.tokens.last", [-(2**63)]),
        ("learner.tokens.last", [2**62]),
        ("learner.extras.last", [-1]),
        ("learner.tags.extras.last", [2**62]),
    ],
)
def test_a_checkpoint_with_impossible_counts_is_refused(joint_run, tmp_path, name, values):
    source, begin = joint_run

    def change(header, arrays):
        numbers = np.array(values, np.int64).view(np.uint8)
        same_size = name.endswith(".last")
        arrays[name] = np.concatenate([numbers, arrays[name][len(numbers) :]]) if same_size else numbers

    begin().resume(with_changes(source, tmp_path / "same", lambda *_: None))
    with pytest.raises(ModelError, match="is a damaged checkpoint: start again without it"):
        begin().resume(with_changes(source, tmp_path / "other", change))


@pytest.mark.parametrize("value", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["dense.weights", "tokens.second", "tags.dense.average", "most_hidden"])
def test_a_checkpoint_with_weights_that_are_no_numbers_is_refused(joint_run, tmp_path, name, value):
    source, begin = joint_run

    def change(header, arrays):
        arrays[f"learner.{name}"].view(np.float32)[0] = value

    with pytest.raises(ModelError, match="is a damaged checkpoint"):
        begin().resume(with_changes(source, tmp_path / "a.checkpoint", change))


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("under_way",), None),
        (("under_way", "words"), "many"),
        (("under_way", "loss"), None),
        (("under_way", "decisions"), 1.5),
        (("under_way", "wrong"), -1),
        (("history", 0), None),
        (("history", 0, "number"), 2),
        (("history", 0, "loss"), []),
        (("state", "steps"), -1),
        (("state", "steps"), 2**62),
        (("state", "epoch"), 2**62),
        (("state", "epoch"), "x"),
        (("state", "position"), -1),
        (("state",), [1]),
    ],
)
def test_a_checkpoint_with_a_damaged_tally_is_refused(joint_run, tmp_path, place, value):
    source, begin = joint_run
    changed = with_changes(source, tmp_path / "a.checkpoint", lambda header, _: put(header, place, value))
    with pytest.raises(ModelError, match="is a damaged checkpoint"):
        begin().resume(changed)


def test_a_checkpoint_without_options_that_came_later_is_taken_up(joint_run, tmp_path):
    source, begin = joint_run

    def change(header, arrays):
        del header["options"]["learner"]["window"], header["tagger_options"]["lexicon"]

    training = begin()
    training.resume(with_changes(source, tmp_path / "a.checkpoint", change))
    assert len(training.history) == 1


@pytest.mark.parametrize("scale", [1e300, 1e21, math.nan, math.inf, 0, -1])
@pytest.mark.parametrize("name", ["adagrad", "hc", "segmenter"])
def test_a_model_with_a_scale_that_makes_no_numbers_is_refused(tmp_path, name, scale):
    content = (NEWEST / f"{name}{ENDING}").read_bytes()
    place = ("ranking", "scale") if name == "hc" else ("scale",)
    path = tmp_path / "a.model"
    path.write_bytes(with_header(content, lambda header: put(header, place, scale)))
    with pytest.raises(ModelError, match="damaged"):
        Pipeline.load(path)


def test_probabilities_of_the_coldest_calibration_are_numbers(tmp_path):
    content = (NEWEST / f"calibrated{ENDING}").read_bytes()
    path = tmp_path / "a.model"
    path.write_bytes(with_header(content, lambda header: put(header, ("calibration", "temperature"), 1e-300)))
    parsed = Parser.load(path).parse(garden(sentences=3), probabilities="moves")
    assert np.isfinite(parsed.head_probs).all()


# Memory for what a file holds.

PEAK = """
import resource, sys
from arcwise import Parser, search
from golden_models import LengthTagger
if sys.argv[2] == "search":
    search.load(sys.argv[1], LengthTagger())
else:
    Parser.load(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.parametrize("name", ["l2s", "search"])
def test_a_table_takes_memory_for_what_the_file_holds(tmp_path, name):
    content = (NEWEST / f"{name}{ENDING}").read_bytes()
    place = ("search" if name == "l2s" else "options", "bits")
    peaks = []
    for bits in (13, 28):
        path = tmp_path / f"{bits}.model"
        path.write_bytes(with_header(content, lambda header, bits=bits: put(header, place, bits)))
        paths = os.pathsep.join([*sys.path, str(Path(__file__).parent)])
        command = [sys.executable, "-c", PEAK, str(path), name]
        found = subprocess.run(
            command, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, check=True
        )
        peaks.append(int(found.stdout))
    assert peaks[1] - peaks[0] < 50_000  # in KB (on macOS in bytes); as a table it was 3 GB


@pytest.mark.parametrize("name", ["l2s", "search"])
@pytest.mark.parametrize("bits", [0, 31, 60, -1])
def test_an_impossible_number_of_bits_is_refused(tmp_path, name, bits):
    content = (NEWEST / f"{name}{ENDING}").read_bytes()
    place = ("search" if name == "l2s" else "options", "bits")
    path = tmp_path / "a.model"
    path.write_bytes(with_header(content, lambda header: put(header, place, bits)))
    with pytest.raises(ModelError, match="bits must be between"):
        KINDS_OF_FILES[name].outputs(path)
