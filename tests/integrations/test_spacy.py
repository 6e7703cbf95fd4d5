"""arcwise in spaCy: the real one, with its own tokens and with ours."""

from __future__ import annotations

import pickle
from importlib.metadata import entry_points

import pytest

import arcwise
from arcwise import Document, ModelError, OptionError, Pipeline, Treebank, TreebankError

spacy = pytest.importorskip("spacy", reason="the extra `spacy` is not installed")

import arcwise.spacy  # noqa: E402

MODEL = "en-fast"
TEXT = "  I can't  go to New York.\n\nDogs bark.  He's gonna go!  "
TEXTS = [TEXT, "", "Time flies like an arrow.", " \n ", "The dog that we saw barked. It was big."]
FRENCH = """\
# text = Il vient du port.
1\tIl\til\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tvient\tvenir\tVERB\t_\t_\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\tGender=Masc\t5\tdet\t_\t_
5\tport\tport\tNOUN\t_\t_\t2\tobl:arg\t_\tSpaceAfter=No
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def model() -> Pipeline:
    return arcwise.load(MODEL)


@pytest.fixture(scope="module")
def nlp():
    made = spacy.blank("en")
    made.add_pipe("arcwise", config={"model": MODEL})
    return made


@pytest.fixture(scope="module")
def whole():
    return arcwise.spacy.pipeline(MODEL)


def annotation(doc) -> list[tuple]:
    return [
        (t.text, t.head.i, t.dep_, t.pos_, t.tag_, str(t.morph), t.lemma_, bool(t.is_sent_start)) for t in doc
    ]


def test_the_component_fills_what_spacy_has_places_for(nlp):
    doc = nlp("Dogs chase cats. Time flies.")
    assert [s.text for s in doc.sents] == ["Dogs chase cats.", "Time flies."]
    dogs, chase, cats = doc[:3]
    assert (dogs.head, dogs.dep_, cats.dep_, chase.dep_) == (chase, "nsubj", "obj", "ROOT")
    assert (dogs.pos_, dogs.tag_, dogs.lemma_, dogs.morph.get("Number")) == ("NOUN", "NNS", "dog", ["Plur"])
    assert doc.has_annotation("DEP") and doc.has_annotation("SENT_START")


def test_trees_are_those_of_arcwise(nlp, model):
    """On spaCy's own words and our sentences."""
    doc = nlp("She gave the old gardener a book about roses. He slept.")
    treebank = Treebank.from_words([[token.text for token in sentence] for sentence in doc.sents])
    parsed = model.parse(treebank, tags="new")
    heads = [token.head.i - token.sent.start + 1 if token.head.i != token.i else 0 for token in doc]
    assert heads == parsed.heads.tolist()
    assert [token.tag_ for token in doc] == parsed.column("xpos")


def test_white_space_hangs_on_the_word_before_it(nlp):
    doc = nlp(TEXT)
    assert doc.text == TEXT
    for token in doc:
        if token.is_space:
            assert (token.pos_, token.tag_, token.dep_) == ("SPACE", "_SP", "dep")
            assert token.head.i == max(token.i - 1, 1)
            assert token.head.sent == token.sent


@pytest.mark.parametrize("text", ["", " ", "\n\n \n", "a", "\0", "a\0b c"])
def test_odd_texts_are_annotated(nlp, whole, text):
    for pipeline in (nlp, whole):
        doc = pipeline(text)
        assert len(doc.text) == len(text)
        assert all(token.head.sent == token.sent for token in doc)


def test_odd_tokens_are_annotated(nlp):
    words = ["New York", "\t", "is\nbig", " ", "\u00a0", "."]
    doc = nlp.get_pipe("arcwise")(spacy.tokens.Doc(nlp.vocab, words=words))
    assert [token.is_space for token in doc] == [False, True, False, True, True, False]
    assert doc[5].dep_ == "punct" and doc[2].pos_


def test_given_sentences_are_kept(nlp):
    made = spacy.blank("en")
    made.add_pipe("sentencizer", config={"punct_chars": [";"]})
    made.add_pipe("arcwise", config={"model": MODEL})
    assert [s.text for s in made("Dogs bark. They do; cats do not.").sents] == [
        "Dogs bark. They do;",
        "cats do not.",
    ]
    made.get_pipe("arcwise").sentences = "learnt"
    assert len(list(made("Dogs bark. They do; cats do not.").sents)) == 2
    assert next(made("Dogs bark. They do; cats do not.").sents).text == "Dogs bark."


def test_the_whole_pipeline_gives_what_arcwise_gives(whole, model):
    for text in TEXTS:
        doc = whole(text)
        assert doc.text == text
        assert annotation(doc) == annotation(model(text).to_spacy())
        words = [token.text for token in doc if not token.is_space]
        assert words == [token.form for token in model(text).tokens]


def test_documents_in_batches_are_those_one_by_one(nlp, whole):
    for pipeline in (nlp, whole):
        for batch_size in (1, 2, 1000):
            piped = pipeline.pipe(TEXTS, batch_size=batch_size)
            assert [annotation(doc) for doc in piped] == [annotation(pipeline(text)) for text in TEXTS]


def test_multiword_tokens_are_kept(whole):
    doc = whole("I can't go.")
    (found,) = doc._.multiword_tokens
    assert (found.text, [token.text for token in found.span]) == ("can't", ["ca", "n't"])
    assert doc[1]._.multiword_token.text == "can't" and doc[0]._.multiword_token is None
    again = spacy.tokens.Doc(whole.vocab).from_bytes(doc.to_bytes())
    assert again._.multiword_tokens[0].text == "can't"


def test_words_that_are_no_pieces_of_their_token_stand_in_its_place():
    doc = Document.from_conllu(FRENCH).to_spacy()
    assert doc.text == "Il vient de le port. "
    assert doc._.source_text.rstrip() == "Il vient du port."
    assert doc._.multiword_tokens[0].text == "du"
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "case", "det", "obl:arg", "punct"]
    back = Document.from_spacy(doc)
    assert back.text.rstrip() == "Il vient du port."
    # White space tells what `# text` told.
    assert back.to_conllu().splitlines() == FRENCH.splitlines()[1:]


def test_documents_come_back_from_spacy(model):
    for text in TEXTS:
        document = model(text, probabilities="moves")
        doc = document.to_spacy()
        probabilities = [token._.head_prob for token in doc if not token.is_space]
        assert probabilities == [token.head_prob for token in document.tokens]
        back = Document.from_spacy(doc)
        assert back.text == text
        if len(document):
            assert arcwise.text.rebuild(back.treebank) == text
        for name in ("form", "lemma", "upos", "xpos", "feats", "deprel"):
            assert back.treebank.column(name) == document.treebank.column(name), name
        assert back.treebank.heads.tolist() == document.treebank.heads.tolist()


def test_documents_without_trees_have_their_sentences():
    doc = Document(Treebank.from_words([["Dogs", "bark"], ["Hush"]])).to_spacy()
    assert not doc.has_annotation("DEP")
    assert [s.text for s in doc.sents] == ["Dogs bark", "Hush"]
    assert Document.from_spacy(doc).treebank.heads.tolist() == [-1, -1, -1]


def test_trees_that_spacy_cannot_have_are_refused():
    treebank = Treebank.from_words([["Dogs", "bark"]])
    treebank[0][0].head = 2
    with pytest.raises(TreebankError, match="words with a head"):
        Document(treebank).to_spacy()
    treebank[0][1].head = 1
    with pytest.raises(TreebankError, match="cycle"):
        Document(treebank).to_spacy()


def test_two_words_under_root_are_one_sentence():
    treebank = Treebank.from_words([["Dogs", "bark"]]).with_trees([0, 0], [0, 1], ["root", "parataxis"])
    doc = Document(treebank).to_spacy()
    assert len(list(doc.sents)) == 1
    assert [token.head.i for token in doc] == [0, 0]


def test_probabilities_are_there_when_asked_for():
    made = spacy.blank("en")
    made.add_pipe("arcwise", config={"model": MODEL, "probabilities": "moves"})
    doc = made("Dogs bark loudly.")
    assert all(0 < token._.deprel_prob <= token._.head_prob <= 1 for token in doc)


def test_options_of_parsing_are_handed_on():
    made = spacy.blank("en")
    made.add_pipe("arcwise", config={"model": MODEL, "parsing": {"beam": 2}})
    assert made("Dogs bark.")[0].dep_ == "nsubj"
    made.add_pipe("arcwise", name="wrong", config={"model": MODEL, "parsing": {"beam": 0}})
    with pytest.raises(arcwise.ArcwiseError):
        made("Dogs bark.")
    with pytest.raises(OptionError, match="auto, given, learnt"):
        spacy.blank("en").add_pipe("arcwise", config={"sentences": "some"})


def test_errors_go_to_spacys_handler():
    made = spacy.blank("en")
    made.add_pipe("arcwise", config={"model": MODEL, "parsing": {"beam": 0}})
    seen = []
    made.set_error_handler(lambda name, component, docs, error: seen.append((name, docs[0].text)))
    assert list(made.pipe(["Dogs bark.", "Hush."])) == []
    assert seen == [("arcwise", "Dogs bark."), ("arcwise", "Hush.")]


def test_a_model_is_opened_when_it_is_needed():
    made = spacy.blank("en")
    made.add_pipe("arcwise", config={"model": "no-such-model"})
    with pytest.raises(ModelError, match="no-such-model"):
        made("Dogs bark.")


@pytest.mark.parametrize("embed", [False, True])
def test_pipelines_are_stored(tmp_path, embed):
    made = arcwise.spacy.pipeline(MODEL, embed=embed, probabilities="moves")
    expected = annotation(made(TEXT))
    made.to_disk(tmp_path / "nlp")
    loaded = spacy.load(tmp_path / "nlp")
    assert annotation(loaded(TEXT)) == expected
    assert loaded(TEXT)[1]._.head_prob is not None
    models = [*(tmp_path / "nlp").rglob("*.arc")]
    assert len(models) == (2 if embed else 0)
    again = arcwise.spacy.pipeline("no-such-model", language="en") if embed else arcwise.spacy.pipeline(MODEL)
    assert annotation(again.from_bytes(made.to_bytes())(TEXT)) == expected


def test_models_without_a_file_are_stored_whole(tmp_path, model):
    unnamed = Pipeline.from_bytes(model.to_bytes())
    made = arcwise.spacy.pipeline(unnamed, language="en")
    made.to_disk(tmp_path / "nlp")
    assert annotation(spacy.load(tmp_path / "nlp")(TEXT)) == annotation(made(TEXT))


def test_components_travel_to_other_processes(whole):
    component = pickle.loads(pickle.dumps(whole.get_pipe("arcwise")))
    assert component.held.name == MODEL
    docs = whole.pipe(TEXTS * 2, n_process=2, batch_size=2)
    assert [annotation(doc) for doc in docs] == [annotation(whole(text)) for text in TEXTS * 2]


def test_displacy_draws_a_tree(whole):
    svg = spacy.displacy.render(whole("She chased the cats."), style="dep")
    assert "nsubj" in svg and svg.count("displacy-arrowhead") == 3


def test_a_segmenter_alone_gives_words_and_sentences(model):
    made = spacy.blank("en")
    made.tokenizer = arcwise.spacy.Tokenizer(made.vocab, Pipeline(segmenter=model.segmenter))
    assert [[t.text for t in s] for s in made("I can't. Dogs bark.").sents] == [
        ["I", "ca", "n't", "."],
        ["Dogs", "bark", "."],
    ]


def test_a_tagger_alone_gives_tags():
    model = arcwise.load(MODEL)
    made = arcwise.spacy.pipeline(Pipeline(segmenter=model.segmenter, tagger=model.tagger), language="en")
    doc = made("She slept. They do.")
    assert [token.pos_ for token in doc][:2] == ["PRON", "VERB"]
    assert not doc.has_annotation("DEP") and len(list(doc.sents)) == 2


def test_spacy_finds_the_component_by_itself():
    if not any("arcwise" in point.value for point in entry_points(group="spacy_factories")):
        pytest.skip("arcwise is not installed, only on the path")
    assert {point.name for point in entry_points(group="spacy_factories")} >= {"arcwise"}
    assert entry_points(group="spacy_tokenizers")["arcwise.Tokenizer.v1"].load()
