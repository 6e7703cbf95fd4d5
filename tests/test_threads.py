"""The pool of threads: it helps with the work, and the work does not depend on it."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys

import numpy as np
import pytest

from arcwise import Parser, Treebank, _core
from arcwise.options import ParserOptions
from arcwise.training import Training

WORK = """
import sys
import numpy as np
from arcwise import Treebank, _core
from arcwise.options import ParserOptions
from arcwise.training import Training

def state_of(threads):
    training = Training(treebank, options=ParserOptions.of(learner="network"), threads=threads)
    training._core.run(10**9)
    parts = training._core.state()["learner"]
    return {name: np.asarray(part).tobytes() for name, part in parts.items()}

treebank = Treebank.read(sys.argv[1])[:40]
alone = state_of(1)
"""


def run(program: str, treebank: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", WORK + program, treebank], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture(scope="module")
def parser(some: Treebank) -> Parser:
    return Training(some, options=ParserOptions.of(learner="network", epochs=1)).finish()


@pytest.fixture(scope="module")
def many(garden: Treebank) -> Treebank:
    return garden.select(list(range(len(garden))) * 3)


def test_training_does_without_threads_that_cannot_be_started(garden):
    program = """
_core.limit_pooled_threads(0)
print(state_of(4) == alone, _core.pooled_threads())
_core.limit_pooled_threads(4)
print(state_of(4) == alone, _core.pooled_threads())
"""
    assert run(program, str(garden.source)).split() == ["True", "0", "True", "1"]


def test_a_thread_that_the_system_refuses_ends_nothing(garden):
    """Stacks of threads that are larger than all the memory that is left."""
    pytest.importorskip("resource")
    program = """
import resource
size = 1 << 40
resource.setrlimit(resource.RLIMIT_STACK, (size, resource.RLIM_INFINITY))
with open("/proc/self/statm") as statm:
    used = int(statm.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), resource.RLIM_INFINITY))
print(state_of(2) == alone)
"""
    assert run(program, str(garden.source)) == "True"


def test_the_pool_is_made_once_and_serves_every_batch(parser, many):
    before = _core.pooled_threads()
    for _ in range(5):
        parser.parse(many, threads=3)
    grown = _core.pooled_threads()
    assert grown >= max(before, 1)
    for _ in range(5):
        parser.parse(many, threads=3)
    assert _core.pooled_threads() == grown


@pytest.mark.parametrize("threads", [-1, 0, 2, 3, 2**31 - 1])
def test_trees_do_not_depend_on_the_number_of_threads(parser, many, threads):
    alone = parser._core.parse(many._core)
    for one, other in zip(alone, parser._core.parse(many._core, threads=threads), strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_a_thread_throws_comes_back(many):
    ranker = _core.Ranker(
        templates=["arc: h.form"],
        labels=list(many._core.label_names),
        weights=np.ones(1 << 12, np.int16),
        scale=1.0,
    )
    counts = np.ones(len(many), np.int32)
    scores = ranker.scores(many._core, counts, many.heads, many._core.labels, threads=3)
    assert len(scores) == len(many)


def heads_of(parser: Parser, treebank: Treebank, results) -> None:
    results.put(parser.parse(treebank, threads=2).heads.tolist())


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="no fork here")
def test_a_forked_process_has_threads_of_its_own(parser, many):
    expected = parser.parse(many, threads=2).heads.tolist()  # the pool has threads now
    context = multiprocessing.get_context("fork")
    results = context.Queue()
    children = [context.Process(target=heads_of, args=(parser, many, results)) for _ in range(2)]
    for child in children:
        child.start()
    for _ in children:
        assert results.get(timeout=60) == expected
    for child in children:
        child.join(timeout=60)
        assert child.exitcode == 0
