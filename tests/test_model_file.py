"""The model file: what is written is read back, and nothing in a file is believed unchecked."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays_of

from arcwise import (
    ModelError,
    Parser,
    ParserOptions,
    Pipeline,
    Training,
    Treebank,
    _core,
    model_file,
)
from arcwise.models import PACKAGED, load
from arcwise.parser import ModelInfo
from damage import START, header_of, sealed, with_arrays, with_header
from golden_models import ENDING, FOLDER, TEXT
from walks import is_tree

TREEBANK = Treebank.from_string(
    """\
1	the	_	DET	_	_	2	det	_	_
2	dog	_	NOUN	_	_	3	nsubj	_	_
3	saw	_	VERB	_	_	0	root	_	_
4	the	_	DET	_	_	5	det	_	_
5	cat	_	NOUN	_	_	3	obj	_	_

"""
)
WORDS = Treebank.from_words([["the", "cat", "saw", "the", "dog"], ["saw"]])

NEWEST = FOLDER / str(model_file.FORMAT)

any_path = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def small_model(tmp_path_factory):
    """The bytes of a real model, as small as one gets."""
    folder = tmp_path_factory.mktemp("model")
    templates = folder / "own.features"
    templates.write_text("S0.form N0.form\nN0.upos\n", encoding="utf-8")
    path = folder / "small.model"
    parser = Parser.train(TREEBANK, learner="perceptron", features=str(templates), epochs=2)
    parser.save(path)
    return path.read_bytes()


# Containers.

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
headers = st.dictionaries(st.text("uvwxyz", min_size=1, max_size=5), json_values, max_size=4)
dtypes = st.sampled_from(model_file.DTYPES).map(np.dtype)
arrays = st.dictionaries(
    st.text("abcdefgh_é", min_size=1, max_size=5),
    dtypes.flatmap(
        lambda dtype: arrays_of.arrays(dtype, arrays_of.array_shapes(min_dims=1, max_dims=3, min_side=0))
    ),
    max_size=4,
)


@any_path
@given(headers, arrays)
def test_header_and_arrays_come_back_as_they_were(tmp_path, header, arrays):
    path = tmp_path / "some.container"
    model_file.write(path, {"kind": "thing", **header}, arrays)
    its_header, its_arrays = model_file.read(path, "thing")
    del its_header["arrays"]
    assert its_header == {"format": model_file.FORMAT, "kind": "thing", **header}
    assert its_arrays.keys() == arrays.keys()
    for name, array in arrays.items():
        assert its_arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(its_arrays[name], array)


@any_path
@given(arrays)
def test_arrays_are_aligned_and_read_only(tmp_path, arrays):
    path = tmp_path / "some.container"
    model_file.write(path, {"kind": "thing"}, arrays)
    header, its_arrays = model_file.read(path, "thing")
    assert all(entry["offset"] % model_file.ALIGNMENT == 0 for entry in header["arrays"].values())
    assert not any(array.flags.writeable for array in its_arrays.values())


def test_arrays_of_either_byte_order_are_written_alike(tmp_path):
    numbers = np.arange(5, dtype=np.uint32)
    for name, order in (("little", "<"), ("big", ">")):
        model_file.write(tmp_path / name, {"kind": "thing"}, {"a": numbers.astype(f"{order}u4")})
    assert (tmp_path / "little").read_bytes() == (tmp_path / "big").read_bytes()


# Models.


def test_a_model_that_was_saved_parses_as_before(tmp_path, garden):
    parser = Parser.train(garden[:40], learner="perceptron", epochs=2)
    parser.save(tmp_path / "a.model")
    loaded = Parser.load(tmp_path / "a.model")
    assert loaded.info == parser.info
    before, after = parser.parse(garden), loaded.parse(garden)
    assert before.to_bytes() == after.to_bytes()


def test_saving_what_was_loaded_gives_the_same_bytes(tmp_path, small_model):
    (tmp_path / "a.model").write_bytes(small_model)
    Parser.load(tmp_path / "a.model").save(tmp_path / "b.model")
    assert (tmp_path / "b.model").read_bytes() == small_model


def test_a_model_can_be_saved_over_the_file_it_comes_from(tmp_path, small_model):
    path = tmp_path / "a.model"
    path.write_bytes(small_model)
    parser = Parser.load(path)
    parser.save(path)
    parser.parse(WORDS)
    assert path.read_bytes() == small_model


def test_adagrads_file_is_smaller_than_the_perceptrons(tmp_path, garden):
    sizes = {}
    for learner in ("perceptron", "adagrad"):
        path = tmp_path / f"{learner}.model"
        Parser.train(garden, learner=learner, epochs=5).save(path)
        sizes[learner] = path.stat().st_size
    assert sizes["adagrad"] < sizes["perceptron"]


# What becomes of the file afterwards.


@pytest.mark.parametrize("change", ["truncate", "overwrite", "remove"])
def test_what_becomes_of_a_file_does_not_change_the_model_that_was_loaded(tmp_path, change):
    path = tmp_path / "en.arc"
    path.write_bytes((PACKAGED / "en.arc").read_bytes())
    english, whole = Pipeline.load(path), Pipeline.load(path)
    expected = whole(TEXT).to_conllu()
    if change == "remove":
        path.unlink()
    else:
        with path.open("r+b") as file:
            if change == "truncate":
                file.truncate(0)
            else:
                file.write(b"\xff" * path.stat().st_size)
    assert english(TEXT).to_conllu() == expected
    for name, pipeline in (("again.arc", english), ("whole.arc", load("en"))):
        pipeline.save(tmp_path / name)
    assert (tmp_path / "again.arc").read_bytes() == (tmp_path / "whole.arc").read_bytes()


# Damage. A file that still loads must still give trees: weights and names may have changed, no more.


def refused_or_sound(path, content):
    path.write_bytes(content)
    try:
        parser = Parser.load(path)
    except ModelError as error:
        assert str(error).startswith(str(path))
        return "refused"
    first = 0
    parsed = parser.parse(WORDS)
    for sentence in parsed:
        heads = parsed.heads[first : first + len(sentence)].tolist()
        assert is_tree(heads)
        first += len(sentence)
    return "sound"


def test_a_model_that_is_whole_is_sound(tmp_path, small_model):
    assert refused_or_sound(tmp_path / "a.model", small_model) == "sound"


def test_a_model_cut_short_anywhere_is_refused(tmp_path, small_model):
    for length in range(len(small_model)):
        assert refused_or_sound(tmp_path / "a.model", small_model[:length]) == "refused", length


@pytest.mark.parametrize("more", [b"\0", bytes(64), b"{}"])
def test_a_model_with_more_behind_it_is_refused(tmp_path, small_model, more):
    assert refused_or_sound(tmp_path / "a.model", small_model + more) == "refused"


def demand_that_flips_are_noticed(path, places):
    """Flips a bit of each of these bytes of a file, one after the other."""
    content = path.read_bytes()
    kind = header_of(content)["kind"]
    draw = random.Random(1)
    with path.open("r+b", buffering=0) as file:
        for at in places:
            file.seek(at)
            file.write(bytes([content[at] ^ 1 << draw.randrange(8)]))
            with pytest.raises(ModelError):
                model_file.read(path, kind)
            file.seek(at)
            file.write(content[at : at + 1])
    model_file.read(path, kind)


def test_no_flipped_bit_of_a_file_goes_unnoticed(tmp_path):
    path = tmp_path / "a.model"
    path.write_bytes((NEWEST / f"search{ENDING}").read_bytes())
    demand_that_flips_are_noticed(path, range(path.stat().st_size))


@pytest.mark.parametrize(
    "source",
    [PACKAGED / "en.arc", *(FOLDER / str(model_file.FORMAT)).glob(f"*{ENDING}")],
    ids=lambda p: p.stem,
)
def test_no_flipped_bit_of_any_kind_of_file_goes_unnoticed(tmp_path, source):
    path = tmp_path / "a.model"
    path.write_bytes(source.read_bytes())
    size = path.stat().st_size
    demand_that_flips_are_noticed(path, random.Random(2).sample(range(size), 40))


def test_what_lies_between_arrays_must_be_zeros(tmp_path):
    path = tmp_path / "a.container"
    model_file.write(path, {"kind": "thing"}, {"a": np.ones(3, np.uint8), "b": np.ones(3, np.uint8)})
    content = bytearray(path.read_bytes())
    second = header_of(content)["arrays"]["b"]["offset"]
    content[second - 1] = 1
    path.write_bytes(content)
    with pytest.raises(ModelError, match="there is something between its arrays"):
        model_file.read(path, "thing")


@pytest.mark.parametrize(
    ("text", "checksum"),
    [
        (b"", 0x00000000),
        (b"a", 0xC1D04330),
        (b"123456789", 0xE3069283),
        (bytes(32), 0x8A9136AA),  # these four are of RFC 3720
        (b"\xff" * 32, 0x62A8AB43),
        (bytes(range(32)), 0x46DD794E),
        (bytes(range(31, -1, -1)), 0x113FDB5C),
    ],
    ids=repr,
)
def test_the_checksum_is_crc32c(text, checksum):
    content = np.frombuffer(text, np.uint8)
    assert _core.crc32c(content) == checksum
    assert _core.crc32c(content, portable=True) == checksum


@given(st.binary(max_size=300), st.integers(0, 300), st.integers(0, 20))
def test_the_checksum_is_the_same_on_every_machine_and_in_parts(text, cut, begin):
    content = np.frombuffer(text, np.uint8)[begin:]
    whole = _core.crc32c(content)
    assert whole == _core.crc32c(content, portable=True)
    assert whole == _core.crc32c(content[cut:], before=_core.crc32c(content[:cut]))


# Right checksums and wrong contents.


@any_path
@given(st.data())
def test_no_character_put_into_the_header_makes_a_model_unsound(tmp_path, small_model, data):
    damaged = bytearray(small_model)
    at = data.draw(st.integers(START, small_model.rindex(b"}")))
    damaged[at] = data.draw(st.sampled_from(b'09-"\\,') | st.integers(0, 255))
    refused_or_sound(tmp_path / "a.model", sealed(bytes(damaged)))


@any_path
@given(st.data())
def test_no_byte_of_an_array_that_changes_makes_a_model_unsound(tmp_path, small_model, data):
    def change(arrays):
        array = data.draw(st.sampled_from([a for a in arrays.values() if a.size])).reshape(-1).view(np.uint8)
        array[data.draw(st.integers(0, len(array) - 1))] = data.draw(st.integers(0, 255))

    refused_or_sound(tmp_path / "a.model", with_arrays(small_model, change))


names_of_fields = st.sampled_from(["kind", "format", "arrays", *ModelInfo.__dataclass_fields__])


@any_path
@given(names_of_fields, json_values)
def test_no_value_of_a_field_makes_a_model_unsound(tmp_path, small_model, name, value):
    damaged = with_header(small_model, lambda header: header.update({name: value}))
    refused_or_sound(tmp_path / "a.model", damaged)


@any_path
@given(st.sampled_from(sorted(ParserOptions.of().to_dict())), json_values)
def test_no_value_of_an_option_makes_a_model_unsound(tmp_path, small_model, name, value):
    damaged = with_header(small_model, lambda header: header["options"].update({name: value}))
    refused_or_sound(tmp_path / "a.model", damaged)


# Files that are something else.


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "is not an arcwise model: train one with 'arcwise train'"),
        (b"1\tGo\tgo\tVERB\t_\t_\t0\troot\t_\t_\n\n", "is not an arcwise model"),
        (b"PK\x03\x04 and so on", "is not an arcwise model"),
        (b"arcwise", "is not an arcwise model"),
        (b"arcwise\n", "its header is not whole"),
        (b"arcwise\n" + (2**63).to_bytes(8, "little"), "its header is not whole"),
        (b"arcwise\n" + (4).to_bytes(8, "little") + b"[1]\n", "its header is not what it should be"),
        (b"arcwise\n" + (4).to_bytes(8, "little") + b"\xff\xff\xff\xff", "its header cannot be read"),
        (b"arcwise\n" + (100_000).to_bytes(8, "little") + b"[" * 100_000, "its header cannot be read"),
    ],
)
def test_a_foreign_file_is_refused_by_name_and_reason(tmp_path, content, reason):
    path = tmp_path / "foreign"
    path.write_bytes(content)
    with pytest.raises(ModelError, match=reason) as refusal:
        Parser.load(path)
    assert str(path) in str(refusal.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(ModelError, match=r"none\.model cannot be read: No such file"):
        Parser.load(tmp_path / "none.model")


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(ModelError, match="cannot be read: Is a directory"):
        Parser.load(tmp_path)


@pytest.mark.parametrize("number", [1, model_file.FORMAT + 1, True, 5.0, "5", None, [5], {}])
def test_another_format_version_is_refused_with_all_numbers(tmp_path, small_model, number):
    path = tmp_path / "a.model"
    path.write_bytes(with_header(small_model, lambda header: header.update(format=number)))
    with pytest.raises(ModelError) as refusal:
        Parser.load(path)
    known = f"reads formats 2 to {model_file.FORMAT}"
    assert f"has format {number!r}, and this version of arcwise {known}" in str(refusal.value)


def test_a_format_that_was_damaged_is_not_taken_for_another(tmp_path, small_model):
    path = tmp_path / "a.model"
    for number in range(2, model_file.FORMAT + 2):
        if number == model_file.FORMAT:
            continue
        damaged = small_model.replace(b'"format": %d' % model_file.FORMAT, b'"format": %d' % number)
        path.write_bytes(damaged)
        with pytest.raises(ModelError, match="is damaged"):
            Parser.load(path)


def test_a_checkpoint_is_no_model_and_a_model_no_checkpoint(tmp_path, small_model):
    training = Training(TREEBANK, options=ParserOptions.of(learner="perceptron", epochs=2))
    training.save_checkpoint(tmp_path / "a.checkpoint")
    with pytest.raises(ModelError, match="is a checkpoint, and a parser or a pipeline is needed here"):
        Parser.load(tmp_path / "a.checkpoint")
    (tmp_path / "a.model").write_bytes(small_model)
    with pytest.raises(ModelError, match="is a parser, and a checkpoint is needed here"):
        training.resume(tmp_path / "a.model")


# Writing, whole or not at all.


@pytest.mark.parametrize("failing", ["os.fsync", "pathlib.Path.replace"])
def test_an_error_while_writing_leaves_the_old_file_and_nothing_else(
    tmp_path, small_model, monkeypatch, failing
):
    path = tmp_path / "a.model"
    path.write_bytes(small_model)
    parser = Parser.train(TREEBANK, learner="perceptron", epochs=1)

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(failing, fail)
        with pytest.raises(ModelError, match=r"a\.model cannot be written: No space left on device"):
            parser.save(path)
    assert path.read_bytes() == small_model
    assert list(tmp_path.iterdir()) == [path]


def test_a_model_cannot_be_saved_where_there_is_no_folder(tmp_path):
    with pytest.raises(ModelError, match="cannot be written: No such file"):
        Parser.train(TREEBANK, learner="perceptron", epochs=1).save(tmp_path / "nowhere" / "a.model")
