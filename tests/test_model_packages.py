"""Models as Python packages: making them, finding them, and what broken ones cannot do."""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import arcwise
from arcwise import ModelError, OptionError, Pipeline, cli, model_packages, models

GARDEN_MODEL = Path(__file__).parent / "golden" / "models" / "7" / "pipeline-shared.model"
PARSER = GARDEN_MODEL.with_stem("perceptron")
TEXT = "Anna waters the beans."


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder on Python's path, as pip installs into, and no other packages of models."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setenv("ARCWISE_MODELS", str(tmp_path / "own"))
    return folder


def make(folder, *, model=GARDEN_MODEL, **more):
    return model_packages.write(model, folder, **{"name": "xx", "licence": "CC BY-SA 4.0", **more})


def metadata(site, entries, package="some-models"):
    """What pip writes beside a package."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[arcwise_models]\n{entries}\n")


def install(project, site, name="xx"):
    """As pip would, of a package that `write` has made."""
    module = next(project.glob("arcwise_model_*"))
    module.rename(site / module.name)
    metadata(site, f"{name} = {module.name}", f"arcwise-model-{name}")


def test_an_installed_package_has_a_model_with_a_name(site, tmp_path):
    assert make(tmp_path / "project") == "arcwise-model-xx"
    install(tmp_path / "project", site)
    expected = Pipeline.load(GARDEN_MODEL)(TEXT).to_conllu()
    assert arcwise.load("xx")(TEXT).to_conllu() == expected
    found = {model.name: model for model in models.installed()}
    assert found["xx"].package == "arcwise-model-xx" and not found["xx"].is_packaged
    assert {"en", "en-fast"} <= set(found)


def run(*arguments, site, text=TEXT):
    paths = [str(site), str(Path(arcwise.__file__).parents[1])]
    return subprocess.run(
        [sys.executable, "-m", "arcwise", *arguments],
        input=text,
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )


@pytest.fixture
def listed(capfd, monkeypatch, tmp_path):
    """What `arcwise models` writes in this process, which has no large models to open."""
    monkeypatch.setattr(models, "PACKAGED", tmp_path / "packaged")
    (tmp_path / "packaged").mkdir()
    shutil.copy(GARDEN_MODEL, tmp_path / "packaged" / "en.arc")

    def run():
        with pytest.raises(SystemExit) as exit:
            cli.main(["models"])
        assert not exit.value.code
        return capfd.readouterr()

    return run


def test_commands_know_it_by_its_name(site, tmp_path):
    made = run("package", GARDEN_MODEL, "-o", tmp_path / "p", "--name", "xx", "--licence", "MIT", site=site)
    assert made.returncode == 0 and "arcwise-model-xx" in made.stderr
    install(tmp_path / "p", site)
    assert run("parse", "xx", site=site).stdout == Pipeline.load(GARDEN_MODEL)(TEXT).to_conllu()
    shown = run("models", site=site)
    assert "xx: " in shown.stdout and "arcwise-model-xx" in shown.stdout
    assert shown.returncode == 0


def test_a_package_says_what_its_model_says_of_itself(tmp_path):
    model = tmp_path / "el.arc"
    about = {
        "description": 'Greek "as it is written"\nand more',
        "licence": "CC BY-SA 4.0 (the licence of the treebank)",
        "treebank": "el.conllu",
        "words": 1234,
        "scores": {"text": {"UPOS": 91.234, "LAS": 82.5}, "tokens": {"LAS": 85}},
    }
    garden = Pipeline.load(GARDEN_MODEL)
    Pipeline(garden.segmenter, garden.tagger, garden.parser, about).save(model)
    assert model_packages.write(model, tmp_path / "p", version="2.0") == "arcwise-model-el"
    assert (tmp_path / "p/arcwise_model_el/model.arc").read_bytes() == model.read_bytes()
    card = (tmp_path / "p/README.md").read_text()
    assert 'Greek "as it is written" and more.' in card and 'arcwise.load("el")' in card
    assert "el.conllu, 1,234 words" in card
    assert "| text | 91.23 | 82.50 |" in card and "| tokens |  | 85.00 |" in card
    assert "CC BY-SA 4.0 (the licence of the treebank)" in (tmp_path / "p/LICENSE").read_text()
    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((tmp_path / "p/pyproject.toml").read_text())["project"]
    assert project["description"] == 'Greek "as it is written" and more'
    assert (project["version"], project["license"]) == ("2.0", "CC-BY-SA-4.0")
    assert project["entry-points"] == {"arcwise_models": {"el": "arcwise_model_el"}}
    assert project["dependencies"] == [f"arcwise>={arcwise.__version__}"]


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"model": PARSER, "licence": None}, "under which licence"),
        ({"name": "../evil"}, "cannot be called"),
        ({"name": "a b"}, "cannot be called"),
        ({"name": "en"}, "of its own"),
        ({"version": "1.0; import os"}, "no version"),
    ],
)
def test_what_makes_no_package_is_refused(tmp_path, more, message):
    with pytest.raises(OptionError, match=message):
        make(tmp_path / "p", **more)
    assert not (tmp_path / "p").exists()


def test_a_folder_that_has_something_in_it_is_not_written_to(tmp_path):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(OptionError, match="is there already"):
        make(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["notes"]


def test_what_is_no_model_makes_no_package(tmp_path):
    (tmp_path / "m.arc").write_bytes(b"something else")
    with pytest.raises(ModelError, match="not an arcwise model"):
        model_packages.write(tmp_path / "m.arc", tmp_path / "p", licence="MIT")


RAISES = 'raise RuntimeError("this was run")'


@pytest.mark.parametrize(
    ("entry", "problem"),
    [
        ("xx = not_there", "no model.arc"),
        ("xx = json", "no model.arc"),  # a module without a model
        ("xx = runs", "no model.arc"),
        ("xx = runs.inner", "no module"),
        ("xx = runs:function", "no module"),
        ("xx = ../../etc", "no module"),
        ("x/x = runs", "no name"),
        ("xx = linked", "link to another place"),
    ],
)
def test_a_broken_package_says_so_and_harms_no_other(site, tmp_path, listed, entry, problem):
    (site / "runs").mkdir()
    (site / "runs" / "__init__.py").write_text(RAISES)
    (site / "linked").mkdir()
    (site / "linked" / "model.arc").symlink_to(GARDEN_MODEL)
    metadata(site, entry)
    make(tmp_path / "project", name="good")
    install(tmp_path / "project", site, "good")
    assert {"en", "good"} <= {model.name for model in models.installed()}
    assert "xx" not in {model.name for model in models.installed()}
    out, err = listed()
    assert "good: " in out
    assert "some-models cannot be opened" in err and problem in err
    with pytest.raises(ModelError, match=problem if entry.startswith("xx") else "no model of this name"):
        arcwise.load("xx")


def test_a_damaged_model_in_a_package_harms_no_list(site, tmp_path, listed):
    make(tmp_path / "project")
    install(tmp_path / "project", site)
    path = site / "arcwise_model_xx" / "model.arc"
    path.write_bytes(path.read_bytes()[:-1])
    out, err = listed()
    assert "en: " in out
    assert "xx cannot be opened" in err and "damaged" in err


def test_metadata_that_nobody_can_read_harms_no_list(site):
    (site / "bad-1.0.dist-info").mkdir()
    (site / "bad-1.0.dist-info" / "entry_points.txt").write_bytes(b"\xff[arcwise_models\nxx")
    assert "en" in {model.name for model in models.installed()}


def test_models_of_arcwise_and_of_users_come_before_those_of_packages(site, tmp_path):
    make(tmp_path / "project")
    install(tmp_path / "project", site)
    metadata(site, "en = arcwise_model_xx", "a-thief")
    assert models.find("en") == models.PACKAGED / "en.arc"
    (tmp_path / "own").mkdir()
    Pipeline.load(GARDEN_MODEL).save(tmp_path / "own" / "xx.arc")
    assert models.find("xx") == tmp_path / "own" / "xx.arc"


def test_an_unknown_name_says_how_to_get_a_model(site):
    with pytest.raises(ModelError) as refused:
        arcwise.load("el")
    for remedy in ("arcwise train TREEBANK -o el.arc", "arcwise package", "installed are en, en-fast"):
        assert remedy in str(refused.value)


def test_packages_are_looked_for_only_if_one_is_needed(site):
    code = "import sys, arcwise; arcwise.load('en'); sys.exit('importlib.metadata' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(Path(arcwise.__file__).parents[1])}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


def test_pip_makes_a_wheel_of_it(tmp_path):
    pytest.importorskip("hatchling")
    make(tmp_path / "project")
    pip = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*pip, "-w", tmp_path, tmp_path / "project"], check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == "arcwise_model_xx-1.0.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.read("arcwise_model_xx/model.arc") == GARDEN_MODEL.read_bytes()
        assert any(name.endswith("licenses/LICENSE") for name in archive.namelist())
