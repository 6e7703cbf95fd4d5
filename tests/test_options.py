"""Options: said once, checked where they are given, and the same in Python, in files and in models."""

from __future__ import annotations

import json
import logging
import math
import warnings
from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import arcwise
from arcwise import OptionError, Parser, ParserOptions, Pipeline, PipelineOptions, TrainingOptions, Treebank
from arcwise.options import (
    KINDS,
    AdaGradOptions,
    BeamTrainingOptions,
    NetworkOptions,
    ParseOptions,
    PerceptronOptions,
    PolicyOptions,
    SystemOptions,
    config,
)
from arcwise.options.fields import Options, said_of
from arcwise.options.parser import places
from arcwise.options.ranking import RankingOptions
from arcwise.options.segmenter import SegmenterOptions
from arcwise.options.tagger import TaggerOptions
from arcwise.recipe import PipelineTraining, Reporter

PARTS = [
    *(SystemOptions, PolicyOptions, *KINDS.values(), BeamTrainingOptions, ParserOptions, ParseOptions),
    *(RankingOptions, SegmenterOptions, TaggerOptions, PipelineOptions),
]
SMALL = {"width": 16, "hidden": 16, "layers": 1, "epochs": 1}


def values_of(kind: type[Options]) -> st.SearchStrategy[dict[str, object]]:
    """Some options of a part, one by one, each in its range."""
    own = {}
    for field in fields(kind):  # type: ignore[arg-type]
        said = said_of(field)
        if said is None or said.part is not None or field.name in ("constraints", "tokens", "states"):
            continue
        least = said.least if said.least is not None else said.above or 0
        most = said.most if said.most is not None else (said.below or least + 1000)
        if isinstance(said.choices, tuple):
            own[field.name] = st.sampled_from(said.choices)
        elif str(field.type).startswith("bool"):
            own[field.name] = st.booleans()
        elif str(field.type).startswith("int"):
            unit = said.multiple or 1
            numbers = st.integers(math.ceil(least / unit), int(most) // unit)
            own[field.name] = numbers.map(lambda number, unit=unit: number * unit)
        elif str(field.type).startswith("float"):
            open_ends = {"exclude_min": said.above is not None, "exclude_max": said.below is not None}
            own[field.name] = st.floats(least, most, **open_ends)
    return st.fixed_dictionaries({}, optional=own)


@pytest.mark.parametrize("kind", PARTS, ids=lambda kind: kind.__name__)
def test_every_field_says_what_it_does(kind):
    for field in fields(kind):
        said = said_of(field)
        assert said is not None and said.help.endswith(".")
        assert field.name in kind.__doc__ and said.help in kind.__doc__
        # What None stands for is said wherever it may be given.
        nothing = "None" in str(field.type) and field.name != "constraints"
        assert (said.unset is not None) >= (nothing and field.default is None)


@pytest.mark.parametrize("kind", [*KINDS.values(), RankingOptions, SegmenterOptions, TaggerOptions])
def test_options_go_to_json_and_back(kind):
    @given(values_of(kind))
    def check(values):
        own = kind(**values)
        assert kind.from_dict(json.loads(json.dumps(own.to_dict()))) == own

    check()


@given(st.sampled_from(sorted(KINDS)).flatmap(lambda name: st.tuples(st.just(name), values_of(KINDS[name]))))
def test_options_that_are_given_one_by_one_come_to_their_learner(given_):
    name, values = given_
    names = {path[-1]: flat for flat, path in places(KINDS[name]).items() if len(path) == 1}
    options = ParserOptions.of(learner=name, **{names[n]: value for n, value in values.items()})
    assert options.learner == KINDS[name](**values)
    again = PipelineOptions(parser=options)
    read = config.combined(config._toml(config.to_toml(again)))
    assert replace(read, components=None, tags=None) == again


def test_a_part_is_given_whole_by_name_or_one_by_one():
    whole = ParserOptions(system=SystemOptions(name="arc-hybrid"), learner=AdaGradOptions(alpha=0.3))
    assert whole == ParserOptions.of(system="arc-hybrid", learner="adagrad", alpha=0.3)
    assert whole == ParserOptions.of(system="arc-hybrid", learner=AdaGradOptions(), alpha=0.3)
    assert ParserOptions(learner="perceptron").learner == PerceptronOptions()
    assert ParserOptions(system="easy-first").learner == PerceptronOptions()
    assert ParserOptions.of(learner="perceptron", train_beam=4, violation="early").learner.beam == (
        BeamTrainingOptions(width=4, violation="early")
    )


def test_changes_leave_the_rest_as_it_was():
    options = ParserOptions.of(learner="perceptron", train_beam=4, violation="early", k=3)
    changed = options.changed(train_beam=8, seed=5)
    assert changed.learner.beam == BeamTrainingOptions(width=8, violation="early")
    assert (changed.policy.k, changed.seed) == (3, 5)
    assert options.changed(train_beam=None).learner.beam is None
    assert options.changed(learner="adagrad", alpha=0.5).learner == AdaGradOptions(alpha=0.5)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"alpha": 0.3}, "The learner network has no use for alpha: .* choose the learner adagrad"),
        ({"widht": 32}, "no option called widht: did you mean width"),
        ({"learner": "perceptron", "relaxed": True}, "give its width .train_beam."),
        ({"epochs": "three"}, "epochs must be a whole number, not 'three'"),
        ({"epochs": True}, "epochs must be a whole number"),
        ({"tune_vectors": 1}, "tune_vectors must be True or False"),
        ({"rate": math.nan}, "rate. must be a positive number"),
        ({"p": 2}, "between 0 and 1"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(wrong, reason):
    with pytest.raises(OptionError, match=reason):
        ParserOptions.of(**wrong)


def test_parsing_has_options_too():
    assert ParseOptions.of(ParseOptions(beam=4), {"threads": 2}) == ParseOptions(beam=4, threads=2)
    for wrong in ({"beam": 0}, {"search": "wide"}, {"search": "greedy", "beam": 3}, {"samples": 0}):
        with pytest.raises(OptionError):
            ParseOptions(**wrong)
    with pytest.raises(OptionError, match="no option of parsing called width: choose from search, beam"):
        ParseOptions.of(None, {"width": 3})


def test_what_options_were_called_still_works_with_a_warning():
    with pytest.warns(DeprecationWarning, match="now ParserOptions"):
        old = TrainingOptions(learner="adagrad", alpha=0.3)
    assert old == ParserOptions.of(learner="adagrad", alpha=0.3)
    for name, value, home in (
        ("alpha", 0.3, "learner.alpha"),
        ("k", 1, "policy.k"),
        ("width", None, "learner.width"),
    ):
        with pytest.warns(DeprecationWarning, match=f"options.{name} is now options.{home}"):
            assert getattr(old, name) == value
    with pytest.warns(DeprecationWarning, match="compare their name"):
        assert old.learner == "adagrad"
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = old.colour


# Files of options.


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("epochs 3", "no file of options"),
        ("[parser]\nepoch = 3", "no option called epoch"),
        ("[parser.learner]\nname = 'svm'", "no learner called 'svm'"),
        ("[parser.learner]\nname = 'adagrad'\nwidth = 3", "no option called width"),
        ("parser = 3", "write .parser. above them"),
        ("seed = 'x'", "seed must be a whole number"),
        ("components = ['painter']", "no component called 'painter'"),
    ],
)
def test_a_file_of_options_is_checked(tmp_path, text, reason):
    path = tmp_path / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OptionError, match=reason):
        config.combined(config.read(path))


def test_a_file_of_options_may_be_missing_or_json(tmp_path):
    with pytest.raises(OptionError, match="cannot be read"):
        config.read(tmp_path / "none.toml")
    path = tmp_path / "recipe.json"
    path.write_text('{"parser": {"epochs": 3}}', encoding="utf-8")
    assert config.combined(config.read(path)).parser.epochs == 3


def test_flags_win_over_a_file_and_a_file_over_a_preset():
    stored = {"seed": 3, "parser": {"learner": {"name": "network", "width": 96}, "epochs": 2}}
    options = config.combined(stored, preset="fast", flags={"epochs": 4})
    assert (options.parser.epochs, options.parser.learner.width, options.parser.learner.layers) == (4, 96, 1)
    assert options.tagger.seed == options.parser.seed == 3
    other = config.combined(stored, flags={"learner": "perceptron"})
    assert other.parser.learner == PerceptronOptions() and other.parser.epochs == 2


# One recipe.


@pytest.fixture(scope="module")
def few(garden: Treebank) -> Treebank:
    return garden[:40]


def test_one_seed_seeds_every_part():
    options = PipelineOptions(seed=9, tagger=TaggerOptions(seed=4), ranking=RankingOptions())
    assert (options.segmenter.seed, options.tagger.seed, options.parser.seed, options.ranking.seed) == (
        *(9, 4),
        *(9, 9),
    )


def test_a_run_tells_of_its_epochs_and_logs(few, caplog):
    heard = []
    options = PipelineOptions(parser=ParserOptions.of(**SMALL), segmenter={"epochs": 2})
    with caplog.at_level(logging.INFO, logger="arcwise"):
        run = PipelineTraining(few, options=options, on_epoch=lambda part, epoch: heard.append(part))
        run.finish()
    assert heard == ["segmenter", "segmenter", "parser"]
    assert "Training arc-eager (network" in caplog.text and "epoch 1/1: loss" in caplog.text


def test_python_and_the_recipe_train_the_same_pipeline(few, tmp_path):
    Pipeline.train(few, seed=3, segmenter={"epochs": 1}, progress=False, **SMALL).save(tmp_path / "a")
    options = PipelineOptions(seed=3, segmenter={"epochs": 1}, parser=ParserOptions.of(**SMALL))
    PipelineTraining(few, options=options, reporter=Reporter(progress=False)).finish().save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert arcwise.load(tmp_path / "a").tagger.info.options.seed == 3


@pytest.mark.parametrize("tags", ["shared", "predicted", "gold"])
def test_the_options_of_a_pipeline_train_it_again(few, tmp_path, tags):
    learner = {"learner": NetworkOptions(width=16, hidden=16, layers=1)}
    options = PipelineOptions(
        tags=tags,
        folds=2 if tags == "predicted" else None,
        tagger=TaggerOptions() if tags == "shared" else TaggerOptions(width=16, hidden=16, epochs=1),
        parser=ParserOptions(epochs=1, **learner),
        description='says "so"\n',
    )
    first = PipelineTraining(few, options=options).finish()
    read = config.combined(config._toml(config.to_toml(PipelineOptions.of(first))))
    again = PipelineTraining(few, options=read).finish()
    first.save(tmp_path / "a")
    again.save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_run_that_a_callback_ends_goes_on(few, tmp_path):
    options = PipelineOptions(components=("parser",), parser=ParserOptions.of(learner="perceptron", epochs=3))
    whole = PipelineTraining(few, options=options).finish()

    class Enough(Exception):
        pass

    def stop(part, epoch):
        if epoch.number == 2:
            raise Enough

    run = PipelineTraining(few, options=options, store=tmp_path / "m", on_epoch=stop)
    with pytest.raises(Enough):
        run.finish()
    resumed = PipelineTraining(few, options=options, store=tmp_path / "m", resume=True)
    for name, pipeline in (("a", whole), ("b", resumed.finish())):
        pipeline.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    resumed.remove_kept()
    assert not (tmp_path / "m.checkpoint").exists()
    with pytest.raises(OptionError, match="Only what was stored can be resumed"):
        PipelineTraining(few, options=options, resume=True)


def test_options_that_do_not_go_together_are_refused(few):
    for wrong, reason in (
        ({"tags": "gold", "folds": 3}, "leave out the folds"),
        ({"tags": "shared", "parser": ParserOptions(learner="adagrad")}, "choose predicted or gold tags"),
        ({"tags": "shared", "ranking": RankingOptions()}, "predicted or gold tags"),
        ({"parser": ParserOptions(learner="l2s"), "ranking": RankingOptions()}, "HC-search needs a beam"),
    ):
        with pytest.raises(OptionError, match=reason):
            PipelineTraining(few, options=PipelineOptions(**wrong))
    with pytest.raises(OptionError, match="not both"):
        Pipeline.train(few, options=PipelineOptions(), epochs=2)


def test_nothing_in_the_package_uses_old_names(few):
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)
        parser = Parser.train(few, learner="perceptron", train_beam=2, epochs=1, keep_training_state=True)
        parser.update(few[:2])
        repr(parser)


def test_parts_may_be_given_as_a_file_has_them():
    options = ParserOptions.of(
        system={"name": "arc-hybrid"}, learner={"name": "adagrad", "alpha": 0.3}, policy={"k": 2}, epochs=2
    )
    assert options == ParserOptions.of(system="arc-hybrid", learner="adagrad", alpha=0.3, k=2, epochs=2)
    assert ParserOptions.of(system={"name": "easy-first"}, learner={}).learner.name == "perceptron"
    with pytest.raises(OptionError, match="no learner called 'x'"):
        ParserOptions.of(learner={"name": "x"})
    with pytest.raises(OptionError, match="no option called rate_of"):
        ParserOptions.of(learner={"rate_of": 1})
