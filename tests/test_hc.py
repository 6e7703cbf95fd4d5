"""HC-search: candidates by cross-validation, a ranker and its mixture with the beam, one file for all."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from arcwise import ModelError, OptionError, Parser, ParserOptions, Treebank, hc, model_file
from arcwise.hc import cross_validation
from arcwise.parser import RANKING_WEIGHTS
from trained import Interrupted, model_bytes

OPTIONS = ParserOptions.of(learner="adagrad", epochs=1)
RANKING = hc.RankingOptions(beam=8, folds=3, epochs=2, bits=14)


@pytest.fixture(scope="module")
def treebanks(request) -> tuple[Treebank, Treebank]:
    garden = request.config.rootpath / "examples" / "garden"
    return Treebank.read(garden / "train.conllu")[:120], Treebank.read(garden / "dev.conllu")


@pytest.fixture(scope="module")
def parser(treebanks) -> Parser:
    train, dev = treebanks
    return hc.train(train, dev=dev, options=OPTIONS, ranking=RANKING)


@pytest.fixture(scope="module")
def candidates(treebanks) -> hc.Candidates:
    return hc.cross_validate(treebanks[0], OPTIONS, folds=3, beam=8)


def same_trees(a: Treebank, b: Treebank) -> bool:
    return a.heads.tolist() == b.heads.tolist() and a.column("deprel") == b.column("deprel")


# --- candidates


def test_losses_are_the_words_that_are_wrong(candidates):
    losses, labelled = candidates.losses("heads"), candidates.losses("labels")
    for s in range(0, len(candidates.treebank), 17):
        gold = candidates.treebank[s]
        for tree in range(candidates.first_trees[s], candidates.first_trees[s + 1]):
            words = slice(*candidates.first_words[tree : tree + 2])
            heads = candidates.heads[words].tolist()
            names = [candidates.label_names[label] for label in candidates.labels[words]]
            right = [h == token.head for h, token in zip(heads, gold, strict=True)]
            right_label = [n == token.deprel for n, token in zip(names, gold, strict=True)]
            assert losses[tree] == right.count(False)
            assert labelled[tree] == [*map(all, zip(right, right_label, strict=True))].count(False)


def test_an_unknown_gold_head_is_never_wrong(candidates):
    words = candidates.treebank.word_count
    labels = np.zeros(words, np.int32)
    unknown = candidates.treebank.with_trees(np.full(words, -1), labels, ["x"])
    blind = hc.Candidates(unknown, **candidates.arrays(), label_names=candidates.label_names)
    assert not blind.losses("heads").any() and not blind.losses("labels").any()


def test_selected_candidates_are_those_of_the_sentences(candidates):
    some = candidates.select([5, 2])
    assert some.counts.tolist() == candidates.counts[[5, 2]].tolist()
    first = candidates.first_trees
    expected = [*candidates.losses()[first[5] : first[6]], *candidates.losses()[first[2] : first[3]]]
    assert some.losses().tolist() == expected


def test_the_best_of_the_first_k(candidates):
    random = np.random.default_rng(1)
    scores = random.integers(0, 3, len(candidates.scores)).astype(float)
    for k in (1, 3, None):
        chosen = candidates.best(scores, k)
        for s, tree in enumerate(chosen):
            own = scores[candidates.first_trees[s] : candidates.first_trees[s + 1]][:k]
            assert tree - candidates.first_trees[s] == int(np.argmax(own))


# --- cross-validation


def test_no_fold_is_trained_on_what_it_parses(treebanks):
    train, _ = treebanks
    folds = hc.CrossValidation(train, OPTIONS, folds=7)
    everything = [sentence.to_string() for sentence in train]
    parsed = []
    for fold in range(7):
        held_out = [everything[s] for s in folds.folds.sentences(fold)]
        training = [sentence.to_string() for sentence in folds.training(fold).treebank]
        ids = {sentence.id for sentence in train.select(folds.folds.sentences(fold))}
        assert not ids & {sentence.id for sentence in folds.training(fold).treebank}
        assert sorted(held_out + training) == sorted(everything)
        parsed += held_out
    assert parsed == everything


def test_candidates_of_a_fold_are_those_of_a_parser_of_the_others(treebanks, candidates):
    train, _ = treebanks
    folds = hc.CrossValidation(train, OPTIONS, folds=3)
    out = folds.folds.sentences(1)
    others = [s for s in range(len(train)) if s not in out]
    own = hc.Candidates.of(Parser.train(train.select(others), options=OPTIONS), train.select(out), beam=8)
    found = candidates.select(list(out))
    assert own.heads.tolist() == found.heads.tolist() and own.scores.tolist() == found.scores.tolist()


def test_jobs_make_no_difference(treebanks, candidates):
    again = hc.cross_validate(treebanks[0], OPTIONS, folds=3, beam=8, jobs=3)
    assert all((again.arrays()[name] == array).all() for name, array in candidates.arrays().items())


def test_an_interrupted_cross_validation_goes_on_where_it_was(treebanks, candidates, tmp_path, monkeypatch):
    train, _ = treebanks

    def interrupt(share: float) -> None:
        if share > 0.5:
            raise Interrupted

    with pytest.raises(Interrupted):
        hc.cross_validate(train, OPTIONS, folds=3, beam=8, store=tmp_path, on_step=interrupt)
    done = sorted(path.name for path in tmp_path.iterdir())
    assert done == ["fold-1.candidates"]
    trained = []
    original = cross_validation.CrossValidation.training

    def training(self, fold):
        trained.append(fold)
        return original(self, fold)

    monkeypatch.setattr(cross_validation.CrossValidation, "training", training)
    resumed = hc.cross_validate(train, OPTIONS, folds=3, beam=8, store=tmp_path)
    assert trained == [1, 2]
    assert all((resumed.arrays()[name] == array).all() for name, array in candidates.arrays().items())


def test_one_fold_that_fails_ends_the_others(treebanks):
    seen = set()

    def fail(share: float) -> None:
        seen.add(threading.get_ident())
        if len(seen) == 2:
            raise Interrupted

    with pytest.raises(Interrupted):
        hc.cross_validate(treebanks[0], OPTIONS, folds=3, beam=8, jobs=2, on_step=fail)


def test_folds_of_another_run_are_refused(treebanks, tmp_path):
    train, _ = treebanks
    hc.cross_validate(train[:10], OPTIONS, folds=2, beam=4, store=tmp_path)
    with pytest.raises(ModelError, match="with other options"):
        hc.cross_validate(train[:10], OPTIONS, folds=2, beam=5, store=tmp_path)


@pytest.mark.parametrize(
    "change",
    [
        {"counts": np.zeros(5, np.int32)},
        {"counts": np.ones(4, np.int32)},
        {"counts": np.full(5, 2**31 - 1, np.int32)},
        {"scores": np.zeros(0)},
        {"scores": np.zeros(3, np.float32)},
        {"heads": np.zeros(3, np.int32)},
        {"heads": np.zeros((3, 1), np.int32)},
        {"more": np.zeros(3, np.int32)},
        {"labels": None},
    ],
    ids=lambda change: "-".join(map(str, change)),
)
def test_stored_candidates_that_are_no_trees_are_refused(treebanks, tmp_path, change):
    train = treebanks[0][:10]
    hc.cross_validate(train, OPTIONS, folds=2, beam=4, store=tmp_path)
    path = tmp_path / "fold-1.candidates"
    header, arrays = model_file.read(path, "candidates")
    arrays = {name: array for name, array in {**arrays, **change}.items() if array is not None}
    del header["format"], header["arrays"]
    model_file.write(path, header, arrays)
    with pytest.raises(ModelError, match=r"fold-1\.candidates is damaged: remove it"):
        hc.cross_validate(train, OPTIONS, folds=2, beam=4, store=tmp_path)


def test_more_folds_than_sentences_are_refused(treebanks):
    with pytest.raises(OptionError, match="use fewer folds"):
        hc.cross_validate(treebanks[0][:3], OPTIONS, folds=4)


# --- the ranker and the mixture


def test_the_same_seed_gives_the_same_ranker(candidates):
    options = {"beam": 8, "epochs": 1, "bits": 14}
    (a, alpha), (b, beta) = (hc.Ranker.train(candidates, **options) for _ in range(2))
    other, _ = hc.Ranker.train(candidates, **options, seed=2)
    assert a.weights.tolist() == b.weights.tolist() and alpha == beta
    assert a.weights.tolist() != other.weights.tolist()


def test_without_dev_a_tenth_is_held_out(candidates):
    training = hc.RankerTraining(candidates, options=RANKING)
    held_out = [sentence.id for sentence in training.dev.treebank]
    assert held_out == [sentence.id for sentence in candidates.treebank][9::10]
    assert training.best is not None


def test_a_ranker_looks_at_no_column_that_the_parser_leaves_out(treebanks):
    options = ParserOptions.of(learner="adagrad", epochs=1, leave_out=("upos", "xpos"))
    found = hc.cross_validate(treebanks[0][:40], options, folds=2, beam=4)
    ranker, _ = hc.Ranker.train(found, beam=4, bits=12, epochs=1)
    assert not any("upos" in line or "xpos" in line for line in ranker.templates)
    assert any("lemma" in line for line in ranker.templates)


def test_a_ranker_s_columns_are_missed_too(parser):
    assert parser.missing_columns(Treebank.from_words([["Go"]])) == ["lemma", "upos", "xpos", "feats"]


def test_ranking_gets_better_on_what_it_learns_from(candidates):
    ranker, _ = hc.Ranker.train(candidates, dev=candidates, beam=8, epochs=5, bits=18)
    losses = candidates.losses("labels")
    chosen = candidates.best(ranker.scores(candidates))
    assert losses[chosen].sum() < 0.7 * losses[candidates.first_trees[:-1]].sum()


def test_tuning_finds_the_best_alpha(candidates):
    scores = np.random.default_rng(3).normal(size=len(candidates.scores)) - candidates.losses("labels")
    mixture = hc.tune(candidates, scores)
    h, c = candidates.rescaled(candidates.scores), candidates.rescaled(scores)
    losses = candidates.losses("labels")

    def las(alpha: float) -> float:
        wrong = losses[candidates.best(alpha * h + (1 - alpha) * c)].sum()
        return 100 - 100 * wrong / candidates.treebank.word_count

    assert mixture.las == pytest.approx(las(mixture.alpha))
    assert mixture.las >= max(las(alpha) for alpha in np.linspace(0, 1, 21)) - 1e-9


def test_alpha_1_is_the_beam_and_alpha_0_the_ranker_alone(parser, treebanks):
    _, dev = treebanks
    ranker = parser.ranker
    assert same_trees(parser.with_ranker(ranker, 1.0).parse(dev), parser.parse(dev, search="beam"))
    found = hc.Candidates.of(parser, dev, beam=8)
    alone = found.trees(found.best(ranker.scores(found)))
    assert same_trees(parser.with_ranker(ranker, 0.0).parse(dev), alone)
    assert not same_trees(alone, parser.parse(dev, search="beam"))


def test_the_parser_chooses_by_the_mixture(parser, treebanks):
    _, dev = treebanks
    found = hc.Candidates.of(parser, dev, beam=8)
    h, c = found.rescaled(found.scores), found.rescaled(parser.ranker.scores(found))
    chosen = found.trees(found.best(parser.alpha * h + (1 - parser.alpha) * c))
    for threads in (1, 3):
        assert same_trees(parser.parse(dev, threads=threads, grammar=False), chosen)


def test_a_search_can_be_chosen(parser, treebanks):
    _, dev = treebanks
    plain = Parser.train(treebanks[0], dev=dev, options=OPTIONS)
    assert same_trees(parser.parse(dev, search="greedy"), plain.parse(dev))
    assert same_trees(parser.parse(dev, search="beam"), plain.parse(dev, beam=8))
    assert same_trees(parser.parse(dev, search="hc"), parser.parse(dev))
    assert same_trees(parser.parse(dev, beam=1), plain.parse(dev))
    with pytest.raises(OptionError, match="has no ranker"):
        plain.parse(dev, search="hc")
    with pytest.raises(OptionError, match="has no beam"):
        plain.parse(dev, search="greedy", beam=4)
    with pytest.raises(OptionError, match="no search called"):
        plain.parse(dev, search="depth-first")


def test_sentences_of_one_word(parser):
    words = Treebank.from_words([["Hush"], ["Go", "!"]])
    assert parser.parse(words).heads.tolist()[0] == 0


def test_non_projective_candidates_are_lowered(treebanks):
    """Trees of lifted arcs come out as the treebank would have them, before the ranker sees them."""
    crossing = "".join(
        f"{i}\t{form}\t_\t{tag}\t_\t_\t{head}\t{label}\t_\t_\n"
        for i, form, tag, head, label in (
            (1, "hearing", "N", 3, "nsubj"),
            (2, "is", "A", 3, "aux"),
            (3, "scheduled", "V", 0, "root"),
            (4, "on", "P", 1, "nmod"),
            (5, "today", "R", 3, "advmod"),
        )
    )
    treebank = Treebank.from_string("\n".join([crossing] * 12) + "\n")
    found = hc.cross_validate(treebank, ParserOptions.of(learner="adagrad", epochs=3), folds=2, beam=4)
    assert found.losses("labels")[found.first_trees[:-1]].sum() == 0
    ranker, alpha = hc.Ranker.train(found, beam=4, bits=12, epochs=1)
    assert any(line.startswith("crossing") for line in ranker.templates) and 0 <= alpha <= 1


# --- one file


def test_a_model_file_holds_all(parser, treebanks, tmp_path):
    _, dev = treebanks
    before = model_bytes(parser, tmp_path / "a.model")
    again = Parser.load(tmp_path / "a.model")
    assert model_bytes(again, tmp_path / "b.model") == before
    assert again.alpha == parser.alpha and again.ranker.options == RANKING
    assert same_trees(again.parse(dev), parser.parse(dev))


@pytest.mark.parametrize(
    "damage",
    [
        lambda ranking, arrays: ranking.update(alpha=1.5),
        lambda ranking, arrays: ranking.update(alpha="half"),
        lambda ranking, arrays: ranking.update(beam=0),
        lambda ranking, arrays: ranking.update(scale=float("nan")),
        lambda ranking, arrays: ranking.update(templates=["arc: nothing"]),
        lambda ranking, arrays: ranking["options"].update(groups="odd"),
        lambda ranking, arrays: ranking["options"].update(colour="red"),
        lambda ranking, arrays: ranking.pop("options"),
        lambda ranking, arrays: arrays.pop(RANKING_WEIGHTS),
        lambda ranking, arrays: arrays.update({RANKING_WEIGHTS: arrays[RANKING_WEIGHTS][1:]}),
        lambda ranking, arrays: arrays.update({RANKING_WEIGHTS: arrays[RANKING_WEIGHTS].astype(np.int8)}),
    ],
)
def test_a_damaged_ranker_is_refused(parser, tmp_path, damage):
    path = tmp_path / "damaged.model"
    parser.save(path)
    header, arrays = model_file.read(path, "parser")
    header.pop("format")
    header.pop("arrays")
    damage(header["ranking"], arrays := {name: np.array(array) for name, array in arrays.items()})
    model_file.write(tmp_path / "b.model", header, arrays)
    with pytest.raises(ModelError, match=r"damaged|Ranking template"):
        Parser.load(tmp_path / "b.model")


# --- analysis


def test_an_analysis_adds_up(parser, treebanks):
    _, dev = treebanks
    analysis = hc.analyse(parser, dev)
    mixture, beam = analysis.mixture_choice, analysis.beam_choice
    scores = parser.evaluate(dev, grammar=False).attachment
    assert (mixture.uas, mixture.las) == (pytest.approx(scores.uas), pytest.approx(scores.las))
    assert beam.las == pytest.approx(parser.evaluate(dev, search="beam").attachment.las)
    assert [oracle.k for oracle in analysis.oracles] == [1, 2, 4, 8]
    assert analysis.oracles[0].uas == pytest.approx(beam.uas)
    assert analysis.oracles[-1].uas == pytest.approx(100 - mixture.generation)
    assert mixture.total == pytest.approx(100 - mixture.uas)
    assert mixture.generation <= mixture.total <= mixture.generation + mixture.selection + 1e-9
    changes = analysis.changes
    assert changes.better + changes.worse + changes.no_matter == changes.changed <= len(dev)


def test_the_selection_loss_is_the_papers(parser, treebanks):
    """L(ŷ, y) on average over the best candidates y, a sentence at a time."""
    _, dev = treebanks
    found, system = hc.Candidates.of(parser, dev, beam=8), parser.parse(dev, grammar=False)
    total = 0.0
    for s, sentence in enumerate(system):
        trees = range(found.first_trees[s], found.first_trees[s + 1])
        losses = {t: int(found.losses()[t]) for t in trees}
        best = [t for t in trees if losses[t] == min(losses.values())]
        heads = [found.heads[found.first_words[t] : found.first_words[t + 1]] for t in best]
        total += sum(int((own != sentence.heads).sum()) for own in heads) / len(best)
    selection = hc.analyse(parser, dev).mixture_choice.selection
    assert selection == pytest.approx(100 * total / dev.word_count)


# --- what cannot be


@pytest.mark.parametrize("options", [{"system": "easy-first"}, {"learner": "l2s", "system": "arc-hybrid"}])
def test_what_has_no_beam_has_no_candidates(treebanks, options):
    with pytest.raises(OptionError, match="HC-search needs a beam"):
        hc.train(treebanks[0], **options)


@pytest.mark.parametrize(
    "wrong",
    [
        {"beam": 1},
        {"folds": 1},
        {"groups": "middling"},
        {"loss": "time"},
        {"epochs": 0},
        {"aggressiveness": 0.0},
        {"bits": 9},
        {"seed": -1},
    ],
)
def test_impossible_options_are_refused(wrong):
    with pytest.raises(OptionError):
        hc.RankingOptions(**wrong)


def test_nothing_to_rank_is_said(treebanks):
    dev = treebanks[1]
    sure = dev[:1].select([0] * 12)
    found = hc.Candidates(
        sure,
        np.ones(12, np.int32),
        np.zeros(12),
        sure.heads.copy(),
        sure.labels.copy(),
        sure.label_names,
    )
    with pytest.raises(OptionError, match="nothing to rank"):
        hc.RankerTraining(found, options=RANKING)


def test_too_few_sentences_to_hold_any_out(candidates):
    with pytest.raises(OptionError, match="give a dev set"):
        hc.RankerTraining(candidates.select(range(5)), options=RANKING)
