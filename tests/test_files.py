"""Writing files, whole or not at all, and what becomes of those that were not finished."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arcwise._files import open_output, write_whole

WRITER = """
import sys, time
from arcwise._files import open_output
with open_output(sys.argv[1]) as file:
    file.write(b"half")
    file.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def start_writer(path):
    """A process that has written half of a file, and goes on when its input ends."""
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert writer.stdout.readline() == b"writing\n"
    return writer


def finish(writer):
    writer.communicate()
    return writer.returncode


def temporary_files(folder):
    return sorted(path.name for path in folder.iterdir() if path.name.endswith(".tmp"))


def test_what_a_killed_process_leaves_is_removed_by_the_next_that_writes_the_file(tmp_path):
    path = tmp_path / "a.model"
    writer = start_writer(path)
    writer.send_signal(signal.SIGKILL)
    finish(writer)
    assert len(temporary_files(tmp_path)) == 1
    write_whole(path, b"whole")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"whole"


def test_what_a_killed_process_leaves_stays_if_another_file_is_written(tmp_path):
    writer = start_writer(tmp_path / "a.model")
    writer.send_signal(signal.SIGKILL)
    finish(writer)
    write_whole(tmp_path / "b.model", b"whole")
    write_whole(tmp_path / "a", b"whole")
    assert len(temporary_files(tmp_path)) == 1


def test_what_a_process_is_still_writing_is_let_alone(tmp_path):
    path = tmp_path / "a.model"
    writer = start_writer(path)
    write_whole(path, b"mine")
    assert path.read_bytes() == b"mine"
    assert finish(writer) == 0
    assert path.read_bytes() == b"half"
    assert temporary_files(tmp_path) == []


def test_what_this_process_is_still_writing_is_let_alone(tmp_path):
    path = tmp_path / "a.model"
    with open_output(path) as outer:
        outer.write(b"outer")
        write_whole(path, b"inner")
    assert path.read_bytes() == b"outer"
    assert temporary_files(tmp_path) == []


@pytest.mark.parametrize(
    "name",
    [".a.model.tmp", ".a.model.notes.tmp", ".a.model.0123456.tmp", ".b.a.model.01234567.tmp", "a.model.tmp"],
)
def test_files_that_only_look_like_temporary_ones_are_let_alone(tmp_path, name):
    (tmp_path / name).write_text("mine")
    write_whole(tmp_path / "a.model", b"whole")
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_that_is_cleaned_up_before_it_is_locked_is_begun_again(tmp_path, monkeypatch):
    import arcwise._files as files

    flock, removed = files.fcntl.flock, []

    def late(held, how):
        if not removed:
            (only,) = tmp_path.iterdir()
            only.unlink()
            removed.append(only)
        flock(held, how)

    monkeypatch.setattr(files.fcntl, "flock", late)
    write_whole(tmp_path / "a.model", b"whole")
    assert removed
    assert [path.name for path in tmp_path.iterdir()] == ["a.model"]


def test_files_are_written_where_there_are_no_locks(tmp_path, monkeypatch):
    import arcwise._files as files

    def none(*_):
        raise OSError(38, "Function not implemented")

    left = tmp_path / ".a.model.01234567.tmp"
    left.touch()
    monkeypatch.setattr(files.fcntl, "flock", none)
    write_whole(tmp_path / "a.model", b"whole")
    assert left.exists()
    assert (tmp_path / "a.model").read_bytes() == b"whole"


def test_no_descriptor_is_left_open(tmp_path):
    opened = Path("/proc/self/fd")
    if not opened.is_dir():
        pytest.skip("this system does not list them")

    def count():
        return len(list(opened.iterdir()))

    write_whole(tmp_path / "a.model", b"once")
    before = count()
    for _ in range(10):
        write_whole(tmp_path / "a.model", b"again")
    assert count() == before
