"""Files of pre-trained vectors: what is read of them, and what is refused."""

from __future__ import annotations

import bz2
import gzip
import lzma
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arcwise import OptionError, Parser, ParserOptions, Training, VectorsError, _core
from arcwise.vectors import Vectors
from networks import mix

TINY = {"epochs": 1, "width": 16, "hidden": 16, "layers": 1}


def keys_of(words, number=1):
    """As the second input of words, `lower`, has them, or another."""
    return [_core.hash_bytes(word.encode(), mix(number + 1)) for word in words]


def read(content, limit=3, pieces=None, are_added=True):
    """What is read of bytes that come in pieces of some length."""
    reader = _core.VectorReader("some.vec", limit, are_added)
    step = pieces or max(1, len(content))
    for at in range(0, len(content), step):
        if not reader.take(content[at : at + step]):
            break
    return reader.finish()


@pytest.mark.parametrize(
    ("text", "words", "rows"),
    [
        ("the 1 2\ncat -3e-1 .5\n", ["the", "cat"], [[1, 2], [-0.3, 0.5]]),
        ("2 2\nthe 1 2 \ncat 3 4 \n", ["the", "cat"], [[1, 2], [3, 4]]),
        ("the 1 2\r\ncat 3 4\r\n\r\n", ["the", "cat"], [[1, 2], [3, 4]]),
        ("\ufeff2 1\nthe 1\ncat 2", ["the", "cat"], [[1], [2]]),
        ("Straße 1 2\n東京 3 4\n", ["Straße", "東京"], [[1, 2], [3, 4]]),
        ("the 1 2\nthe 3 4\ncat 5 6\n", ["the", "cat"], [[1, 2], [5, 6]]),
        ("1984 1 2\n", ["1984"], [[1, 2]]),
        ("9 2\na 1 2\nb 3 4\nc 5 6\nd 7 8\n", ["a", "b", "c"], [[1, 2], [3, 4], [5, 6]]),
    ],
)
@pytest.mark.parametrize("pieces", [None, 1, 3])
def test_vectors_are_read(text, words, rows, pieces):
    keys, lowered, values = read(text.encode(), pieces=pieces)
    assert keys.tolist() == keys_of(words)
    assert lowered.tolist() == keys_of(word.lower() for word in words)
    np.testing.assert_allclose(values.reshape(len(words), -1), rows, rtol=1e-6)
    # As an input of their own, the fourth.
    assert read(text.encode(), are_added=False)[0].tolist() == keys_of(words, 3)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "has no vectors in it"),
        (b"\n\n", "has no vectors in it"),
        (b"2 3\n", "has no vectors in it"),
        (b"the 1 2\ncat 1\n", "line 2: the word 'cat' has 1 values, and not 2 as the others"),
        (b"2 3\nthe 1 2\n", "line 2: the word 'the' has 2 values, and not 3"),
        (b"the\n", "line 1: the word 'the' has 0 values"),
        (b"the 1 2\ncat 1 two\n", "line 2: 'two', after the word 'cat', is no finite number"),
        (b"the 1  2\n", "line 1: '', after the word 'the', is no finite number"),
        (b"the 1 nan\n", "'nan', after the word 'the', is no finite number"),
        (b"the 1 1e99\n", "'1e99', after the word 'the', is no finite number"),
        (b"New York 1 2\n", "line 1: 'York', after the word 'New', is no finite number"),
        (b"the 1 2\n 3 4\n", "line 2: it begins with a space, and no word"),
        (b"the 1 2\ncaf\xe9 1 2\n", "line 2: the word is not UTF-8"),
        (b"3 2\na 1 2\nb 3 4\n", "is cut short: its first line says that there are 3 words, and there are 2"),
        (b"3 0\n", "line 1: vectors have from 1 to 10000 values, not 0"),
        (b"2 2\na \x00\x00\x80\x3f", r"line 2: '…', after the word 'a', is no finite number"),
        (b"\x1f\x8b\x08\x00", r"is compressed \(gzip\): give it a name that ends in .gz"),
        (b"\xfd7zXZ\x00", r"is compressed \(xz\): give it a name that ends in .xz"),
        (b"x" * 2_000_000, "line 1: it has more than a million bytes"),
        (b"PK\x03\x04", r"is compressed \(zip\): unpack it first"),
        (b"the 0 0\ncat 0 0\n", "no vector that is not 0 everywhere"),
    ],
)
def test_what_is_no_file_of_vectors_is_refused_with_the_place(tmp_path, garden, content, reason):
    path = tmp_path / "some.vec"
    path.write_bytes(content)
    with pytest.raises(VectorsError, match=reason) as refusal:
        Training(garden, options=ParserOptions.of(vectors=str(path)))
    assert str(refusal.value).startswith(str(path))
    assert str(refusal.value).endswith(".")


def test_the_scale_of_vectors_does_not_matter(tmp_path):
    values = []
    for scale in (1, 1000):
        path = tmp_path / "some.vec"
        path.write_text(f"the {3 * scale} {4 * scale}\ncat {scale} 0\n", encoding="utf-8")
        values.append(Vectors.read(str(path), 10).values)
    np.testing.assert_allclose(values[0], values[1], rtol=1e-6)
    assert np.linalg.norm(values[0], axis=1).mean() == pytest.approx(1)


@pytest.mark.parametrize(
    ("ending", "packed"), [(".xz", lzma.compress), (".gz", gzip.compress), (".bz2", bz2.compress)]
)
def test_compressed_files_are_read_and_damaged_ones_refused(tmp_path, ending, packed):
    text = "".join(f"w{n} {n} {n + 1}\n" for n in range(500)).encode()
    plain, path = tmp_path / "some.vec", tmp_path / f"some.vec{ending}"
    plain.write_bytes(text)
    path.write_bytes(packed(text))
    one, other = (Vectors.read(str(file), 400) for file in (plain, path))
    assert one.fingerprint == other.fingerprint and len(one) == 400
    for damaged in (packed(text)[:-20], b"the 1 2\n"):
        path.write_bytes(damaged)
        with pytest.raises(VectorsError, match=f"some.vec{ending} cannot be read: "):
            Vectors.read(str(path), 1000)


def test_what_cannot_be_opened_is_refused(tmp_path):
    with pytest.raises(VectorsError, match=r"nothing.vec cannot be read: No such file or directory\."):
        Vectors.read(str(tmp_path / "nothing.vec"), 1)
    with pytest.raises(VectorsError, match="is a directory: name a file of vectors"):
        Vectors.read(str(tmp_path), 1)


# Side by side.


@settings(deadline=None, max_examples=30)
@given(
    words=st.lists(st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1), min_size=2, max_size=3),
    data=st.data(),
)
def test_side_by_side_a_word_has_what_each_file_has_of_it(tmp_path_factory, words, data):
    folder = tmp_path_factory.mktemp("vectors")
    files, each = [], []
    for number, own in enumerate(words):
        width = data.draw(st.integers(1, 3))
        rows = {w: data.draw(st.lists(st.integers(1, 9), min_size=width, max_size=width)) for w in own}
        path = folder / f"{number}.vec"
        path.write_text("".join(f"{w} {' '.join(map(str, row))}\n" for w, row in rows.items()))
        files.append(str(path))
        each.append(Vectors.read(str(path), 100))
    together = Vectors.read(files, 100)
    assert together.width == sum(part.width for part in each)
    assert together.keys.tolist() == list(dict.fromkeys(k for part in each for k in part.keys.tolist()))
    assert together.lowered.tolist() == together.keys.tolist()
    for key, row in zip(together.keys.tolist(), together.values, strict=True):
        expected = []
        for part in each:
            found = part.keys.tolist()
            known = part.values[found.index(key)] if key in found else np.zeros(part.width)
            expected += known.tolist()
        assert row.tolist() == expected


def test_two_files_are_learnt_from(tmp_path, garden):
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"the 1 2\n{name} 2 1\n", encoding="utf-8")
    files = [str(tmp_path / name) for name in ("a", "b")]
    parser = Parser.train(garden[:5], **TINY, vectors=files)
    assert parser.info.options.network.vectors == tuple(files)
    brief = parser.info.training["vectors"]
    assert (brief["file"], brief["words"], brief["width"]) == ("a, b", 3, 4)
    parser.save(tmp_path / "m")
    assert Parser.load(tmp_path / "m").info == parser.info


def test_a_list_of_one_file_is_that_file():
    options = ParserOptions.of(vectors=["a.vec"]).network
    assert options.vectors == "a.vec" and options.vector_files == ("a.vec",)
    assert ParserOptions.of(vectors=[]).network.vectors is None
    with pytest.raises(OptionError):
        ParserOptions.of(vectors=[1])


# Binary files of fastText.


def fasttext(
    words, vectors, *, shortest=3, longest=4, buckets=7, version=12, quantised=0, labels=0, pruned=-1
):
    """Such a file: words, and rows for them and for the buckets that stretches of characters fall into."""
    width = vectors.shape[1]
    parts = [struct.pack("<2i", 793712314, version)]
    parts += [struct.pack("<12id", width, 5, 5, 5, 5, 1, 1, 2, buckets, shortest, longest, 100, 1e-4)]
    parts += [struct.pack("<3i2q", len(words), len(words) - labels, labels, 1000, pruned)]
    parts += [word.encode() + b"\0" + struct.pack("<qb", 10, 0) for word in words]
    parts += [struct.pack("<?2q", quantised, *vectors.shape), vectors.astype("<f4").tobytes()]
    return b"".join(parts) + struct.pack("<?2q", False, 0, width)


def stretches(word, shortest, longest):
    marked = f"<{word}>"
    for start in range(len(marked)):
        for length in range(shortest, longest + 1):
            part = marked[start : start + length]
            if len(part) == length and (length > 1 or 0 < start < len(marked) - 1):
                yield part


def bucket(part, buckets):
    h = 2166136261
    for byte in part.encode():
        h = ((h ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) % 2**32
    return h % buckets


@settings(deadline=None, max_examples=30)
@given(
    words=st.lists(st.text("abé東", min_size=1, max_size=6), unique=True, min_size=1, max_size=5),
    others=st.lists(st.text("abé東", min_size=1, max_size=6), unique=True, max_size=3),
    shortest=st.integers(0, 3),
    longest=st.integers(0, 5),
    limit=st.integers(1, 6),
)
def test_vectors_of_fasttext_are_the_means_of_those_of_parts(words, others, shortest, longest, limit):
    buckets = 7
    table = np.random.default_rng(1).standard_normal((len(words) + buckets, 4)).astype(np.float32)
    content = fasttext(words, table, shortest=shortest, longest=longest, buckets=buckets)
    expected = {}
    for word in [*words[:limit], *others]:
        rows = [len(words) + bucket(part, buckets) for part in stretches(word, max(1, shortest), longest)]
        rows += [words.index(word)] if word in words else []
        if rows:
            expected[word] = table[rows].mean(axis=0)
    keys, _, values = _core.read_fasttext(np.frombuffer(content, np.uint8), "x.bin", limit, others)
    assert keys.tolist() == keys_of(expected)
    np.testing.assert_allclose(values.reshape(len(keys), -1), list(expected.values()), rtol=1e-5, atol=1e-6)


def test_words_of_the_treebank_have_vectors_of_a_fasttext_file(tmp_path, garden):
    path = tmp_path / "some.bin"
    path.write_bytes(fasttext(["</s>", "the"], np.ones((9, 3))))
    run = Training(garden, options=ParserOptions.of(**TINY, vectors=str(path)))
    forms = garden.column("form")
    twice = {form for form in forms if forms.count(form) >= 2 and len(form) > 0}
    assert set(run.inputs.vectors.keys.tolist()) == set(keys_of(twice | {"the"}))


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"version": 11}, "is of another version of fastText"),
        ({"quantised": 1}, "is quantised"),
        ({"labels": 1}, "is a classifier"),
        ({"pruned": 3}, "is pruned"),
        ({"buckets": 6}, "is damaged: a number in it is out of range"),
        ({"buckets": -1}, "is damaged: a number in it is out of range"),
        ({"longest": 1000}, "is damaged: a number in it is out of range"),
    ],
)
def test_other_files_of_fasttext_are_refused(tmp_path, changes, reason):
    path = tmp_path / "some.bin"
    path.write_bytes(fasttext(["a", "the"], np.ones((9, 3)), **changes))
    with pytest.raises(VectorsError, match=f"some.bin {reason}"):
        Vectors.read(str(path), 10)


def test_a_file_of_fasttext_that_is_cut_short_or_not_finite_is_refused(tmp_path):
    whole = fasttext(["a", "the"], np.ones((9, 3)))
    end = len(whole) - struct.calcsize("<?2q")
    path = tmp_path / "some.bin"
    for length in range(4, end, 3):
        path.write_bytes(whole[:length])
        with pytest.raises(VectorsError, match=r"some\.bin is cut short: get the file again"):
            Vectors.read(str(path), 10)
    path.write_bytes(fasttext(["a", "the"], np.full((9, 3), np.nan)))
    with pytest.raises(VectorsError, match="a vector in it is not finite"):
        Vectors.read(str(path), 10)
