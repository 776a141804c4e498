"""The released notebook in a real JupyterLab: a learner types, runs a cell and reads the report, on white and black."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from grader.course import Course

pytestmark = pytest.mark.tool("chromium")

NAME = "attention"
TOKEN = "a-token-of-the-test"  # noqa: S105 - it opens a server that lives as long as the test
SECONDS = 30  # until a test gives up on the browser or the server
CAUSAL = ["return np.tri(seq_len, dtype=bool)"]
TRANSPOSED = ["return np.tri(seq_len, dtype=bool).T"]
UNSCALED = [
    "scores = Q.astype(np.float64) @ K.T",
    "scores = scores if mask is None else np.where(mask, scores, -np.inf)",
    "return softmax(scores) @ V",
]
SETTINGS = {
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
    "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},  # light or dark, as the browser is
}

# ── a server, a browser and one open notebook for all of this file ─────────────────────────────────


def environment(home: Path) -> dict[str, str]:
    """Jupyter's own folders all below `home`, and the interpreter's folder on the path: nbgrader calls alembic."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("JUPYTER", "GRADE", "PYTEST"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    folders = {"HOME": home, "IPYTHONDIR": home / "ipython"}
    folders |= {f"JUPYTER_{kind.upper()}_DIR": home / kind for kind in ("config", "data", "runtime")}
    return {**kept, "PATH": path, **{key: str(folder) for key, folder in folders.items()}}


@pytest.fixture(scope="module")
def api() -> Any:
    """Playwright. Whatever is missing is said before anything is started."""
    pytest.importorskip("nbgrader", reason="nbgrader comes with the extra `nbgrader`")
    pytest.importorskip("jupyterlab", reason="jupyterlab comes with nbgrader, of the extra `nbgrader`")
    return pytest.importorskip("playwright.sync_api", reason="the package playwright is not installed")


@pytest.fixture(scope="module")
def home(api: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home folder with settings: no news from the network, and the theme that the browser asks for."""
    folder = tmp_path_factory.mktemp("home")
    settings = folder / "config" / "labconfig" / "default_setting_overrides.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(SETTINGS))
    return folder


@pytest.fixture(scope="module")
def released(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebook as students get it, made with the real commands."""
    course = tmp_path_factory.mktemp("nbgrader") / "course"
    for command, folder in (
        (["grader", "nbgrader", "init", str(course)], course.parent),
        (["nbgrader", "generate_assignment", NAME], course),
    ):
        done = subprocess.run(
            [sys.executable, "-m", *command], cwd=folder, env=environment(home), capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
    return course / "release" / NAME / f"{NAME}.ipynb"


@pytest.fixture(scope="module")
def lab(home: Path, released: Path) -> Iterator[str]:
    """The address of a JupyterLab that serves the release folder. It ends its kernels when it is told to end."""
    port, log = free_port(), home / "server.log"
    options = {"token": TOKEN, "ip": "127.0.0.1", "port": port, "port_retries": 0, "root_dir": released.parent}
    arguments = [f"--ServerApp.{key}={value}" for key, value in {**options, "allow_root": True}.items()]
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", *arguments],
            cwd=released.parent,
            env=environment(home),
            stdout=output,
            stderr=output,
        )
    try:
        wait_until_it_answers(server, f"http://127.0.0.1:{port}/api/status?token={TOKEN}", log)
        yield f"http://127.0.0.1:{port}/lab/tree/{released.name}?token={TOKEN}"
    finally:
        end(server)


def free_port() -> int:
    """A port that the system chose."""
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_until_it_answers(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    end_of_patience = time.monotonic() + SECONDS
    while server.poll() is None and time.monotonic() < end_of_patience:
        try:
            urllib.request.urlopen(address, timeout=SECONDS).close()  # noqa: S310 - our own address
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"JupyterLab did not start:\n{log.read_text()}")


def end(server: subprocess.Popen[bytes]) -> None:
    """End it in good order, kernels first; a kernel whose server was killed ends by itself."""
    server.terminate()
    try:
        server.wait(SECONDS)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()


class Notebook:
    """The released notebook, open in a browser, and used as a learner does: with clicks and keys."""

    def __init__(self, page: Any, cells: Sequence[dict[str, Any]]) -> None:
        self.page = page
        self.places = {cell["id"]: place for place, cell in enumerate(cells)}
        self.sources = {cell["id"]: "".join(cell["source"]) for cell in cells}

    def cell(self, name: str) -> Any:
        return self.page.locator(f'.jp-Notebook-cell[data-windowed-list-index="{self.places[name]}"]')

    def click(self, name: str) -> None:
        """Into the last line of the cell's text."""
        self.cell(name).locator(".cm-line").last.click()

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def fill_in(self, name: str, lines: Sequence[str]) -> None:
        """Lines in the place of the last one, which raises in a stub."""
        self.click(name)
        self.press("Control+End", "Shift+Home")
        for number, line in enumerate(lines):
            self.press(*["Enter"] if number else [])
            self.page.keyboard.type(line)

    def run(self, name: str) -> None:
        """Run a cell, and wait until it bears a new number: the kernel has done so."""
        self.click(name)
        self.page.locator(".jp-Notebook.jp-mod-editMode").wait_for()
        prompt = self.cell(name).locator(".jp-InputPrompt")
        before = prompt.inner_text()
        self.press("Shift+Enter")
        prompt.and_(self.page.get_by_text(re.compile(rf"^(?!{re.escape(before)}$)\[\d+\]:$"))).wait_for()

    def check(self, name: str) -> tuple[str, str]:
        """Run an exercise's cell and the test cell below it: the words of the report, and the cell's value."""
        self.run(name)
        self.run(f"{name}-points")
        value = self.cell(f"{name}-points").locator(".jp-OutputArea-executeResult .jp-OutputArea-output")
        return self.report(name).inner_text(), value.inner_text().strip()

    def report(self, name: str) -> Any:
        return self.cell(f"{name}-points").locator(".jp-RenderedHTML")


@pytest.fixture(scope="module")
def notebook(api: Any, lab: str, released: Path) -> Iterator[Notebook]:
    """The notebook in a browser of its own, once its kernel is ready."""
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        try:
            page = browser.new_page(viewport={"width": 1100, "height": 2600})  # high enough for a whole report
            page.set_default_timeout(1000 * SECONDS)
            page.goto(lab)
            # The notebook's own indicator says idle before there is a kernel, and cells run by then are not run.
            page.locator("#jp-main-statusbar").get_by_text(re.compile(r"\| Idle$")).wait_for()
            yield Notebook(page, json.loads(released.read_text())["cells"])
        finally:
            browser.close()


@pytest.fixture(scope="module")
def unscaled(notebook: Notebook) -> tuple[str, str]:
    """What the test cell says of an attention that does not scale, beside a softmax that is still a stub."""
    notebook.run("softmax")
    notebook.fill_in("attention", UNSCALED)
    return notebook.check("attention")


# ── what a learner does and sees ───────────────────────────────────────────────────────────────────


def test_a_right_function_typed_in_gets_its_points(notebook: Notebook) -> None:
    """Typed in place of the stub's last line and run, a right function gets all points, as the cell's value too."""
    notebook.fill_in("causal_mask", CAUSAL)
    words, value = notebook.check("causal_mask")
    assert "causal_mask: 20 of 20, passed" in words
    assert value == "20.0"


def test_a_stub_is_told_the_way_on(notebook: Notebook) -> None:
    """A function still to be written is `not implemented`, with what to do next; never an exception."""
    words, value = notebook.check("softmax")
    assert "softmax: 0 of 30, not implemented" in words
    assert "run its cell and this one again" in words
    assert value == "0.0"


def test_a_mistake_is_named(notebook: Notebook, unscaled: tuple[str, str], course: Course) -> None:
    """A missing scaling is named by its title, and costs what the heading says."""
    words, value = unscaled
    title = course.words(course.exercise("attention"))["missing-scaling"].title
    assert f"Mistake found: {title}." in words
    assert 0 < float(value) < 50
    assert words.startswith(f"attention: {float(value):g} of 50")


def test_maps_are_drawn(notebook: Notebook, unscaled: tuple[str, str]) -> None:
    """Below a mistake the student's weights, the right ones and the difference are tables with tinted cells."""
    report = notebook.report("attention")
    assert report.locator("caption").all_inner_texts()[:3] == ["yours", "right", "difference"]
    for table in report.locator("table").all()[:3]:
        assert table.is_visible()
        tints = table.locator("tbody td").evaluate_all("all => all.map(one => getComputedStyle(one).backgroundColor)")
        assert len(tints) == 25
        assert len(set(tints)) > 5


def test_a_wrong_map_stands_beside_the_right_one(notebook: Notebook) -> None:
    """In a window of 1100 pixels with the file browser open, a wrong mask and the right one stand side by side."""
    notebook.fill_in("causal_mask", TRANSPOSED)
    notebook.check("causal_mask")
    yours, right = (table.bounding_box() for table in notebook.report("causal_mask").locator("table").all()[:2])
    assert yours["y"] == right["y"]
    assert yours["x"] + yours["width"] < right["x"]


def test_a_locked_test_cell_stays_as_it_is(notebook: Notebook) -> None:
    """Neither typing into it changes it, nor can it be deleted."""
    cell = notebook.cell("quick-check-points")
    notebook.click("quick-check-points")
    notebook.press("Control+End", *"###", "Backspace", "Backspace", "Backspace", "Backspace")
    assert cell.locator(".cm-content").inner_text() == notebook.sources["quick-check-points"]
    notebook.press("Escape", "d", "d")
    assert cell.locator(".cm-content").inner_text() == notebook.sources["quick-check-points"]


# ── how it looks ───────────────────────────────────────────────────────────────────────────────────

# Every text of a report with its colour and the backgrounds behind it, the nearest first.
TEXTS = """report => {
    const found = [];
    const walker = document.createTreeWalker(report, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode.data.trim();
        const behind = [];
        for (let each = walker.currentNode.parentElement; each; each = each.parentElement)
            behind.push(getComputedStyle(each).backgroundColor);
        if (text) found.push([text, getComputedStyle(walker.currentNode.parentElement).color, behind]);
    }
    return found;
}"""

IS_LIGHT = """light => {
    const red = getComputedStyle(document.querySelector(".jp-Notebook")).backgroundColor.match(/[0-9]+/)[0];
    return (red > 127) === light;
}"""


def channels(code: str) -> list[float]:
    """Red, green and blue from 0 to 1, and how opaque it is."""
    assert re.match(r"rgba?\(", code), code
    *colour, opaque = [*map(float, re.findall(r"[\d.]+", code)), 1.0][:4]
    return [*(part / 255 for part in colour), opaque]


def laid_over(codes: Sequence[str]) -> list[float]:
    """The colour one sees where translucent backgrounds, the nearest first, lie over each other and over white."""
    seen = [1.0, 1.0, 1.0]
    for *colour, opaque in map(channels, reversed(codes)):
        seen = [opaque * over + (1 - opaque) * under for over, under in zip(colour, seen, strict=True)]
    return seen


def luminance(colour: Sequence[float]) -> float:
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(ink: str, behind: Sequence[str]) -> float:
    """The contrast ratio of WCAG 2.2, from 1 to 21."""
    dark, light = sorted([luminance(laid_over([ink, *behind])), luminance(laid_over(behind))])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_word_can_be_read(notebook: Notebook, unscaled: tuple[str, str], theme: str, tmp_path: Path) -> None:
    """In JupyterLab's light and dark theme every text has a contrast of 4.5 or more (WCAG 2.2, 1.4.3)."""
    notebook.page.emulate_media(color_scheme=theme)
    notebook.page.wait_for_function(IS_LIGHT, arg=theme == "light")
    report = notebook.report("attention")
    report.screenshot(path=tmp_path / f"{theme}.png")
    texts = report.evaluate(TEXTS)
    assert len(texts) > 200
    assert [(text, ink, behind) for text, ink, behind in texts if contrast(ink, behind) < 4.5] == []


def test_code_is_in_one_box_with_its_lines_whole(notebook: Notebook, unscaled: tuple[str, str]) -> None:
    """Code to paste has the background of its box and no line broken; it scrolls there, and widens nothing."""
    report = notebook.report("attention")
    for code in report.locator("pre code").all():
        ink, space = code.evaluate("one => [getComputedStyle(one).backgroundColor, getComputedStyle(one).whiteSpace]")
        assert (channels(ink)[3], space) == (0, "pre")
    assert report.locator("pre").count() >= 5
    assert report.evaluate("one => one.scrollWidth <= one.clientWidth")
