"""Raw text: what is read can be put together again, and what was learnt is found in new text."""

from __future__ import annotations

import dataclasses
import io
import itertools
import types
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from arcwise import (
    LongSentenceWarning,
    Segmenter,
    TextError,
    Treebank,
    TreebankError,
    _core,
    segmenter_training,
)
from arcwise.errors import ModelError, OptionError
from arcwise.multiword import learn_multiwords
from arcwise.options.segmenter import SegmenterOptions
from arcwise.segmenter_training import SegmenterTraining
from arcwise.text import (
    MAX_CHARACTERS,
    Cursor,
    from_horizontal,
    from_tokens,
    from_vertical,
    horizontal_sentences,
    raw_sentences,
    rebuild,
    vertical_sentences,
    word_spans,
)
from character_kinds import FIRST, kind_of

NO_SPACE = "SpaceAfter=No"


def conllu(*sentences: str) -> str:
    """Sentences spelled out: tokens with `_` before those that touch the one before; `a+b=c` splits c."""
    lines = []
    for sentence in sentences:
        tokens = sentence.split()
        number = 0
        for position, token in enumerate(tokens):
            touches = position + 1 < len(tokens) and tokens[position + 1].startswith("_")
            misc = NO_SPACE if touches else "_"
            words, equals, form = token.removeprefix("_").partition("=")
            parts = words.split("+") if equals else [words]
            if equals:
                lines.append(f"{number + 1}-{number + len(parts)}\t{form}" + "\t_" * 7 + f"\t{misc}")
            for part in parts:
                number += 1
                head, label = (0, "root") if number == 1 else (1, "dep")
                lines.append(f"{number}\t{part}\t_\t_\t_\t_\t{head}\t{label}\t_\t{'_' if equals else misc}")
        lines.append("")
    return "".join(line + "\n" for line in lines)


ENGLISH = conllu(
    *(
        f"The {noun} {verb} _."
        for noun in ("dog", "cat", "bee", "cow")
        for verb in ("barks", "sleeps", "hums")
    ),
    *(f"Mr _. {name} do+n't=don't sleep _!" for name in ("Smith", "Jones", "Brown", "Bee")),
    *(f"They ca+n't=can't {verb} _, she said _." for verb in ("bark", "sleep", "hum")),
    *(f"He did+n't=didn't see the {noun} _." for noun in ("dog", "cat", "bee")),
    *(f"We {verb} _, you know _." for verb in ("bark", "sleep", "hum", "do+n't=don't")),
)


@pytest.fixture(scope="module")
def english() -> Segmenter:
    return Segmenter.train(Treebank.from_string(ENGLISH))


def tokens(treebank: Treebank) -> list[list[str]]:
    return [[token.text for token in sentence.tokens] for sentence in raw_sentences(treebank)]


def words(treebank: Treebank) -> list[list[str]]:
    return [[token.form for token in sentence] for sentence in treebank]


def test_sentences_and_tokens_are_found_in_new_text(english):
    text = "The cow barks. Mr. Brown hums. We hum, you know."
    assert tokens(english.segment(text)) == [
        ["The", "cow", "barks", "."],
        ["Mr", ".", "Brown", "hums", "."],
        ["We", "hum", ",", "you", "know", "."],
    ]


def test_multiword_tokens_are_split_and_keep_their_case():
    english = Segmenter.train(Treebank.from_string(ENGLISH * 3))
    assert words(english.segment("They don't sleep. DON'T bark!"))[0][:3] == ["They", "do", "n't"]
    assert words(english.segment("DON'T bark!"))[0][:2] == ["DO", "N'T"]
    assert words(english.segment("Don't bark!"))[0][:2] == ["Do", "n't"]


def test_unseen_multiword_tokens_follow_rules(english):
    assert words(english.segment("He wouldn't sleep."))[0][1:3] == ["would", "n't"]


def test_words_that_were_never_seen_together_are_split_one_by_one():
    seen = [f"I {verb}+n't={verb}n't _." for verb in ("should", "could", "would")]
    seen += [f"{who}+'ve={who}'ve it _." for who in ("I", "we", "you")]
    rules = learn_multiwords(raw_sentences(Treebank.from_string(conllu(*seen)))).to_core()
    assert rules.words("shouldn't've") == ["should", "n't", "'ve"]
    assert rules.words("mightn't've") == ["might", "n't", "'ve"]


def test_clitics_that_follow_each_other_may_be_followed_by_others():
    verbs = ("dir", "far", "portar", "dar")
    seen = [f"{verb}+me+lo={verb}melo _." for verb in verbs]
    seen += [f"{verb}+{last}={verb}{last} _." for verb in verbs for last in ("la", "lo", "ne")]
    rules = learn_multiwords(raw_sentences(Treebank.from_string(conllu(*seen)))).to_core()
    assert rules.words("comprarmelo") == ["comprar", "me", "lo"]
    assert rules.words("comprarmela") == ["comprar", "me", "la"]
    assert rules.words("Comprarmene") == ["Comprar", "me", "ne"]


def test_an_unseen_token_is_split_where_its_rest_is_a_word():
    nouns = ("ev", "okul", "yol", "dağ", "göl", "köy", "park", "masa")
    seen = [f"{noun}de+ki={noun}deki gider _." for noun in nouns]
    seen += [f"{noun}de gider _." for noun in (*nouns, "deniz", "orman")]
    seen += [f"o {word} gider _." for word in ("belki", "sanki", "tilki", "mevki", "çünki")]
    segmenter = Segmenter.train(Treebank.from_string(conllu(*seen * 4)))
    assert words(segmenter.segment("denizdeki gider."))[0][:2] == ["denizde", "ki"]
    assert words(segmenter.segment("ormandeki gider."))[0][:2] == ["ormande", "ki"]
    assert words(segmenter.segment("o belki gider."))[0][1] == "belki"


NOUNS = ("cups", "bags", "boxes", "loads")
ABBREVIATED = conllu(
    *(f"It takes approx. {number} {noun} _." for number in ("3", "20", "400") for noun in NOUNS),
    *(f"See pp. {first} _- _{last} for the {noun} _." for first, last in ("35", "79") for noun in NOUNS),
    *(f"He came to N.Y. {when} _." for when in ("in May", "by train", "to work", "with them", "alone")),
    *(f"She likes N.Y. and L.A. {when} _." for when in ("in May", "in June", "at night")),
    *(f"Add {fraction} {noun} of sand _." for fraction in ("1/2", "1/4", "2/3", "7/8") for noun in NOUNS),
    *(f"The {noun} went away _." for noun in NOUNS),
    *(f"We sold {noun} _— _not {other} _." for noun in NOUNS for other in NOUNS if other != noun),
    *(f"We met Dott. {name} {when} _." for name in ("Rossi", "Neri", "Verdi") for when in ("today", "then")),
    *(
        f"They {verb}+n't+'ve={verb}n't've seen {noun} _."
        for verb in ("should", "could", "would")
        for noun in NOUNS
    ),
)


@pytest.fixture(scope="module")
def abbreviating() -> Segmenter:
    return Segmenter.train(Treebank.from_string(ABBREVIATED * 2))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("It takes approx. 60 boxes. The bags went away.", ["It", "takes", "approx.", "60", "boxes", "."]),
        ("See pp. 4-6 for the bags.", ["See", "pp.", "4", "-", "6", "for", "the", "bags", "."]),
        ("She came to N.Y. by night.", ["She", "came", "to", "N.Y.", "by", "night", "."]),
        ("Add 3/4 cups of sand.", ["Add", "3/4", "cups", "of", "sand", "."]),
        (
            "You shouldn't've seen N.Y. alone.",
            ["You", "should", "n't", "'ve", "seen", "N.Y.", "alone", "."],
        ),
        ("They mightn't've had bags.", ["They", "might", "n't", "'ve", "had", "bags", "."]),
        ("She met Dott. Bianchi then.", ["She", "met", "Dott.", "Bianchi", "then", "."]),
        ("They sold carts—not boxes.", ["They", "sold", "carts", "—", "not", "boxes", "."]),
        ("He came to S.F. with bags", ["He", "came", "to", "S.F.", "with", "bags"]),
        ("See the boxes", ["See", "the", "boxes"]),
    ],
)
def test_abbreviations_fractions_and_double_contractions_are_words(abbreviating, text, found):
    assert words(abbreviating.segment(text))[0] == found


def test_a_bullet_begins_a_sentence_on_a_line_of_its_own():
    items = [f"{bullet} {noun} and bread" for bullet in "•-*" for noun in ("Milk", "Eggs", "Rice", "Salt")]
    seen = [f"We have {noun} and - as you know - bread _." for noun in ("milk", "eggs", "rice", "salt")]
    segmenter = Segmenter.train(Treebank.from_string(conllu(*items, *seen) * 3))
    for bullet in "•-*":
        text = f"{bullet} Milk and salt\n{bullet} Rice\n{bullet} Bread and eggs\n"
        assert [sentence[0] for sentence in words(segmenter.segment(text))] == [bullet] * 3


def test_a_heading_ends_with_its_line_and_a_wrapped_line_goes_on(english):
    wrapped = "The dog barks and the cow\nsleeps and the bee hums and\nthe cat sleeps."
    assert len(english.segment(wrapped)) == 1
    assert len(english.segment("The dog sleeps\nMr. Bee do hum and the cow barks and the cat sleeps.")) == 2


def test_an_older_segmenter_knows_no_words_and_no_variants(english):
    component = english.to_component()
    header = {**component.header, "options": {**component.header["options"]}}
    del header["options"]["augment"]
    arrays = {name: array for name, array in component.arrays.items() if name != "seen_words"}
    older = Segmenter.from_component(type(component)(component.kind, header, arrays))
    assert older.info.options.augment == 0
    assert len(older.segment("The cow barks. The dog sleeps.")) == 2


ENDS = st.tuples(st.text("ab", max_size=3), st.text("ab", max_size=3)).filter(any)
PATTERNS = st.lists(st.sampled_from(["*", "a*", "c", "dd"]), min_size=1, max_size=3)


@given(rules=st.dictionaries(ENDS, PATTERNS, max_size=6), form=st.text("abé", min_size=1, max_size=7))
def test_the_rule_with_the_longest_ends_splits_a_token(rules, form):
    splits = _core.Splits([], [(*ends, words) for ends, words in rules.items()])
    fitting = [
        (prefix, suffix)
        for prefix, suffix in rules
        if form.startswith(prefix) and form.endswith(suffix) and len(prefix) + len(suffix) < len(form)
    ]
    assert (splits.use(form) == 1) == bool(fitting)
    if fitting:
        longest = max(len(prefix) + len(suffix) for prefix, suffix in fitting)
        possible = []
        for prefix, suffix in fitting:
            if len(prefix) + len(suffix) == longest:
                stem = form[len(prefix) : len(form) - len(suffix)]
                text = "\t".join(rules[prefix, suffix])
                possible.append(text.replace("*", stem, 1).split("\t"))
        assert splits.words(form) in possible


def test_what_is_known_comes_before_rules():
    splits = _core.Splits([("ab", ["x", "y"], True), ("cb", ["z"], False)], [("", "b", ["*", "b"])])
    assert [splits.use(form) for form in ("ab", "cb", "db", "b", "d")] == [2, 1, 1, 0, 0]
    assert [splits.words(form) for form in ("ab", "cb", "db")] == [["x", "y"], ["z"], ["d", "b"]]


def test_ambiguous_multiword_tokens_are_decided_in_context():
    split = [f"il parle de+les=des {noun} _." for noun in ("rois", "lois", "chats", "bois", "mois")]
    whole = [f"il mange des {noun} _." for noun in ("noix", "fruits", "pommes", "poires", "raisins")]
    segmenter = Segmenter.train(Treebank.from_string(conllu(*(split + whole) * 3)))
    assert words(segmenter.segment("il parle des choux."))[0][2:4] == ["de", "les"]
    assert words(segmenter.segment("il mange des choux."))[0][2:4] == ["des", "choux"]


def test_a_slip_of_the_pen_splits_no_words():
    nouns = ("dog", "cat", "bee", "cow", "ant", "fox", "hen", "owl")
    seen = [f"{noun}s bark _, and the {noun}s hum _." for noun in nouns]
    seen += [f"The {noun}+'s={noun}'s tail is long _." for noun in nouns]
    slips = ["around the dog+s=dogs tail _.", "the hat of her cow+s=cows calf _."]
    segmenter = Segmenter.train(Treebank.from_string(conllu(*seen * 3, *slips)))
    for text in ("Dogs bark", "dogs sleep", "The cows hum.", "COWS BARK"):
        assert len(words(segmenter.segment(text))[0]) == len(tokens(segmenter.segment(text))[0])
    assert words(segmenter.segment("The dog's tail is long."))[0][1:3] == ["dog", "'s"]


def test_what_was_split_once_is_believed_if_others_are_of_its_kind():
    seen = ["they+re=theyre late _.", *(f"they+'re=they're {word} _." for word in ("late", "here", "there"))]
    seen += [f"They see {word}re _." for word in ("ca", "sha", "whe", "mo", "the", "bo", "co", "a", "o")]
    own = learn_multiwords(raw_sentences(Treebank.from_string(conllu(*seen * 12, *seen[:1]))))
    assert own.known["Theyre"] == (("They", "re"), True)


def test_apostrophes_of_both_kinds_split_words():
    splits = learn_multiwords(raw_sentences(Treebank.from_string(ENGLISH))).to_core()
    for form, parts in {"don’t": ["do", "n’t"], "DON’T": ["DO", "N’T"], "needn’t": ["need", "n’t"]}.items():
        assert splits.use(form) > 0
        assert splits.words(form) == parts


@pytest.mark.parametrize(
    "token",
    [
        "https://www.dogs.example/a-b?c=d&e=f#g",
        "www.dogs.example",
        "dogs.example/bark_1.html",
        "anna.b+c@dogs-and-cats.example",
        "#dogsofspring",
        "@anna_k",
        "@anna.k",
        "1,250.75",
        "12:30",
        "5/11/2021",
        "3/4",
        ":-)",
        ";))",
        "^_^",
        "=>",
        "<--",
        "😀",
        "👍🏽",
        "👩\u200d👩\u200d👧",
        "❤️",
        "🇸🇪",
    ],
)
def test_addresses_numbers_and_emoticons_are_whole_where_the_treebank_has_none(english, token):
    found = english.segment(f"The dog sleeps {token} you know.\n\nThe cow barks {token}")
    assert [sentence.count(token) for sentence in tokens(found)] == [1, 1]


def test_emoji_are_apart():
    segmenter = Segmenter.train(Treebank.from_string(ENGLISH))
    assert tokens(segmenter.segment("The dog barks 😂😂❤️👍🏽"))[0][3:] == ["😂", "😂", "❤️", "👍🏽"]


def test_numbers_with_separators_are_cut_where_the_treebank_cuts_them():
    prices = [f"It costs {a} _, _{b} pounds _." for a in range(3, 9) for b in (10, 25, 75)]
    segmenter = Segmenter.train(Treebank.from_string(conllu(*prices * 2)))
    assert tokens(segmenter.segment("It costs 2,50 pounds."))[0][2:5] == ["2", ",", "50"]


def test_segmenters_of_older_files_have_no_rules_of_stretches(english):
    component = english.to_component()
    pairs = np.asarray(component.arrays["pairs"])
    arrays = {**component.arrays, "pairs": pairs[: 2 * 64 * 64]}
    header = {**component.header, "multiwords": {**component.header["multiwords"]}}
    del header["multiwords"]["apart"]
    older = Segmenter.from_component(type(component)(component.kind, header, arrays))
    assert not older.info.multiwords.apart
    assert len(older.segment("The cow barks. The dog sleeps.")) == 2


def test_words_without_spaces_between_them():
    sentences = ["猫 _が _いる _。", "犬 _が _いる _。", "猫 _と _犬 _が _いる _。", "鳥 _も _いる _。"] * 5
    segmenter = Segmenter.train(
        Treebank.from_string(conllu(*sentences).replace("\t_\n\n", f"\t{NO_SPACE}\n\n"))
    )
    assert words(segmenter.segment("犬と猫がいる。鳥がいる。")) == [
        ["犬", "と", "猫", "が", "いる", "。"],
        ["鳥", "が", "いる", "。"],
    ]


def test_tokens_with_spaces_inside():
    lines = "".join(
        f"1\t{noun}\t_\t_\t_\t_\t2\tnsubj\t_\t_\n2\t{verb}\t_\t_\t_\t_\t0\troot\t_\t_\n3\t.\t_\t_\t_\t_\t2\tpunct\t_\t_\n\n"
        for noun in ("sinh viên", "nhà báo", "học sinh")
        for verb in ("ngủ", "nói chuyện", "chạy")
    )
    segmenter = Segmenter.train(Treebank.from_string(lines))
    treebank = segmenter.segment("nhà\nbáo nói chuyện .")
    assert words(treebank) == [["nhà báo", "nói chuyện", "."]]
    assert treebank[0][0].misc == "SpacesInToken=nhà\\nbáo"
    assert rebuild(treebank) == "nhà\nbáo nói chuyện ."


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
WRITTEN = st.lists(
    st.sampled_from(
        [
            "The",
            "dog",
            "don't",
            "Mr.",
            ".",
            "!",
            " ",
            "  ",
            "\n",
            "\r\n",
            "\n\n",
            "\t",
            "_",
            "|",
            "\\",
            "#",
            "\u3000",
            "é",
            "é",
            "👩\u200d👧",
            "🇸🇪",
            "\xa0",
            "\u2028",
            "\x85",
            "\ufeff",
            "\u200b",
            "\x1c",
            "\r",
            "1",
            "a-b",
        ]
    ),
    max_size=30,
).map("".join)


@given(text=ANY_TEXT | WRITTEN, blank_lines=st.booleans(), sentences=st.sampled_from(["learnt", "lines"]))
def test_what_was_read_can_be_rebuilt(english, text, blank_lines, sentences):
    treebank = english.segment(text, blank_lines=blank_lines, sentences=sentences, ranges=True)
    unmarked = english.segment(text, blank_lines=blank_lines, sentences=sentences)
    if len(treebank) == 0:
        assert text.removeprefix("\ufeff").strip() == ""
    else:
        assert rebuild(treebank) == text
        assert unmarked.spans == treebank.spans  # found without TokenRange as with it
        assert Treebank.from_string(treebank.to_bytes()).to_bytes() == treebank.to_bytes()
    assert all(text_at(text, token.misc) == form for token, form in ranged(treebank))


@given(text=ANY_TEXT | WRITTEN, ranges=st.booleans())
def test_what_is_segmented_is_as_if_it_were_read(english, text, ranges):
    found = english.segment(text, ranges=ranges)
    read = Treebank.from_string(found.to_bytes())
    assert [len(sentence) for sentence in found] == [len(sentence) for sentence in read]
    for name in ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"):
        assert found.column(name) == read.column(name)
    assert [(s.id, s.line, str(s)) for s in found] == [(s.id, s.line, str(s)) for s in read]
    assert found.first_words.tolist() == read.first_words.tolist() and found.bad == read.bad == []


@given(text=WRITTEN.filter(bool), ranges=st.booleans())
def test_a_cursor_that_skips_sentences_comes_to_where_their_words_lead_it(english, text, ranges):
    found = english.segment(text, ranges=ranges)
    slow, fast = Cursor(), Cursor()
    spans = word_spans(found, slow)
    fast.skip(found._core)
    assert (slow.end, slow.space) == (fast.end, fast.space)
    assert spans == word_spans(english.segment(text, ranges=not ranges))


def scores_by_the_book(segmenter: Segmenter, keys: list[int]) -> list[int]:
    """What features say of each boundary, looked up in the arrays of the model file one by one."""
    arrays = segmenter.to_component().arrays
    index, lists, columns = (arrays[name].tolist() for name in ("lines", "lists", "columns"))
    count = len(index) // 16
    scores = [0] * len(columns)
    for key in keys:
        home = ((key >> 32) * count) >> 32
        check = key & 0xFFFFFFFF | 1
        while check not in index[16 * home : 16 * home + 4] and index[16 * home + 3]:
            home = (home + 1) % count
        checks = index[16 * home : 16 * home + 4]
        if check not in checks:
            continue
        weights = index[16 * home + 4 + 3 * checks.index(check) :][:3]
        if weights[0] >> 16 == 0xFFFD:
            weights = lists[8 * weights[1] :][:8]
        for weight in weights:
            scores[columns[weight >> 16]] += (weight & 0xFFFF ^ 0x8000) - 0x8000
    return scores


@given(text=WRITTEN.filter(str.strip), data=st.data())
def test_boundaries_are_scored_by_the_weights_of_their_features(english, text, data):
    text = text.split()[0] + " do n't. The dog barks!"
    keys = _core.boundary_keys(text, data.draw(st.integers(0, 5)))
    assert _core.boundary_scores(english._core, keys) == scores_by_the_book(english, keys)


def ranged(treebank: Treebank):
    """Words that are tokens, with their text."""
    for sentence, raw in zip(treebank, raw_sentences(treebank), strict=True):
        if not any(token.words for token in raw.tokens):
            yield from zip(sentence, (token.text for token in raw.tokens), strict=True)


def text_at(text: str, misc: str) -> str:
    first, last = misc.rpartition("TokenRange=")[2].split(":")
    return text[int(first) : int(last)]


@given(text=WRITTEN, batch=st.integers(1, 40))
def test_a_stream_is_segmented_as_the_whole(english, text, batch):
    parts = list(english.stream(io.BytesIO(text.encode()), batch_bytes=batch, ranges=True))
    whole = english.segment(text.encode(), ranges=True)
    assert b"".join(part.to_bytes() for part in parts) == whole.to_bytes()


@given(text=WRITTEN)
def test_sentences_are_lines_on_request(english, text):
    treebank = english.segment(text, sentences="lines", blank_lines=False)
    lines = [line for line in text.removeprefix("\ufeff").replace("\x1c", "_").splitlines() if line.strip()]
    assert len(treebank) == len(lines)


@given(text=WRITTEN)
def test_characters_stay_whole(english, text):
    for sentence in tokens(english.segment(text.replace("🇸🇪", "x🇸🇪"))):
        for token in sentence:
            assert token[0] not in "🇪👧" and token[-1] not in "🇸\u200d"


@pytest.mark.parametrize("text", ["", " ", "\n\n\t \r\n", "\ufeff", "\ufeff \n"])
def test_text_without_tokens_has_no_sentences(english, text):
    assert len(english.segment(text)) == 0
    assert list(english.stream(io.BytesIO(text.encode()))) == []


def test_white_space_is_written_in_misc(english):
    treebank = english.segment("\n The dog\tbarks.\r\n\r\nThe bee hums. ")
    assert treebank[0].comments == ["# newdoc", "# newpar", "# sent_id = 1", "# text = The dog barks."]
    assert treebank[1].comments == ["# newpar", "# sent_id = 2", "# text = The bee hums."]
    assert [token.misc for token in treebank[0]] == [
        "SpacesBefore=\\n\\s",
        "SpacesAfter=\\t",
        NO_SPACE,
        "SpacesAfter=\\r\\n\\r\\n",
    ]
    assert [token.misc for token in treebank[1]] == ["_", "_", NO_SPACE, "_"]


def test_other_white_space_is_written_as_its_code(english):
    treebank = english.segment("The\u00a0dog\u2028|\\ barks.")
    assert treebank[0][0].misc == "SpacesAfter=\\u00A0"
    assert rebuild(treebank) == "The\u00a0dog\u2028|\\ barks."


def test_a_blank_line_ends_a_sentence_unless_told_otherwise(english):
    text = "The dog\n\nbarks."
    assert tokens(english.segment(text)) == [["The", "dog"], ["barks", "."]]
    assert tokens(english.segment(text, blank_lines=False)) == [["The", "dog", "barks", "."]]


def test_ranges_count_code_points(english):
    treebank = english.segment("\u00e9\u00e9 dog. The", ranges=True)
    assert [token.misc.rpartition("|")[2] for token in treebank[0]][:3] == [
        "TokenRange=0:2",
        "TokenRange=3:6",
        "TokenRange=6:7",
    ]


def test_long_sentences_are_cut(english):
    with pytest.warns(LongSentenceWarning, match=r"<text>: sentence 1 \(dog .*has 25 words.*cut into 3"):
        treebank = english.segment("dog " * 25, max_words=10)
    assert [len(sentence) for sentence in treebank] == [10, 10, 5]


@pytest.mark.filterwarnings("error")
def test_a_line_of_any_length_is_a_sentence(english):
    text = "dog " * 30_000 + "\ndog " * 30_000 + "\n" + "dog " * 12_000 + "\n" + "dog " * 12_000
    treebank = english.segment(text, sentences="lines", max_words=40_000)
    assert [len(sentence) for sentence in treebank] == [30_000, *[1] * 30_000, 12_000, 12_000]
    assert rebuild(treebank) == text


@pytest.mark.filterwarnings("error")
def test_the_old_name_of_the_limit_of_words_works_with_a_warning(english):
    with pytest.warns(LongSentenceWarning), pytest.warns(DeprecationWarning, match="max_words"):
        assert len(english.segment("dog " * 25, most_words=10)) == 3


def test_long_paragraphs_are_cut_between_sentences(english, tmp_path):
    text = "The dog didn't bark. " * 12_000
    treebank = english.segment(text)
    assert {len(sentence) for sentence in treebank} == {len(english.segment("The dog didn't bark. ")[0])}
    path = tmp_path / "long.txt"
    path.write_text(text, encoding="utf-8")
    assert b"".join(part.to_bytes() for part in english.stream(path)) == treebank.to_bytes()


def test_a_sentence_of_too_many_characters_is_named_once(english):
    with pytest.warns(LongSentenceWarning, match="sentence 1 .*more than 65,536 characters") as warned:
        treebank = english.segment("dog " * 60_000)
    assert len(warned) == 1 and len(treebank) == 3


@pytest.mark.filterwarnings("ignore::arcwise.LongSentenceWarning")
@pytest.mark.parametrize("unit", ["x", "The dog didn't bark. ", "猫", "e\u0301", "dog\n"])
def test_a_paragraph_of_any_length_survives(english, tmp_path, unit):
    text = (unit * 300_000)[:300_000]
    assert rebuild(english.segment(text)) == text
    path = tmp_path / "long.txt"
    path.write_text(text, encoding="utf-8")
    parts = list(english.stream(path))
    assert len(parts) > 1
    assert "".join(map(rebuild, parts)) == text
    assert [sum("# newpar" in sentence.comments for sentence in part) for part in parts] == [1] + [0] * (
        len(parts) - 1
    )


@pytest.mark.parametrize(
    ("data", "where"), [(b"caf\xe9 is", "byte 3 is not valid UTF-8"), (b"a\0b", "byte 1 is a NUL")]
)
def test_bad_bytes_are_refused_with_their_place_or_replaced(english, data, where):
    with pytest.raises(TextError, match=where):
        english.segment(data)
    for size in (1, 100):
        with pytest.raises(TextError, match=where):
            list(english.stream(io.BytesIO(data), batch_bytes=size))
    assert "\N{REPLACEMENT CHARACTER}" in rebuild(english.segment(data, errors="replace"))


def test_a_lone_surrogate_is_refused(english):
    with pytest.raises(TextError, match=r"character 1 \(counted from 0\) is '\\ud800'"):
        english.segment("a\ud800")


def test_a_byte_order_mark_is_no_text(english):
    treebank = english.segment("\ufeffThe dog barks.".encode(), ranges=True)
    assert treebank[0][0].misc == "TokenRange=0:3"
    with pytest.raises(TextError, match="byte 4 is not valid"):
        english.segment(b"\xef\xbb\xbfa\xff")


def test_options_are_checked(english):
    for wrong in ({"sentences": "paragraphs"}, {"errors": "ignore"}, {"max_words": 0}):
        with pytest.raises(OptionError):
            english.segment("a", **wrong)
    with pytest.raises(OptionError):
        english.stream("file", batch_bytes=0)
    for wrong in ({"epochs": 0}, {"penalty": -1.0}, {"rewrapped": 2.0}, {"alpha": 0.0}):
        with pytest.raises(OptionError):
            Segmenter.train(Treebank.from_string(ENGLISH), **wrong)


def test_a_missing_file_is_named(english):
    with pytest.raises(TreebankError, match=r"no\.txt does not exist"):
        list(english.stream("no.txt"))


def test_saved_and_loaded_it_is_the_same(english, tmp_path):
    path = tmp_path / "english.model"
    english.save(path)
    loaded = Segmenter.load(path)
    text = "They don't bark, Mr. Smith.\nThe cow  wouldn't sleep"
    assert loaded.segment(text).to_bytes() == english.segment(text).to_bytes()
    assert loaded.info == english.info


def test_a_damaged_component_is_refused(english):
    component = english.to_component()
    for name in ("pairs", "lines", "columns"):
        arrays = {**component.arrays, name: component.arrays[name][:-1]}
        with pytest.raises(ModelError):
            Segmenter.from_component(type(component)(component.kind, component.header, arrays))
    with pytest.raises(ModelError, match="damaged"):
        Segmenter.from_component(type(component)(component.kind, {}, component.arrays))


def test_the_same_seed_gives_the_same_segmenter(english):
    again = Segmenter.train(Treebank.from_string(ENGLISH))
    assert all((again._arrays[name] == array).all() for name, array in english._arrays.items())


def test_it_knows_its_own_treebank(english):
    scores = english.evaluate(Treebank.from_string(ENGLISH))
    assert scores["Words"].f1 == 100
    assert scores["Sentences"].f1 == 100


def test_the_epoch_that_is_best_on_dev_is_kept():
    treebank = Treebank.from_string(ENGLISH)
    hard = Treebank.from_string(conllu("The dog sleeps", "he barks", "We hum", "a cat _. hums _."))
    training = SegmenterTraining(treebank, dev=hard, options=SegmenterOptions(epochs=4))
    means = [(epoch.words + epoch.sentences) / 2 for epoch in training.epochs()]
    scores = training.segmenter().evaluate(hard)
    assert (scores["Words"].f1 + scores["Sentences"].f1) / 2 >= max(means)


def test_a_bias_makes_more_sentences(english):
    text = "The dog sleeps he barks We hum a cat hums The bee barks"
    assert len(english.with_bias(-50).segment(text)) == 1
    assert len(english.with_bias(50).segment(text)) == 3


def test_a_bias_moves_no_end_of_a_token(english):
    text = "The dogs don't sleep Mr. Smith he can't bark We hum, a cat hums... The bee didn't see 3,000 cows!"
    own, *biased = (
        [token for sentence in tokens(english.with_bias(bias).segment(text)) for token in sentence]
        for bias in (0, -50, -2, 2, 50)
    )
    assert all(others == own for others in biased)


@pytest.mark.parametrize(("gained", "bias"), [((3.0, 0.5), 0.0), ((0.5, 3.0), 0.0), ((1.5, 2.5), 2.0)])
def test_dev_gives_a_bias_by_which_both_halves_gain(gained, bias):
    @dataclasses.dataclass
    class Biased:
        bias: float = 0.0

        def with_bias(self, bias):
            return Biased(bias)

        def evaluate(self, half):
            of_half = gained[half[0][0].form == "second"]
            f1 = 80 + of_half - abs(self.bias - 2) if self.bias else 80
            return {"Sentences": types.SimpleNamespace(f1=f1)}

    dev = Treebank.from_string(conllu("first") * 5 + conllu("second") * 5)
    assert segmenter_training.with_a_bias(Biased(), dev).bias == bias


def test_text_of_other_treebanks_is_joined_as_the_shared_task_did():
    text = "# newdoc\n# newpar\n" + conllu("A b _.") + "# newpar\n" + conllu("C _.") + conllu("D")
    assert rebuild(Treebank.from_string(text)) == "A b.\n\nC. D "


def test_conllx_has_no_text():
    with pytest.raises(TreebankError, match="CoNLL-X"):
        rebuild(Treebank.from_string("1\tA\t_\t_\t_\t_\t0\troot\t_\t_\n\n", format="conllx"))


def test_text_that_is_cut_already():
    expected = [["Dogs", "bark", "."], ["New", "ones", "."]]
    assert words(from_tokens(expected)) == expected
    assert words(from_horizontal("Dogs bark .\n\n New ones  .\n")) == expected
    assert words(from_vertical("\nDogs\nbark\n.\n\n\nNew\nones\n.")) == expected


def test_the_kinds_of_characters_are_those_of_unicode():
    names = {}
    older = unicodedata.ucd_3_2_0
    for code in range(FIRST, 0x30000):
        kind = kind_of(code)
        if kind is None or older.category(chr(code)) != unicodedata.category(chr(code)):
            continue
        core = _core.character_kind(code)
        if kind == "Cased":
            assert core in (_core.character_kind(ord("a")), _core.character_kind(ord("A")))
        else:
            assert names.setdefault(kind, core) == core, hex(code)
    assert len(set(names.values())) == len(names)


def test_the_comment_tells_where_tokens_touch_if_misc_does_not():
    text = "# text = A b.\n" + conllu("A b .")
    assert rebuild(Treebank.from_string(text)) == "A b. "
    assert rebuild(Treebank.from_string(text.replace("A b.", "Other b."))) == "A b . "


def test_the_keys_of_features_stay_as_they_are():
    """They are in model files: what changes here makes these unreadable."""
    at_space, within = _core.boundary_keys("Mr. Bee hums", 2), _core.boundary_keys("The dog barks", 6)
    # Those of files of format 6 and before; what came later follows them.
    assert sum(at_space[:37]) % 2**64 == 0xAF51F0B03D7C22CB
    assert sum(within[:36]) % 2**64 == 0xD63BB320C4FB255D
    assert (len(at_space), sum(at_space[49:]) % 2**64) == (67, 0x51187EC2D348A79F)
    assert (len(within), sum(within[36:39]) % 2**64) == (46, 0x879F1475E77EB258)
    assert sum(at_space[37:49]) % 2**64 == 0xE78F84F5400DD19C
    assert sum(within[39:]) % 2**64 == 0x522BB6CF27DE92B4


def test_white_space_and_marks_without_end_survive(english):
    for text in (" \n" * 500_000 + "dog", "dog" + "\u3000" * 300_000, "e" + "\u0301" * 300_000):
        parts = list(english.stream(io.BytesIO(text.encode()), batch_bytes=10_000))
        assert "".join(map(rebuild, parts)) == text


_chunks = st.lists(st.text(st.sampled_from("ab.,\r\n\t \x0b\u2028\u00a0")))


@given(_chunks)
def test_words_are_the_same_however_text_comes_in(chunks):
    text = "".join(chunks)
    lines = text.splitlines()
    assert list(horizontal_sentences(chunks)) == [words for line in lines if (words := line.split())]
    vertical = [line.strip().replace("\t", " ") for line in lines]
    groups = itertools.groupby(vertical, key=bool)
    assert list(vertical_sentences(chunks)) == [list(words) for is_word, words in groups if is_word]


@given(_chunks, st.integers(1, 5))
@pytest.mark.filterwarnings("ignore")
def test_cutting_loses_no_word(chunks, most):
    for sentences in (horizontal_sentences, vertical_sentences):
        cut = list(sentences(chunks, max_words=most))
        assert all(1 <= len(words) <= most for words in cut)
        whole = [word for words in sentences(chunks) for word in words]
        assert [word for words in cut for word in words] == whole


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("a b c", 3),
        ("a , b", 2),
        ("a . b , c", 2),
        ('a . " ) b', 4),
        ("a? b", 1),
        ("猫 。 猫", 2),
        ("a $ b", 3),
    ],
)
def test_a_sentence_is_cut_after_punctuation(words, place):
    assert _core.cut_place(words.split()) == place


@pytest.mark.filterwarnings("ignore::arcwise.LongSentenceWarning")
def test_only_what_is_needed_of_a_line_is_kept():
    longest = 0

    def chunks():
        for _ in range(100):
            yield "dog " * 10_000

    for words in horizontal_sentences(chunks(), max_words=20_000):
        longest = max(longest, len(words))
    assert longest == 20_000
    assert [len(w) for [w] in horizontal_sentences(["x" * 100_000] * 3, max_words=1)] == [
        MAX_CHARACTERS
    ] * 4 + [300_000 - 4 * MAX_CHARACTERS]
