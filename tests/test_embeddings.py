"""The embeddings of words in few bits: what is stored of them, and what becomes of models."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from arcwise import ModelError, Parser, Pipeline, Treebank, _core, network
from arcwise.encoder import Encoder, embeddings, key_count
from arcwise.model_file import Component
from arcwise.options import ParserOptions
from arcwise.precision import with_embedding_bits
from networks import Network, known_keys, mix, short

FREQUENT = 4096
"""Rows that have 8 bits at any rate."""
TINY = {"epochs": 2, "width": 16, "hidden": 16, "layers": 1}


def packed(rows, bits):
    """What is stored of rows, none of which is frequent."""
    width = rows.shape[1]
    before = np.zeros((FREQUENT, width), np.float32)
    tokens, rare, factors, scale = _core.pack_embeddings(np.vstack([before, rows]).ravel(), width, bits)
    own = tokens[FREQUENT * width :]
    return {"tokens": own, "rare_tokens": rare, "token_factors": factors[FREQUENT:]}, scale


def unpacked(rows, bits):
    arrays, scale = packed(rows, bits)
    return embeddings(arrays, rows.shape[1]) * scale


def some_rows():
    numbers = st.floats(-8, 8, width=32)
    shapes = st.tuples(st.integers(1, 6), st.sampled_from([16, 48, 128]))
    return shapes.flatmap(lambda shape: hnp.arrays(np.float32, shape, elements=numbers))


@settings(deadline=None, max_examples=50)
@given(rows=some_rows())
def test_in_8_bits_a_number_is_off_by_half_a_step(rows):
    off = np.abs(unpacked(rows, 8) - rows)
    step = np.abs(rows).max(axis=1, keepdims=True) / 127 * 2 + np.abs(rows).max() / 32512
    assert (off <= step / 2 + 1e-6).all()


@settings(deadline=None, max_examples=50)
@given(rows=some_rows())
def test_in_4_bits_a_row_is_no_further_off_than_its_largest_number_makes_it(rows):
    found = unpacked(rows, 4)
    _, scale = packed(rows, 4)
    for row, own in zip(rows.astype(float), found, strict=True):
        most = np.abs(row).max()
        assert np.abs(own - row).max() <= max(most * 0.55, 8 * scale)
        # With the factor that just reaches the largest number, but for what is lost by rounding it.
        reaching = np.clip(2 * np.floor(row / (2 * most / 15 + 1e-30)) + 1, -15, 15) * most / 15
        error, other = np.linalg.norm(own - row), np.linalg.norm(reaching - row)
        assert error <= other * 1.000001 + 8 * scale * len(row) ** 0.5


def test_in_4_bits_a_normal_row_is_off_by_a_tenth():
    rows = np.random.default_rng(1).standard_normal((200, 128)).astype(np.float32)
    error = ((unpacked(rows, 4) - rows) ** 2).sum() / (rows**2).sum()
    # The best step for normal numbers leaves 0.01154 of their variance (Max 1960).
    assert 0.008 < error < 0.0118


def test_rows_of_zeros_stay_zeros():
    rows = np.zeros((3, 16), np.float32)
    rows[1] = 1
    for bits in (4, 8):
        assert not unpacked(rows, bits)[[0, 2]].any()


def test_frequent_rows_have_8_bits_at_any_rate():
    rows = np.random.default_rng(2).standard_normal((FREQUENT + 10, 16)).astype(np.float32)
    tokens, rare, factors, _ = _core.pack_embeddings(rows.ravel(), 16, 4)
    assert (tokens.size, rare.size, factors.size) == (FREQUENT * 16, 10 * 8, FREQUENT + 10)


@pytest.mark.parametrize(("width", "bits"), [(16, 5), (16, 16), (24, 4), (0, 8)])
def test_other_bits_and_widths_are_refused(width, bits):
    with pytest.raises(ValueError):
        _core.pack_embeddings(np.zeros(48, np.float32), width, bits)


def in_4_bits(parser):
    """A parser with all its embeddings in 4 bits."""
    arrays = dict(parser._arrays)
    width = parser.info.network["width"]
    rows = (embeddings(arrays, width) * arrays["scales"][0]).astype(np.float32)
    new, scale = packed(rows, 4)
    arrays |= new | {"scales": np.array([scale, arrays["scales"][1]], np.float32)}
    return Parser(parser.info, arrays), embeddings(new, width) * scale


def test_sums_of_rows_in_4_bits_are_those_of_the_formulas(garden_dev):
    network = Network(garden_dev, encoder="none")
    parser, rows = in_4_bits(network.parser(most_hidden=20.0))
    network.weights["tokens"] = rows.astype(np.float32)
    plain = network.parser(most_hidden=20.0)
    moves = [(0, 0), (0, 0), (0, 0)]
    for sentence in range(5):
        one, other = (
            p._core.scores(garden_dev._core, sentence, moves) * p._core.scale for p in (parser, plain)
        )
        np.testing.assert_allclose(one, other, atol=0.1)
        assert np.abs(one - other).mean() < 0.02


@pytest.mark.parametrize("vectors", ["portable", "avx2", "avx-vnni"])
def test_a_machine_without_wide_vectors_gives_the_same_scores_and_trees(garden_dev, tmp_path, vectors):
    parser, _ = in_4_bits(Network(garden_dev).parser())
    parser.save(tmp_path / "network.model")
    program = (
        "import sys, arcwise; parser = arcwise.Parser.load(sys.argv[1]);"
        "treebank = arcwise.Treebank.read(sys.argv[2]);"
        "scores = parser._core.scores(treebank._core, 0, [(0, 0), (0, 0)]);"
        "sys.stdout.buffer.write(scores.tobytes() + parser.parse(treebank).to_bytes())"
    )
    other = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "network.model", garden_dev.source],
        env={**os.environ, "ARCWISE_VECTORS": vectors},
        capture_output=True,
        check=True,
    )
    scores = parser._core.scores(garden_dev._core, 0, [(0, 0), (0, 0)])
    assert other.stdout == scores.tobytes() + parser.parse(garden_dev).to_bytes()


# Models.


@pytest.fixture(scope="module")
def many_words(tmp_path_factory):
    """A file with the vectors of more words than are frequent."""
    rng = np.random.default_rng(5)
    lines = [f"w{n} " + " ".join(f"{x:.3f}" for x in rng.standard_normal(6)) for n in range(FREQUENT + 500)]
    path = tmp_path_factory.mktemp("vectors") / "many.vec"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.fixture(scope="module")
def pipeline(garden, many_words):
    return Pipeline.train(
        garden[:30], components=("tagger", "parser"), **TINY, vectors=many_words, embedding_bits=8
    )


def bits_of(model):
    """The bits in which a model has its rare embeddings."""
    return 4 if model._arrays["rare_tokens"].size else 8


def test_a_pipeline_in_4_bits_is_smaller_and_says_so(garden, pipeline):
    whole = pipeline.to_component()
    halved = Pipeline.from_component(with_embedding_bits(whole, 4))
    rare = halved.parser.encoder.arrays["rare_tokens"]
    assert rare.nbytes == (key_count(pipeline.parser.encoder.arrays) + 4 - FREQUENT) * TINY["width"] // 2
    assert halved.shares_a_network
    options = halved.tagger.info.options, halved.parser.info.options.network
    assert [own.embedding_bits for own in options] == [4, 4]
    assert len(halved.to_bytes()) < len(pipeline.to_bytes())
    # What is frequent is what it was, and so are sentences without words that training saw once.
    uses = Counter(form.lower() for form in garden[:30].column("form"))
    frequent = [all(uses[token.form.lower()] != 1 for token in sentence) for sentence in garden]
    same = garden.select(np.flatnonzero(frequent).tolist())
    assert 20 < len(same) < len(garden)
    assert halved.parse(same).to_string() == pipeline.parse(same).to_string()


def test_4_bits_of_what_had_8_are_4_bits_of_what_was_learnt(garden, many_words):
    eight, four = (
        Parser.train(garden[:30], **TINY, vectors=many_words, embedding_bits=bits) for bits in (8, 4)
    )
    converted = Parser.from_component(with_embedding_bits(eight.to_component(), 4))
    rows = [embeddings(p._arrays, TINY["width"]) * p._arrays["scales"][0] for p in (four, converted)]
    off = ((rows[0] - rows[1]) ** 2).sum() / (rows[0] ** 2).sum()
    assert off < 0.002
    assert converted.info.options == four.info.options
    again = Parser.from_component(with_embedding_bits(converted.to_component(), 8))
    assert bits_of(again) == again.info.options.network.embedding_bits == 8


def test_with_vectors_rare_words_have_4_bits_by_default(garden, many_words):
    assert bits_of(Parser.train(garden[:5], **{**TINY, "epochs": 1}, vectors=many_words)) == 4
    assert network.embedding_bits(ParserOptions().network) == 8


def test_an_updated_model_keeps_its_bits(garden, many_words, garden_dev):
    parser = Parser.train(garden[:30], **TINY, vectors=many_words)
    updated = parser.update(garden_dev[:2], epochs=2)
    before, after = (p._arrays["rare_tokens"].size for p in (parser, updated))
    assert before == after > 0


@pytest.mark.parametrize(
    "change",
    [
        lambda arrays: {"token_factors": arrays["token_factors"][1:]},
        lambda arrays: {"token_factors": np.full_like(arrays["token_factors"], 2185)},
        lambda arrays: {"tokens": arrays["tokens"][1:]},
        lambda arrays: {"tokens": arrays["tokens"][16:]},
        lambda arrays: {"rare_tokens": arrays["rare_tokens"][8:]},
    ],
)
def test_damaged_embeddings_are_refused(garden, many_words, change):
    parser = Parser.train(garden[:5], **{**TINY, "epochs": 1}, vectors=many_words)
    arrays = dict(parser._arrays)
    Encoder.of_network(parser.info.network, arrays)
    with pytest.raises(ValueError):
        Encoder.of_network(parser.info.network, arrays | change(arrays))


# Keys.


@given(keys=st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=20), twice=st.booleans())
def test_a_model_has_five_bytes_of_keys_unless_two_would_be_the_same(keys, twice):
    if twice and keys:
        keys.append(keys[0] ^ 2**50)
    own = Network(Treebank.from_words([["a"]]))
    own.keys = keys
    own.weights["tokens"] = np.zeros((len(keys) + 4, own.width), np.float32)
    stored = own.frozen()["keys"]
    if len({short(key) for key in keys}) == len(keys):
        assert stored.dtype == np.uint8 and known_keys(stored) == [short(key) for key in keys]
    else:
        assert stored.dtype == np.uint64 and known_keys(stored) == keys


def test_words_are_found_by_whole_keys_and_by_short_ones(garden_dev):
    network = Network(garden_dev)
    one = network.parser()
    assert one._arrays["keys"].dtype == np.uint8
    whole = {**one._arrays, "keys": np.array(network.keys, np.uint64)}
    other = Parser(one.info, whole)
    assert other.parse(garden_dev).to_string() == one.parse(garden_dev).to_string()
    with pytest.raises(ModelError, match="its last key is not whole"):
        Parser(one.info, {**one._arrays, "keys": one._arrays["keys"][:-1]})


# A word and its vector in one row.


def word_key(word):
    return short(_core.hash_bytes(word.encode(), mix(1 + 1)))  # the second input of words, `lower`


def test_a_word_and_its_vector_are_one_row(tmp_path):
    sentence = "1\tThe\t_\tX\t_\t_\t2\tdep\t_\t_\n2\tcat\t_\tX\t_\t_\t0\tdep\t_\t_\n\n"
    path = tmp_path / "some.vec"
    path.write_text("cat 1 0\nThe 0 1\nthe 1 1\ndog 2 1\nDOG 0 3\n", encoding="utf-8")
    parser = Parser.train(Treebank.from_string(sentence * 3), **TINY, tokens="lower", vectors=str(path))
    keys = known_keys(parser._arrays["keys"])
    assert set(keys) == {word_key(word) for word in ("the", "cat", "The", "dog", "DOG")}
    assert len(keys) == 5
    assert parser.info.network["token_inputs"] == ["word"]


def test_rows_are_the_sums_of_embeddings_and_vectors(tmp_path, garden):
    """With a vector of 0 a word is what it is without, and with the same one, words differ as without."""
    path = tmp_path / "some.vec"
    path.write_text("the 0 0\nthe2 0 0\nzebra 0 0\nunicorn 3 4\n", encoding="utf-8")
    parser = Parser.train(garden[:20], **TINY, tokens="lower", vectors=str(path), embedding_bits=8)
    rows = dict(zip(known_keys(parser._arrays["keys"]), embeddings(parser._arrays, 16)[4:], strict=True))
    unknown = embeddings(parser._arrays, 16)[2]
    np.testing.assert_array_equal(rows[word_key("zebra")], unknown)
    np.testing.assert_array_equal(rows[word_key("the2")], unknown)
    assert not np.array_equal(rows[word_key("unicorn")], unknown)
    assert not np.array_equal(rows[word_key("the")], unknown)


def test_models_go_through_bytes(pipeline, garden_dev):
    four = with_embedding_bits(pipeline.to_component(), 4)
    again = Pipeline.from_component(Component.from_bytes(four.to_bytes(), "pipeline"))
    assert again.parse(garden_dev).to_string() == Pipeline.from_component(four).parse(garden_dev).to_string()


def test_other_bits_are_no_option():
    with pytest.raises(Exception, match="4 bits or 8"):
        ParserOptions.of(embedding_bits=6)
