"""The C++ library without Python: its trees are Python's, and an installed one is found by programs.

What is compiled here are two small programs, on a library that is there already: of `pip install .`, of a
build for developing, or of one without Python. Without any, or without a compiler, there is nothing to test.
`ARCWISE_TEST_CPP=install` in the environment builds, tests, installs and uses the library from scratch, which
takes minutes.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from arcwise import ArcwiseError, Pipeline, Treebank
from conftest import GARDEN

ROOT = Path(__file__).resolve().parents[1]
GOLDEN = ROOT / "tests" / "golden" / "models" / "7"
TEXT = "Anna waters the beans. The old gardener, she said, didn't plant roses!\n\nBees hum.\n"
INSTALL = os.environ.get("ARCWISE_TEST_CPP") == "install"
USABLE = [
    path for path in sorted(GOLDEN.glob("*.model")) if not path.stem.startswith(("checkpoint", "search"))
]


def run(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, **more)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def newest_library():
    """The one that was compiled last, if none of its sources has changed since, and what compiled it."""
    found = sorted((ROOT / "build").glob("*/libarcwise_core.a"), key=lambda path: path.stat().st_mtime)
    changed = max(path.stat().st_mtime for path in (ROOT / "cpp").rglob("*.*"))
    for library in reversed(found):
        settings = {
            line.partition(":")[0]: line.partition("=")[2]
            for line in (library.parent / "CMakeCache.txt").read_text().splitlines()
        }
        compiler = shutil.which(settings.get("CMAKE_CXX_COMPILER", ""))
        if library.stat().st_mtime >= changed and compiler and not settings.get("ARCWISE_SANITIZE"):
            return library, compiler
    return None


@pytest.fixture(scope="session")
def installed(tmp_path_factory):
    """A folder with both programs, of a library that was built and installed for them; None if none was."""
    if not INSTALL:
        return None
    folder = tmp_path_factory.mktemp("installed")
    cmake = shutil.which("cmake") or pytest.fail("There is no cmake.")
    build, prefix = folder / "build", folder / "prefix"
    off = ("-DARCWISE_PYTHON=OFF", "-DARCWISE_UNITY=ON", f"-DCMAKE_INSTALL_PREFIX={prefix}")
    run(cmake, "-S", ROOT, "-B", build, *off)
    run(cmake, "--build", build, "--parallel", "2")
    run(cmake, "--install", build)
    run(cmake, "-S", ROOT / "examples/cpp", "-B", folder / "own", f"-DCMAKE_PREFIX_PATH={prefix}")
    run(cmake, "--build", folder / "own")
    shutil.copy(folder / "own" / "parse", folder)
    shutil.copy(build / "cpp" / "arcwise_tests", folder)
    return folder


def compiled(installed, folder, program, source):
    if installed is not None:
        return installed / program
    found = newest_library()
    if found is None:
        pytest.skip("no library that is as new as its sources has been compiled here")
    library, compiler = found
    own = (compiler, "-std=c++20", "-O0", "-I", ROOT / "cpp", ROOT / source, library, "-pthread")
    run(*own, "-o", folder / program)
    return folder / program


@pytest.fixture(scope="session")
def library_tests(installed, tmp_path_factory):
    return compiled(installed, tmp_path_factory.mktemp("tests"), "arcwise_tests", "tests/cpp/library.cpp")


@pytest.fixture(scope="session")
def parse(installed, tmp_path_factory):
    return compiled(installed, tmp_path_factory.mktemp("example"), "parse", "examples/cpp/parse.cpp")


@pytest.mark.parametrize(
    "test",
    ["containers", "damaged_containers", "json", "pipelines", "threads", "missing_components", "versions"],
)
def test_the_library_by_itself(library_tests, test):
    run(library_tests, test, GOLDEN)


@pytest.mark.parametrize("model", USABLE, ids=lambda path: path.stem)
def test_trees_are_those_of_python(parse, model, tmp_path):
    nlp = Pipeline.load(model)
    gold = Treebank.read(GARDEN / "dev.conllu")[:30]
    for name, sentences in (("bare", gold.without("lemma", "upos", "xpos", "feats")), ("tagged", gold)):
        path = tmp_path / f"{name}.conllu"
        path.write_text(sentences.to_string(), encoding="utf-8")
        if nlp.parser is not None and nlp.parser.ranker is not None:
            refused = subprocess.run([parse, model, path], capture_output=True, text=True)
            assert refused.returncode == 1 and "use it from Python" in refused.stderr
            continue
        expected = nlp.parse(Treebank.read(path)).to_string()
        assert run(parse, model, path) == expected
    if nlp.segmenter is not None:
        path = tmp_path / "text.txt"
        path.write_text(TEXT, encoding="utf-8")
        assert run(parse, model, path) == nlp(TEXT).to_conllu()


@pytest.mark.parametrize("name", ["en", "en-fast"])
def test_the_english_models_are_opened(parse, name, tmp_path):
    (tmp_path / "text.txt").write_text("She saw the dog. It didn't bark.\n", encoding="utf-8")
    model = ROOT / "src" / "arcwise" / "data" / f"{name}.arc"
    expected = Pipeline.load(model)("She saw the dog. It didn't bark.\n").to_conllu()
    assert run(parse, model, tmp_path / "text.txt") == expected


def test_a_file_that_is_no_model_is_refused_by_both(parse, tmp_path):
    path = tmp_path / "no.model"
    path.write_bytes(b"nothing")
    with pytest.raises(ArcwiseError, match="is not an arcwise model"):
        Pipeline.load(path)
    refused = subprocess.run([parse, path, path], capture_output=True, text=True)
    assert refused.returncode == 1 and "is not an arcwise model" in refused.stderr
