"""A network, frozen for parsing: its scores are the formulas', on every machine and in any company."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from arcwise import ModelError, Parser, Treebank, _core
from arcwise.precision import in_8_bits
from networks import LABELS, ROOT_LABEL, STATE_INPUTS, Network, State

SYSTEMS = list(STATE_INPUTS)
ENCODERS = ["none", "conv", "rnn"]


def random_walk(system, words, rng):
    """The moves of a walk, and the states before them."""
    arcs = list(range(len(LABELS)))
    walk = _core.Walk.start(system, words, arcs, [ROOT_LABEL])
    moves, states = [], []
    while not walk.done:
        legal = walk.legal()
        move = legal[rng.integers(len(legal))]
        moves.append(move)
        states.append(State(walk.copy(), move[0]))
        walk.apply(move)
    return moves, states


def walks(network, sentences, rng):
    """For some sentences: which, the moves of a walk, what hidden units add up to and the scores."""
    first = 0
    for s, sentence in enumerate(network.treebank):
        if s in sentences:
            x = network.encoded(first, len(sentence))
            moves, states = random_walk(network.system, len(sentence), rng)
            sums = [network.hidden_sums(x, state) for state in states]
            yield s, moves, np.array(sums), np.array([network.scores(x, state) for state in states])
        first += len(sentence)


def check_scores(network, sentences):
    taken = list(walks(network, sentences, np.random.default_rng(7)))
    parser = network.parser(most_hidden=max(abs(sums).max() for _, _, sums, _ in taken))._core
    for s, moves, _, expected in taken:
        scores = parser.scores(network.treebank._core, s, moves).reshape(expected.shape) * parser.scale
        assert expected.std() > 0.3
        off = abs(scores - expected)
        # In 8 bits, what is nearly halfway between two integers may be rounded to the other one.
        assert off.max() < (5e-3 if network.bits == 16 else 0.2)
        assert off.mean() < (1e-3 if network.bits == 16 else 4e-2)


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_scores_are_those_of_the_formulas(garden_dev, system, encoder, bits):
    check_scores(Network(garden_dev, system, encoder, bits=bits), range(0, 20, 3))


@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("encoder", ENCODERS)
def test_scores_of_very_long_sentences_are_those_of_the_formulas(encoder, bits):
    """Of their words not all is kept at a time."""
    rng = np.random.default_rng(3)
    words = rng.choice(["the", "bee", "sees", "a", "sea", "."], 17_000).tolist()
    treebank = Treebank.from_words([words], upos=[["X"] * len(words)])
    network = Network(treebank, encoder=encoder, width=16, hidden=16, layers=1, bits=bits)
    walk = _core.Walk.start(network.system, len(words), list(range(len(LABELS))), [ROOT_LABEL])
    moves, states = [], {}
    while not walk.done:
        legal = walk.legal()
        if len(moves) % 997 == 0:
            states[len(moves)] = State(walk.copy(), legal[0][0])
        moves.append(legal[rng.integers(len(legal))])
        walk.apply(moves[-1])
    x = network.encoded(0, len(words))
    expected = np.array([network.scores(x, state) for state in states.values()])
    most_hidden = max(abs(network.hidden_sums(x, state)).max() for state in states.values())
    parser = network.parser(most_hidden=most_hidden)._core
    scores = parser.scores(network.treebank._core, 0, moves).reshape(len(moves), -1)[list(states)]
    assert abs(scores * parser.scale - expected).max() < (2e-2 if bits == 16 else 0.1)


@pytest.mark.parametrize(
    "shape",
    [
        {"window": 0},
        {"window": 2, "layers": 1},
        {"width": 16, "hidden": 16},
        {"width": 64, "hidden": 128, "layers": 3},
    ],
)
def test_scores_are_those_of_the_formulas_for_any_shape(garden_dev, shape):
    check_scores(Network(garden_dev, **shape), range(0, 9, 4))


# The first leaves hidden units at the end of their range in many states: the order of sums matters there.
@pytest.mark.parametrize("most_hidden", [0.1, 8.0])
@pytest.mark.parametrize("encoder", ENCODERS)
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("vectors", ["portable", "avx2", "avx-vnni", "avx512bw"])
def test_a_machine_without_wide_vectors_gives_the_same_scores_and_trees(
    garden, garden_dev, tmp_path, vectors, bits, encoder, most_hidden
):
    parser = Network(garden, encoder=encoder, bits=bits).parser(most_hidden=most_hidden)
    moves, _ = random_walk("arc-eager", len(garden_dev[0]), np.random.default_rng(9))
    parser.save(tmp_path / "network.model")
    program = (
        "import ast, sys, arcwise; parser = arcwise.Parser.load(sys.argv[1]);"
        "treebank = arcwise.Treebank.read(sys.argv[2]);"
        "scores = parser._core.scores(treebank._core, 0, ast.literal_eval(sys.argv[3]));"
        "best = [[score for _, score in trees] for trees in parser.nbest(treebank, 4, beam=4)];"
        "sys.stdout.buffer.write(scores.tobytes() + parser.parse(treebank).to_bytes() + repr(best).encode())"
    )
    portable = subprocess.run(
        [sys.executable, "-c", program, tmp_path / "network.model", garden_dev.source, str(moves)],
        env={**os.environ, "ARCWISE_VECTORS": vectors},
        capture_output=True,
        check=True,
    )
    scores = parser._core.scores(garden_dev._core, 0, moves)
    best = [[score for _, score in trees] for trees in parser.nbest(garden_dev, 4, beam=4)]
    assert portable.stdout == scores.tobytes() + parser.parse(garden_dev).to_bytes() + repr(best).encode()


@pytest.mark.parametrize("encoder", ENCODERS)
def test_a_sentence_has_the_same_tree_in_any_company(garden, encoder):
    parser = Network(garden, encoder=encoder).parser()
    together = parser.parse(garden).to_string()
    assert parser.parse(garden, threads=3).to_string() == together
    assert "".join(parser.parse(sentence).to_string() for sentence in garden) == together
    backwards = [parser.parse(sentence).to_string() for sentence in reversed(list(garden))]
    assert "".join(reversed(backwards)) == together


@pytest.mark.parametrize("system", [system for system in SYSTEMS if system != "easy-first"])
def test_what_is_stored_is_what_is_loaded(garden_dev, tmp_path, system):
    parser = Network(garden_dev, system).parser()
    parser.save(tmp_path / "network.model")
    again = Parser.load(tmp_path / "network.model")
    assert again.info == parser.info
    assert again.parse(garden_dev).to_bytes() == parser.parse(garden_dev).to_bytes()


def test_long_sentences_and_empty_ones_parse():
    treebank = Treebank.from_words([["far"] * 3000, ["so"]])
    parser = Network(treebank).parser()
    assert [len(s) for s in parser.parse(treebank)] == [3000, 1]


ARRAYS = [name for name, array in Network(Treebank.from_words([["a"]])).frozen().items() if array.size]


@pytest.mark.parametrize("name", ARRAYS)
@pytest.mark.parametrize("cut", [True, False])
def test_arrays_of_another_size_are_refused(garden_dev, name, cut):
    network = Network(garden_dev)
    arrays = network.frozen()
    arrays[name] = arrays[name][:-1] if cut else np.append(arrays[name], arrays[name][:1])
    with pytest.raises(ModelError, match="damaged"):
        Parser(network.info(), arrays)


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("name", ["encoder_scales", "encoder_bias", "position_scales", "scales"])
def test_what_is_not_a_number_is_refused(garden_dev, name, value):
    network = Network(garden_dev)
    arrays = network.frozen()
    arrays[name][1] = value
    with pytest.raises(ModelError, match="not a"):
        Parser(network.info(), arrays)


@pytest.mark.parametrize("name", ["encoder_weights", "positions", "moves"])
def test_weights_that_could_overflow_are_refused(garden_dev, name):
    for bits in 8, 16:
        network = Network(garden_dev, bits=bits)
        arrays = network.frozen()
        arrays[name][:] = np.iinfo(arrays[name].dtype).max
        with pytest.raises(ModelError, match="too large"):
            Parser(network.info(), arrays)


def test_weights_in_8_bits_are_as_large_as_can_be():
    """Of four that are multiplied together none can leave 16 bits, whatever they are multiplied with."""
    weights = np.random.default_rng(4).standard_normal((64, 5)).astype(np.float32)
    weights[8:14, 1] = [3, 3, 0, 0, 3, 3]  # which are together: inputs by pairs, of two fours
    weights[:, 2] = 0
    integers, scales = _core.byte_weights(weights.ravel(), len(weights))
    sizes = abs(integers.reshape(weights.shape).astype(int))
    together = sizes.reshape(-1, 2, 2, 2, 5).sum(axis=(1, 3))
    assert together.max() <= 258
    assert sizes[8, 1] == 64
    assert all(sizes[:, o].max() >= 120 or together[..., o].max() >= 254 for o in (0, 1, 3, 4))
    assert (abs(integers.reshape(weights.shape) * scales - weights) <= scales / 2 + 1e-6).all()


def test_weights_of_8_bits_and_of_16_do_not_go_together(garden_dev):
    network, other = Network(garden_dev), Network(garden_dev, bits=16)
    with pytest.raises(ModelError, match="some 16"):
        Parser(network.info(), {**network.frozen(), "positions": other.frozen()["positions"]})


def test_a_network_of_16_bits_can_be_brought_to_8(garden_dev, tmp_path):
    wide = Network(garden_dev, bits=16).parser()
    narrow = Parser.from_component(in_8_bits(wide.to_component()))
    expected = Network(garden_dev, bits=8).parser()
    for name, array in expected._arrays.items():
        assert narrow._arrays[name].dtype == array.dtype
    # They were rounded twice.
    for name in "encoder_weights", "positions":
        off = abs(narrow._arrays[name].astype(int) - expected._arrays[name])
        assert off.max() <= 1 and off.mean() < 0.05
    assert in_8_bits(narrow.to_component()).to_bytes() == narrow.to_component().to_bytes()


def test_words_that_were_met_before_are_known(garden_dev):
    parser = Network(garden_dev).parser()
    trees = parser.parse(garden_dev).to_bytes()
    asked, known = parser._model.known_words
    assert 0 < known < asked
    assert parser.parse(garden_dev).to_bytes() == trees
    asked_again, known_again = parser._model.known_words
    assert asked_again == 2 * asked and known_again - known > 0.9 * asked


@pytest.mark.parametrize(
    "changes, complaint",
    [
        ({"width": 24}, "multiple of 16"),
        ({"hidden": 1}, "multiple of 16"),
        ({"hidden": 4096}, "16 to 2048"),
        ({"layers": 17}, "layers"),
        ({"window": -1}, "window"),
        ({"encoder": "tree"}, "encoder"),
        ({"token_inputs": ["colour"]}, "colour"),
        ({"token_inputs": []}, "no input"),
        ({"state_inputs": ["S0.colour"]}, "colour"),
        (
            {"state_inputs": ["L0", "R0", "L1", "R1", "L2", "L0.deprel", "R0.deprel", "L0~R0.distance"]},
            "lacks",
        ),
    ],
)
def test_impossible_shapes_and_inputs_are_refused(garden_dev, changes, complaint):
    network = Network(garden_dev)
    with pytest.raises(ModelError, match=complaint):
        Parser(network.info(**changes), network.frozen())


def test_weights_that_are_not_numbers_cannot_be_frozen(garden_dev):
    network = Network(garden_dev)
    network.weights["extras"][3, 3] = np.nan
    with pytest.raises(ValueError, match="learning rate"):
        network.frozen()
