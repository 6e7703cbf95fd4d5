"""What a page asks of a project, and what it is answered: plain data in, plain data out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arcwise.annotate import agreement, completion
from arcwise.annotate.bodies import Asked
from arcwise.annotate.editing import Model, Outcome, edit, make, shown
from arcwise.annotate.lines import Block
from arcwise.annotate.lists import MOST_LISTED, ORDERS, Lists, Wanted
from arcwise.annotate.marks import without_marks
from arcwise.annotate.project import Project
from arcwise.annotate.refusals import ConflictError, RefusedEditError
from arcwise.annotate.snapshots import Snapshots
from arcwise.annotate.states import Looks, Probabilities, file_told, state, told
from arcwise.annotate.teaching import Lesson, Teacher, checked, is_whole, sentences_of
from arcwise.annotate.tree_file import Edited, TreeFile, version_of
from arcwise.errors import ArcwiseError
from arcwise.grammar import Grammar
from arcwise.treebank import Treebank

MOST_READ = 50
Drawer = Callable[[Mapping[str, Any]], Callable[[Treebank], Any]]
"""Makes of the `drawing` of a request what draws."""
_LOOKS = "drawing probabilities"


class Desk:
    """A project that is worked on."""

    def __init__(self, project: Project, drawer: Drawer | None = None, threads: int = 1) -> None:
        self.project = project
        self._drawer = drawer
        self._probabilities = Probabilities()
        self._snapshots = Snapshots()
        self._lists = Lists(self._snapshots)
        self.teacher = Teacher(project, threads)

    @property
    def model(self) -> Model:
        return Model(self.project.pipeline, self.project.model or "")

    @property
    def grammar(self) -> Grammar | None:
        """The rules of the treebank that the model was trained on."""
        pipeline = self.project.pipeline
        return None if pipeline is None or pipeline.parser is None else pipeline.parser.info.grammar

    # --- looking -------------------------------------------------------------------------------------------

    def overview(self) -> dict[str, Any]:
        """The project, its files and its model."""
        files = []
        for name, path in self.project.paths().items():
            try:
                files.append(file_told(self.project.file(name)))
            except ArcwiseError as error:
                files.append({"file": name, "error": str(error), "bytes": path.stat().st_size})
        pipeline = self.project.pipeline
        parser = None if pipeline is None else pipeline.parser
        return {
            "name": self.project.name,
            "files": files,
            "model": {
                "name": self.project.model,
                "models": list(self.project.pipelines),
                "tagger": pipeline is not None and pipeline.tagger is not None,
                "parser": parser is not None,
                "probabilities": parser is not None and parser.info.learner.probabilistic,
            },
            "grammar": self.grammar is not None,
            "teach": self.teacher.told(),
        }

    def read(self, body: Any) -> dict[str, Any]:
        """Sentences by their keys."""
        asked = Asked(body, f"file keys {_LOOKS}")
        file = self._file(asked)
        file.refresh()
        keys = asked.texts("keys")
        if len(keys) > MOST_READ:
            raise RefusedEditError("value", f"At most {MOST_READ} sentences are read at a time.")
        states = [self._state_of(asked, file, asked.key("key", {"key": key})) for key in keys]
        return {"file": file_told(file), "sentences": states}

    def listed(self, body: Any) -> dict[str, Any]:
        """A page of a file's sentences, in an order."""
        asked = Asked(body, "file order search checked from count")
        file = self._file(asked)
        file.refresh()
        wanted = Wanted(
            asked.one_of("order", ORDERS, "file"),
            asked.text("search", ""),
            asked.flag("checked", None),
            asked.number("from", 0),
            asked.number("count", 100, most=MOST_LISTED),
        )
        return {"file": file_told(file), **self._lists.page(file, wanted, self.model)}

    def complete(self, body: Any) -> dict[str, Any]:
        """What a field of a word may be."""
        asked = Asked(body, "file key word field head prefix")
        file, field = self._file(asked), asked.one_of("field", completion.FIELDS)
        with file.lock:
            place = file.place(asked.key())
            if place is None:
                raise ConflictError("conflict", "The sentence is no longer there: look at the list again.")
            block = shown(file.block(place), self.model)
        word = asked.number("word")
        if not 1 <= word <= len(block.words):
            raise RefusedEditError("token", f"There is no word {word}: the sentence has {len(block.words)}.")
        head = asked.number("head", None)
        values = completion.complete(
            block,
            word,
            field,
            self.model,
            self._snapshots.of(file),
            head=head,
            prefix=asked.text("prefix", ""),
        )
        return {"values": values}

    def _file(self, asked: Asked) -> TreeFile:
        return self.project.file(asked.text("file"))

    def _state_of(self, asked: Asked, file: TreeFile, key: int, notes: Sequence[str] = ()) -> dict[str, Any]:
        with file.lock:
            place = file.place(key)
            if place is None:
                return {"key": str(key), "gone": True}
            return state(file, place, self.model, self._looks(asked), notes)

    def _looks(self, asked: Asked) -> Looks:
        drawing = asked.mapping("drawing", None)
        draw = None if drawing is None or self._drawer is None else self._drawer(drawing)
        probabilities = self._probabilities if asked.flag("probabilities", True) else None
        return Looks(probabilities, self.grammar, draw)

    # --- changing ------------------------------------------------------------------------------------------

    def edit(self, body: Any) -> dict[str, Any]:
        asked = Asked(body, f"file key version operation operations reparse next {_LOOKS}")
        file, key, version = self._file(asked), asked.key(), asked.text("version")
        one, several = asked.mapping("operation", None), asked.items("operations", None)
        if (one is None) == (several is None):
            raise RefusedEditError("value", "Give an “operation”, or “operations”.")
        operations = [one] if several is None else several
        follow = asked.flag("reparse", None)
        following = asked.mapping("next", None)
        after = None
        if following is not None:
            after = asked.key("key", following), str(following.get("version"))
        try:
            outcome = edit(file, key, version, operations, self.model, follow=follow, following=after)
        except ConflictError as error:
            if error.kind == "conflict":
                self._tell_both(error, asked, file, key, operations, follow)
            raise
        return self._answer(asked, file, outcome)

    def _tell_both(
        self,
        error: ConflictError,
        asked: Asked,
        file: TreeFile,
        key: int,
        operations: Sequence[Mapping[str, Any]],
        follow: bool | None,
    ) -> None:
        """A conflict has the sentence as it is now, and as the edit would have made it of its version."""
        base = error.more.pop("base", None)
        error.more.pop("place", None)
        current = self._state_of(asked, file, key)
        yours = None
        if base is not None:
            try:
                made = make(file, base, operations, self.model, follow=follow)
                yours = told(made.blocks[0], self.model, self._looks(asked))
            except ArcwiseError:
                yours = None
        error.more |= {"current": None if current.get("gone") else current, "yours": yours}

    def undo(self, body: Any) -> dict[str, Any]:
        asked = Asked(body, f"file change {_LOOKS}")
        file = self._file(asked)
        return self._answer(asked, file, Outcome(file.undo(asked.number("change", None))))

    def redo(self, body: Any) -> dict[str, Any]:
        asked = Asked(body, f"file change {_LOOKS}")
        file = self._file(asked)
        return self._answer(asked, file, Outcome(file.redo(asked.number("change", None))))

    def _answer(self, asked: Asked, file: TreeFile, outcome: Outcome) -> dict[str, Any]:
        edited: Edited = outcome.edited
        with file.lock:
            keys = [*edited.changed, *edited.added]
            for key, treebank in zip(keys, outcome.probable, strict=False):
                place = file.place(key)
                if treebank is not None and place is not None:
                    self._probabilities.keep(file.blocks[place], self.model, treebank)
            shown = keys[:MOST_READ]
            states = [
                self._state_of(asked, file, key, outcome.notes if number == 0 else ())
                for number, key in enumerate(shown)
            ]
            made = {
                "file": file_told(file),
                "changed": [str(key) for key in edited.changed],
                "removed": [str(key) for key in edited.removed],
                "added": [str(key) for key in edited.added],
                "sentences": states,
            }
            if edited.moves:
                after = max((file.place(key) or 0 for key in keys), default=0) + 1
                moved = file.keys[after : after + MOST_READ]
                made["moved"] = [{"key": str(key), "index": after + i} for i, key in enumerate(moved)]
        return made

    # --- two annotators ------------------------------------------------------------------------------------

    def agreement(self, body: Any) -> dict[str, Any]:
        asked = Asked(body, "left right from count")
        left, right = self.project.file(asked.text("left")), self.project.file(asked.text("right"))
        found = agreement.agreement(left, right)
        differences = found.differences()
        begin, count = asked.number("from", 0), asked.number("count", 100, most=MOST_LISTED)
        return {
            "figures": found.figures(),
            "unpaired": found.unpaired[: agreement.MOST_UNPAIRED],
            "total": len(differences),
            "from": begin,
            "differences": differences[begin : begin + count],
        }

    def take(self, body: Any) -> dict[str, Any]:
        """Gives a word of a file what one of two others has."""
        asked = Asked(body, f"left right into left_key word fields side version {_LOOKS}")
        left, right = self.project.file(asked.text("left")), self.project.file(asked.text("right"))
        fields, word, key = asked.texts("fields"), asked.number("word"), asked.key("left_key")
        if not fields or any(name not in agreement.FIELDS for name in fields):
            raise RefusedEditError("value", f"“fields” are some of {', '.join(agreement.FIELDS)}.")
        found = agreement.agreement(left, right)
        number = next((n for n, pair in enumerate(found.pairs) if pair.left_key == key), None)
        if number is None:
            raise ConflictError("conflict", "The sentence is gone, or its words differ: look again.")
        pair = found.pairs[number]
        rows = (pair.left if asked.one_of("side", ("left", "right")) == "left" else pair.right).words
        if not 1 <= word <= len(rows):
            raise RefusedEditError("token", f"There is no word {word}: the sentence has {len(rows)}.")
        into = self._into(asked.text("into"), left)
        target = self._sentence_like(pair.left, into, left, key)
        operations = agreement.taken(pair.left, rows[word - 1], fields)
        with into.lock:
            place = into.place(target)
            version = asked.text("version", None) or version_of(into.blocks[place or 0])
            outcome = edit(into, target, version, operations, self.model, follow=False)
            return self._answer(asked, into, outcome)

    def _into(self, name: str, left: TreeFile) -> TreeFile:
        """The file that is written to; a new one begins as a copy of the first."""
        if name in self.project.paths():
            return self.project.file(name)
        with left.lock:
            data = b"".join(left.blocks)
        return self.project.create(name, data)

    def _sentence_like(self, block: Block, into: TreeFile, left: TreeFile, key: int) -> int:
        """The key of a sentence in the file that is written to."""
        if into is left:
            return key
        found = agreement.agreement(left, into)
        for pair in found.pairs:
            if pair.left_key == key:
                return pair.right_key
        raise RefusedEditError(
            "sentence", f"{into.name} does not have the sentence {block.comment('sent_id')} with these words."
        )

    # --- teaching --------------------------------------------------------------------------------------

    def teach(self, body: Any) -> dict[str, Any]:
        """Has the model learn what is checked."""
        asked = Asked(body, "files test replay")
        names, test = asked.texts("files", None), asked.text("test", None)
        replay = asked.text("replay", None)
        lessons: list[Lesson] = []
        for name in self.project.paths() if names is None else names:
            lessons += [] if name == test else checked(self.project.file(name))
        gold = None
        if test is not None:
            gold = [one for one in sentences_of(self.project.file(test)) if is_whole(one.block)]
        again = None if replay is None else self._snapshots.of(self.project.file(replay)).treebank
        self.teacher.begin(lessons, gold, again)
        return self.teacher.told()

    def cancel(self, body: Any) -> dict[str, Any]:
        Asked(body, "")
        self.teacher.cancel()
        self.teacher.wait(2)
        return self.teacher.told()

    def use(self, body: Any) -> dict[str, Any]:
        """Goes on with another model, or back to one."""
        self.project.use(Asked(body, "use").text("use"))
        return self.overview()

    def finish(self) -> None:
        """Ends what runs, and writes what is not written yet."""
        self._lists.stop()
        self.teacher.cancel()
        self.project.finish()

    # --- whole files ---------------------------------------------------------------------------------------

    def save(self, body: Any) -> dict[str, Any]:
        file = self._file(Asked(body, "file"))
        file.meet_disk()
        file.finish()
        return file_told(file)

    def close(self, body: Any) -> dict[str, Any]:
        asked = Asked(body, "file to")
        file = self._file(asked)
        file.close(asked.one_of("to", ("now", "first")))
        return file_told(file)

    def resolve(self, body: Any) -> dict[str, Any]:
        asked = Asked(body, "file take")
        file = self._file(asked)
        left = file.resolve(asked.one_of("take", ("mine", "disk", "merge")))
        return {"file": file_told(file), "left": left}

    def export(self, body: Any) -> bytes:
        """The text of a file, as others know it."""
        asked = Asked(body, "file marks")
        file = self._file(asked)
        with file.lock:
            blocks = list(file.blocks)
        if asked.flag("marks", False) or file.format == "conllx":
            return b"".join(blocks)
        return b"".join(_without_marks(block) for block in blocks)


def _without_marks(data: bytes) -> bytes:
    if not any(mark in data for mark in (b"Fixed=", b"# checked", b"# parsed_by")):
        return data
    try:
        return without_marks(Block.from_bytes(data)).to_bytes()
    except ArcwiseError:
        return data
