"""Files that are corrected: nothing is lost, and what nobody touched stays as it was."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotating.blocks import HUSH, ROSES, TEA, block
from arcwise import Treebank
from arcwise.annotate import Project, TreeFile
from arcwise.annotate import tree_file as files
from arcwise.annotate.editing import Model, edit
from arcwise.annotate.journal import Journal
from arcwise.annotate.refusals import ConflictError, RefusedEditError, UnknownFileError
from arcwise.annotate.tree_file import cut, merge, version_of
from arcwise.errors import TreebankError

ALL = HUSH + ROSES + TEA
WALK = {"op": "set", "word": 1, "field": "lemma", "value": "walk"}


def opened(folder: Path, text: str = ALL, name: str = "a.conllu") -> TreeFile:
    path = folder / name
    path.write_bytes(text.encode())
    return TreeFile(path, name)


def again(file: TreeFile) -> TreeFile:
    """The file as a new process finds it."""
    file.journal.release()
    return TreeFile(file.path, file.name)


def change(file: TreeFile, place: int, *operations: dict[str, Any], **how: Any) -> None:
    edit(file, file.keys[place], version_of(file.blocks[place]), operations, Model(), **how)


def bytes_of(file: TreeFile) -> bytes:
    return b"".join(file.blocks)


@pytest.mark.parametrize("end", ["", "\n", "\n\n", "\n\n\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_file_is_cut_into_sentences_that_are_the_file(end: str, newline: str) -> None:
    text = (ALL.rstrip("\n") + end).replace("\n", newline)
    blocks = cut(text.encode())
    assert len(blocks) == 3 and b"".join(blocks).decode() == text


def test_untouched_sentences_stay_as_they_were(tmp_path: Path) -> None:
    odd = ROSES.replace("\t_\t_\n", "\t_\tX= |Y\n", 1)
    file = opened(tmp_path, HUSH + "\n\n" + odd + "# note alone\n" + TEA.rstrip("\n"))
    change(file, 0, WALK)
    file.finish()
    expected = HUSH.replace("hush\tVERB\t_\t_\t0\troot\t_\t_", "walk\tVERB\t_\t_\t0\troot\t_\tFixed=lemma")
    assert file.path.read_text() == expected + "\n\n" + odd + "# note alone\n" + TEA.rstrip("\n")


def test_a_change_is_in_the_journal_before_it_is_told_and_in_the_file_after(tmp_path: Path) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    assert file.path.read_bytes() == bytes_of(file) and b"walk" in file.path.read_bytes()
    history = Journal(file.path).read()
    assert history is not None and [one.what for one in history.done] == ["lemma of 1"]


def test_undo_and_redo_go_on_after_a_restart(tmp_path: Path) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    change(file, 1, {"op": "split_sentence", "word": 5})
    after = bytes_of(file)
    file = again(file)
    file.undo()
    assert len(file) == 3
    file.undo()
    assert file.path.read_bytes() == ALL.encode() and file.undo_change is None
    file = again(file)
    file.redo()
    file.redo()
    assert file.path.read_bytes() == after


def test_undo_of_something_else_is_refused(tmp_path: Path) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    change(file, 1, {"op": "check"})
    with pytest.raises(ConflictError, match="Something else"):
        file.undo(1)
    file.undo(2)
    with pytest.raises(ConflictError, match="Something else"):
        file.redo(7)


def test_a_key_names_its_sentence_whatever_comes_before_it(tmp_path: Path) -> None:
    file = opened(tmp_path)
    key = file.keys[2]
    change(file, 1, {"op": "split_sentence", "word": 5})
    assert file.place(key) == 3
    file.undo()
    assert file.place(key) == 2


def test_a_sentence_that_has_changed_is_not_overwritten(tmp_path: Path) -> None:
    file = opened(tmp_path)
    key, version = file.keys[0], version_of(file.blocks[0])
    edit(file, key, version, [WALK], Model())
    before = bytes_of(file)
    with pytest.raises(ConflictError) as found:
        edit(file, key, version, [{"op": "check"}], Model())
    assert found.value.kind == "conflict" and found.value.more["base"] == HUSH.encode()
    assert bytes_of(file) == before


def test_a_file_that_nobody_changed_here_is_read_again(tmp_path: Path) -> None:
    file = opened(tmp_path)
    keys = list(file.keys)
    file.path.write_text(HUSH + TEA)
    change_of_tea = version_of(TEA.encode())
    edit(file, keys[2], change_of_tea, [{"op": "check"}], Model())
    assert len(file) == 2 and file.path.read_bytes() == bytes_of(file)


def test_a_file_that_both_changed_is_not_overwritten(tmp_path: Path) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    theirs = HUSH + ROSES.replace("roses.", "roses!") + TEA
    file.path.write_text(theirs)
    with pytest.raises(ConflictError) as found:
        change(file, 2, {"op": "check"})
    assert found.value.kind == "file_changed"
    assert [one["index"] for one in found.value.more["differences"]] == [0, 1]
    assert file.path.read_text() == theirs
    file = again(file)  # nor by a server that is started anew
    assert file.conflict is not None and file.path.read_text() == theirs
    assert file.resolve("merge") == []
    assert b"walk" in file.path.read_bytes() and b"roses!" in file.path.read_bytes()


@pytest.mark.parametrize("take", ["mine", "disk", "merge"])
def test_a_conflict_is_ended_as_one_chooses(tmp_path: Path, take: str) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    mine, theirs = bytes_of(file), ALL.replace("\thush\t", "\trun\t").encode()
    file.path.write_bytes(theirs)
    with pytest.raises(ConflictError):
        file.undo()
    left = file.resolve(take)
    assert file.path.read_bytes() == bytes_of(file) == (mine if take == "mine" else theirs)
    assert len(left) == (1 if take == "merge" else 0)
    change(file, 1, {"op": "check"})
    assert bytes_of(again(file)) == file.path.read_bytes()


def test_merging_takes_what_one_side_alone_has_changed() -> None:
    base = [b"a", b"b", b"c", b"d"]
    assert merge(base, [b"A", b"b", b"c", b"d"], [b"a", b"b", b"c", b"D", b"e"])[0] == [
        b"A",
        b"b",
        b"c",
        b"D",
        b"e",
    ]
    made, left = merge(base, [b"A", b"b", b"c", b"d"], [b"x", b"b", b"d"])
    assert made == [b"x", b"b", b"d"] and left == [{"mine": "A", "disk": "x"}]


def test_a_file_is_closed_to_its_first_state(tmp_path: Path) -> None:
    file = opened(tmp_path)
    for place in range(3):
        change(file, place, {"op": "check"})
    file = again(file)
    file.close("first")
    assert file.path.read_bytes() == ALL.encode() and not file.journal.path.exists()


def test_a_file_is_closed_as_it_is(tmp_path: Path) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    now = bytes_of(file)
    file.close("now")
    assert file.path.read_bytes() == now and not file.journal.path.exists()
    file = again(file)
    assert file.undo_change is None
    change(file, 1, {"op": "check"})
    file.close("first")
    assert file.path.read_bytes() == now


def test_one_process_changes_a_file_at_a_time(tmp_path: Path) -> None:
    file = opened(tmp_path)
    change(file, 0, WALK)
    other = TreeFile(file.path, file.name)
    with pytest.raises(ConflictError) as found:
        change(other, 1, {"op": "check"})
    assert found.value.kind == "locked"
    change(file, 2, {"op": "check"})
    file.journal.release()
    change(other, 1, {"op": "check"})
    assert other.checked == 2 and b"walk" in bytes_of(other)
    assert other.path.read_bytes() == bytes_of(other)


def test_a_disk_that_is_full_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = opened(tmp_path)

    def full(*given: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files, "write_whole", full)
    change(file, 0, WALK)
    assert file.problem is not None and "No space" in file.problem and not file.is_saved
    monkeypatch.undo()
    file = again(file)
    assert file.path.read_bytes() == bytes_of(file) and b"walk" in bytes_of(file)


def test_a_large_file_is_written_soon_after(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "SMALL", 10)
    monkeypatch.setattr(files, "SOON", 60.0)
    file = opened(tmp_path)
    change(file, 0, WALK)
    change(file, 1, {"op": "check"})
    assert not file.is_saved and file.path.read_bytes() == ALL.encode()
    killed = again(file)  # before the file was written
    assert killed.path.read_bytes() == bytes_of(file) and killed.is_saved
    file.finish()


def test_a_sentence_that_cannot_be_read_is_shown_and_can_be_written_anew(tmp_path: Path) -> None:
    file = opened(tmp_path, HUSH + "1\tbroken\n\n" + TEA)
    with pytest.raises(RefusedEditError, match="cannot be read"):
        change(file, 1, {"op": "check"})
    change(file, 1, {"op": "replace", "conllu": ROSES})
    assert file.path.read_bytes() == ALL.encode()


OPERATIONS = st.one_of(
    st.builds(
        lambda w, h, s: {"op": "head", "word": w, "head": h, "swap": s},
        st.integers(1, 9),
        st.integers(0, 9),
        st.booleans(),
    ),
    st.builds(
        lambda w, f, v: {"op": "set", "word": w, "field": f, "value": v},
        st.integers(1, 9),
        st.sampled_from(["form", "lemma", "upos", "deprel", "misc", "feats"]),
        st.sampled_from(["X", "a b", "SpaceAfter=No", "root", "A=b", "é", None]),
    ),
    st.builds(lambda w, a: {"op": "split_token", "word": w, "at": a}, st.integers(1, 9), st.integers(1, 4)),
    st.builds(
        lambda w, n: {"op": "join_tokens", "first": w, "last": w + n}, st.integers(1, 8), st.integers(1, 3)
    ),
    st.builds(
        lambda w, n: {"op": "make_multiword", "first": w, "last": w + n}, st.integers(1, 8), st.integers(1, 2)
    ),
    st.builds(lambda w: {"op": "unmake_multiword", "first": w}, st.integers(1, 8)),
    st.builds(lambda w: {"op": "split_sentence", "word": w}, st.integers(1, 9)),
    st.just({"op": "join_sentence"}),
    st.builds(lambda c: {"op": "check", "checked": c}, st.booleans()),
    st.builds(lambda w: {"op": "fix", "word": w}, st.integers(1, 9)),
    st.builds(lambda w: {"op": "free", "word": w}, st.integers(1, 9)),
    st.sampled_from([{"op": "undo"}, {"op": "redo"}]),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 5), OPERATIONS), max_size=25))
def test_any_edits_leave_a_file_that_reads_and_undoing_them_gives_the_first_bytes(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[int, dict[str, Any]]]
) -> None:
    file = opened(tmp_path_factory.mktemp("edits"))
    try:
        _carry_out(file, edits)
        treebank = Treebank.read(file.path)  # whose trees are checked
        for sentence, own in zip(treebank, file.blocks, strict=True):
            sentence.check()
            made = block(own.decode())
            text = made.comment("text")
            assert text is not None and text.strip() == sentence.text.strip()
        file = again(file)
        assert bytes_of(file) == file.path.read_bytes()
        while file.undo_change is not None:
            file.undo()
        assert file.path.read_bytes() == ALL.encode()
    finally:
        file.journal.release()


def _carry_out(file: TreeFile, edits: list[tuple[int, dict[str, Any]]]) -> None:
    for place, operation in edits:
        place %= len(file)
        following = None
        if operation["op"] == "join_sentence" and place + 1 < len(file):
            following = file.keys[place + 1], version_of(file.blocks[place + 1])
        try:
            if operation["op"] in ("undo", "redo"):
                getattr(file, operation["op"])()
            else:
                change(file, place, operation, following=following)
        except (RefusedEditError, ConflictError):
            continue


def test_a_journal_that_was_cut_anywhere_has_all_that_was_written_before(tmp_path: Path) -> None:
    file = opened(tmp_path)
    path = file.journal.path
    states = [(0, ALL.encode())]
    for place, operation in enumerate([WALK, {"op": "check"}, {"op": "split_token", "word": 2, "at": 2}]):
        change(file, place, operation)
        states.append((path.stat().st_size, bytes_of(file)))
    file.undo()
    states.append((path.stat().st_size, bytes_of(file)))
    file.journal.release()
    whole = path.read_bytes()
    ends = [number + 1 for number, byte in enumerate(whole) if byte == 10]
    anywhere = random.Random(1).sample(range(len(whole)), 60)
    for end in sorted({*anywhere, *ends, *(one - 1 for one in ends), *(one + 1 for one in ends[:-1])}):
        path.write_bytes(whole[:end])
        file.path.write_bytes(ALL.encode())  # as if the file had never been written
        made = TreeFile(file.path, file.name)
        known = [state for size, state in states if size <= end]
        assert bytes_of(made) in (known[-1], *(state for _, state in states[len(known) : len(known) + 1]))
        assert file.path.read_bytes() == bytes_of(made)
        change(made, 0, {"op": "set", "word": 1, "field": "xpos", "value": "V"})
        after = bytes_of(made)
        made = again(made)
        assert bytes_of(made) == after
        made.journal.release()


def test_a_project_is_its_folder_and_nothing_else(tmp_path: Path) -> None:
    folder, secret = tmp_path / "project", tmp_path / "secret.conllu"
    (folder / "inner").mkdir(parents=True)
    secret.write_text(HUSH)
    (folder / "a.conllu").write_text(HUSH)
    (folder / "inner" / "b.conll").write_text("1\tGo\t_\tV\tV\t_\t0\tROOT\t_\t_\n\n")
    (folder / "notes.txt").write_text("no treebank")
    (folder / ".hidden.conllu").write_text(HUSH)
    (folder / "out.conllu").symlink_to(secret)
    (folder / "way").symlink_to(tmp_path, target_is_directory=True)
    project = Project([folder])
    assert sorted(project.paths()) == ["a.conllu", "inner/b.conll"]
    for name in ("../secret.conllu", "out.conllu", "way/secret.conllu", str(secret), "notes.txt", ".", ""):
        with pytest.raises(UnknownFileError):
            project.file(name)
    for name in ("../x.conllu", "inner/x.conllu", "x.txt", "a\0.conllu", ".x.conllu", "-.conll"):
        with pytest.raises(RefusedEditError):
            project.create(name, b"")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["project", "secret.conllu"]


def test_a_file_that_becomes_a_link_is_not_written_through(tmp_path: Path) -> None:
    file = opened(tmp_path)
    other = tmp_path / "other.conllu"
    other.write_bytes(ALL.encode())
    file.path.unlink()
    file.path.symlink_to(other)
    change(file, 0, WALK)
    assert other.read_bytes() == ALL.encode() and file.problem is not None


def test_projects_refuse_what_they_cannot_have(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("no")
    (tmp_path / "a.conllu").write_text(HUSH)
    for paths in ([], [tmp_path / "none.conllu"], [tmp_path / "a.txt"], [tmp_path, tmp_path / "a.conllu"]):
        with pytest.raises(TreebankError):
            Project(paths)
