"""The tagger: rules of lemmas, the moves of words and what they cost, training, files."""

from __future__ import annotations

import dataclasses
import doctest
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise.tagger
import arcwise.tagging
from arcwise import Parser, Tagger, TaggerOptions, TaggerTraining, Treebank, _core
from arcwise.errors import ModelError, OptionError
from arcwise.model_file import Component
from arcwise.tagger import TaggerInfo, compare
from arcwise.tagging import signs_of
from trained import model_bytes
from treebank_texts import fields, texts

COLUMNS = ("upos", "xpos", "feats", "lemma")
QUICK = TaggerOptions(epochs=4, width=16, hidden=16)


def test_examples_in_the_documentation_hold() -> None:
    assert doctest.testmod(arcwise.tagger).failed == 0
    assert doctest.testmod(arcwise.tagging).failed == 0


# Rules from forms to lemmas

words = st.text(st.characters(exclude_characters="\t\n\0", exclude_categories=["Cs"]), min_size=1, max_size=8)
# So that forms and lemmas have something in common.
inflected = st.text(st.sampled_from("abcABCéÉßΣσςİıǅѴ"), min_size=1, max_size=8)


@given(words | inflected, words | inflected)
def test_a_rule_leads_from_its_form_to_its_lemma(form: str, lemma: str) -> None:
    assert _core.lemma(_core.lemma_rule(form, lemma), form) == lemma


@pytest.mark.parametrize(
    ("form", "lemma", "rule"),
    [
        ("dogs", "dog", ("lower", "", "", "s", "")),
        ("Dogs", "dog", ("lower", "", "", "s", "")),
        ("Paris", "Paris", ("same", "", "", "", "")),
        ("PARIS", "Paris", ("title", "", "", "", "")),
        ("usa", "USA", ("upper", "", "", "", "")),
        ("gemacht", "machen", ("lower", "ge", "", "t", "en")),
        ("went", "go", ("lower", "", "", "went", "go")),
        ("ΟΔΟΎ", "οδός", ("lower", "", "", "ού", "ός")),
    ],
)
def test_a_rule_replaces_as_little_as_it_can(form: str, lemma: str, rule: tuple[str, ...]) -> None:
    assert _core.lemma_rule(form, lemma) == rule


def test_a_rule_fits_forms_with_its_ends_and_leaves_no_lemma_empty() -> None:
    rule = ("lower", "ge", "", "t", "en")
    assert _core.lemma(rule, "Gespielt") == "spielen"
    assert _core.lemma(rule, "spielt") is None
    assert _core.lemma(rule, "get") == "en"
    assert _core.lemma(("lower", "", "", "s", ""), "s") is None
    # Both ends of a form are not to be the same letters.
    assert _core.lemma(("same", "aa", "", "aa", "b"), "aaa") is None


# Moves

some_analyses = st.lists(
    st.tuples(st.sampled_from("AB"), st.sampled_from("xyz"), st.sampled_from("12_")), min_size=1, max_size=8
)


def tagging_set(treebank: Treebank, **options: object) -> _core.TaggingSet:
    given = {"leave_out": [], "least_forms": 2, "least_uses": 4, **options}
    return _core.TaggingSet(treebank._core, **given)  # type: ignore[arg-type]


def treebank_of(analyses: list[tuple[str, str, str]], lemmas: list[str] | None = None) -> Treebank:
    forms = [[f"w{i}" for i in range(len(analyses))]]
    upos, xpos, feats = ([list(column)] for column in zip(*analyses, strict=True))
    return Treebank.from_words(forms, upos=upos, xpos=xpos, feats=feats, lemma=lemmas and [lemmas])


@given(some_analyses, st.data())
def test_costs_are_the_fewest_columns_that_will_be_wrong(
    analyses: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    treebank = treebank_of(analyses)
    own = tagging_set(treebank)
    columns = [column for column in range(3) if any(a[column] != "_" for a in analyses)]
    known = {tuple(a[column] for column in columns) for a in analyses}
    assert known == {tuple(a) for a in own.analyses}
    walk = _core.TaggingWalk(own, treebank._core, 0)
    for word, gold in enumerate(tuple(a[column] for column in columns) for a in analyses):
        chosen: tuple[str, ...] = ()
        for column in range(len(columns)):
            rest = {a for a in known if a[:column] == chosen}
            expected = {}
            for value in {a[column] for a in rest}:
                ends = [a for a in rest if a[column] == value]
                expected[value] = min(
                    sum(a != b for a, b in zip(end[column:], gold[column:], strict=True)) for end in ends
                )
            costs = walk.costs()
            assert sorted(cost for _, cost in costs) == sorted(expected.values())
            move, cost = data.draw(st.sampled_from(costs))
            walk.apply(move)
            chosen = tuple(walk.values(word)) if column + 1 == len(columns) else (*chosen, "?")
            if column + 1 < len(columns):
                # Which value it was, its cost and the moves that follow it tell.
                chosen = (*chosen[:-1], value_of(own, move))
            assert expected[chosen[column]] == cost
    assert walk.done


def value_of(own: _core.TaggingSet, move: int) -> str:
    """The value that a move gives, by the order of moves: those of the first column, then of the next."""
    for column in range(len(own.columns)):
        prefixes = list(dict.fromkeys(tuple(a[: column + 1]) for a in own.analyses))
        if move < len(prefixes):
            return prefixes[move][-1]
        move -= len(prefixes)
    raise AssertionError("a rule")


def test_what_is_not_annotated_costs_nothing() -> None:
    treebank = Treebank.from_words([["a", "b", "c"]], upos=[["A", "B", "_"]])
    walk = _core.TaggingWalk(tagging_set(treebank), treebank._core, 0)
    for expected in ([0, 1], [0, 1], [0, 0]):
        costs = walk.costs()
        assert sorted(cost for _, cost in costs) == expected
        walk.apply(costs[0][0])
    assert walk.done


def test_lemmas_are_chosen_from_rules_that_fit() -> None:
    forms = ["cats", "dogs", "tries", "flies", "sheep"]
    lemmas = ["cat", "dog", "try", "fly", "sheep"]
    treebank = Treebank.from_words([forms], upos=[["N"] * 5], lemma=[lemmas])
    own = tagging_set(treebank)
    assert {own.rules[rule][3:] for _, rule in own.choices} == {("s", ""), ("ies", "y")}
    walk = _core.TaggingWalk(own, treebank._core, 0)
    fitting = [0, 0, 1, 1, None]  # of cost 0: which of the rules; sheep has none to choose from
    for word, form in enumerate(forms):
        walk.apply(0)
        if fitting[word] is None:
            assert walk.rule(word) == -1
            continue
        costs = walk.costs()
        assert len(costs) == (2 if form.endswith("ies") else 1)
        right = [move for move, cost in costs if cost == 0]
        assert len(right) == 1
        walk.apply(right[0])
        assert _core.lemma(own.rules[walk.rule(word)], form) == lemmas[word]
    assert walk.done


def test_the_lexicon_knows_words_seen_often_and_capitals_that_begin_sentences() -> None:
    treebank = Treebank.from_words(
        [["mice"] * 4 + ["Mice", "lice"]], upos=[["N"] * 6], lemma=[["mouse"] * 5 + ["louse"]]
    )
    own = tagging_set(treebank, least_forms=1)
    walk = _core.TaggingWalk(own, treebank._core, 0)
    for _ in range(5):
        walk.apply(0)
    assert walk.rule(3) == walk.rule(4) >= 0
    walk.apply(0)
    assert len(walk.costs()) > 0  # louse is to be found by rule


# Tagging


@pytest.fixture(scope="module")
def tagger(some: Treebank) -> Tagger:
    return Tagger.train(some, options=QUICK)


def test_training_learns_columns_and_lemmas(garden: Treebank, garden_dev: Treebank) -> None:
    before = Tagger.train(garden[:2], epochs=1).evaluate(garden_dev)
    scores = Tagger.train(garden, epochs=10).evaluate(garden_dev)
    for name in COLUMNS:
        own, other = getattr(scores, name), getattr(before, name)
        assert own is None or own > 90 > other


@given(texts())
def test_all_but_the_columns_that_are_tagged_is_as_it_stood(tagger: Tagger, text: str) -> None:
    treebank = Treebank.from_string(text, check_trees=False)
    tagged = tagger.tag(treebank)
    again = Treebank.from_string(tagged.to_bytes(), check_trees=False)
    for name in ("id", "form", "head", "deprel", "deps", "misc"):
        assert treebank.column(name) == tagged.column(name) == again.column(name)
    for name in COLUMNS:
        assert tagged.column(name) == again.column(name)
    blank = str.maketrans(dict.fromkeys(map(str, range(10)), "#"))
    lines = [t.to_string().translate(blank).split("\n") for t in (treebank, tagged)]
    assert [_without_tags(line) for line in lines[0]] == [_without_tags(line) for line in lines[1]]


def _without_tags(line: str) -> list[str]:
    if line.startswith("#.") or line.startswith("#-") or "\t" not in line:
        return [line]
    columns = line.split("\t")
    is_word = columns[0].strip("\ufeff#") == ""
    return columns[:2] + columns[6:] if is_word else columns


def test_columns_that_training_lacked_are_left_alone() -> None:
    train = Treebank.from_words([["a", "b"]] * 3, upos=[["A", "B"]] * 3)
    tagger = Tagger.train(train, options=QUICK)
    assert (tagger.info.columns, tagger.info.rules) == (["upos"], [])
    given = {"lemma": [["x", "y"]], "xpos": [["p", "q"]], "feats": [["F=1", "_"]]}
    tagged = tagger.tag(Treebank.from_words([["b", "a"]], **given))
    assert {name: [tagged.column(name)] for name in given} == given


def test_columns_can_be_left_out(some: Treebank) -> None:
    tagger = Tagger.train(some, epochs=1, width=16, hidden=16, leave_out=("lemma", "feats"))
    tagged = tagger.tag(some)
    assert tagged.column("lemma") == some.column("lemma") and tagged.column("feats") == some.column("feats")


def test_tagging_twice_and_after_selecting_changes_nothing(tagger: Tagger, some: Treebank) -> None:
    tagged = tagger.tag(some)
    assert tagger.tag(tagged).to_bytes() == tagged.to_bytes()
    assert tagger.tag(some[20:40]).to_bytes() == tagged[20:40].to_bytes()
    assert tagger.tag(some.select([7, 3])).to_bytes() == tagged.select([7, 3]).to_bytes()


def test_trees_of_a_parser_stay(tagger: Tagger, some: Treebank) -> None:
    heads = np.zeros(some.word_count, dtype=np.int32)
    labels = np.zeros(some.word_count, dtype=np.int32)
    tagged = tagger.tag(some.with_trees(heads, labels, ["root"]))
    assert tagged.heads.tolist() == heads.tolist() and set(tagged.column("deprel")) == {"root"}


def test_threads_make_no_difference(tagger: Tagger, garden: Treebank) -> None:
    assert tagger.tag(garden, threads=3).to_bytes() == tagger.tag(garden).to_bytes()


def test_the_same_seed_gives_the_same_tagger(tagger: Tagger, some: Treebank, tmp_path: Path) -> None:
    again = Tagger.train(some, options=QUICK, threads=2)
    other = Tagger.train(some, options=TaggerOptions(epochs=4, width=16, hidden=16, seed=2))
    first, same, different = (model_bytes(t, tmp_path / "t") for t in (tagger, again, other))
    assert first == same != different


def test_with_dev_the_best_epoch_is_kept(some: Treebank, garden_dev: Treebank) -> None:
    training = TaggerTraining(some, dev=garden_dev, options=QUICK)
    best = max((epoch.dev.mean, -epoch.number) for epoch in training.epochs() if epoch.dev is not None)
    tagger = training.tagger()
    assert tagger.info.training["epoch"] == -best[1]
    assert tagger.evaluate(garden_dev).mean == best[0]
    assert len(tagger.info.training["epochs"]) == 4


@given(st.lists(fields, min_size=1, max_size=5))
def test_any_form_is_tagged(tagger: Tagger, forms: list[str]) -> None:
    tagged = tagger.tag(Treebank.from_words([forms]))
    assert tagged.column("form") == forms
    assert "" not in tagged.column("lemma")


def test_lemmas_that_other_words_have_are_preferred() -> None:
    stems = [a + b + c for a in "bdg" for b in "aeo" for c in "lmn"]
    lemmas = [stem + ("" if number % 2 else "e") for number, stem in enumerate(stems)]
    # Both ends are removed from some words, and all lemmas are seen as they are.
    forms = ["kites", "kites", "mites", "foxes", "boxes", *lemmas]
    of_forms = ["kite", "kite", "mite", "fox", "box", *lemmas]
    train = Treebank.from_words([forms], upos=[["N"] * len(forms)], lemma=[of_forms])
    tagged = Tagger.train(train, epochs=1).tag([[stem + "es" for stem in stems]])
    found = tagged.column("lemma")
    assert all(own in (lemma, stem + "es") for own, lemma, stem in zip(found, lemmas, stems, strict=True))
    assert any(own == lemma != stem for own, lemma, stem in zip(found, lemmas, stems, strict=True))
    assert any(own == lemma == stem for own, lemma, stem in zip(found, lemmas, stems, strict=True))


def test_an_empty_treebank_is_tagged(tagger: Tagger) -> None:
    assert len(tagger.tag(Treebank.from_string(""))) == 0


def test_scores_count_words(some: Treebank) -> None:
    scores = compare(some, some)
    assert scores.upos == scores.all_tags == scores.lemma == scores.mean == 100
    one = Treebank.from_words([["a", "b"]], upos=[["A", "B"]], lemma=[["a", "b"]])
    other = Treebank.from_words([["a", "b"]], upos=[["A", "C"]], lemma=[["c", "b"]], xpos=[["x", "_"]])
    scores = compare(one, other)
    assert (scores.upos, scores.xpos, scores.feats, scores.lemma) == (50, None, None, 50)
    assert scores.all_tags == 0 and scores.mean == 50


# Dictionaries


def test_words_of_a_dictionary_have_its_analyses_alone(tagger: Tagger, some: Treebank) -> None:
    form = some.column("form")[0]
    here = np.array(some.column("form")) == form
    for analysis in tagger.info.analyses:
        values = dict(zip(tagger.info.columns, analysis, strict=True))
        line = (form, *(values.get(name, "_") for name in ("upos", "xpos", "feats")), "given")
        tagged = tagger.with_dictionary([line]).tag(some)
        for name, value in {**values, "lemma": "given"}.items():
            assert value == "_" or set(np.array(tagged.column(name))[here]) == {value}


def test_other_words_are_none_of_the_dictionarys_business(tagger: Tagger) -> None:
    plain = Treebank.from_words([["nowhere", "Dogs", "x"]])
    own = tagger.with_dictionary([("elsewhere", tagger.info.analyses[0][0], "_", "_", "x")])
    assert own.tag(plain).to_bytes() == tagger.tag(plain).to_bytes()


def test_a_dictionary_can_leave_values_open_and_knows_capitals(tagger: Tagger) -> None:
    values = {analysis[0] for analysis in tagger.info.analyses}
    for upos in values:
        tagged = tagger.with_dictionary([("zzz", upos, "_", "_", "_")]).tag([["zzz", "Zzz", "ZZZ"]])
        assert tagged.column("upos") == [upos] * 3
    two = sorted(values)[:2]
    lines = [("zzz", upos, "_", "_", upos.lower()) for upos in two]
    tagged = tagger.with_dictionary(lines).tag([["zzz"]])
    assert tagged.column("upos")[0] in two
    assert tagged.column("lemma")[0] == tagged.column("upos")[0].lower()


def test_without_restriction_a_dictionary_gives_lemmas_alone(tagger: Tagger, some: Treebank) -> None:
    form = some.column("form")[0]
    own = tagger.with_dictionary([(form, "_", "_", "_", "given")], restrict=False).tag(some)
    plain = tagger.tag(some)
    assert own.column("upos") == plain.column("upos") and own.column("feats") == plain.column("feats")
    expected = [
        "given" if f == form else lemma
        for f, lemma in zip(some.column("form"), plain.column("lemma"), strict=True)
    ]
    assert own.column("lemma") == expected


# Signs


@pytest.fixture(scope="module")
def of_signs() -> Tagger:
    """Has seen `.` as PUNCT, `$` as SYM or NOUN, `~` once, and words of other tags."""
    sentence = [
        ("It", "PRON"),
        ("costs", "VERB"),
        ("$", "SYM"),
        ("5", "NUM"),
        ("or", "CCONJ"),
        (".", "PUNCT"),
    ]
    other = [("Many", "ADJ"), ("$", "NOUN"), ("~", "ADP"), (".", "PUNCT")]
    rows = [sentence] * 6 + [other] + [[word for word in other if word[0] != "~"]] * 4
    forms, tags = ([[word[i] for word in row] for row in rows] for i in (0, 1))
    return Tagger.train(Treebank.from_words(forms, upos=tags, lemma=forms), options=QUICK)


def upos_of_form(tagger: Tagger, form: str) -> set[str]:
    texts = [
        [form],
        ["It", form, "costs"],
        ["Many", form, "."],
        ["costs", form],
        [form, "5", form],
        [form] * 4,
    ]
    tagged = tagger.tag(texts)
    return {tag for tag, own in zip(tagged.column("upos"), tagged.column("form"), strict=True) if own == form}


@pytest.mark.parametrize(
    ("form", "tags"),
    [
        (".", {"PUNCT"}),
        ("$", {"SYM", "NOUN"}),
        ("$$$", {"SYM", "NOUN", "PUNCT"}),
        ("«", {"PUNCT", "SYM"}),
        ("•", {"PUNCT", "SYM"}),
        ("■", {"PUNCT", "SYM"}),
        ("=>", {"PUNCT", "SYM"}),
        ("☎", {"SYM"}),
        ("→", {"SYM"}),
        ("😀", {"SYM"}),
        ("≤", {"SYM"}),
    ],
)
def test_a_sign_is_what_it_was_seen_as_or_what_the_guidelines_call_it(
    of_signs: Tagger, form: str, tags: set[str]
) -> None:
    assert upos_of_form(of_signs, form) <= tags
    assert dict.fromkeys(sign[0] for sign in of_signs.info.signs) == {"$": None, ".": None, "~": None}


def test_a_sign_that_was_seldom_seen_may_be_anything(of_signs: Tagger) -> None:
    assert ["~"] in of_signs.info.signs
    before = of_signs.with_info(dataclasses.replace(of_signs.info, signs=[]))
    for form in ("~", "word", "5"):
        assert upos_of_form(of_signs, form) == upos_of_form(before, form)


def test_a_dictionary_has_the_last_word_on_signs(of_signs: Tagger) -> None:
    own = of_signs.with_dictionary([("☎", "NOUN", "_", "_", "_"), (".", "SYM", "_", "_", "_")])
    assert (upos_of_form(own, "☎"), upos_of_form(own, ".")) == ({"NOUN"}, {"SYM"})


def test_taggers_of_earlier_versions_know_no_signs(of_signs: Tagger) -> None:
    header = {name: value for name, value in of_signs.info.to_header().items() if name != "signs"}
    assert TaggerInfo.from_header(header).signs == []


@pytest.mark.parametrize(
    "signs", [[["a", "PUNCT"]], [[".", "NOPE"]], [[]], [[".", "PUNCT", "PUNCT"]], 5, ["."]]
)
def test_damaged_signs_are_refused(of_signs: Tagger, signs: object) -> None:
    component = of_signs.to_component()
    with pytest.raises(ModelError, match="damaged"):
        Tagger.from_component(Component("tagger", {**component.header, "signs": signs}, component.arrays))


def test_an_update_lets_a_sign_be_what_it_was_corrected_to(of_signs: Tagger) -> None:
    corrected = Treebank.from_words([[".", "costs", "☎"]], upos=[["SYM", "VERB", "NOUN"]])
    signs = signs_of(corrected, of_signs.info.analyses, of_signs.info.signs)
    assert [sign for sign in signs if sign[0] in ".☎~"] == [[".", "PUNCT", "SYM"], ["~"], ["☎"]]


def test_a_dictionary_is_read_from_a_file_and_stored(tagger: Tagger, tmp_path: Path) -> None:
    upos = tagger.info.analyses[0][0]
    (tmp_path / "words.tsv").write_text(
        f"\ufeffzzz\t{upos}\t_\t_\tzz z\r\n\nyyy\t_\t_\t_\ty\n", encoding="utf-8"
    )
    own = tagger.with_dictionary(tmp_path / "words.tsv")
    assert own.info.dictionary == [("zzz", upos, "_", "_", "zz z"), ("yyy", "_", "_", "_", "y")]
    own.save(tmp_path / "own")
    tagged = Tagger.load(tmp_path / "own").tag([["yyy", "zzz"]])
    assert tagged.column("lemma") == ["y", "zz z"] and tagged.column("upos")[1] == upos


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\n", "words.tsv:1: a line of a dictionary has five columns"),
        ("\na\tX\t_\t_\t\n", "words.tsv:2: "),
        ("a\tNOWHERE\t_\t_\ta\n", "gives 'a' what the tagger was not trained on: NOWHERE _ _"),
    ],
)
def test_a_wrong_dictionary_is_refused(tagger: Tagger, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "words.tsv").write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=message):
        tagger.with_dictionary(tmp_path / "words.tsv")
    with pytest.raises(OptionError, match="cannot be read"):
        tagger.with_dictionary(tmp_path / "nothing.tsv")


# Refusals


def test_a_treebank_without_tags_teaches_nothing() -> None:
    with pytest.raises(OptionError, match="no word has anything in UPOS, XPOS or FEATS"):
        Tagger.train(Treebank.from_words([["a"]]))


@pytest.mark.parametrize(
    "wrong",
    [
        {"leave_out": ("upos",)},
        {"leave_out": "lemma"},
        {"epochs": 0},
        {"seed": -1},
        {"p": 2},
        {"k": -1},
        {"lexicon": 0},
        {"tokens": "form upos"},
        {"tokens": "form form"},
        {"tokens": ""},
        {"states": "L0"},
        {"states": "N0 nowhere"},
        {"encoder": "other"},
        {"width": 17},
        {"rate": 0},
        {"batch": 0},
        {"threads": 0},
    ],
)
def test_wrong_options_are_refused(some: Treebank, wrong: dict[str, object]) -> None:
    with pytest.raises(OptionError, match=r"\.$"):
        Tagger.train(some[:3], **wrong)  # type: ignore[arg-type]


# Files


def test_a_tagger_is_stored_and_loaded(tagger: Tagger, some: Treebank, tmp_path: Path) -> None:
    tagger.save(tmp_path / "some.tagger")
    loaded = Tagger.load(tmp_path / "some.tagger")
    assert loaded.info == tagger.info
    assert loaded.tag(some).to_bytes() == tagger.tag(some).to_bytes()
    with pytest.raises(ModelError, match="is a tagger, and a parser or a pipeline is needed here"):
        Parser.load(tmp_path / "some.tagger")


def test_components_share_a_file(tagger: Tagger, some: Treebank, tmp_path: Path) -> None:
    parser = Parser.train(some, learner="perceptron", epochs=1)
    Component.joined("pipeline", {"tagger": tagger.to_component(), "parser": parser.to_component()}).save(
        tmp_path / "both"
    )
    parts = Component.load(tmp_path / "both", "pipeline").parts()
    assert {name: part.kind for name, part in parts.items()} == {"tagger": "tagger", "parser": "parser"}
    tagged = Tagger.from_component(parts["tagger"]).tag(some)
    assert tagged.to_bytes() == tagger.tag(some).to_bytes()
    assert Parser.from_component(parts["parser"]).parse(tagged).to_bytes() == parser.parse(tagged).to_bytes()
    with pytest.raises(ModelError, match="does not say what it holds"):
        tagger.to_component().parts()


def damaged_headers(header: dict[str, object]) -> list[tuple[str, object]]:
    analyses = header["analyses"]
    assert isinstance(analyses, list)
    return [
        ("columns", []),
        ("columns", ["upos", "deprel"]),
        ("analyses", []),
        ("analyses", analyses[1:]),
        ("analyses", [["A"]]),
        ("analyses", [analyses[0], analyses[-1], *analyses[1:-1]]),
        ("analyses", [*analyses[:-1], ["A\tB", *analyses[-1][1:]]]),
        ("analyses", 7),
        ("rules", []),
        ("rules", [["lower", "a"]]),
        ("rules", [["nowhere", "", "", "", ""]] * 1000),
        ("choices", [[0, 100_000]]),
        ("choices", [[-1, 0]]),
        ("options", {"states": "L0"}),
        ("options", {"nothing": 1}),
    ]


def test_a_damaged_tagger_is_refused(tagger: Tagger) -> None:
    component = tagger.to_component()
    for name, value in damaged_headers(component.header):
        with pytest.raises(ModelError):
            Tagger.from_component(Component("tagger", {**component.header, name: value}, component.arrays))
            pytest.fail(f"{name} may be {value}")
    for name, array in component.arrays.items():
        if name != "lemma_keys" and array.size:  # of which there may be any number
            with pytest.raises(ModelError):
                Tagger.from_component(
                    Component("tagger", component.header, {**component.arrays, name: array[:-1]})
                )
        without = {n: a for n, a in component.arrays.items() if n != name}
        with pytest.raises(ModelError):
            Tagger.from_component(Component("tagger", component.header, without))


# What was never seen

STEMS = ("tal", "ker", "mon", "vid", "lop", "sur", "nef", "gal", "bir", "dos", "pum", "fet")
CASES = {"": "Nom", "an": "Acc", "is": "Dat", "ur": "Gen"}
NUMBERS = {"": "Sing", "ma": "Plur", "de": "Dual"}


def inflected_treebank(*, without: tuple[str, str]) -> Treebank:
    """Nouns with a prefix for their number and a suffix for their case, but for one pair of these."""
    lines = []
    for stem in STEMS:
        for number, case in ((n, c) for n in NUMBERS for c in CASES if (NUMBERS[n], CASES[c]) != without):
            feats = f"Case={CASES[case]}|Number={NUMBERS[number]}"
            lines.append(f"1\t{number}{stem}{case}\t{stem}\tNOUN\t_\t{feats}\t0\troot\t_\t_\n\n")
    return Treebank.from_string("".join(lines))


def test_features_can_come_together_that_were_never_seen_together() -> None:
    made = ["NOUN", "Case=Dat|Number=Plur"]
    tagger = Tagger.train(inflected_treebank(without=("Plur", "Dat")), epochs=10)
    assert made in tagger.info.analyses
    told = tagger.with_dictionary([("mamiris", made[0], "_", made[1], "_")])
    assert told.tag([["mamiris"]]).column("feats") == [made[1]]


def test_features_that_exclude_each_other_are_not_put_together() -> None:
    own = tagging_set(treebank_of([("V", "_", "Mood=Ind|Tense=Past"), ("V", "_", "VerbForm=Inf")]))
    assert sorted(own.analyses) == [["V", "Mood=Ind|Tense=Past"], ["V", "VerbForm=Inf"]]


def test_a_beginning_and_an_end_of_lemmas_come_together_that_were_not_seen_together() -> None:
    stems = ("tal", "ker", "mon", "vid", "lop", "sur", "nef")
    pairs = [(f"le{s}", f"le+{s}") for s in stems] + [(f"{s}an", s) for s in stems]
    forms, lemmas = zip(*pairs, strict=True)
    text = "".join(f"1\t{f}\t{m}\tVERB\t_\t_\t0\troot\t_\t_\n\n" for f, m in zip(forms, lemmas, strict=True))
    own = tagging_set(Treebank.from_string(text))
    assert ("lower", "le", "le+", "an", "") in {own.rules[rule] for _, rule in own.choices}


def test_a_word_does_not_shrink_to_a_letter_but_if_the_lexicon_says_so() -> None:
    ends = [f"{s}led" for s in STEMS]
    text = "".join(f"1\t{e}\t{e[:-3]}\tVERB\t_\t_\t0\troot\t_\t_\n\n" for e in ends)
    tagger = Tagger.train(Treebank.from_string(text + "1\txled\tx\tNOUN\t_\t_\t0\troot\t_\t_\n\n"), epochs=30)
    tagged = tagger.tag([["morled"], ["fled"]])
    assert tagged.column("lemma") == ["mor", "fled"]


@pytest.mark.parametrize("sign", ["–", "—", "‐"])
def test_a_new_sign_is_taken_for_one_of_its_kind(sign: str) -> None:
    lines = []
    for number, stem in enumerate(STEMS * 4):
        lines.append(f"1\t{stem}\t{stem}\tNOUN\t_\t_\t0\troot\t_\t_\n")
        lines.append(
            "2\t-\t-\tPUNCT\t_\t_\t1\tpunct\t_\t_\n" if number % 2 else "2\t%\t%\tSYM\t_\t_\t1\tdep\t_\t_\n"
        )
        lines.append("\n")
    tagger = Tagger.train(Treebank.from_string("".join(lines)), epochs=30)
    assert tagger.tag([["tal", sign]]).column("upos") == ["NOUN", "PUNCT"]
