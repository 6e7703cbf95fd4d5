"""How long the page takes from the end of the debounce to the picture of a sentence of 30 words.

    python benchmarks/serve_page.py [http://127.0.0.1:8080/]

A real browser types the sentence, with another word each time, and reads the page's own marks: from when it
asks the service to the frame in which the picture is drawn. Browser and server share this machine's cores.
"""

from __future__ import annotations

import shutil
import statistics
import sys
from typing import Any

SENTENCE = (
    "The {} gardener who had planted these roses behind the old house by the river last spring said that "
    "nobody should water them before the sun goes down tonight ."
)
ADJECTIVES = ("old", "young", "kind", "tired", "clever", "happy", "careful", "angry", "quiet", "lazy")
WARM_UP = 10
_MEASURE = """async ([texts]) => {
  const area = document.getElementById("text");
  const durations = [];
  for (const text of texts) {
    const measured = new Promise((resolve) => {
      new PerformanceObserver((list, observer) => {
        observer.disconnect();
        resolve(list.getEntries()[0].duration);
      }).observe({ entryTypes: ["measure"] });
    });
    area.value = text;
    area.dispatchEvent(new Event("input"));
    durations.push(await measured);
  }
  return durations;
}"""


def latencies(address: str, repeats: int = 200) -> list[float]:
    """Milliseconds to each of the pictures."""
    from playwright.sync_api import sync_playwright

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    texts = [SENTENCE.format(ADJECTIVES[i % len(ADJECTIVES)]) for i in range(repeats + WARM_UP)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--headless=new", "--disable-dev-shm-usage"]
        )
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.goto(address)
        page.wait_for_selector("#text")
        durations: list[float] = page.evaluate(_MEASURE, [texts])
        words = page.locator("svg.tree .form").count()
        browser.close()
    assert words == len(texts[-1].split()), "another number of words is drawn than was typed"
    return durations[WARM_UP:]


def summary(durations: list[float]) -> dict[str, Any]:
    """The figures of a table."""
    ordered = sorted(durations)
    return {
        "pictures": len(ordered),
        "p50_ms": round(statistics.median(ordered), 1),
        "p99_ms": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.99))], 1),
    }


if __name__ == "__main__":
    print(summary(latencies(sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080/")))
