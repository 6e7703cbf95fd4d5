"""Features: the hash, what is read off a form, the notation of templates, and the built-in sets."""

import itertools
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import FeatureError, Parser, ParserOptions, Training, Treebank, _core, features
from arcwise.options import SYSTEMS

WORD = 2**64 - 1

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)


# The hash is part of the model format: these values must never change.


@pytest.mark.parametrize(
    ("text", "with_seed_0", "with_seed_1"),
    [
        (b"", 0xE220A8397B1DCDAF, 0xE4D971771B652C20),
        (b"a", 0x134268759688C202, 0x98129755F89E39E4),
        (b"form", 0xCB3599A7331728EA, 0xA3A55A7A03F3820E),
        (b"12345678", 0xD3F2B1EF81B85C50, 0xDFE79CD47F9E5FA0),
        (b"123456789", 0xD076C661EBE3108C, 0x2AAFACCA76331549),
        ("Straße".encode(), 0x36E7D6657D8B2ADD, 0x18724573B4BBB0C4),
    ],
)
def test_the_hash_gives_its_test_vectors(text, with_seed_0, with_seed_1):
    assert _core.hash_bytes(text, 0) == with_seed_0
    assert _core.hash_bytes(text, 1) == with_seed_1


def mix(x):
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & WORD
    x = (x ^ x >> 27) * 0x94D049BB133111EB & WORD
    return x ^ x >> 31


def slow_hash(text, seed):
    """The hash as the model format describes it, a word of eight bytes at a time."""
    h = seed ^ 0x9E3779B97F4A7C15 * (len(text) + 1) & WORD
    whole = len(text) // 8 * 8
    for at in range(0, whole, 8):
        h = mix(h ^ int.from_bytes(text[at : at + 8], "little")) + 0x2545F4914F6CDD1D & WORD
    return mix(h ^ int.from_bytes(text[whole:], "little"))


@given(st.binary(max_size=40), st.integers(0, WORD))
def test_the_hash_is_the_one_described(text, seed):
    assert _core.hash_bytes(text, seed) == slow_hash(text, seed)


@given(st.binary(max_size=20), st.integers(1, 20))
def test_zeros_at_the_end_change_the_hash(text, zeros):
    assert _core.hash_bytes(text, 0) != _core.hash_bytes(text + bytes(zeros), 0)


# What is read off a form.


@pytest.mark.parametrize(
    ("form", "shape"),
    [
        ("Hello", "Xxx"),
        ("HELLO", "XX"),
        ("I", "X"),
        ("iPhone", "xXxx"),
        ("Covid-19", "Xxx-dd"),
        ("1984", "dd"),
        ("...", ".."),
        ("U.S.A.", "X.X.X."),
        ("Ünal", "Xxx"),
        ("ÉCOLE", "XX"),
        ("Ελλάδα", "Xxx"),
        ("Москва", "Xxx"),
        ("Ưu", "Xx"),
        ("東京", "oo"),
        ("한국어", "oo"),
        ("עברית", "oo"),
        ("€", "€"),
        ("„so“", "„xx“"),
    ],
)
def test_a_shape_tells_kinds_of_characters_with_runs_cut_to_two(form, shape):
    assert _core.attribute("shape", form) == shape


@given(texts)
def test_a_shape_has_no_run_of_three(form):
    shape = _core.attribute("shape", form)
    assert 0 < len(shape) <= len(form)
    assert not re.search(r"(.)\1\1", shape, re.DOTALL)


@given(texts, st.integers(1, 4))
def test_affixes_are_cut_by_characters_not_bytes(form, length):
    assert _core.attribute(f"prefix{length}", form) == form[:length]
    assert _core.attribute(f"suffix{length}", form) == form[-length:]


@pytest.mark.parametrize(
    ("form", "lower"),
    [
        ("Hello", "hello"),
        ("ÀÉÎÕÜŸ", "àéîõüÿ"),
        ("ŁÓDŹ", "łódź"),
        ("Ĺubľana Ňň", "ĺubľana ňň"),
        ("ΑΘΉΝΑ", "αθήνα"),
        ("Ὀδυσσεύς", "ὀδυσσεύς"),
        ("МОСКВА Ёлка", "москва ёлка"),
        ("ҐЇЄ Љубав", "ґїє љубав"),
        ("ĐƯỜNG ƠN ĐIỆN", "đường ơn điện"),
        ("Əli", "əli"),
        ("ՀԱՅ", "հայ"),
        ("東京 ß 123", "東京 ß 123"),
    ],
)
def test_forms_are_lower_cased_in_the_alphabets_that_have_case(form, lower):
    assert _core.attribute("lower", form) == lower


EVERYDAY_LETTERS = [
    *range(0x20, 0x180),  # Latin with the accents of Europe
    *range(0x386, 0x3CF),  # Greek
    *range(0x400, 0x530),  # Cyrillic
    *range(0x531, 0x588),  # Armenian
    *range(0x1E00, 0x1F00),  # Vietnamese and others
]


def test_lower_case_is_unicodes_for_everyday_letters():
    letters = [chr(c) for c in EVERYDAY_LETTERS if unicodedata.category(chr(c)) != "Cn"]
    # Turkish capital I with a dot has two lower-case characters, and stays as it is.
    wrong = [c for c in letters if _core.attribute("lower", c) != c.lower() and c != "İ"]
    assert wrong == []


def test_lower_case_never_gives_a_letter_that_is_not_unicodes():
    letters = [chr(c) for c in range(0x10000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    wrong = [c for c in letters if _core.attribute("lower", c) not in (c, c.lower())]
    assert wrong == []


@given(texts)
def test_lower_casing_twice_is_lower_casing_once(form):
    lower = _core.attribute("lower", form)
    assert _core.attribute("lower", lower) == lower


# The notation.


@pytest.mark.parametrize(
    ("template", "reason"),
    [
        ("S0.frm", "'frm' is no attribute; attributes are form, lower, lemma"),
        ("S0form", "'S0form' is no atom; an atom is a place, a dot and an attribute"),
        ("S0.", "'' is no attribute"),
        ("X0.form", "'X0' is no place in a state; places are S0"),
        ("S4.form", "'S4' is no place"),
        ("S0x.form", "'S0x' is no place"),
        ("S0~.distance", "'' is no place"),
        ("S0~N0~N1.distance", "'N0~N1' is no place"),
        ("S0.form S0.form", "'S0.form' is there twice"),
        ("S0~N0.form", "two places have a distance and nothing else"),
        ("S0.distance", "distance between two places"),
        ("S0.form bias", "'bias' stands alone"),
        ("bias S0.form", "'bias' stands alone"),
        ("S0.form S1.form S2.form N0.form N1.form N2.form", "it has more than five atoms"),
    ],
)
def test_what_is_no_template_is_refused_by_a_sentence_that_quotes_it(template, reason):
    with pytest.raises(FeatureError) as refusal:
        features.check([template], "arc-eager")
    message = str(refusal.value)
    assert message.startswith(f"Feature template '{template}': ")
    assert reason in message
    assert message.endswith(".")


@pytest.mark.parametrize(
    "lines", [["S0.form N0.form", "N0.form S0.form"], ["S0.form", "S0.form"], ["bias", "bias"]], ids=str
)
def test_the_core_takes_no_template_twice_in_whatever_order(lines):
    with pytest.raises(ValueError, match="it is there twice"):
        _core.check_templates(lines)


def test_no_templates_at_all_are_refused():
    with pytest.raises(FeatureError, match="give at least one"):
        features.check([], "arc-eager")


def test_more_places_than_there_is_room_for_are_refused():
    steps = ["".join(way) for way in itertools.product("hlr", repeat=4)]
    with pytest.raises(FeatureError, match="more than 64 different places"):
        features.check([f"S0{way}.form" for way in steps], "arc-eager")


def test_steps_can_be_chained():
    features.check(["S0hh.form S0l2.upos N0lr2.deprel S0~N0.distance"], "arc-eager")


@pytest.mark.parametrize(
    ("system", "template", "place"),
    [
        ("easy-first", "S0.form", "S0"),
        ("easy-first", "L0.form N1h.upos", "N1"),
        ("arc-eager", "L0.form", "L0"),
        ("arc-hybrid", "S0~R2.distance", "R2"),
        ("arc-standard", "R1l.form", "R1"),
    ],
)
def test_a_place_that_the_system_has_not_is_refused_with_those_it_has(system, template, place):
    own = "L0 L1 L2 R0 R1 R2" if system == "easy-first" else "S0 … S3 and N0 … N3"
    with pytest.raises(FeatureError, match=rf"look at {place}, which {system} does not have.*{own}"):
        features.check([template], system)


# Built-in sets.

column_sets = [list(columns) for n in range(5) for columns in itertools.combinations(features.COLUMNS, n)]


@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", features.SETS)
@pytest.mark.parametrize("columns", column_sets, ids=lambda columns: "+".join(columns) or "none")
def test_built_in_sets_suit_every_system_and_the_columns_that_there_are(name, system, columns):
    lines = features.builtin(name, system, columns)
    features.check(lines, system)
    attributes = {atom.rpartition(".")[2] for line in lines for atom in line.split()}
    assert "form" in attributes
    assert attributes.isdisjoint({"tag", *features.COLUMNS} - set(columns))


@pytest.mark.parametrize("system", SYSTEMS)
def test_the_default_set_has_all_of_zn2011_and_more(system):
    zn2011, default = (set(features.builtin(name, system)) for name in ("zn2011", "default"))
    assert zn2011 < default


def test_an_unknown_set_is_refused_with_those_there_are():
    with pytest.raises(FeatureError, match="choose zn2011, default, turbo or l2s, or give a file"):
        features.builtin("zn2012", "arc-eager")


def test_tag_is_xpos_where_there_is_one():
    assert features.resolve(["S0.tag N0.form"], ["xpos", "upos"]) == ["S0.xpos N0.form"]


def test_tag_is_upos_without_xpos():
    assert features.resolve(["S0.tag"], ["upos"]) == ["S0.upos"]


def test_templates_that_need_a_tag_go_where_there_is_none():
    assert features.resolve(["S0.tag N0.form", "S0.form"], []) == ["S0.form"]


def test_templates_that_become_the_same_by_their_tag_are_one():
    assert features.resolve(["S0.tag N0.form", "N0.form S0.upos"], ["upos"]) == ["S0.upos N0.form"]


# Files of templates.

TREEBANK = Treebank.from_string(
    """\
1	the	_	DET	DT	_	2	det	_	_
2	dog	_	NOUN	NN	_	3	nsubj	_	_
3	saw	_	VERB	VBD	_	0	root	_	_
4	the	_	DET	DT	_	5	det	_	_
5	cat	_	NOUN	NN	_	3	obj	_	_

1	cats	_	NOUN	NNS	_	2	nsubj	_	_
2	sleep	_	VERB	VBP	_	0	root	_	_

"""
)


def templates_of(tmp_path, text, **options):
    path = tmp_path / "own.features"
    path.write_text(text, encoding="utf-8")
    return Training(
        TREEBANK, options=ParserOptions.of(learner="perceptron", features=str(path), **options)
    ).templates


def test_comments_and_blank_lines_in_a_feature_file_do_not_count(tmp_path):
    text = "# my features\n\nS0.form N0.form  # a pair\n   \n  S0.tag\nbias\r\n"
    assert templates_of(tmp_path, text) == ["S0.form N0.form", "S0.xpos", "bias"]


def test_a_feature_file_may_ask_for_both_kinds_of_tags(tmp_path):
    assert templates_of(tmp_path, "S0.tag\nS0.upos\n") == ["S0.xpos", "S0.upos"]


def test_a_wrong_line_in_a_feature_file_is_quoted(tmp_path):
    with pytest.raises(FeatureError, match=r"Feature template 'S0\.from': 'from' is no attribute"):
        templates_of(tmp_path, "S0.form\nS0.from\n")


def test_a_feature_file_for_another_system_is_refused(tmp_path):
    with pytest.raises(FeatureError, match="S0, which easy-first does not have"):
        templates_of(tmp_path, "S0.form\n", system="easy-first")


def test_a_feature_file_that_needs_columns_that_are_not_there_is_refused(tmp_path):
    with pytest.raises(FeatureError, match="needs a column that the treebank does not have"):
        templates_of(tmp_path, "S0.lemma\nN0.feats S0.form\n")


def test_a_feature_file_of_comments_alone_is_refused(tmp_path):
    with pytest.raises(FeatureError, match="give at least one"):
        templates_of(tmp_path, "# nothing here\n")


def test_repetitions_in_a_feature_file_count_once(tmp_path):
    assert templates_of(tmp_path, "S0.form N0.form\nbias\nN0.form S0.form\nbias\n") == [
        "S0.form N0.form",
        "bias",
    ]


def test_a_feature_file_that_is_not_there_is_refused_by_name(tmp_path):
    with pytest.raises(FeatureError, match=r"no feature set or file called '.*own\.features'"):
        Parser.train(TREEBANK, learner="perceptron", features=str(tmp_path / "own.features"))


def test_a_feature_file_that_is_not_utf8_is_refused_by_name(tmp_path):
    path = tmp_path / "own.features"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FeatureError, match=r"own\.features cannot be read: it is not UTF-8"):
        Parser.train(TREEBANK, learner="perceptron", features=str(path))


@pytest.mark.parametrize("learner", ["perceptron", "adagrad"])
def test_the_order_of_atoms_and_of_templates_does_not_matter_to_the_model(tmp_path, learner):
    def weights(*lines):
        path = tmp_path / "own.features"
        path.write_text("\n".join(lines), encoding="utf-8")
        run = Training(TREEBANK, options=ParserOptions.of(features=str(path), learner=learner, epochs=3))
        run.finish()
        return {name: values.tolist() for name, values in run._core.weights().items()}

    one = weights("S0.form N0.xpos S0~N0.distance", "S0.xpos N0.xpos")
    other = weights("N0.xpos S0.xpos", "S0~N0.distance S0.form N0.xpos")
    assert one["keys"]
    assert one == other
