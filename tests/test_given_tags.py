"""The same words and settings give the same tree: whose tags a parser goes by, and who asks it."""

from __future__ import annotations

import io
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import arcwise
from arcwise import Constraints, OptionError, Pipeline, Treebank, cli
from arcwise.draw import draw
from arcwise.grammar import learn
from arcwise.suggest import suggest
from conftest import GARDEN

TAGS = ("upos", "xpos", "feats")
SMALL = {"width": 32, "hidden": 32, "epochs": 3}
TEXT = (
    "I can't believe it's not butter. Send them the list that we made yesterday, please! They saw her duck."
)


@pytest.fixture(scope="module")
def nlp(garden: Treebank) -> Pipeline:
    """Untrained enough for its tags to differ from those of the treebank here and there."""
    return Pipeline.train(garden[:80], components=["tagger", "parser"], **SMALL)


@pytest.fixture(scope="module")
def apart(garden: Treebank) -> Pipeline:
    """A parser that cannot do without tags, and a tagger of its own."""
    return Pipeline.train(garden[:80], components=["tagger", "parser"], gold_tags=True, **SMALL)


@pytest.fixture(scope="module")
def ruled(nlp: Pipeline, garden: Treebank) -> Pipeline:
    """Trees are kept to rules, for which some tags give way."""
    return nlp.with_parser(nlp.parser.with_grammar(learn(garden, least=3)))


@pytest.fixture(params=["shared", "apart", "ruled", "en"])
def any_nlp(request: pytest.FixtureRequest, nlp: Pipeline, apart: Pipeline, ruled: Pipeline) -> Pipeline:
    return {"shared": nlp, "apart": apart, "ruled": ruled, "en": arcwise.load("en")}[request.param]


def joined(*treebanks: Treebank) -> Treebank:
    return Treebank.from_string("".join(treebank.to_string() for treebank in treebanks), check_trees=False)


@pytest.mark.parametrize("how", [{}, {"beam": 4}, {"probabilities": "moves"}, {"threads": 2}])
def test_what_was_parsed_is_parsed_alike_again(any_nlp, garden_dev, how):
    once = any_nlp.parse(garden_dev.without("lemma", *TAGS), **how)
    again = any_nlp.parse(once, **how)
    assert again.to_bytes() == once.to_bytes()
    assert any_nlp.parse(
        Treebank.from_string(once.to_string("conllx"), format="conllx"), **how
    ).heads.tolist() == (once.heads.tolist())


def test_tags_that_go_with_the_tree_are_the_pipelines_own(ruled, garden_dev):
    words = garden_dev.without("lemma", *TAGS)
    parsed, own = ruled.parse(words), ruled.tagger.tag(words)
    changed = [i for i in range(len(words)) if [w.upos for w in parsed[i]] != [w.upos for w in own[i]]]
    assert changed
    # Tags of others count, and those of the tagger alone do not.
    assert ruled.parse(own).to_bytes() == parsed.to_bytes()
    assert ruled.parse(parsed, grammar=False, tags="new").column("upos") == own.column("upos")
    with_gold = ruled.parse(joined(garden_dev[:5], parsed[5:]))
    assert with_gold[:5].column("upos") == garden_dev[:5].column("upos")
    assert with_gold[5:].heads.tolist() == parsed[5:].heads.tolist()


def test_given_tags_tell_the_parser_more_unless_they_are_its_own(nlp, garden_dev):
    mixed = joined(nlp.tagger.tag(garden_dev[:10]), garden_dev[10:20])
    auto, given_, new = (nlp.parse(mixed, tags=tags) for tags in ("auto", "given", "new"))
    assert new.heads.tolist() == nlp.parser.parse(mixed.without(*TAGS)).heads.tolist()
    assert given_.heads.tolist() == nlp.parser.parse(mixed).heads.tolist()
    assert auto[:10].heads.tolist() == new[:10].heads.tolist() != given_[:10].heads.tolist()
    assert auto[10:].heads.tolist() == given_[10:].heads.tolist() != new[10:].heads.tolist()
    assert all(auto.column(name) == mixed.column(name) for name in ("lemma", *TAGS))


@settings(max_examples=15)
@given(
    kinds=st.lists(st.sampled_from(["bare", "own", "gold", "partly"]), min_size=1, max_size=6), data=st.data()
)
def test_a_tree_does_not_depend_on_the_sentences_around_it(nlp, garden_dev, kinds, data):
    numbers = [data.draw(st.integers(0, len(garden_dev) - 1)) for _ in kinds]

    def as_kind(number: int, kind: str) -> Treebank:
        sentence = garden_dev[number : number + 1]
        if kind == "bare":
            return sentence.without("lemma", *TAGS)
        if kind == "own":
            return nlp.tagger.tag(sentence)
        return sentence if kind == "gold" else sentence.without("xpos")

    sentences = [as_kind(*of_one) for of_one in zip(numbers, kinds, strict=True)]
    whole = nlp.parse(joined(*sentences))
    assert whole.to_string() == "".join(nlp.parse(sentence).to_string() for sentence in sentences)
    best = nlp.nbest(joined(*sentences), 1, beam=1)
    assert [one.sentence.to_string() for (one,) in best] == [sentence.to_string() for sentence in whole]
    for sentence, tree in zip(joined(*sentences), whole, strict=True):
        steps = nlp.trace(sentence, gold=tree).steps
        assert all(step.chosen.cost == 0 for step in steps)


def test_constraints_may_look_at_tags_that_the_parser_does_not(nlp, garden_dev):
    own = nlp.parse(garden_dev.without("lemma", *TAGS))
    mixed = joined(own[:5], garden_dev[5:10])
    seen: list[list[str]] = []
    nlp.parse(mixed, constraints=lambda sentence: seen.append([t.upos for t in sentence]) or Constraints())
    assert [tag for tags in seen for tag in tags] == mixed.column("upos")


def run(*arguments: object, stdin: str = "", capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as exit:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        cli.main([str(argument) for argument in arguments])
    assert not exit.value.code
    return capsys.readouterr().out


@pytest.mark.parametrize("given_text", ["text", "parsed", "gold"])
@pytest.mark.parametrize("tags", ["auto", "given", "new"])
def test_commands_agree(given_text, tags, capsys, tmp_path):
    """`parse`, `parse --nbest`, `trace`, `trace --gold` and `suggest`, of raw text and of CoNLL-U."""
    parsed = run("parse", "en", stdin=TEXT, capsys=capsys)
    text = {
        "text": TEXT,
        "parsed": parsed,
        "gold": (GARDEN / "dev.conllu").read_text().split("\n\n")[0] + "\n\n",
    }
    path = tmp_path / ("some.txt" if given_text == "text" else "some.conllu")
    path.write_text(text[given_text], encoding="utf-8")
    plain = run("parse", "en", path, "--tags", tags, capsys=capsys)
    trees = Treebank.from_string(plain)
    if given_text == "parsed" and tags != "given":
        assert plain == parsed
    best = Treebank.from_string(
        run("parse", "en", path, "--tags", tags, "--nbest", 1, "--beam", 1, capsys=capsys)
    )
    assert best.heads.tolist() == trees.heads.tolist() and best.column("upos") == trees.column("upos")
    for number, tree in enumerate(trees, 1):
        for gold in ((),) if given_text == "text" else ((), ("--gold",)):
            traced = run("trace", "en", path, "--tags", tags, "--sentence", number, *gold, capsys=capsys)
            assert traced.split("\n\n", 1)[1] == draw(tree) + "\n"
    run("suggest", "en", path, "--tags", tags, "-o", tmp_path / "found.conllu", capsys=capsys)
    found = {s.text: s for s in Treebank.read(tmp_path / "found.conllu")}
    for sentence in trees:
        assert found[sentence.text].heads.tolist() == sentence.heads.tolist()
        assert [t.upos for t in found[sentence.text]] == [t.upos for t in sentence]


def test_suggestions_are_shown_as_they_are_written(capsys):
    listed = run("suggest", "en", "-", stdin=TEXT, capsys=capsys)
    assert "I can't believe it's not butter." in listed


def test_suggestions_of_a_pipeline_are_its_trees(nlp, garden_dev):
    found = suggest(nlp, garden_dev, len(garden_dev), tags="new")
    trees = nlp.parse(garden_dev.select(found.indices), tags="new")
    assert found.trees.heads.tolist() == trees.heads.tolist()


def test_other_choices_are_refused(nlp, garden_dev):
    with pytest.raises(OptionError, match="Tags are auto, given or new, not 'gold'"):
        nlp.parse(garden_dev, tags="gold")
    with pytest.warns(DeprecationWarning, match="retag=True is now tags='new'"):
        old = nlp.parse(garden_dev, retag=True)
    assert old.to_bytes() == nlp.parse(garden_dev, tags="new").to_bytes()


@pytest.mark.parametrize("command", ["calibrate", "analyse"])
def test_commands_that_need_trees_say_so_of_raw_text(command, capsys, tmp_path):
    (tmp_path / "some.txt").write_text(TEXT)
    output = ["-o", str(tmp_path / "new")] if command == "calibrate" else []
    with pytest.raises(SystemExit) as exit:
        cli.main([command, "en", str(tmp_path / "some.txt"), *output])
    assert exit.value.code and "some.txt looks like raw text, which has no trees" in capsys.readouterr().err


def test_raw_text_has_no_gold_tree(capsys, tmp_path):
    (tmp_path / "some.txt").write_text(TEXT)
    with pytest.raises(SystemExit) as exit:
        cli.main(["trace", "en", str(tmp_path / "some.txt"), "--gold"])
    assert exit.value.code and "leave out --gold" in capsys.readouterr().err
