"""The teacher: tags, lemma rules and a biaffine parser over MiniLM, tuned as a whole on the gold trees."""

from __future__ import annotations

import random
import time
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as functional
from encoder import FIXED_LAYERS, Dropout, Encoder, Pieces, case_of
from spanning_tree import best_tree
from torch import Tensor, nn

COLUMNS = ("upos", "xpos", "feats", "rule")
UNKNOWN = -100  # what cross_entropy leaves out


@dataclass
class Word:
    form: str
    lemma: str = "_"
    upos: str = "_"
    xpos: str = "_"
    feats: str = "_"
    head: int = -1
    deprel: str = "_"
    probabilities: tuple[float, float, float] = (1.0, 1.0, 1.0)  # of the head, of head and label, of the tags

    @property
    def rule(self) -> str:
        return lemma_rule(self.form, self.lemma)


Sentence = list[Word]


def read(path: Path) -> list[Sentence]:
    sentences, words = [], []
    for line in path.read_text(encoding="utf-8").splitlines():
        cells = line.split("\t")
        if not line and words:
            sentences.append(words)
            words = []
        elif len(cells) == 10 and cells[0].isdigit():
            words.append(Word(*cells[1:6], int(cells[6]), cells[7]))
    return sentences


def lemma_rule(form: str, lemma: str) -> str:
    """How the lemma comes of the form: lower case or not, how many letters go, what comes in their place."""

    def of(case: str, written: str) -> tuple[int, str]:
        same = 0
        while same < min(len(written), len(lemma)) and written[same] == lemma[same]:
            same += 1
        return len(written) - same, f"{case}{len(written) - same}{lemma[same:]}"

    return min(of("l", form.lower()), of("=", form))[1]


def apply_rule(form: str, rule: str) -> str:
    written = form.lower() if rule[0] == "l" else form
    digits = 1
    while digits < len(rule) and rule[digits].isdigit():
        digits += 1
    cut = int(rule[1:digits])
    return (written[: len(written) - cut] if cut <= len(written) else "") + rule[digits:] or form


def unlike_the_treebank(sentence: Sentence, chance: random.Random) -> Sentence:
    """Now and then a sentence as other texts have it: all in one case, or without its last mark."""
    draw = chance.random()
    if draw < 0.04:
        return [Word(**{**vars(word), "form": word.form.lower()}) for word in sentence]
    if draw < 0.07:
        return [Word(**{**vars(word), "form": word.form.upper()}) for word in sentence]
    last = sentence[-1]
    is_leaf = all(word.head != len(sentence) for word in sentence)
    if draw < 0.15 and len(sentence) > 2 and last.upos == "PUNCT" and is_leaf:
        return sentence[:-1]
    return sentence


def affix_ids(word: str, buckets: int) -> list[int]:
    lower = word.lower()
    names = [f"w{lower}", *(f"s{lower[-n:]}" for n in (1, 2, 3, 4)), *(f"p{lower[:n]}" for n in (2, 3))]
    return [zlib.crc32(name.encode()) % buckets for name in names]


@dataclass
class Batch:
    ids: Tensor
    cases: Tensor
    lengths: Tensor
    first: Tensor
    affixes: Tensor
    words: Tensor  # which places have a word


@dataclass
class Names:
    """The values of each column, from the gold trees."""

    values: dict[str, list[str]]
    numbers: dict[str, dict[str, int]] = field(init=False)

    def __post_init__(self) -> None:
        self.numbers = {name: {v: i for i, v in enumerate(values)} for name, values in self.values.items()}

    @classmethod
    def of(cls, sentences: list[Sentence]) -> Names:
        values = {}
        for column in (*COLUMNS, "deprel"):
            counts = Counter(getattr(word, column) for words in sentences for word in words)
            values[column] = sorted(value for value, n in counts.items() if n > 1 or column != "rule")
        return cls(values)


class Teacher(nn.Module):
    buckets = 60_000

    def __init__(self, names: Names, folder: Path, arcs: int = 320, labels: int = 72, dropout: float = 0.3):
        super().__init__()
        self.names, self.pieces, self.encoder = names, Pieces(folder), Encoder(folder)
        beside = 128
        width = self.encoder.width + beside
        self.affixes = nn.EmbeddingBag(self.buckets, beside, mode="sum")
        nn.init.normal_(self.affixes.weight, std=0.02)
        self.mixes = nn.Parameter(torch.zeros(2, self.encoder.layer_count + 1))
        self.mixes.data[:, -1] = 1.5
        self.tag_hidden = nn.Linear(width, 384)
        self.tags = nn.ModuleDict({name: nn.Linear(384, len(names.values[name])) for name in COLUMNS})
        self.root = nn.Parameter(torch.randn(width) * 0.1)
        self.arc_dependent, self.arc_head = nn.Linear(width, arcs), nn.Linear(width, arcs)
        self.label_dependent, self.label_head = nn.Linear(width, labels), nn.Linear(width, labels)
        self.arc = nn.Parameter(nn.init.xavier_uniform_(torch.empty(arcs + 1, arcs)))
        self.label = nn.Parameter(torch.zeros(len(names.values["deprel"]), labels + 1, labels + 1))
        self.dropout = Dropout(dropout)

    def batch(self, sentences: Sequence[Sentence]) -> Batch:
        cut = [self.pieces.of_sentence([word.form for word in words]) for words in sentences]
        longest, most = max(len(ids) for ids, _ in cut), max(map(len, sentences))
        count = len(sentences)
        made = Batch(
            torch.zeros(count, longest, dtype=torch.long),
            torch.zeros(count, longest, dtype=torch.long),
            torch.tensor([len(ids) for ids, _ in cut]),
            torch.zeros(count, most, dtype=torch.long),
            torch.zeros(count, most, 7, dtype=torch.long),
            torch.zeros(count, most, dtype=torch.bool),
        )
        for row, ((ids, first), words) in enumerate(zip(cut, sentences, strict=True)):
            made.ids[row, : len(ids)] = torch.tensor(ids)
            made.first[row, : len(words)] = torch.tensor(first)
            made.words[row, : len(words)] = True
            made.affixes[row, : len(words)] = torch.tensor(
                [affix_ids(word.form, self.buckets) for word in words]
            )
            cases = [0] * len(ids)
            for place, end, word in zip(first, [*first[1:], len(ids) - 1], words, strict=True):
                cases[place:end] = [case_of(word.form)] * (end - place)
            made.cases[row, : len(ids)] = torch.tensor(cases)
        return made

    def forward(self, batch: Batch) -> tuple[dict[str, Tensor], Tensor, Tensor, Tensor]:
        seen = torch.stack(self.encoder(batch.ids, batch.cases, batch.lengths, batch.first))
        mixed = torch.einsum("ml,lbnw->mbnw", self.mixes.softmax(1), seen)
        beside = self.affixes(batch.affixes.flatten(0, 1)).view(*batch.words.shape, -1)
        for_tags, words = (self.dropout(torch.cat([part, beside], -1)) for part in mixed)
        hidden = self.dropout(functional.gelu(self.tag_hidden(for_tags)))
        tags = {name: head(hidden) for name, head in self.tags.items()}
        heads = torch.cat([self.root.expand(len(words), 1, -1), words], 1)
        dependent = self.dropout(functional.gelu(self.arc_dependent(words)))
        head = self.dropout(functional.gelu(self.arc_head(heads)))
        arcs = with_one(dependent) @ self.arc @ head.transpose(1, 2)
        nothing = torch.cat([torch.zeros(len(words), 1, dtype=torch.bool), ~batch.words], 1)
        arcs = arcs.masked_fill(nothing.unsqueeze(1), -1e9)
        labels = self.dropout(functional.gelu(self.label_dependent(words)))
        return tags, arcs, labels, self.dropout(functional.gelu(self.label_head(heads)))

    def label_scores(self, dependents: Tensor, heads: Tensor, chosen: Tensor) -> Tensor:
        taken = torch.gather(heads, 1, chosen.unsqueeze(-1).expand(-1, -1, heads.size(-1)))
        half = torch.einsum("bni,rij->bnrj", with_one(dependents), self.label)
        return torch.einsum("bnrj,bnj->bnr", half, with_one(taken))

    def loss(self, sentences: Sequence[Sentence]) -> Tensor:
        batch = self.batch(sentences)
        tags, arcs, dependents, heads = self(batch)

        def gold(column: str) -> Tensor:
            values = torch.full(batch.words.shape, UNKNOWN)
            numbers = self.names.numbers.get(column)
            for row, words in enumerate(sentences):
                cells = (getattr(word, column) for word in words)
                values[row, : len(words)] = torch.tensor(
                    [cell if numbers is None else numbers.get(cell, UNKNOWN) for cell in cells]
                )
            return values

        def entropy(scores: Tensor, values: Tensor) -> Tensor:
            return functional.cross_entropy(
                scores.flatten(0, 1), values.flatten(), ignore_index=UNKNOWN, label_smoothing=0.03
            )

        chosen = gold("head")
        labels = self.label_scores(dependents, heads, chosen.clamp(min=0))
        trees = functional.cross_entropy(arcs.flatten(0, 1), chosen.flatten(), ignore_index=UNKNOWN)
        return (
            trees
            + entropy(labels, gold("deprel"))
            + 0.3 * sum(entropy(scores, gold(column)) for column, scores in tags.items())
        )

    @torch.inference_mode()
    def predict(self, sentences: Sequence[Sentence]) -> list[Sentence]:
        return predict([self], sentences)


def with_one(x: Tensor) -> Tensor:
    return torch.cat([x, torch.ones_like(x[..., :1])], -1)


# What a student's word weighs beside a teacher's: of heads and labels, and of tags, whose probabilities a
# student does not tell.
TREES_OF_STUDENT, TAGS_OF_STUDENT = 0.5, 0.35


@torch.inference_mode()
def predict(
    teachers: Sequence[Teacher], sentences: Sequence[Sentence], by_student: Sequence[Sentence] | None = None
) -> list[Sentence]:
    """Tags, lemmas and trees of words, by the mean of what the teachers hold probable.

    A student that has parsed the same sentences is heard too: what it holds probable joins the mean.
    """
    names = teachers[0].names
    made: list[Sentence] = [[] for _ in sentences]
    for teacher in teachers:
        teacher.eval()
    root = names.numbers["deprel"]["root"]
    for rows in batches(sentences, 3000):
        some = [sentences[row] for row in rows]
        heard = [by_student[row] for row in rows] if by_student else []
        batch = teachers[0].batch(some)
        seen = [teacher(batch) for teacher in teachers]
        arcs = torch.stack([one[1].softmax(-1) for one in seen]).mean(0)
        tags = {name: torch.stack([one[0][name].softmax(-1) for one in seen]).mean(0) for name in COLUMNS}
        for row, words in enumerate(heard):
            join_heads(arcs[row, : len(words)], words)
            for name in COLUMNS[:3]:
                join_tags(tags[name][row], [names.numbers[name].get(getattr(w, name)) for w in words])
        chosen = torch.zeros(batch.words.shape, dtype=torch.long)
        logarithms = (arcs + 1e-9).log().numpy()
        for row, words in enumerate(some):
            chosen[row, : len(words)] = torch.from_numpy(
                best_tree(logarithms[row, : len(words), : len(words) + 1])
            )
        scores = [
            teacher.label_scores(one[2], one[3], chosen) for teacher, one in zip(teachers, seen, strict=True)
        ]
        for score in scores:
            score[..., root] = torch.where(chosen == 0, 1e4, -1e4)
        labels = torch.stack([score.softmax(-1) for score in scores]).mean(0)
        for row, words in enumerate(heard):
            join_labels(labels[row], words, chosen[row].tolist(), names.numbers["deprel"])
        sure, label = labels.max(-1)
        of_head = torch.gather(arcs, 2, chosen.unsqueeze(-1)).squeeze(-1)
        best = {name: one.max(-1) for name, one in tags.items()}
        of_tags = best["upos"].values * best["xpos"].values
        for row, (number, words) in enumerate(zip(rows, some, strict=True)):
            for place, word in enumerate(words):
                values = {
                    name: names.values[name][int(one.indices[row, place])] for name, one in best.items()
                }
                p = float(of_head[row, place])
                lemma = apply_rule(word.form, values.pop("rule"))
                agreed = not heard or heard[row][place].lemma == lemma
                made[number].append(
                    Word(
                        word.form,
                        lemma if agreed else "_",
                        **values,
                        head=int(chosen[row, place]),
                        deprel=names.values["deprel"][int(label[row, place])],
                        probabilities=(p, p * float(sure[row, place]), float(of_tags[row, place])),
                    )
                )
    return made


def join_heads(arcs: Tensor, words: Sentence) -> None:
    """What the student leaves to other heads than its own is shared out as the teachers would."""
    sure = TREES_OF_STUDENT * torch.tensor([word.probabilities[0] for word in words])
    arcs *= 1 - sure.unsqueeze(-1)
    arcs[torch.arange(len(words)), torch.tensor([word.head for word in words])] += sure


def join_labels(labels: Tensor, words: Sentence, heads: Sequence[int], numbers: dict[str, int]) -> None:
    for place, word in enumerate(words):
        if word.head == heads[place] and word.deprel in numbers:
            sure = TREES_OF_STUDENT * word.probabilities[1] / max(word.probabilities[0], 1e-6)
            labels[place] *= 1 - sure
            labels[place, numbers[word.deprel]] += sure


def join_tags(tags: Tensor, values: Sequence[int | None]) -> None:
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    if known:
        places, chosen = torch.tensor(known).T
        tags[places] *= 1 - TAGS_OF_STUDENT
        tags[places, chosen] += TAGS_OF_STUDENT


def batches(
    sentences: Sequence[Sentence], words: int, chance: random.Random | None = None
) -> list[list[int]]:
    """Sentences of about one length together; in an order by chance, if there is one."""
    jitter = (lambda: 4 * chance.random()) if chance else (lambda: 0.0)
    order = sorted(range(len(sentences)), key=lambda row: len(sentences[row]) + jitter())
    made: list[list[int]] = []
    for row in order:
        longest = len(sentences[row])
        if not made or (len(made[-1]) + 1) * longest > words:
            made.append([])
        made[-1].append(row)
    if chance:
        chance.shuffle(made)
    return made


def scores(gold: Iterable[Sentence], parsed: Iterable[Sentence]) -> dict[str, float]:
    """Percent of words that are right in each column; LAS with full labels."""
    right: Counter[str] = Counter()
    for words, others in zip(gold, parsed, strict=True):
        for word, other in zip(words, others, strict=True):
            right["words"] += 1
            for name in ("upos", "xpos", "feats", "lemma"):
                right[name] += getattr(word, name) == getattr(other, name)
            right["uas"] += word.head == other.head
            right["las"] += (word.head, word.deprel) == (other.head, other.deprel)
    return {name: round(100 * n / right["words"], 2) for name, n in right.items() if name != "words"}


def groups(teacher: Teacher, rate: float, head_rate: float, keep: float) -> Iterator[dict[str, object]]:
    """Lower layers learn more slowly: what they know is more general."""
    encoder = teacher.encoder
    for number, layer in enumerate(encoder.layers[FIXED_LAYERS:], FIXED_LAYERS):
        yield {
            "params": list(layer.parameters()),
            "lr": rate * keep ** (encoder.layer_count - 1 - number),
        }
    yield {"params": [encoder.cases.weight], "lr": rate}
    others = [p for name, p in teacher.named_parameters() if not name.startswith("encoder.")]
    yield {"params": others, "lr": head_rate}


def train(
    teacher: Teacher,
    gold: list[Sentence],
    dev: list[Sentence],
    checkpoint: Path,
    *,
    cycles: Sequence[int],
    seed: int,
    rate: float = 2e-4,
    head_rate: float = 1.5e-3,
    keep: float = 0.85,
    words: int = 900,
) -> None:
    """Trains a teacher; a run that was interrupted goes on after the last whole epoch.

    `cycles` has epochs: in each cycle the learning rate rises quickly and then falls to nothing.
    """
    epochs = sum(cycles)
    steps_of_cycles = [len(batches(gold, words)) * cycle for cycle in cycles]
    steps = sum(steps_of_cycles)
    optimizer = torch.optim.AdamW(
        list(groups(teacher, rate, head_rate, keep)), betas=(0.9, 0.98), weight_decay=0.01, fused=True
    )

    def share(step: int) -> float:
        for cycle in steps_of_cycles[:-1]:
            if step < cycle:
                break
            step -= cycle
        else:
            cycle = steps_of_cycles[-1]
        return min(1.0, (step + 1) / (0.08 * cycle)) * max(0.01, 1 - step / cycle)

    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, share)
    done = 0
    if checkpoint.exists():
        stored = torch.load(checkpoint, weights_only=True)
        teacher.load_state_dict(stored["teacher"])
        optimizer.load_state_dict(stored["optimizer"])
        schedule.load_state_dict(stored["schedule"])
        done = stored["epochs"]
    for epoch in range(done, epochs):
        chance = random.Random(seed * 1000 + epoch)
        Dropout.chance = np.random.Generator(np.random.SFC64(seed * 1000 + epoch))
        teacher.train()
        started, total = time.time(), 0.0
        some = [unlike_the_treebank(sentence, chance) for sentence in gold]
        rows_of_steps = batches(some, words, chance)
        for number, rows in enumerate(rows_of_steps, 1):
            loss = teacher.loss([some[row] for row in rows])
            loss.backward()
            nn.utils.clip_grad_norm_(teacher.parameters(), 5.0)
            optimizer.step()
            optimizer.zero_grad()
            if schedule.last_epoch < steps - 1:
                schedule.step()
            total += float(loss.detach())
            if number % 50 == 0:
                seconds = time.time() - started
                done_so_far = f"{number}/{len(rows_of_steps)}"
                print(f"  {done_so_far} loss {total / number:.3f} {seconds:.0f} s", flush=True)
        line = f"epoch {epoch + 1} of {epochs}: loss {total / len(rows_of_steps):.3f}"
        seconds = time.time() - started
        print(line, f"{seconds:.0f} s", scores(dev, teacher.predict(dev)), flush=True)
        stored = {
            "teacher": teacher.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "epochs": epoch + 1,
        }
        torch.save(stored, checkpoint.with_suffix(".new"))
        checkpoint.with_suffix(".new").replace(checkpoint)
