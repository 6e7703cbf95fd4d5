"""Files of every kind and format, made by the versions that wrote them, load and give what they gave then."""

import json
import random

import pytest

from arcwise import ArcwiseError, Parser, Pipeline, Treebank, load, model_file
from arcwise.models import PACKAGED
from conftest import GARDEN
from damage import VALUES, header_of, paths_in, put, remove, with_header
from golden_models import ENDING, FOLDER, KINDS_OF_FILES, TEXT

FILES = sorted(FOLDER.glob(f"*/*{ENDING}"))
NEWEST = FOLDER / str(model_file.FORMAT)
CHANGES_OF_A_FILE = 60


def of(path):
    return f"{path.parent.name}-{path.stem}"


def test_there_is_a_file_of_every_kind_in_every_format_that_is_read():
    assert {path.parent.name for path in FILES} == {str(number) for number in model_file.READERS}
    for number in model_file.READERS:
        assert {path.stem for path in FILES if path.parent.name == str(number)} == set(KINDS_OF_FILES)


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
    assert header_of((PACKAGED / "en.arc").read_bytes())["format"] == model_file.FORMAT


def test_the_english_model_gives_the_same_trees_from_a_copy(tmp_path):
    english = load("en")
    english.save(tmp_path / "en.arc")
    assert (tmp_path / "en.arc").read_bytes() == (PACKAGED / "en.arc").read_bytes()
    dev = Treebank.read(GARDEN / "dev.conllu")
    copy = Pipeline.load(tmp_path / "en.arc")
    assert copy(TEXT).to_conllu() == english(TEXT).to_conllu()
    assert copy.parse(dev, retag=True).to_bytes() == english.parse(dev, retag=True).to_bytes()


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
