"""The service: what it costs beside `arcwise parse`, how soon it answers, and what it does under load.

    python benchmarks/serve.py
    python benchmarks/serve.py --only load --seconds 10

It starts `arcwise serve` on this machine's own address and asks nobody else. Client and server share the
cores, so the cost is the server's CPU time. `load` first finds out how much the service carries, with as many
clients as it takes on at once; then 512 clients ask for twice that, with slow ones and ones that leave among
them.
"""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from frame import benchmark, positive
from launch import launched
from load import Told, storm
from store import Results, Setting
from tables import Table, mean
from treebanks import load as load_treebank

BATCH = 100
"""Sentences of a request."""
SOURCES = Path(__file__).resolve().parents[1] / "src"
SENTENCE = (
    "The gardener , who had planted roses along the wall every spring since he came here , told the "
    "children that the best ones need little water but patience ."
)
"""30 words."""


@contextmanager
def served(*flags: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`arcwise serve` and its port."""
    command = [sys.executable, "-m", "arcwise", "serve", "--port", "0", "--log", "problems", *flags]
    path = os.pathsep.join(filter(None, [str(SOURCES), os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        yield process, int(line.partition("127.0.0.1:")[2].partition("/")[0])
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(30)
        finally:
            process.kill()


def cpu_of(process: int) -> float:
    """The CPU seconds of a process until now."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_of(process: int, what: str = "VmRSS") -> int:
    """The resident memory of a process in bytes, now or at most (VmHWM)."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith(f"{what}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"/proc says nothing of {what}.")


def ask(connection: http.client.HTTPConnection, body: dict[str, Any]) -> bytes:
    data = json.dumps(body).encode()
    connection.request("POST", "/api/v1/parse", data, {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = response.read()
    if response.status != 200:
        raise RuntimeError(f"The service answered {response.status}.")
    return answer


def run(data: Path, setting: dict[str, Any], seed: int) -> dict[str, Any]:
    """One of the three."""
    measures = {"batches": batches, "latency": latency, "load": under_load}
    return measures[setting["what"]](data, setting)


def batches(data: Path, setting: dict[str, Any]) -> dict[str, Any]:
    """CPU for batches of sentences, as raw text, beside that of `arcwise parse` for all of them."""
    treebank = load_treebank(data, "en_ewt", "dev")
    sentences = [sentence.text for sentence in treebank]
    texts = ["\n\n".join(sentences[i : i + BATCH]) for i in range(0, len(sentences), BATCH)]
    model = setting["model"]
    with (
        tempfile.TemporaryDirectory() as folder,
        served("--model", model, "--threads", "1") as (process, port),
    ):
        path, nothing = Path(folder, "text.txt"), Path(folder, "nothing.txt")
        path.write_text("\n\n".join(texts), "utf-8")
        nothing.write_text("", "utf-8")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        for text in texts:  # what is kept for words is there for both
            ask(connection, {"text": text})
        own, server = [], []
        for _ in range(setting["repetitions"]):
            whole, start = (_parse_cpu(model, file) for file in (path, nothing))
            own.append(whole - start)
            before = cpu_of(process.pid)
            for text in texts:
                ask(connection, {"text": text})
            server.append(cpu_of(process.pid) - before)
        words = treebank.word_count
    return {"words": words, "parse": min(own), "server": min(server), "ratio": min(server) / min(own)}


def _parse_cpu(model: str, file: Path) -> float:
    command = [sys.executable, "-m", "arcwise", "parse", model, str(file), "--to", "json", "--threads", "1"]
    environment = {**os.environ, "PYTHONPATH": str(SOURCES)}
    return float(launched(command, output=False, environment=environment)[1]["cpu"])


def latency(data: Path, setting: dict[str, Any]) -> dict[str, Any]:
    """Milliseconds from a request of one sentence to its answer, with probabilities and the picture."""
    body = {"text": SENTENCE, "probabilities": True, "drawing": {"width": 900}}
    seconds = []
    with served("--model", setting["model"]) as (process, port):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        for _ in range(20):
            ask(connection, body)
        before = cpu_of(process.pid)
        for _ in range(setting["requests"]):
            begun = time.perf_counter()
            ask(connection, body)
            seconds.append(time.perf_counter() - begun)
            time.sleep(0.005)
        cpu = (cpu_of(process.pid) - before) / setting["requests"]
    told = Told(seconds=seconds)
    return {"p50": 1e3 * told.percentile(0.5), "p99": 1e3 * told.percentile(0.99), "cpu": 1e3 * cpu}


def under_load(data: Path, setting: dict[str, Any]) -> dict[str, Any]:
    """What becomes of requests when there are twice as many as can be carried."""
    sentences = [sentence.text for sentence in load_treebank(data, "en_ewt", "dev")[:20]]
    text = " ".join(sentences)
    slow, vanishing, clients = setting["slow"], setting["vanishing"], setting["clients"]
    with served("--model", setting["model"], "--max-silence", "5") as (process, port):
        carried = storm("127.0.0.1", port, clients=32, seconds=min(10, setting["seconds"]), text=text)
        rate = carried.answered / min(10, setting["seconds"])
        memory: list[int] = []
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.5):
                memory.append(memory_of(process.pid))

        watcher = threading.Thread(target=watch)
        watcher.start()
        told = storm(
            "127.0.0.1",
            port,
            clients=clients,
            seconds=setting["seconds"],
            text=text,
            slow=slow,
            vanishing=vanishing,
            period=clients / (2 * max(rate, 1.0)),
        )
        done.set()
        watcher.join()
        time.sleep(1)
        metrics = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        metrics.request("GET", "/metrics")
        left = metrics.getresponse().read().decode()
        quarter = max(1, len(memory) // 4)
    return {
        "carried": rate,
        "asked": told.asked / setting["seconds"],
        "answered": told.answered,
        "refused": told.refused,
        "lost": told.lost,
        "slow": told.slow,
        "vanished": told.vanished,
        "p50": told.percentile(0.5),
        "p99": told.percentile(0.99),
        "most": max(told.seconds, default=0.0),
        "refused_most": max(told.refused_seconds, default=0.0),
        "memory_early": max(memory[:quarter]),
        "memory_late": max(memory[-quarter:]),
        "waiting": int("arcwise_waiting 0\n" not in left),
        "held": int("arcwise_held_bytes 0\n" not in left),
    }


def tables(results: Results) -> Iterator[Table]:
    if cost := results.of(what="batches"):
        yield Table(
            "Batches of 100 sentences",
            ("model", "words", "arcwise parse", "the service", "ratio"),
            [
                (
                    str(model),
                    mean(of, "words", digits=0),
                    f"{mean(of, 'parse')} s",
                    f"{mean(of, 'server')} s",
                    mean(of, "ratio"),
                )
                for (model,), of in cost.by("model")
            ],
            ("CPU for the raw text of en_ewt dev, without the start of a process; JSON on both sides.",),
            cost,
        )
    if soon := results.of(what="latency"):
        yield Table(
            "One sentence of 30 words",
            ("model", "p50", "p99", "CPU"),
            [
                (str(model), *(f"{mean(of, name, digits=1)} ms" for name in ("p50", "p99", "cpu")))
                for (model,), of in soon.by("model")
            ],
            ("From the request to the last byte of the answer, with probabilities and the picture's data.",),
            soon,
        )
    if load := results.of(what="load"):
        yield Table(
            "Twice the load that it can carry",
            ("", "value"),
            [
                ("requests a second that it carries", mean(load, "carried", digits=0)),
                ("requests a second that clients make", mean(load, "asked", digits=0)),
                ("answered", mean(load, "answered", digits=0)),
                ("refused with 503 and Retry-After", mean(load, "refused", digits=0)),
                ("neither", mean(load, "lost", digits=0)),
                ("an answer takes, p50", f"{mean(load, 'p50')} s"),
                ("an answer takes, p99", f"{mean(load, 'p99')} s"),
                ("a refusal takes at most", f"{mean(load, 'refused_most')} s"),
                ("clients that left", mean(load, "vanished", digits=0)),
                ("memory in the first quarter", _megabytes(load, "memory_early")),
                ("memory in the last quarter", _megabytes(load, "memory_late")),
            ],
            (_setting(load),),
            load,
        )


def _megabytes(results: Results, name: str) -> str:
    value = results.mean(name)
    return "" if value is None else f"{value / 2**20:.0f} MB"


def _setting(results: Results) -> str:
    clients, seconds, slow, vanishing = (
        results.distinct(name)[0] for name in ("clients", "seconds", "slow", "vanishing")
    )
    return (
        f"{clients} clients for {seconds} s, each request 20 sentences; beside them {slow} that send a byte "
        f"now and then, and {vanishing} that ask and leave."
    )


@benchmark(run, tables, seeds=None)
@click.option("--model", default="en", show_default=True, help="The model that is served.")
@click.option("--clients", type=positive, default=512, show_default=True, help="That ask under load.")
@click.option("--seconds", type=positive, default=60, show_default=True, help="Of load.")
@click.option("--repetitions", type=positive, default=3, show_default=True, help="Of batches.")
def main(
    data: Path, model: str, clients: int, seconds: int, repetitions: int
) -> Iterator[tuple[str, Setting]]:
    """What the service costs, how soon it answers, and what it does under load."""
    yield "batches", {"what": "batches", "model": model, "repetitions": repetitions}
    yield "latency", {"what": "latency", "model": model, "requests": 300}
    yield (
        "load",
        {
            "what": "load",
            "model": model,
            "clients": clients,
            "seconds": seconds,
            "slow": clients // 16,
            "vanishing": clients // 16,
        },
    )


if __name__ == "__main__":
    main()
