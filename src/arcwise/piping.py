"""Many texts, one after the other: batches, and what becomes of texts that cannot be read."""

from __future__ import annotations

import atexit
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

from arcwise.document import Document
from arcwise.errors import ArcwiseError, OptionError, SkippedTextWarning, TextError
from arcwise.segmenter import EncodedText, with_replacements

if TYPE_CHECKING:
    from arcwise.pipeline import Pipeline

TEXTS_AT_ONCE = 1000
_CHARACTERS_AT_ONCE = 50_000
_ERRORS = ("raise", "skip", "replace")

Errors: TypeAlias = Literal["raise", "skip", "replace"] | Callable[[int, Any, ArcwiseError], Document | None]
"""What is done with a text that cannot be read: a function is given its number, itself and what is wrong, and
gives a document in its place, or None."""

Given = TypeVar("Given")
Made = TypeVar("Made")


class _Text(NamedTuple):
    """One of the texts, by its number, which is counted from 0."""

    number: int
    text: Any
    context: Any

    @property
    def name(self) -> str:
        return f"text {self.number} (counted from 0)"


class _Readable(NamedTuple):
    """A text that a segmenter can take, and what it is known as."""

    text: _Text
    known: str
    encoded: EncodedText


_Outcome: TypeAlias = tuple[_Text, Document | ArcwiseError]


def piped(
    pipeline: Pipeline,
    texts: Iterable[Any],
    *,
    as_tuples: bool,
    batch_size: int,
    errors: Errors,
    jobs: int,
    parsing: Mapping[str, Any],
) -> Iterator[Any]:
    """What `Pipeline.pipe` gives."""
    if not callable(errors) and errors not in _ERRORS:
        raise OptionError(
            f"Texts that cannot be read are {', '.join(_ERRORS)} or a function (errors), not {errors!r}."
        )
    if isinstance(texts, str | bytes):
        raise OptionError("A single text is given to a pipeline itself, nlp(text); pipe takes several.")
    if batch_size < 1:
        raise OptionError("A batch has at least one text (batch_size).")
    if jobs < 1:
        raise OptionError("It takes at least one job (jobs).")
    pipeline.demand("segmenter")
    worker = _Worker(pipeline, "replace" if errors == "replace" else "strict", parsing)
    batches = _batches(_numbered(texts, as_tuples), batch_size)

    def documents() -> Iterator[Any]:
        for outcomes in in_order(batches, worker.outcomes, jobs):
            for text, outcome in outcomes:
                document = _handled(text, outcome, errors) if isinstance(outcome, ArcwiseError) else outcome
                if document is not None:
                    yield (document, text.context) if as_tuples else document

    return documents()


def _numbered(texts: Iterable[Any], as_tuples: bool) -> Iterator[_Text]:
    for number, given in enumerate(texts):
        if not as_tuples:
            yield _Text(number, given, None)
        elif isinstance(given, tuple) and len(given) == 2:
            yield _Text(number, *given)
        else:
            raise OptionError(
                f"text {number} (counted from 0) is not a pair of a text and what goes with it (as_tuples)."
            )


def _batches(texts: Iterator[_Text], batch_size: int) -> Iterator[list[_Text]]:
    batch: list[_Text] = []
    characters = 0
    try:
        for text in texts:
            batch.append(text)
            characters += len(text.text) if isinstance(text.text, str) else 0
            if characters >= _CHARACTERS_AT_ONCE or len(batch) >= batch_size:
                yield batch
                batch, characters = [], 0
    except Exception:
        # Of whoever makes the texts: those that were made are not lost for it.
        if batch:
            yield batch
        raise
    if batch:
        yield batch


class _Worker(NamedTuple):
    """Makes documents of texts."""

    pipeline: Pipeline
    errors: Literal["strict", "replace"]
    parsing: Mapping[str, Any]

    def outcomes(self, texts: list[_Text]) -> list[_Outcome]:
        """What becomes of each, a document or an error of its own."""
        outcomes: dict[int, Document | ArcwiseError] = {}
        readable: list[_Readable] = []
        for text in texts:
            try:
                known = checked(text.text, self.errors, text.name)
                readable.append(_Readable(text, known, EncodedText.of(known, "strict", text.name)))
            except ArcwiseError as error:
                outcomes[text.number] = error
        try:
            outcomes |= self._parsed(readable)
        except OptionError:  # which is no text's fault
            raise
        except ArcwiseError as error:
            for one in readable:
                outcomes |= self._parsed_alone(one, error if len(readable) == 1 else None)
        return [(text, outcomes[text.number]) for text in texts]

    def _parsed(self, texts: list[_Readable]) -> dict[int, Document | ArcwiseError]:
        treebank, ends = self.pipeline.demand("segmenter").segment_all([text.encoded for text in texts])
        done = self.pipeline.parse(treebank, tags="new", **self.parsing)
        documents: dict[int, Document | ArcwiseError] = {}
        begin = 0
        for (text, known, _), end in zip(texts, ends, strict=True):
            part = done[begin:end]
            part.source = text.name
            documents[text.number] = Document(part, known)
            begin = end
        return documents

    def _parsed_alone(self, one: _Readable, error: ArcwiseError | None) -> dict[int, Document | ArcwiseError]:
        """One of several that could not be parsed together: it is not known whose fault that was."""
        try:
            if error is None:
                return self._parsed([one])
        except ArcwiseError as own:
            error = own
        assert error is not None
        return {one.text.number: type(error)(f"{one.text.name}: {error}")}


def _handled(text: _Text, error: ArcwiseError, errors: Errors) -> Document | None:
    """What is given in place of the document of a bad text, if anything is."""
    if callable(errors):
        return errors(text.number, text.text, error)
    if errors == "skip":
        warnings.warn(SkippedTextWarning(f"Skipped: {error}"), stacklevel=3)
        return None
    raise error


def checked(text: Any, errors: Literal["strict", "replace"], name: str) -> str:
    """A text, which must be a str; with `replace`, it has U+FFFD where it could not be read."""
    if isinstance(text, bytes | bytearray | memoryview):
        raise TextError(f"{name} is bytes, and a text is a str: decode it, as in text.decode('utf-8').")
    if not isinstance(text, str):
        kind = "None" if text is None else f"of the type {type(text).__name__}"
        raise TextError(f"{name} is {kind}, and a text is a str: leave it out, or give ''.")
    return with_replacements(text) if errors == "replace" else text


def in_order(given: Iterable[Given], work: Callable[[Given], Made], jobs: int) -> Iterator[Made]:
    """What becomes of each, in order, `jobs` at a time; few are taken before they are needed."""
    if jobs < 1:
        raise OptionError("It takes at least one job.")
    source = iter(given)
    if jobs > 1:
        # For one alone, no threads are made.
        source = _Ahead(source)
        jobs = jobs if source.has_several() else 1
    if jobs == 1:
        yield from map(work, source)
        return
    # A worker that is quicker than the one whose turn it is finds enough to go on with.
    most_under_way = 2 * jobs
    with _Workers(work, jobs) as workers:
        under_way: deque[_Task[Given, Made]] = deque()
        broken: Exception | None = None
        while True:
            try:
                one = next(source)
            except StopIteration:
                break
            except Exception as error:  # what was given before it is done first
                broken = error
                break
            under_way.append(workers.begin(one))
            if len(under_way) >= most_under_way:
                yield under_way.popleft().result()
        while under_way:
            yield under_way.popleft().result()
        if broken is not None:
            raise broken


class _Task(Generic[Given, Made]):
    """What a worker is given, and what it has made of it."""

    def __init__(self, given: Given) -> None:
        self.given = given
        self.made: Made | None = None
        self.error: BaseException | None = None
        self._under_way = threading.Lock()
        self._under_way.acquire()

    def do(self, work: Callable[[Given], Made]) -> None:
        try:
            self.made = work(self.given)
        except BaseException as error:
            self.error = error
        self._under_way.release()

    def result(self) -> Made:
        """Waits for it."""
        with self._under_way:
            if self.error is not None:
                raise self.error
            return cast(Made, self.made)


class _Workers(Generic[Given, Made]):
    """Threads that work on what they are given; at the end, what none has begun is left.

    A pool of `concurrent.futures` does the same, but to import it takes as long as to parse a thousand words.
    """

    def __init__(self, work: Callable[[Given], Made], jobs: int) -> None:
        self._work = work
        self._given: SimpleQueue[_Task[Given, Made] | None] = SimpleQueue()
        self._is_over = False
        self._threads = [threading.Thread(target=self._serve, daemon=True) for _ in range(jobs)]

    def begin(self, given: Given) -> _Task[Given, Made]:
        task: _Task[Given, Made] = _Task(given)
        self._given.put(task)
        return task

    def _serve(self) -> None:
        while (task := self._given.get()) is not None and not self._is_over:
            task.do(self._work)

    def __enter__(self) -> _Workers[Given, Made]:
        # Whoever does not ask for all that there is may keep Python from its end no longer than a task takes.
        atexit.register(self._end)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._end()
        atexit.unregister(self._end)

    def _end(self) -> None:
        self._is_over = True
        for _ in self._threads:
            self._given.put(None)
        for thread in self._threads:
            thread.join()


class _Ahead(Iterator[Given]):
    """Looks at what comes; an error in its making comes in its place."""

    def __init__(self, source: Iterator[Given]) -> None:
        self._source = source
        self._seen: deque[Given] = deque()
        self._broken: Exception | None = None

    def has_several(self) -> bool:
        """Whether there are at least two, which are made for it."""
        try:
            self._seen.extend(islice(self._source, 2))
        except Exception as error:
            self._broken = error
        return len(self._seen) > 1

    def __next__(self) -> Given:
        if self._seen:
            return self._seen.popleft()
        if self._broken is not None:
            raise self._broken
        return next(self._source)
