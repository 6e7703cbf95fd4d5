"""INCEpTION's protocol, with documents that are made here."""

from __future__ import annotations

from typing import Any

import pytest

from arcwise.annotate import inception
from serving.service import Running, running

cassis = pytest.importorskip("cassis", reason="needs dkpro-cassis: pip install 'arcwise[inception]'")

WORDS = (("Anna", "likes", "tea", "."), ("Dogs", "bark", "."))
MARKS = {inception.IS_PREDICTION: "uima.cas.Boolean"}


def typesystem() -> Any:
    """As INCEpTION sends it: DKPro's layers, and what predictions have."""
    made = cassis.TypeSystem()
    annotation = "uima.tcas.Annotation"
    made.create_type(inception.SENTENCE, annotation)
    token = made.create_type(inception.TOKEN, annotation)
    layers = {
        inception.DEPENDENCY: {
            "Governor": token,
            "Dependent": token,
            "DependencyType": "uima.cas.String",
            "DependencyType_score": "uima.cas.Double",
            "flavor": "uima.cas.String",
        },
        inception.POS: {"PosValue": "uima.cas.String", "coarseValue": "uima.cas.String"},
        inception.LEMMA: {"value": "uima.cas.String"},
        inception.MORPHOLOGY: {"value": "uima.cas.String"},
        "custom.Named": {"value": "uima.cas.String"},
    }
    for layer, features in layers.items():
        kind = made.create_type(layer, annotation)
        for name, of in {**features, **MARKS}.items():
            made.create_feature(kind, name, of)
    return made


def document(heads: tuple[tuple[int, ...], ...] = (), labels: tuple[tuple[str, ...], ...] = ()) -> Any:
    """Two sentences; with trees if there are heads."""
    types = typesystem()
    cas = cassis.Cas(types)
    cas.sofa_string = "Anna likes tea . Dogs bark ."
    cas.sofa_mime = "text/plain"
    place = 0
    for number, words in enumerate(WORDS):
        tokens = []
        for word in words:
            tokens.append(types.get_type(inception.TOKEN)(begin=place, end=place + len(word)))
            place += len(word) + 1
        cas.add_all(tokens)
        cas.add(types.get_type(inception.SENTENCE)(begin=tokens[0].begin, end=tokens[-1].end))
        if heads:
            for token, head, label in zip(tokens, heads[number], labels[number], strict=True):
                governor = tokens[head - 1] if head else token
                arc = types.get_type(inception.DEPENDENCY)
                cas.add(
                    arc(
                        begin=token.begin,
                        end=token.end,
                        Governor=governor,
                        Dependent=token,
                        DependencyType=label,
                        flavor="basic",
                    )
                )
    return cas


def asked(cas: Any, layer: str, feature: str, **more: Any) -> dict[str, Any]:
    metadata = {
        "layer": layer,
        "feature": feature,
        "projectId": 7,
        "anchoringMode": "tokens",
        "crossSentence": False,
    }
    one = {"xmi": cas.to_xmi(), "documentId": 1, "userId": "anna"}
    return {"metadata": metadata, "typeSystem": cas.typesystem.to_xml(), "document": one, **more}


def predicted(service: Running, cas: Any, layer: str, feature: str) -> Any:
    answer = service.ask("/en-fast/predict", asked(cas, layer, feature))
    assert answer.status == 200, answer.body
    return cassis.load_cas_from_xmi(answer.json["document"], typesystem=typesystem())


def taught(service: Running, cas: Any) -> Any:
    documents = [{"xmi": cas.to_xmi(), "documentId": 1, "userId": "anna"}]
    body = asked(cas, inception.DEPENDENCY, "DependencyType", documents=documents)
    return service.ask("/en-fast/train", {name: value for name, value in body.items() if name != "document"})


def arcs(cas: Any) -> list[tuple[str, str, str]]:
    return [
        (
            arc.Dependent.get_covered_text(),
            arc.Governor.get_covered_text(),
            arc.DependencyType,
        )
        for arc in sorted(cas.select(inception.DEPENDENCY), key=lambda arc: arc.begin)
    ]


def test_trees_are_predicted_with_scores_and_the_root_is_its_own_head() -> None:
    with running(inception=True) as service:
        made = predicted(service, document(), inception.DEPENDENCY, "DependencyType")
    assert arcs(made)[:4] == [
        ("Anna", "likes", "nsubj"),
        ("likes", "likes", "root"),
        ("tea", "likes", "obj"),
        (".", "likes", "punct"),
    ]
    relations = list(made.select(inception.DEPENDENCY))
    assert len(relations) == 7
    for arc in relations:
        assert arc.inception_internal_predicted is True and 0 < arc.DependencyType_score <= 1
        assert (arc.begin, arc.end) == (arc.Dependent.begin, arc.Dependent.end) and arc.flavor == "basic"


@pytest.mark.parametrize(
    ("layer", "feature", "values"),
    [
        (inception.POS, "coarseValue", ["PROPN", "VERB", "NOUN", "PUNCT"]),
        (inception.POS, "PosValue", ["NNP", "VBZ", "NN", "."]),
        (inception.LEMMA, "value", ["Anna", "like", "tea", "."]),
    ],
)
def test_tags_and_lemmas_are_predicted(layer: str, feature: str, values: list[str]) -> None:
    with running(inception=True) as service:
        made = predicted(service, document(), layer, feature)
    assert [getattr(one, feature) for one in made.select(layer)][:4] == values


def test_a_model_learns_for_the_project_that_taught_it_and_for_no_other() -> None:
    odd = document(
        ((2, 0, 2, 2), (2, 0, 2)), (("nsubj", "root", "discourse", "punct"), ("nsubj", "root", "punct"))
    )
    with running(inception=True) as service:
        before = arcs(predicted(service, document(), inception.DEPENDENCY, "DependencyType"))
        assert taught(service, odd).status == 204
        recommender = service.service.recommender
        assert recommender is not None
        recommender.wait()
        now = predicted(service, document(), inception.DEPENDENCY, "DependencyType")
        assert arcs(now)[2] == ("tea", "likes", "discourse") != before[2]
        body = asked(document(), inception.DEPENDENCY, "DependencyType")
        body["metadata"]["projectId"] = 8
        other = cassis.load_cas_from_xmi(
            service.ask("/en-fast/predict", body).json["document"], typesystem=typesystem()
        )
        assert arcs(other) == before


def test_sentences_without_whole_trees_and_predictions_teach_nothing() -> None:
    with running(inception=True) as service:
        assert taught(service, document()).status == 204
        recommender = service.service.recommender
        assert recommender is not None and recommender._taught == {}
    heads, labels = ((2, 0, 2, 2), (2, 0, 2)), (("nsubj", "root", "obj", "punct"), ("nsubj", "root", "punct"))
    cas = document(heads, labels)
    first = next(iter(cas.select(inception.DEPENDENCY)))
    first.inception_internal_predicted = True
    training = inception.Training([cas], inception.DEPENDENCY, "DependencyType", "7")
    [lesson] = inception.lessons(training)
    assert [row[1] for row in lesson.block.words] == list(WORDS[1])


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"typeSystem": "no xml"}, 422),
        ({"typeSystem": '<!DOCTYPE a [<!ENTITY b "c">]><a/>'}, 422),
        ({"document": {"xmi": "<a>"}}, 422),
        ({"document": {"xmi": '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'}}, 422),
        ({"document": None}, 422),
        ({"metadata": {"layer": "custom.Named", "feature": "value"}}, 422),
        ({"metadata": {"layer": "custom.Nothing", "feature": "value"}}, 422),
        ({"metadata": {"layer": inception.POS, "feature": "nothing"}}, 422),
    ],
)
def test_what_cannot_be_read_is_refused(change: dict[str, Any], status: int) -> None:
    with running(inception=True) as service:
        body = {**asked(document(), inception.DEPENDENCY, "DependencyType"), **change}
        answer = service.ask("/en-fast/predict", body)
        assert answer.status == status and answer.json["error"]
        assert service.ask("/en-fast/predict", body, headers={"Origin": "https://evil.example"}).status == 403


def test_nothing_is_there_without_being_asked_for() -> None:
    with running() as service:
        body = asked(document(), inception.DEPENDENCY, "DependencyType")
        assert service.ask("/en-fast/predict", body).status == 404
