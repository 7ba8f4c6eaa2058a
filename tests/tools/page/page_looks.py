#!/usr/bin/python3
"""page_looks.py CONCILIO [RANKS]: reports of small and large runs, as readers see them: on a phone, in the dark, on paper; and
opened within two seconds. The records are made up, or of so many ranks that are simulated. Skipped without Chromium."""
import pathlib
import subprocess
import sys
import tempfile
import time

import browser

HERE = pathlib.Path(__file__).parent
failures = 0


def check(page, where, complaints):
    global failures
    for complaint in complaints[:5]:
        failures += 1
        print(f"FAILED: {page}, {where}: {complaint}")


def seconds_to_open(window, page):
    """The least of some tries: a machine with other work may be late in some, but not in all."""
    tries = []
    for _ in range(5):
        begin = time.monotonic()
        window.open(page)
        tries.append(time.monotonic() - begin)
        if tries[-1] < 1:
            break
    return min(tries)


def plot(window, chart):
    """Left, top, right and bottom of a chart's cells, which are scrolled to."""
    window.ask(f"document.querySelectorAll('.chart')[{chart}].scrollIntoView({{block: 'center'}})")
    return window.ask(f"(() => {{ const box = document.querySelectorAll('.plot')[{chart}].getBoundingClientRect();"
                      "return [box.left, box.top, box.right, box.bottom]; })()")


def zoom(window, page, complaints):
    """A stretch of the first chart, which is of time, and of the last, of bytes, is chosen with the mouse, and left again."""
    def axis(chart):
        return window.ask(f"[...document.querySelectorAll('.chart')[{chart}].querySelectorAll('.axis:nth-of-type(2) .tick')]"
                          ".map(tick => Number(tick.textContent.replaceAll(',', '')))")

    for chart in (0, window.ask("document.querySelectorAll('.chart').length") - 1):
        before, (left, top, right, _) = axis(chart), plot(window, chart)
        at = [left + part * (right - left) for part in (0.25, 0.4, 0.5)]
        window.mouse(("mousePressed", at[0], top + 9), ("mouseMoved", at[1], top + 9), ("mouseMoved", at[2], top + 9),
                     ("mouseReleased", at[2], top + 9))
        closer, buttons = axis(chart), window.ask("document.querySelectorAll('h3 button').length")
        check(page, "zoom", [] if closer != before and buttons else [f"chart {chart} has {before}, then {closer}"])
        check(page, "zoom", complaints("labels", "axes"))
        left, top, right, _ = plot(window, chart)
        window.mouse(*((kind, right - 9, top + 9, clicks) for clicks in (1, 2) for kind in ("mousePressed", "mouseReleased")))
        check(page, "zoom", [] if axis(chart) == before else [f"chart {chart} has {before}, in the end {axis(chart)}"])


def look_at(window, page, has_advice):
    looks = (HERE / "looks.js").read_text(encoding="utf-8")

    def complaints(*functions):
        return window.ask(f"(() => {{ {looks}\nreturn [{', '.join(f'...{name}()' for name in functions)}]; }})()")

    def paper():
        return window.ask(f"(() => {{ {looks}\nreturn paper(); }})()")

    for width in (360, 1200):
        window.look_like(width)
        seconds = seconds_to_open(window, page)
        check(page.stem, f"{width} px", [f"opens in {seconds:.1f} s"] if seconds > 2 else [])
        shapes = window.ask("document.querySelectorAll('.picture path').length")
        check(page.stem, f"{width} px", [] if shapes >= 10 else [f"only {shapes} shapes are drawn"])
        # Also of one file, in full.
        window.ask("document.querySelector('tr.file[aria-expanded=false]')?.click()")
        check(page.stem, f"{width} px", complaints("tooWide", "tooSmall", "labels", "axes", "pale"))
        check(page.stem, f"{width} px", [] if paper() > 0.9 else ["the paper is not light"])
        check(page.stem, f"{width} px", [f"asks for {one}" for one in window.requests if one != page.resolve().as_uri()])
    zoom(window, page.stem, complaints)
    window.look_like(360, scheme="dark")
    check(page.stem, "dark", complaints("pale"))
    check(page.stem, "dark", [] if paper() < 0.05 else ["the paper is not dark"])
    # A4, less what browsers leave free at its sides.
    window.look_like(718, media="print")
    window.open(page)
    window.ask("dispatchEvent(new Event('beforeprint')), 0")
    check(page.stem, "print", complaints("unprinted", "tooWide", "labels", "axes"))
    advised = window.ask("document.querySelectorAll('#advice pre').length")
    check(page.stem, "print", [] if advised or not has_advice else ["there is nothing to write"])


def simulate(concilio, ranks, records):
    done = subprocess.run([concilio, "simulate", "interleaved:4096", "--machine", "cluster", "--ranks", ranks,
                           "--mib-per-rank", "0.0625", "--write-only", "--report", records], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main():
    concilio = pathlib.Path(sys.argv[1]).resolve()
    if not browser.find():
        print("there is no Chromium")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if len(sys.argv) > 2:
            simulate(concilio, sys.argv[2], folder / "simulated.json")
        else:
            subprocess.run([HERE / "large_records.py"], cwd=folder, check=True)
        with browser.Browser() as window:
            for records in sorted(folder.glob("*.json")):
                page = records.with_suffix(".html")
                subprocess.run([concilio, "report", records, "-o", page], check=True)
                check(page.stem, "size", [] if page.stat().st_size < 5_000_000 else [f"{page.stat().st_size} bytes"])
                look_at(window, page, records.stem.endswith("_ranks"))
                if records.stem == "10000_ranks":
                    window.look_like(1200)
                    left, _, right, bottom = plot(window, 0)
                    window.mouse(("mouseMoved", (left + right) / 2, bottom - 2))
                    told = window.ask("document.querySelector('.pointed').textContent")
                    check(page.stem, "the last row", [] if told.startswith("ranks 9703-9999, ") else [told])
    if not failures:
        print("all as expected")
    sys.exit(failures > 0)


main()
