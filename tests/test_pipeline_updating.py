"""A pipeline learns from all that was corrected, stays one network, and says what was lost elsewhere."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import arcwise
from arcwise import OptionError, Pipeline, Treebank, TreebankError, cli
from arcwise.pipeline_updating import PipelineUpdate, scores
from arcwise.updating import UpdateOptions
from trained import model_bytes

SMALL = {"width": 32, "hidden": 32, "epochs": 6}
CORRECTED = ("foodwise", "pricewise", "moneywise", "weatherwise", "salarywise", "servicewise", "fuelwise")
CORRECTED += ("schedulewise", "moodwise", "careerwise")
NEW = ("stylewise", "timewise", "healthwise", "tastewise", "jobwise", "colorwise", "sizewise", "teamwise")
NEW += ("taxwise", "lookwise")
FRAMES = (
    "{} , this place is great .",
    "The hotel was fine {} .",
    "It is a bargain {} .",
    "{} we had no problem .",
    "They did well {} .",
    "{} , I was disappointed .",
    "The car is good {} .",
    "We are late {} .",
    "{} it was a mess .",
    "She is ahead {} .",
)


def framed(words):
    return [frame.format(word).split() for frame, word in zip(FRAMES, words, strict=False)]


def with_column(treebank, column, changes):
    """The treebank with other values in a column of some forms."""
    place = ("lemma", "upos", "xpos", "feats").index(column) + 2
    lines = [line.split("\t") for line in treebank.to_string().split("\n")]
    for line in lines:
        if len(line) == 10 and line[1] in changes:
            line[place] = changes[line[1]]
    return Treebank.from_string("\n".join("\t".join(line) for line in lines), check_trees=False)


def tags_of(pipeline, sentences, words, column="upos"):
    tagged = pipeline.parse(sentences)
    pairs = zip(tagged.column("form"), tagged.column(column), strict=True)
    return [value for form, value in pairs if form in words]


@pytest.fixture(scope="module")
def english():
    return arcwise.load("en")


@pytest.fixture(scope="module")
def corrected_english(english):
    corrected = english.parse(framed(CORRECTED))
    for column, value in (("upos", "ADV"), ("xpos", "RB"), ("feats", "_")):
        corrected = with_column(corrected, column, dict.fromkeys(CORRECTED, value))
    return english.update(corrected, threads=2)


def test_ten_corrected_tags_are_learnt_for_new_words_of_their_kind(english, corrected_english):
    before, after = (tags_of(nlp, framed(NEW[::-1]), NEW) for nlp in (english, corrected_english))
    assert before.count("ADV") <= 7 and after.count("ADV") >= 9


def test_columns_that_corrections_leave_empty_stay_the_taggers():
    nlp = arcwise.load("en-fast")
    corrected = with_column(nlp.parse(framed(CORRECTED)), "upos", dict.fromkeys(CORRECTED, "ADV"))
    update = PipelineUpdate(nlp, corrected.without("xpos", "feats"))
    assert not update.notes
    own = nlp.parse(framed(NEW))
    after = update.finish().parse(framed(NEW))
    others = [form not in NEW for form in own.column("form")]
    for column in ("xpos", "feats"):
        pairs = zip(own.column(column), after.column(column), strict=True)
        same = [a == b for (a, b), other in zip(pairs, others, strict=True) if other]
        assert np.mean(same) > 0.9


def test_next_to_nothing_is_lost_elsewhere(english, corrected_english, garden):
    before, after = (scores(nlp, garden, threads=2) for nlp in (english, corrected_english))
    assert after.las > before.las - 0.2 and after.upos > before.upos - 0.2
    assert after.lemma > before.lemma - 0.2 and after.feats > before.feats - 0.2


def german() -> Treebank:
    """Where an adverb may stand there are adverbs."""
    nouns = {"Hund": "der", "Katze": "die", "Kind": "das", "Mann": "der", "Frau": "die"}
    verbs = ("läuft", "singt", "schläft", "lacht")
    adverbs = ("gern", "oft", "heute", "dort", "laut", "bald", "nie", "hier")
    once = ("gestern", "morgen", "abends", "links", "rechts", "oben", "kaum", "gleich", "selten", "immer")
    sentences = []
    rare = zip(itertools.cycle(nouns), itertools.cycle(verbs), once, strict=False)
    for noun, verb, adverb in (*itertools.product(nouns, verbs, adverbs), *rare):
        rows = [
            (nouns[noun].title(), nouns[noun], "DET", "2", "det"),
            (noun, noun, "NOUN", "3", "nsubj"),
            (verb, verb[:-1] + "en", "VERB", "0", "root"),
            (adverb, adverb, "ADV", "3", "advmod"),
            (".", ".", "PUNCT", "3", "punct"),
        ]
        sentences += [
            f"{i}\t{form}\t{lemma}\t{upos}\t_\t_\t{head}\t{label}\t_\t_\n"
            for i, (form, lemma, upos, head, label) in enumerate(rows, 1)
        ]
        sentences.append("\n")
        if adverb == "nie":  # there are adjectives, elsewhere
            sentences.append(
                f"1\tLieblich\tlieblich\tADJ\t_\t_\t2\tamod\t_\t_\n"
                f"2\t{noun}\t{noun}\tNOUN\t_\t_\t3\tnsubj\t_\t_\n"
                f"3\t{verb}\t{verb[:-1]}en\tVERB\t_\t_\t0\troot\t_\t_\n\n"
            )
    return Treebank.from_string("".join(sentences))


@pytest.fixture(scope="module")
def other():
    return Pipeline.train(german(), components=["tagger", "parser"], **{**SMALL, "epochs": 12})


LICH = ("freundlich", "fröhlich", "herzlich", "endlich", "ehrlich", "kindlich", "plötzlich", "pünktlich")


def test_another_language_is_corrected_in_the_same_way(other):
    words = [["Der", "Hund", "läuft", word, "."] for word in (*LICH, "höflich", "reichlich")]
    corrected = with_column(other.parse(words), "upos", {sentence[3]: "ADJ" for sentence in words})
    better = other.update(corrected)
    new = ("ängstlich", "friedlich", "nützlich", "peinlich")
    sentences = [["Die", "Katze", "singt", word, "."] for word in new]
    assert tags_of(other, sentences, new) == ["ADV"] * 4
    assert tags_of(better, sentences, new).count("ADJ") >= 3
    assert scores(better, german()).las > scores(other, german()).las - 0.5


# One network.


@pytest.fixture(scope="module")
def nlp(garden):
    return Pipeline.train(garden[:80], components=["tagger", "parser"], **SMALL)


def test_the_network_stays_one(nlp, garden_dev, tmp_path):
    better = nlp.update(garden_dev[:10])
    assert better.shares_a_network and better.tagger.shares_with(better.parser_of_own_tags)
    assert better.tagger._arrays["keys"] is better.parser._arrays["keys"]
    nlp.save(tmp_path / "before")
    better.save(tmp_path / "after")
    sizes = [(tmp_path / name).stat().st_size for name in ("before", "after")]
    assert sizes[1] < 1.02 * sizes[0]  # new words of the lexicon, and what is said of the update
    loaded = arcwise.load(tmp_path / "after")
    assert loaded.parse(garden_dev, tags="new").to_bytes() == better.parse(garden_dev, tags="new").to_bytes()
    assert [u["sentences"] for u in loaded.tagger.info.training["updates"]] == [10]
    assert loaded.update(garden_dev[:5], epochs=2).shares_a_network


def test_all_columns_are_learnt(nlp, garden_dev):
    corrected = garden_dev[:10]
    before, after = (scores(pipeline, corrected) for pipeline in (nlp, nlp.update(corrected, rate=0.1)))
    for name in ("las", "upos", "xpos", "feats", "lemma"):
        assert getattr(after, name) > getattr(before, name), name


def test_the_same_seed_gives_the_same_pipeline(nlp, garden, garden_dev, tmp_path):
    def updated(**how):
        return model_bytes(
            nlp.update(garden_dev[:5], replay=garden[:80], epochs=2, **how), tmp_path / "model"
        )

    assert updated() == updated(threads=2) != updated(seed=2)


def test_tags_are_learnt_without_trees_and_trees_without_tags(nlp, garden_dev):
    some = garden_dev[:10]
    nothing = np.full(some.word_count, -1)
    headless = some.with_trees(nothing, nothing, some.label_names)
    tags = scores(nlp.update(headless, rate=0.05), some)
    assert tags.upos > scores(nlp, some).upos
    trees = scores(nlp.update(some.without("lemma", "upos", "xpos", "feats"), rate=0.05), some)
    assert trees.las > scores(nlp, some).las and trees.upos < tags.upos


# Lemmas.


def test_corrected_lemmas_are_known_from_then_on(nlp, garden_dev):
    words = [["Anna", "waters", "the", "zwibbels", "."], ["The", "zwibbels", "grew", "."]]
    parsed = nlp.parse(words)
    better = nlp.update(with_column(parsed, "lemma", {"zwibbels": "zwobbel"}))
    again = better.parse([["zwibbels", "bloomed", "."]])
    assert again.column("lemma")[0] == "zwobbel" or again.column("upos")[0] != parsed.column("upos")[3]
    assert tags_of(better, words, ("zwibbels",), "lemma") == ["zwobbel"] * 2


def test_a_word_of_several_lemmas_keeps_its_usual_one(nlp, garden):
    known = next(t for s in garden for t in s if t.upos == "NOUN" and len(t.form) > 4)
    words = [["The", known.form, "grew", "."], ["A", known.form, "grew", "."]]
    parsed = nlp.parse(words)
    first = with_column(parsed[:1], "lemma", {known.form: "wobble"})
    both = Treebank.from_string(first.to_string() + parsed[1:].to_string(), check_trees=False)
    usual = tags_of(nlp, words, (known.form,), "lemma")
    assert tags_of(nlp.update(both, epochs=1), words, (known.form,), "lemma") == usual
    assert tags_of(nlp.update(first, epochs=1), words[:1], (known.form,), "lemma") == ["wobble"]


def test_a_rule_that_several_words_ask_for_is_learnt(nlp):
    """From corrected words a choice between rules of lemmas may come that there was not."""
    words = ("zibbelox", "quabbelox", "wobbelox", "gribbelox")
    sentences = [["Anna", "waters", "the", word, "."] for word in words]
    corrected = with_column(nlp.parse(sentences), "lemma", {word: word[:-2] + "u" for word in words})
    better = nlp.update(corrected, rate=0.1)
    assert len(better.tagger.info.choices) > len(nlp.tagger.info.choices)
    assert len(better.tagger.info.rules) == len(nlp.tagger.info.rules) + 1
    assert tags_of(better, sentences, words, "lemma") == [word[:-2] + "u" for word in words]


# What cannot be learnt, and what no longer holds.


def test_unknown_tags_are_refused_with_a_remedy(nlp, garden_dev):
    wrong = with_column(garden_dev[:2], "upos", {"the": "NUON"})
    with pytest.raises(
        TreebankError, match=r"has the UPOS 'NUON', which the tagger does not know.*choose from"
    ):
        nlp.update(wrong)
    with pytest.raises(OptionError, match="segmenter cannot be updated"):
        Pipeline().update(garden_dev)
    with pytest.raises(TreebankError, match="no sentence to learn from"):
        nlp.update(garden_dev[:0])


def test_tags_that_never_stood_together_are_noted(nlp, garden_dev):
    odd = with_column(garden_dev[:3], "feats", {"the": "Case=Nom"})
    run = PipelineUpdate(nlp, odd)
    assert "UPOS, XPOS, FEATS that never stand together" in run.notes[0]
    assert run.finish().tagger.info.analyses == nlp.tagger.info.analyses


def test_calibration_is_fitted_again_or_dropped(nlp, garden, garden_dev):
    calibrated = nlp.with_parser(nlp.parser.calibrate(garden_dev))
    run = PipelineUpdate(calibrated, garden_dev[:5])
    assert run.finish().parser.info.calibration is None
    assert any("no longer calibrated" in note for note in run.notes)
    again = PipelineUpdate(calibrated, garden_dev[:5], test=garden_dev[5:])
    fitted = again.finish().parser.info.calibration
    assert fitted is not None and fitted.about["words"] == garden_dev[5:].word_count
    assert not again.notes


def test_what_was_lost_elsewhere_is_told(nlp, garden, garden_dev):
    run = PipelineUpdate(
        nlp,
        garden_dev[:5],
        replay=garden[:80],
        test=garden_dev[5:],
        options=UpdateOptions(replayed=1, rate=0.003),
    )
    run.finish()
    corrected, test, replay = run.changes()
    assert corrected.where == "the corrected sentences" and corrected.after.las > corrected.before.las
    assert (test.sentences, replay.sentences) == (len(garden_dev) - 5, 80)
    assert test.before == scores(nlp, garden_dev[5:])
    assert f"LAS {test.before.las:.2f} before, {test.after.las:.2f} now" in str(test)


def test_the_command_tells_it_too(nlp, garden_dev, tmp_path, capsys):
    nlp.with_parser(nlp.parser.calibrate(garden_dev)).save(tmp_path / "old")
    garden_dev[:3].write(tmp_path / "corrected.conllu")
    garden_dev[3:].write(tmp_path / "test.conllu")

    def run(*more):
        command = ["update", "old", "corrected.conllu", "-o", "new", "--epochs", "2", *more]
        with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as exit:
            patch.chdir(tmp_path)
            cli.main(command)
        assert not exit.value.code
        return capsys.readouterr().err

    told = run()
    assert "What was lost elsewhere is not known: give other gold sentences (--test)" in told
    assert "Note: The probabilities are no longer calibrated" in told
    told = run("--test", "test.conllu")
    assert "\nOn test.conllu: UAS " in told and "lemmas" in told and "Note:" not in told
    made = arcwise.load(tmp_path / "new")
    assert made.shares_a_network and made.parser.info.calibration is not None
    assert run("--quiet") == ""


# Pipelines of other kinds.


def test_a_tagger_and_a_parser_apart_both_learn(garden, garden_dev):
    small = {name: value for name, value in SMALL.items() if name != "epochs"}
    apart = Pipeline.train(
        garden[:40], components=["tagger", "parser"], gold_tags=True, tagger={**small, "epochs": 6}, **SMALL
    )
    some = garden_dev[:10]
    better = apart.update(some, rate=0.3)
    before, after = scores(apart, some), scores(better, some)
    assert after.upos > before.upos and after.las > before.las
    tagger = Pipeline(tagger=apart.tagger)
    assert scores(tagger.update(some, rate=0.005, replay=garden[:80]), some).upos > before.upos
    parser = Pipeline(parser=apart.parser)
    assert scores(parser.update(some, rate=0.3), some).las > scores(parser, some).las
