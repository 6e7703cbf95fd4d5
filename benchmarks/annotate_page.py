"""How long the page takes from a correction to the new picture, in a tree of 50 words.

    python benchmarks/annotate_page.py [--model en] [--corrections 100]

A real browser picks a word up and puts it under another, and reads the page's own marks: from the correction
to the frame in which the tree is drawn that was parsed again under it. Each correction is undone before the
next one. Browser and server share this machine's cores.
"""

from __future__ import annotations

import argparse
import random
import socket
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from serve_page import summary

SENTENCE = (
    "The old gardener who had planted these roses behind the house by the river last spring said that nobody "
    "should water them before the sun goes down tonight , because the leaves that are wet in the heat of the "
    "day turn brown and fall from the long branches soon ."
)
WARM_UP = 10
_CORRECT = """async ([word, head]) => {
  const place = (number) => document.querySelector(`#tree .word[data-word="${number}"] .form`);
  const drawn = new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      observer.disconnect();
      resolve(list.getEntries()[0].duration);
    }).observe({ entryTypes: ["measure"] });
  });
  const press = (number) => {
    const at = place(number).getBoundingClientRect();
    const event = { bubbles: true, button: 0, clientX: at.x + 3, clientY: at.y + 3, pointerType: "mouse" };
    place(number).dispatchEvent(new PointerEvent("pointerdown", event));
    place(number).dispatchEvent(new PointerEvent("pointerup", event));
  };
  press(word);
  press(head);
  return await Promise.race([drawn, new Promise((resolve) => setTimeout(() => resolve(null), 3000))]);
}"""


def latencies(address: str, corrections: int) -> tuple[list[float], float]:
    """Milliseconds to each of the pictures, and of the page's own work for one by its thread's clock."""
    from playwright.sync_api import sync_playwright

    words = len(SENTENCE.split())
    chosen = random.Random(0)
    durations: list[float] = []
    work: list[float] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=_chromium(), args=["--no-sandbox", "--headless=new", "--disable-dev-shm-usage"]
        )
        page = browser.new_page(viewport={"width": 1400, "height": 1000})
        page.goto(f"{address}#annotate?file=long.conllu&sentence=1")
        page.wait_for_selector("#tree svg")
        assert page.locator("#tree .word").count() == words, "another number of words is drawn"
        inspector = page.context.new_cdp_session(page)
        inspector.send("Performance.enable", {"timeDomain": "threadTicks"})

        def worked() -> float:
            metrics = inspector.send("Performance.getMetrics")["metrics"]
            return 1000 * float(next(one["value"] for one in metrics if one["name"] == "TaskDuration"))

        while len(durations) < corrections + WARM_UP:
            word, head = chosen.sample(range(1, words + 1), 2)
            arc = page.locator(f"#tree .arc[data-word='{word}']").first
            if arc.get_attribute("data-head") == str(head):
                continue
            before = worked()
            duration = page.evaluate(_CORRECT, [word, head])
            work.append(worked() - before)
            if duration is None:
                raise SystemExit(f"no picture: {page.locator('.problems').inner_text()}")
            durations.append(duration)
            page.keyboard.press("z")
            page.wait_for_selector("#tree .fixed-head", state="detached")
        browser.close()
    return durations[WARM_UP:], statistics.median(work[WARM_UP:])


def _chromium() -> str | None:
    import shutil

    return shutil.which("chromium") or shutil.which("chromium-browser")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default="en")
    options.add_argument("--corrections", type=int, default=100)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = "".join(f"{n}\t{form}" + "\t_" * 8 + "\n" for n, form in enumerate(SENTENCE.split(), 1))
        Path(folder, "long.conllu").write_text(
            f"# text = {SENTENCE}\n{rows}\n", encoding="utf-8", newline="\n"
        )
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        command = [sys.executable, "-m", "arcwise", "serve", "--port", str(port), "--project", folder]
        server = subprocess.Popen(
            [*command, "--model", given.model], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        try:
            assert server.stdout is not None
            server.stdout.readline()
            durations, work = latencies(f"http://127.0.0.1:{port}/", given.corrections)
            figures: dict[str, Any] = {**summary(durations), "page_work_p50_ms": round(work, 1)}
        finally:
            server.terminate()
            server.wait()
    print({"words": len(SENTENCE.split()), **figures})


if __name__ == "__main__":
    main()
