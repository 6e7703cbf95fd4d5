"""Pipelines: from raw text to trees, in Python and on the command line."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import arcwise
from arcwise import (
    Document,
    ModelError,
    OptionError,
    Parser,
    Pipeline,
    Segmenter,
    Tagger,
    Treebank,
    TreebankError,
    cli,
)
from arcwise.cli.interrupts import Interrupted
from arcwise.evaluation import conll18_scores
from arcwise.models import find, installed
from arcwise.pipeline import chosen_components, in_order
from arcwise.text import rebuild
from conftest import GARDEN

TRAIN, DEV = str(GARDEN / "train.conllu"), str(GARDEN / "dev.conllu")
TEXT = "Anna waters the beans. The gardener didn't plant roses.\n\nBees hum in the warm garden.\n"


@pytest.fixture(scope="module", params=["shared", "apart"])
def path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As one command trains it: a tagger and a parser that share a network, or that do not."""
    apart = ["--tag-folds", "2"] if request.param == "apart" else []
    path = tmp_path_factory.mktemp("pipeline") / "garden.arc"
    with pytest.raises(SystemExit) as exit:
        cli.main(
            [
                "train", TRAIN, "--dev", DEV, "-o", str(path), "--epochs", "3", "--quiet",
                "--licence", "CC0", "--description", "A garden", *apart,
            ]
        )  # fmt: skip
    assert not exit.value.code
    assert [file.name for file in path.parent.iterdir()] == ["garden.arc"]
    return path


@pytest.fixture(scope="module")
def nlp(path: Path) -> Pipeline:
    return arcwise.load(path)


Done = subprocess.CompletedProcess[bytes]


def process(*arguments: object, stdin: bytes = b"") -> Done:
    """The command line as a program of its own, at the end of real pipes."""
    command = [sys.executable, "-m", "arcwise", *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, timeout=300, check=False)


def run(*arguments: object, stdin: bytes = b"") -> Done:
    """The same in this process, which need not start Python first; whatever is raised comes through."""
    command = [str(argument) for argument in arguments]
    out, err = (io.TextIOWrapper(io.BytesIO(), write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as exit:
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        cli.main(command)
    return Done(command, exit.value.code or 0, out.buffer.getvalue(), err.buffer.getvalue())


def test_text_becomes_sentences_with_words_tags_and_trees(nlp):
    document = nlp(TEXT)
    assert isinstance(document, Document)
    forms = [[token.form for token in sentence] for sentence in document]
    assert forms[0] == ["Anna", "waters", "the", "beans", "."]
    assert forms[1][2:4] == ["did", "n't"]
    assert all(token.upos != "_" and token.lemma != "_" for sentence in document for token in sentence)
    assert all(sorted(sentence.heads)[0] == 0 for sentence in document)
    assert rebuild(document.treebank) == document.text == TEXT


def test_many_texts_become_what_each_becomes_alone(nlp):
    texts = [TEXT, "", "Roses.", *[sentence.text or "" for sentence in Treebank.read(DEV)][:30]]
    alone = [nlp(text).to_conllu() for text in texts]
    for jobs in (1, 3):
        assert [document.to_conllu() for document in nlp.pipe(texts, jobs=jobs)] == alone


def test_a_file_is_streamed_in_order(nlp, tmp_path):
    text = TEXT * 50
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    whole = nlp(text).to_conllu()
    for jobs in (1, 2):
        parts = nlp.stream(tmp_path / "text.txt", jobs=jobs, batch_bytes=500)
        assert "".join(part.to_string() for part in parts) == whole


def test_tags_that_are_there_are_kept_unless_others_are_asked_for(nlp):
    dev = Treebank.read(DEV)
    for tags in ("auto", "given"):
        kept = nlp.parse(dev, tags=tags)
        assert kept.column("upos") == dev.column("upos")
    assert kept.heads.tolist() == nlp.parser.parse(dev).heads.tolist()
    retagged = nlp.parse(dev, tags="new")
    assert retagged.column("xpos") == nlp.tagger.tag(dev).column("xpos") != dev.column("xpos")
    bare = Treebank.from_words([[token.form for token in sentence] for sentence in dev])
    assert nlp.parse(bare).column("upos") == retagged.column("upos")
    # Of some columns too: what a user has put there is not for the tagger to replace.
    other = Treebank.from_words([["so", "it", "goes"]], upos=[["X", "X", "X"]])
    assert nlp.parse(other).column("upos") == ["X", "X", "X"]
    assert nlp.parse(other).column("xpos") == ["_", "_", "_"]


def test_scores_are_those_of_what_the_pipeline_starts_from(nlp):
    dev = Treebank.read(DEV)
    from_tags, from_tokens = nlp.evaluate(dev, start="tags"), nlp.evaluate(dev)
    assert from_tags.attachment.las == nlp.parser.evaluate(dev).attachment.las
    own_tags = nlp.parser_of_own_tags.evaluate(nlp.tagger.tag(dev))
    assert from_tokens.attachment.las == own_tags.attachment.las
    from_text = nlp.evaluate_text(dev)
    assert 90 < from_text["Words"].f1 < 100
    again = conll18_scores(dev.to_string(), nlp(rebuild(dev)).to_conllu())
    assert {metric: score.f1 for metric, score in from_text.items()} == {m: s.f1 for m, s in again.items()}
    with pytest.raises(OptionError, match="evaluate_text"):
        nlp.evaluate(dev, start="text")
    with pytest.raises(OptionError, match="starts from"):
        nlp.evaluate(dev, start="bytes")


def test_a_file_holds_all_of_it(nlp, path, tmp_path):
    nlp.save(tmp_path / "again.arc")
    assert (tmp_path / "again.arc").read_bytes() == path.read_bytes()
    assert nlp.about["licence"] == "CC0" and nlp.about["tags"] in ("shared", "predicted")
    assert nlp.about["scores"]["text"]["LAS"] == pytest.approx(nlp.evaluate_text(DEV)["LAS"].f1, abs=1e-4)
    # Of one component alone, its own file; a file of one is a pipeline of one.
    Pipeline(parser=nlp.parser).save(tmp_path / "parser.model")
    assert Parser.load(tmp_path / "parser.model").info == nlp.parser.info
    assert list(Pipeline.load(tmp_path / "parser.model").components()) == ["parser"]
    with pytest.raises(OptionError, match="nothing in this pipeline"):
        Pipeline().save(tmp_path / "nothing")


def test_damaged_files_are_refused(path, tmp_path):
    whole = path.read_bytes()
    for damaged in (whole[:-1], whole[: len(whole) // 2], whole.replace(b'"parser"', b'"parzer"')):
        (tmp_path / "damaged").write_bytes(damaged)
        with pytest.raises(ModelError, match="damaged"):
            Pipeline.load(tmp_path / "damaged")


def test_what_is_missing_is_said(nlp):
    parser = Pipeline(parser=nlp.parser)
    with pytest.raises(OptionError, match="no segmenter"):
        parser("text")
    tagger = Pipeline(segmenter=nlp.segmenter, tagger=nlp.tagger)
    assert tagger(TEXT)[0][0].upos == nlp(TEXT)[0][0].upos
    assert tagger(TEXT)[0][0].head is None


def test_components_are_those_that_there_is_data_for():
    words = Treebank.from_words([["so", "it", "goes"]])
    assert chosen_components(words, None) == ["segmenter"]
    tagged = Treebank.from_words([["so", "it", "goes"]], upos=[["ADV", "PRON", "VERB"]])
    assert chosen_components(tagged, None) == ["segmenter", "tagger"]
    assert chosen_components(Treebank.read(DEV), ["parser", "tagger"]) == ["tagger", "parser"]
    with pytest.raises(OptionError, match="nothing that a parser could learn from"):
        chosen_components(tagged, ["parser"])
    with pytest.raises(OptionError, match="no component called lexer"):
        chosen_components(tagged, ["lexer"])


def test_work_is_done_in_order_and_failures_come_through():
    assert list(in_order(range(20), lambda n: n * n, 3)) == [n * n for n in range(20)]
    taken = []
    lazy = in_order((taken.append(n) or n for n in range(100)), lambda n: n, 2)
    assert next(lazy) == 0 and len(taken) <= 4
    with pytest.raises(ZeroDivisionError):
        list(in_order([1, 0, 1], lambda n: 1 / n, 2))
    with pytest.raises(OptionError, match="at least one job"):
        list(in_order([1], lambda n: n, 0))


def test_what_comes_alone_is_worked_on_without_threads():
    workers = list(in_order([1], lambda _: threading.current_thread(), 4))
    assert workers == [threading.current_thread()]


@pytest.mark.parametrize("before", [0, 1, 2, 5])
def test_what_comes_before_an_error_is_done_first(before):
    def given():
        yield from range(before)
        raise OptionError("no more")

    done = []
    with pytest.raises(OptionError, match="no more"):
        for number in in_order(given(), lambda n: n, 2):
            done.append(number)
    assert done == list(range(before))


def test_models_have_names(nlp, path, tmp_path, monkeypatch):
    monkeypatch.setenv("ARCWISE_MODELS", str(tmp_path))
    nlp.save(tmp_path / "garden.arc")
    assert "garden" in [model.name for model in installed()]
    assert find("garden") == tmp_path / "garden.arc"
    assert arcwise.load("garden")("Bees hum.").to_conllu() == nlp("Bees hum.").to_conllu()
    listed = process("models")
    assert b"garden: A garden (" in listed.stdout
    parsed = process("parse", "garden", stdin=b"Bees hum.")
    assert (parsed.returncode, parsed.stdout.decode()) == (0, nlp("Bees hum.").to_conllu())
    with pytest.raises(ModelError, match="no model of this name"):
        arcwise.load("orchard")


@pytest.mark.parametrize("jobs", [1, 3])
def test_text_is_parsed_from_files_and_pipes(nlp, path, tmp_path, jobs):
    expected = nlp(TEXT).to_conllu()
    (tmp_path / "a.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "a").write_text(TEXT, encoding="utf-8")
    for given in ((tmp_path / "a.txt",), (tmp_path / "a",), ("-m", path, tmp_path / "a.txt")):
        model = () if "-m" in given else (path,)
        parsed = run("parse", *model, *given, "--jobs", jobs)
        assert (parsed.returncode, parsed.stderr, parsed.stdout.decode()) == (0, b"", expected)
    assert process("parse", path, "--jobs", jobs, stdin=TEXT.encode()).stdout.decode() == expected
    own = b"1\ta\t_\tX\t_\t_\t_\t_\t_\t_\n\n"
    assert b"\tX\t_\t_\t0\troot" in run("parse", path, stdin=own).stdout
    # What is CoNLL-U by its name or its look is read so, and its tags are kept.
    dev = Treebank.read(DEV)
    assert run("parse", path, DEV).stdout == process("parse", path, stdin=Path(DEV).read_bytes()).stdout
    assert Treebank.from_string(run("parse", path, DEV).stdout).column("xpos") == dev.column("xpos")
    assert Treebank.from_string(run("parse", path, DEV, "--tags", "new").stdout).column("xpos") != dev.column(
        "xpos"
    )


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("lines", "Bees hum. Roses bloom\nBees hum.\n"),
        ("horizontal", "Bees hum . Roses bloom\nBees hum .\n"),
        ("vertical", "Bees\nhum\n.\nRoses\nbloom\n\nBees\nhum\n.\n"),
    ],
)
def test_text_that_is_cut_already_stays_cut(path, format, text):
    parsed = run("parse", path, "--format", format, stdin=text.encode())
    assert (parsed.returncode, parsed.stderr) == (0, b"")
    forms = [[token.form for token in s] for s in Treebank.from_string(parsed.stdout)]
    assert forms == [["Bees", "hum", ".", "Roses", "bloom"], ["Bees", "hum", "."]]


def test_output_is_json_or_a_drawing(nlp, path):
    lines = run("parse", path, "--to", "json", stdin=TEXT.encode()).stdout.decode().splitlines()
    sentences = [json.loads(line) for line in lines]
    assert [s["text"] for s in sentences] == [sentence.text for sentence in nlp(TEXT)]
    for sentence in sentences:
        for token in sentence["tokens"]:
            if token["form"] not in ("did", "n't"):
                assert TEXT[token["start"] : token["end"]] == token["form"]
    drawn = run("parse", path, "--to", "tree", stdin=TEXT.encode()).stdout.decode()
    assert re.search("^2 waters +water +VERB +.*root$", drawn, re.MULTILINE)


@pytest.mark.parametrize(
    ("text", "code", "out"),
    [
        (b"", 0, b""),
        (b" \n\t\n", 0, b""),
        (b"\xef\xbb\xbfBees hum.", 0, b"1\tBees\t"),
        (b"Bees hum.\r\n\r\nRoses bloom.\r\n", 0, rb"SpacesAfter=\r\n\r\n"),
        ("Bees 👩‍🌾 hu\u0301m.".encode(), 0, "👩‍🌾\t".encode()),
        (b"x" * 300_000, 0, b"1\txxx"),
        (b"Bees \xff hum.", 1, b"byte 5 is not valid UTF-8"),
        (b"Bees \0 hum.", 1, b"byte 5 is a NUL"),
        (b"\x7fELF\x02\x01\x01\0\0\0", 1, b"NUL"),
    ],
    ids=["empty", "blank", "bom", "crlf", "marks", "long", "latin1", "nul", "binary"],
)
def test_whatever_comes_in_has_a_sensible_end(path, text, code, out):
    parsed = process("parse", path, stdin=text)
    assert parsed.returncode == code
    assert out in (parsed.stderr if code else parsed.stdout)
    assert b"Traceback" not in parsed.stderr
    replaced = run("parse", path, "--errors", "replace", stdin=text)
    assert replaced.returncode == 0


def test_other_commands_take_pipelines_too(path, tmp_path):
    scores = run("evaluate", path, DEV, "--from", "text")
    assert b"conll18.Sentences" in scores.stdout and b"By relation" not in scores.stdout
    assert b"By relation" in run("evaluate", path, DEV).stdout
    told = json.loads(run("info", path, "--json").stdout)
    assert told["training"]["epochs"] == told["components"]["parser"]["training"]["epochs"]
    facts = run("info", path).stdout.decode()
    assert re.search("^licence +CC0 *$", facts, re.MULTILINE)
    assert run("calibrate", path, DEV, "-o", tmp_path / "calibrated.arc").returncode == 0
    calibrated = arcwise.load(tmp_path / "calibrated.arc")
    assert calibrated.parser.info.calibration is not None and calibrated.tagger is not None
    assert run("trace", path, DEV, "--sentence", 2).returncode == 0
    assert b"rank" in run("suggest", path, DEV, "-n", 2).stdout


def test_an_interrupted_run_goes_on_with_what_it_has(tmp_path, monkeypatch):
    from arcwise.recipe import parts

    output = tmp_path / "m.arc"
    command = ["train", TRAIN, "-o", str(output), "--epochs", "1", "--tag-folds", "2", "--quiet"]
    command += ["--tagger", "epochs=1"]

    def broken(*_: object) -> None:
        raise Interrupted(2)

    with monkeypatch.context() as patch:
        patch.setattr(parts.Parts, "with_predicted_tags", broken)
        with pytest.raises(SystemExit) as exit:
            cli.main(command)
    assert exit.value.code == 130
    assert {file.name for file in (tmp_path / "m.arc.parts").iterdir()} == {"segmenter.part", "tagger.part"}
    other = run(*command, "--resume", "--tagger", "epochs=3")
    assert other.returncode == 1 and b"with other options" in other.stderr
    with monkeypatch.context() as patch:
        patch.setattr("arcwise.tagger_training.TaggerTraining.__init__", None)  # it is not trained again
        patch.setattr(parts.Parts, "with_predicted_tags", lambda own, folds: own.treebank)
        with pytest.raises(SystemExit) as exit:
            cli.main([*command, "--resume"])
    assert not exit.value.code
    assert list(arcwise.load(output).components()) == ["segmenter", "tagger", "parser"]
    assert not (tmp_path / "m.arc.parts").exists()


@pytest.mark.parametrize(("name", "most"), [("en", 12_000_000), ("en-fast", 4_000_000)])
def test_english_models_are_in_the_box(monkeypatch, tmp_path, name, most):
    monkeypatch.setenv("ARCWISE_MODELS", str(tmp_path))
    packaged = {model.name: model for model in installed()}[name]
    assert packaged.is_packaged and packaged.path.stat().st_size <= most
    english = arcwise.load(name)
    assert "CC BY-SA 4.0" in english.about["licence"]
    document = english("She saw the dog. It didn't bark.")
    assert [[token.form for token in sentence] for sentence in document] == [
        ["She", "saw", "the", "dog", "."],
        ["It", "did", "n't", "bark", "."],
    ]
    assert [token.lemma for token in document[0]] == ["she", "see", "the", "dog", "."]
    assert [(token.head, token.deprel) for token in document[0]][:4] == [
        (2, "nsubj"),
        (0, "root"),
        (4, "det"),
        (2, "obj"),
    ]
    parsed = process("parse", stdin=b"She saw the dog. It didn't bark.")
    assert (parsed.returncode, parsed.stdout.decode()) == (0, document.to_conllu())


def test_a_treebank_without_spaces_makes_a_pipeline_without_a_segmenter(tmp_path):
    for name, source in (("train", TRAIN), ("dev", DEV)):
        (tmp_path / f"{name}.conll").write_bytes(Treebank.read(source).to_bytes("conllx"))
    train, dev, output = tmp_path / "train.conll", tmp_path / "dev.conll", tmp_path / "m.arc"
    short = ("--epochs", 1, "--tag-folds", 2, "--tagger", "epochs=1")
    trained = run("train", train, "--dev", dev, "-o", output, *short)
    assert trained.returncode == 0 and b"Segmenter" not in trained.stderr
    assert list(arcwise.load(output).components()) == ["tagger", "parser"]
    assert run("parse", output, dev).stdout.count(b"\n\n") == len(Treebank.read(DEV))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ("foo=1", b"no option called foo"),
        ("epochs", b"write KEY=VALUE"),
        ("epochs=many", b"epochs must be a whole number, not 'many'"),
    ],
)
def test_options_of_components_are_checked(options, reason, tmp_path):
    refused = run("train", TRAIN, "-o", tmp_path / "m.arc", "--tagger", options)
    assert (refused.returncode, list(tmp_path.iterdir())) == (1, [])
    assert reason in refused.stderr and b"Traceback" not in refused.stderr


def test_suggested_sentences_have_the_tags_that_a_tagger_gives(nlp, path, tmp_path):
    bare = Treebank.read(DEV).without("lemma", "upos", "xpos", "feats")
    bare.write(tmp_path / "bare.conllu")
    done = run(
        "suggest", path, tmp_path / "bare.conllu", "--sentences", "3", "-o", tmp_path / "chosen.conllu"
    )
    assert done.returncode == 0, done.stderr
    chosen = Treebank.read(tmp_path / "chosen.conllu")
    assert len(chosen) == 3 and "_" not in chosen.column("upos")
    assert chosen.column("upos") == nlp.tagger.tag(chosen).column("upos")


def test_every_command_finds_models_by_name(path, tmp_path, monkeypatch):
    monkeypatch.setenv("ARCWISE_MODELS", str(path.parent))
    for command in (
        ("strip", "garden", "-o", tmp_path / "small"),
        ("info", "garden"),
        ("trace", "garden", DEV),
        ("suggest", "garden", DEV),
        ("calibrate", "garden", DEV, "-o", tmp_path / "calibrated"),
        ("evaluate", "garden", DEV, "--no-conll18"),
    ):
        done = run(*command)
        assert done.returncode == 0, done.stderr


def test_a_part_is_opened_from_the_file_of_a_pipeline(nlp, path, tmp_path):
    words = [["Anna", "waters", "the", "beans", "."]]
    assert Parser.load(path).info == nlp.parser.info
    assert (
        Tagger.load(path).tag(Treebank.from_words(words)).to_bytes()
        == nlp.tagger.tag(Treebank.from_words(words)).to_bytes()
    )
    assert Segmenter.load(path).segment(TEXT).to_bytes() == nlp.segmenter.segment(TEXT).to_bytes()
    Pipeline(nlp.segmenter, nlp.tagger).save(tmp_path / "no-parser")
    with pytest.raises(ModelError, match="no parser, only a segmenter and a tagger"):
        Parser.load(tmp_path / "no-parser")


def test_options_of_a_parser_that_is_not_there_are_refused(nlp, tmp_path):
    without = Pipeline(nlp.segmenter, nlp.tagger)
    assert without("Bees hum.")[0][0].upos != "_"
    assert without.parse([["Bees"]], beam=None).word_count == 1
    with pytest.raises(OptionError, match="no parser that could be told beam, wings"):
        without.parse([["Bees"]], beam=3, wings=2)
    without.save(tmp_path / "m")
    for options in (["--beam", "3"], ["--nbest", "2"], ["--keep-heads"], ["--probabilities", "moves"]):
        refused = run("parse", tmp_path / "m", *options, stdin=b"Bees hum.")
        assert (
            refused.returncode == 1
            and f"no parser that could be told {options[0]}" in refused.stderr.decode()
        )
    assert run("parse", tmp_path / "m", stdin=b"Bees hum.").returncode == 0
    Pipeline(parser=nlp.parser).save(tmp_path / "p")
    refused = run("parse", tmp_path / "p", DEV, "--tags", "new")
    assert refused.returncode == 1 and b"no tagger" in refused.stderr


def test_sentences_of_conllx_stay_conllx(nlp):
    row = "1\tBees\t_\tN\tN\t_\t0\troot\t{}\tphantom\n\n"
    [one, two] = [Treebank.from_string(row.format(head), format="conllx") for head in (0, 7)]
    for given in (one[0], [one[0]], [one[0], two[0]]):
        parsed = nlp.parser.parse(given)
        assert parsed.format == "conllx" and parsed[0][0].deps == "0"
        assert parsed.to_string("conllu").splitlines()[0].endswith("\t_\t_")
    mixed = nlp.parser.parse([one[0], Treebank.from_words([["Dogs"]])[0]])
    assert mixed.format == "conllu" and mixed.column("deps") == ["_", "_"]


# Long sentences


@pytest.mark.parametrize(
    ("format", "text", "lengths"),
    [
        ("horizontal", "a b c d . e f g h i j k\n" + "x " * 5 + "\n", [5, 6, 1, 5]),
        ("vertical", "a\nb\nc\nd\n,\ne\nf\n\nx\n", [5, 2, 1]),
    ],
)
def test_long_sentences_are_cut_at_the_best_place_and_named(path, format, text, lengths):
    done = run("parse", path, "--format", format, "--max-words", "6", stdin=text.encode())
    assert done.returncode == 0
    treebank = Treebank.from_string(done.stdout)
    assert [len(sentence) for sentence in treebank] == lengths
    cut = 12 if format == "horizontal" else 7
    pieces = len(lengths) - 1
    assert done.stderr.decode() == (
        f"Warning: <stdin>: sentence 1 (a b c d {'.' if cut == 12 else ','} …) has {cut} words, and at most "
        f"6 are taken: it is cut into {pieces}.\n"
    )


@pytest.mark.parametrize("format", ["text", "lines"])
def test_long_sentences_of_raw_text_are_cut_and_named(path, format):
    text = "bees hum in the garden , and dogs sleep in the warm house and cats sleep too\n"
    done = run("parse", path, "--format", format, "--max-words", "10", stdin=text.encode() * 2)
    assert done.returncode == 0
    treebank = Treebank.from_string(done.stdout)
    assert max(len(sentence) for sentence in treebank) <= 10
    assert rebuild(treebank) == text * 2
    assert "and at most 10 are taken" in done.stderr.decode()


def test_long_sentences_of_conll_are_refused_or_skipped(path, tmp_path):
    rows = "".join(f"{i}\tw\t_\tX\t_\t_\t0\troot\t_\t_\n" for i in range(1, 12))
    long, short = f"# sent_id = long\n{rows}\n", "# sent_id = short\n1\tw\t_\tX\t_\t_\t0\troot\t_\t_\n\n"
    given = tmp_path / "given.conllu"
    given.write_text(short + long + short)
    refused = run("parse", path, given, "--max-words", "10")
    assert refused.returncode == 1
    assert f"{given}:4: sentence long: the sentence has more than 10 words".encode() in refused.stderr
    assert b"raise the limit (--max-words" in refused.stderr
    skipped = run("parse", path, given, "--max-words", "10", "--skip-bad")
    assert skipped.returncode == 0 and len(Treebank.from_string(skipped.stdout)) == 2
    assert run("parse", path, given, "--max-words", "11").returncode == 0
    with pytest.raises(TreebankError, match="sentence long"):
        list(Parser.load(path).parse_file(given, max_words=10))


def test_words_without_end_are_cut(path):
    done = run("parse", path, "--format", "horizontal", stdin=b"x" * 150_000 + b" y\n")
    assert b"has a word of 65,536 characters or more: it is cut" in done.stderr
    assert [len(form) for form in Treebank.from_string(done.stdout).column("form")] == [
        65_536,
        65_536,
        18_928,
        1,
    ]
