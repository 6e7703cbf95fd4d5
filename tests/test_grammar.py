"""Rules of a treebank: what is learnt, what breaks them, and parsers that keep to them."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import Constraints, ModelError, OptionError, Parser, Pipeline, Treebank, names
from arcwise.grammar import KINDS, SIDES, Grammar, Rule, learn
from arcwise.parser import ModelInfo
from walks import is_tree

GARDEN = Path(__file__).resolve().parents[1] / "examples" / "garden"


@cache
def garden() -> Treebank:
    return Treebank.read(GARDEN / "train.conllu")


@cache
def dev() -> Treebank:
    return Treebank.read(GARDEN / "dev.conllu")


@cache
def trained(system: str, learner: str = "perceptron") -> Parser:
    return Parser.train(garden(), system=system, learner=learner, epochs=1, grammar=False)


def repeated(words: list[tuple[str, int, str]], times: int) -> Treebank:
    """A sentence of tags, heads and labels, so many times."""
    tags, heads, labels = (list(column) for column in zip(*words, strict=True))
    known = sorted(set(labels))
    treebank = Treebank.from_words([["w"] * len(words)] * times, upos=[tags] * times)
    return treebank.with_trees(heads * times, [known.index(label) for label in labels] * times, known)


SENTENCE = [("PRON", 2, "nsubj"), ("VERB", 0, "root"), ("NOUN", 2, "obj"), ("PUNCT", 2, "punct")]


def test_what_is_never_seen_is_a_rule() -> None:
    rules = learn(repeated(SENTENCE, 800)).rules
    assert Rule("tag", "punct", "NOUN") in rules
    assert Rule("head-tag", "obj", "PUNCT") in rules
    assert Rule("side", "nsubj", "right") in rules
    assert Rule("parent", "obj", "punct") in rules
    assert Rule("sibling", "nsubj", "nsubj") in rules


def test_what_is_seen_is_no_rule() -> None:
    treebank = repeated(SENTENCE, 800)
    assert learn(treebank).violations(treebank) == []
    other = repeated([("NOUN", 2, "nsubj"), ("VERB", 0, "root"), ("NOUN", 2, "nsubj")], 1)
    rules = learn(Treebank.concat([treebank, other])).rules
    assert Rule("tag", "nsubj", "NOUN") not in rules
    assert Rule("side", "nsubj", "right") not in rules
    assert Rule("sibling", "nsubj", "nsubj") not in rules


def test_what_is_seldom_seen_makes_no_rules() -> None:
    rare = [("INTJ", 2, "discourse"), ("VERB", 0, "root")]
    treebank = Treebank.concat([repeated(SENTENCE, 800), repeated(rare, 49)])
    rules = learn(treebank).rules
    assert not any("INTJ" in rule for rule in rules)
    assert not any("discourse" in rule for rule in rules if rule.kind in ("side", "sibling"))
    # But a tag that nearly always has one label, and words that hardly have dependents, tell enough.
    assert Rule("tag", "discourse", "PUNCT") in rules
    assert Rule("parent", "discourse", "punct") in rules
    assert learn(repeated(SENTENCE, 10)).rules == ()


def test_what_would_seldom_come_together_is_no_rule() -> None:
    # Of 3,320 words 60 are discourse and 60 INTJ: one of these would be one of those by chance, and both
    # are seen often enough.
    more = [("INTJ", 2, "vocative"), ("VERB", 0, "root")]
    less = [("X", 2, "discourse"), ("VERB", 0, "root")]
    treebank = Treebank.concat([repeated(SENTENCE, 800), repeated(more, 60), repeated(less, 60)])
    assert Rule("tag", "discourse", "INTJ") not in learn(treebank).rules
    assert Rule("tag", "discourse", "INTJ") in learn(treebank, least=1).rules


def test_rules_are_no_fewer_than_one_sighting() -> None:
    with pytest.raises(OptionError, match="least"):
        learn(garden(), least=0)


def test_a_treebank_of_unknown_heads_and_tags_can_be_learnt_from() -> None:
    assert learn(Treebank.from_words([["a", "b"]]), least=1).rules == ()
    assert learn(Treebank.from_words([]), least=1).rules == ()


def test_violations_name_the_rule_and_the_words() -> None:
    grammar = Grammar(
        (
            Rule("tag", "punct", "NOUN"),
            Rule("head-tag", "obj", "PUNCT"),
            Rule("side", "nsubj", "right"),
            Rule("parent", "obj", "punct"),
            Rule("sibling", "nsubj", "nsubj"),
        )
    )
    tree = repeated(
        [
            ("VERB", 0, "root"),
            ("PRON", 1, "nsubj"),
            ("PUNCT", 1, "punct"),
            ("NOUN", 3, "obj"),
            ("PRON", 1, "nsubj"),
            ("NOUN", 1, "punct"),
        ],
        2,
    )
    found = grammar.violations(tree)
    assert {violation.sentence for violation in found} == {0, 1}
    assert [str(violation) for violation in grammar.violations(tree[1])] == [
        "no nsubj stands to the right of its head: 2, 1",
        "no head has two that are nsubj: 2, 5, 1",
        "no PUNCT has a dependent that is obj: 4, 3",
        "no obj is a dependent of one that is punct: 4, 3",
        "no nsubj stands to the right of its head: 5, 1",
        "no NOUN is punct: 6, 1",
    ]
    broken = grammar.forbidden(tree)
    assert (broken.sentences, broken.of, broken.of_kind("side")) == (2, 2, 4)


def test_rules_that_other_trees_break_are_not_kept() -> None:
    grammar = Grammar((Rule("tag", "nsubj", "NOUN"), Rule("sibling", "nsubj", "nsubj")))
    tree = repeated([("NOUN", 2, "nsubj"), ("VERB", 0, "root")], 1)
    assert grammar.kept_by(tree).rules == (Rule("sibling", "nsubj", "nsubj"),)


def any_rules(labels: list[str], tags: list[str]) -> st.SearchStrategy[Grammar]:
    label = st.sampled_from(labels)
    others = {"tag": tags, "head-tag": tags, "side": list(SIDES), "parent": labels, "sibling": labels}
    rule = st.sampled_from(KINDS).flatmap(
        lambda kind: st.builds(Rule, st.just(kind), label, st.sampled_from(others[kind]))
    )
    return st.lists(rule, min_size=1, max_size=200, unique=True).map(lambda rules: Grammar(tuple(rules)))


def grammars() -> st.SearchStrategy[Grammar]:
    return any_rules(garden().label_names, sorted(set(garden().column("upos"))))


def everything_forbidden() -> Grammar:
    tags = sorted(set(garden().column("upos")))
    return Grammar(tuple(Rule("tag", label, tag) for label in garden().label_names for tag in tags))


@pytest.mark.parametrize("system", names.SYSTEMS)
@given(grammar=grammars(), index=st.integers(0, 10))
@settings(max_examples=5, deadline=None)
def test_there_is_always_a_tree(system: str, grammar: Grammar, index: int) -> None:
    parser = trained(system).with_grammar(grammar)
    sentence = dev()[index]
    searches = [{}, {"beam": 3}] if names.system(system).left_to_right else [{}]
    for how in searches:
        assert is_tree(parser.parse(sentence, **how).heads.tolist())


@pytest.mark.parametrize("system", names.SYSTEMS)
def test_where_all_is_forbidden_trees_are_as_without_rules(system: str) -> None:
    parser = trained(system)
    strict = parser.with_grammar(everything_forbidden())
    assert strict.parse(dev()).to_bytes() == parser.parse(dev()).to_bytes()


@pytest.mark.parametrize("system", names.SYSTEMS)
@given(grammar=grammars())
@settings(max_examples=5, deadline=None)
def test_trees_change_only_for_the_better(system: str, grammar: Grammar) -> None:
    parser = trained(system).with_grammar(grammar)
    some = dev()[:12]
    searches = [{}, {"beam": 3}] if names.system(system).left_to_right else [{}]
    for how in searches:
        plain, kept = parser.parse(some, grammar=False, **how), parser.parse(some, **how)
        breaks = [bool(grammar.violations(tree)) for tree in plain]
        broken = sum(bool(grammar.violations(tree)) for tree in kept)
        assert broken <= sum(breaks)
        for before, after, breaks_rules in zip(plain, kept, breaks, strict=True):
            if not breaks_rules:
                assert after.heads.tolist() == before.heads.tolist()
                assert [word.deprel for word in after] == [word.deprel for word in before]


@pytest.mark.parametrize("system", names.SYSTEMS)
@given(grammar=grammars(), index=st.integers(0, 10))
@settings(max_examples=4, deadline=None)
def test_a_trace_comes_to_the_tree_of_parse(system: str, grammar: Grammar, index: int) -> None:
    parser = trained(system).with_grammar(grammar)
    trace, parsed = parser.trace(dev()[index]), parser.parse(dev()[index])[0]
    built = {arc.dependent: arc.head for arc in trace.arcs}
    if not any("↑" in arc.label or "↓" in arc.label for arc in trace.arcs):
        assert [built[word.id] for word in parsed] == [word.head for word in parsed]


@given(grammar=grammars(), index=st.integers(0, 10))
@settings(max_examples=10, deadline=None)
def test_greedy_search_takes_a_forbidden_move_only_for_want_of_another(grammar: Grammar, index: int) -> None:
    """By brute force, where no beam mends trees: the arcs of all moves are held against the rules."""
    parser = trained("easy-first").with_grammar(grammar)
    sentence = dev()[index]
    if parser.parse(sentence).to_bytes() == parser.parse(sentence, grammar=False).to_bytes():
        return
    for step in parser.trace(sentence).steps:
        pairs = list(zip(step.stack, step.stack[1:], strict=False))
        if len(set(pairs)) < len(pairs):
            continue  # the same words stand side by side twice, and which of them are joined is not told
        arcs = {arc.dependent: (arc.head, arc.label) for arc in step.arcs}
        allowed = [move for move in step.moves if _is_allowed(grammar, sentence, step, arcs, move)]
        # An arc is worth its best label, allowed or not, and is made with the best that is.
        worth = {}
        for move in step.moves:
            arc = move.action, move.between
            worth[arc] = max(move.score, worth.get(arc, move.score))
        best = max(allowed or step.moves, key=lambda m: (worth[m.action, m.between], m.score))
        chosen = step.chosen
        assert not allowed or chosen in allowed
        assert (worth[chosen.action, chosen.between], chosen.score) == (
            worth[best.action, best.between],
            best.score,
        )


def _is_allowed(grammar, sentence, step, arcs, move) -> bool:
    stack, label = list(step.stack_ids), move.label
    pairs = list(zip(step.stack, step.stack[1:], strict=False))
    places = [i for i, pair in enumerate(pairs) if pair == move.between]
    left, right = stack[places[0] : places[0] + 2]
    head, dependent = (right, left) if move.action == "LEFT" else (left, right)
    before = _broken(grammar, sentence, arcs)
    return _broken(grammar, sentence, {**arcs, dependent: (head, label)}) <= before


def _broken(grammar, sentence, arcs) -> int:
    """How many rules arcs break; what is lifted will have another head, and breaks rules of tags alone."""
    from collections import Counter

    names_ = sorted({label.partition("↑")[0].rstrip("↓") for _, label in arcs.values()}) or ["_"]
    heads, labels = [], []
    for word in sentence:
        head, label = arcs.get(word.id, (-1, None))
        heads.append(head if label is None or "↑" not in label else -1)
        labels.append(-1 if label is None else names_.index(label.partition("↑")[0].rstrip("↓")))
    tree = Treebank.from_words([[w.form for w in sentence]], upos=[[w.upos for w in sentence]])
    found = grammar.violations(tree.with_trees(heads, labels, names_))
    return sum(Counter(violation.rule for violation in found).values())


def test_what_a_user_fixes_comes_first() -> None:
    sentence = dev()[0]
    for system in ("arc-eager", "arc-hybrid", "arc-standard", "easy-first"):
        parser = trained(system).with_grammar(everything_forbidden())
        given_tree = Constraints(
            heads={word.id: word.head for word in sentence},
            labels={word.id: word.deprel for word in sentence},
        )
        parsed = parser.parse(sentence, constraints=[given_tree])[0]
        assert [(w.head, w.deprel) for w in parsed] == [(w.head, w.deprel) for w in sentence]


def test_a_label_that_breaks_a_rule_gives_way_to_the_next() -> None:
    parser = trained("arc-eager")
    plain = parser.parse(dev())
    rule = Rule("tag", "obj", "NOUN")
    assert Grammar((rule,)).violations(plain)
    kept = parser.with_grammar(Grammar((rule,)))
    for how in ({}, {"beam": 4}):
        assert Grammar((rule,)).violations(kept.parse(dev(), **how)) == []
    assert kept.parse(dev(), grammar=False).to_bytes() == plain.to_bytes()


def test_words_without_tags_break_no_rules_of_tags() -> None:
    bare = dev().without("upos")
    parser = trained("arc-eager")
    strict = parser.with_grammar(everything_forbidden())
    assert strict.parse(bare).to_bytes() == parser.parse(bare).to_bytes()


def test_learning_to_search_keeps_to_rules() -> None:
    parser = trained("arc-hybrid", "l2s")
    rule = Rule("tag", "obj", "NOUN")
    grammar = Grammar((rule,))
    assert grammar.violations(parser.parse(dev()))
    assert grammar.violations(parser.with_grammar(grammar).parse(dev())) == []


def test_the_best_of_nbest_is_the_parse() -> None:
    parser = trained("arc-eager").with_grammar(learn(garden(), least=5))
    best = parser.nbest(dev(), 4)
    parsed = parser.parse(dev(), beam=8)
    assert [trees[0].sentence.heads.tolist() for trees in best] == [s.heads.tolist() for s in parsed]


def test_a_pipeline_keeps_to_the_tags_that_it_gives() -> None:
    nlp = Pipeline.train(garden(), epochs=1, components=["tagger", "parser"], progress=False)
    assert nlp.parser is not None
    nlp = nlp.with_parser(nlp.parser.with_grammar(learn(garden(), least=10)))
    grammar = nlp.parser.info.grammar
    words = [[word.form for word in sentence] for sentence in dev()]
    parsed = nlp.parse(words)
    # Asked again, of what it has tagged itself, of more trees or step by step, it says the same.
    for again in (nlp.parse(parsed), nlp.parse(words, probabilities="moves"), nlp.parse(words, threads=2)):
        assert again.heads.tolist() == parsed.heads.tolist()
        assert again.column("upos") == parsed.column("upos")
    mixed = Treebank.concat([parsed[:3], dev()[3:]])
    assert nlp.parse(mixed)[:3].heads.tolist() == parsed[:3].heads.tolist()
    without = nlp.parse(words, grammar=False)
    assert grammar.forbidden(parsed).sentences < grammar.forbidden(without).sentences
    best = nlp.nbest(words, 3)
    with_beam = nlp.parse(words, beam=8)
    assert [trees[0].sentence.heads.tolist() for trees in best] == [s.heads.tolist() for s in with_beam]
    assert [[w.upos for w in trees[0].sentence] for trees in best] == [[w.upos for w in s] for s in with_beam]
    for index in range(0, len(words), 5):
        built = {arc.dependent: arc.head for arc in nlp.trace(words[index]).arcs}
        assert [built[i + 1] for i in range(len(words[index]))] == parsed[index].heads.tolist()


def test_a_tag_gives_way_to_one_that_goes_with_the_tree() -> None:
    nlp = Pipeline.train(
        garden(), epochs=2, width=32, hidden=32, components=["tagger", "parser"], progress=False
    )
    assert nlp.parser is not None and nlp.tagger is not None
    # Never seen with NOUN, so that a tag must change, or many labels.
    grammar = Grammar((Rule("tag", "obj", "NOUN"), Rule("head-tag", "det", "NOUN")))
    nlp = nlp.with_parser(nlp.parser.with_grammar(grammar))
    words = [[word.form for word in sentence] for sentence in dev()]
    own, parsed = nlp.tagger.tag(words), nlp.parse(words)
    changed = [
        (before, after)
        for before, after in zip(own.column("upos"), parsed.column("upos"), strict=True)
        if before != after
    ]
    assert changed and {before for before, _ in changed} == {"NOUN"}
    # What a user says of tags stays.
    assert nlp.parse(own, tags="given").column("upos") == own.column("upos")


def test_signs_that_the_treebank_lacks_are_held_to_no_rules_of_tags() -> None:
    nlp = Pipeline.train(
        garden(), epochs=2, width=32, hidden=32, components=["tagger", "parser"], progress=False
    )
    assert nlp.parser is not None
    every = {label for label in garden().label_names if label != "root"}
    grammar = Grammar(tuple(Rule("tag", label, "PUNCT") for label in sorted(every)))
    nlp = nlp.with_parser(nlp.parser.with_grammar(grammar))

    def both(words: list[str]) -> tuple[bytes, bytes]:
        return nlp.parse([words]).to_bytes(), nlp.parse([words], grammar=False).to_bytes()

    known, new = ["The", "dog", "sleeps", "."], ["The", "dog", "sleeps", "‡"]
    assert [nlp.parse([words], grammar=False)[0][3].upos for words in (known, new)] == ["PUNCT"] * 2
    assert both(known)[0] != both(known)[1]
    assert both(new)[0] == both(new)[1]


@cache
def in_python() -> Parser:
    import importlib.util

    spec = importlib.util.spec_from_file_location("of_examples", GARDEN.parent / "systems" / "arc_hybrid.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    few = garden()[:40]
    return Parser.train(few, system=module.ArcHybrid(), learner="perceptron", epochs=1, grammar=False)


def test_systems_in_python_keep_to_rules_as_built_in_ones_do() -> None:
    few = garden()[:40]
    built_in = Parser.train(few, system="arc-hybrid", learner="perceptron", epochs=1, grammar=False)
    grammar = learn(garden(), least=5)
    some = dev()[:20]
    without = in_python().parse(some)
    assert grammar.violations(without)
    kept = in_python().with_grammar(grammar).parse(some)
    assert kept.to_bytes() == built_in.with_grammar(grammar).parse(some).to_bytes()
    assert grammar.forbidden(kept).sentences < grammar.forbidden(without).sentences


def test_training_learns_a_grammar_unless_told_not_to(tmp_path: Path) -> None:
    treebank = repeated(SENTENCE, 400)
    parser = Parser.train(treebank, learner="perceptron", epochs=1)
    assert parser.info.grammar == learn(treebank)
    parser.save(tmp_path / "m")
    assert Parser.load(tmp_path / "m").info.grammar == parser.info.grammar
    assert Parser.train(treebank, learner="perceptron", epochs=1, grammar=False).info.grammar is None
    options = {"learner": "perceptron", "epochs": 1, "components": ["parser"], "progress": False}
    nlp = Pipeline.train(treebank, **options)
    assert nlp.demand("parser").info.grammar == learn(treebank)
    assert Pipeline.train(treebank, grammar=False, **options).demand("parser").info.grammar is None


def test_an_update_keeps_no_rules_that_corrections_break() -> None:
    treebank = repeated(SENTENCE, 400)
    parser = Parser.train(treebank, learner="perceptron", epochs=1, keep_training_state=True)
    broken = Rule("tag", "nsubj", "NOUN")
    assert broken in parser.info.grammar.rules
    corrected = repeated([("NOUN", 2, "nsubj"), *SENTENCE[1:]], 1)
    after = parser.update(corrected).info.grammar.rules
    assert broken not in after
    assert set(after) < set(parser.info.grammar.rules)


def test_a_header_without_a_grammar_is_one_of_an_older_file() -> None:
    header = trained("arc-eager").info.to_header()
    assert "grammar" not in header
    assert ModelInfo.from_header(header).grammar is None


@pytest.mark.parametrize(
    "change",
    [
        {"least": 0},
        {"least": "50"},
        {"tags": "NOUN"},
        {"tags": ["NOUN", "NOUN"]},
        {"tags": [f"T{i}" for i in range(65)]},
        {"labels": [1]},
        {"labels": None},
        {"rules": {}},
        {"rules": [[0, 0]]},
        {"rules": [[0, 0, 99]]},
        {"rules": [[0, 99, 0]]},
        {"rules": [[9, 0, 0]]},
        {"rules": [[-1, 0, 0]]},
        {"rules": [[0, True, 0]]},
        {"rules": [[2, 0, 2]]},
        {"more": 1},
        {"completions": []},
        {"completions": None},
        {
            "labels": [f"l{i}" for i in range(70)],
            "rules": [[4, i, i] for i in range(70)],
        },
    ],
)
def test_damaged_grammars_are_refused(change: dict) -> None:
    parser = trained("arc-eager").with_grammar(learn(garden(), least=5))
    header = parser.info.to_header()
    header["grammar"] = {**header["grammar"], **change}
    with pytest.raises(ModelError, match="grammar is damaged"):
        ModelInfo.from_header(header)


@pytest.mark.parametrize(
    "wrong", [(9, 0, 0), (0, 99, 0), (0, -1, 0), (0, 0, 1), (2, 0, 2), (3, 0, 99), (4, 0, 99)]
)
def test_the_core_refuses_rules_of_what_there_is_not(wrong: tuple[int, int, int]) -> None:
    class Strange(Grammar):
        def for_the_core(self, label_names, used=None):
            return ["NOUN"], [wrong], [[]]

    parser = trained("arc-eager")
    info = dataclasses.replace(parser.info, grammar=Strange((Rule("tag", "obj", "NOUN"),)))
    with pytest.raises(ModelError, match="grammar is damaged"):
        parser.with_info(info)


def test_tags_are_those_of_the_same_words() -> None:
    with pytest.raises(ValueError, match="another treebank"):
        trained("arc-eager").parse(dev(), tags=garden())


def test_a_model_without_a_grammar_cannot_be_kept_to_one():
    older = Path(__file__).parent / "golden" / "models" / "6" / "pipeline.model"
    command = [sys.executable, "-m", "arcwise", "parse", "-m", str(older), "--grammar"]
    done = subprocess.run(command, input="Time flies.\n", capture_output=True, text=True, check=False)
    assert done.returncode != 0 and "has no grammar" in done.stderr
