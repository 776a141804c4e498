"""The worker: the only file of ours that runs beside student code.

It is a program of its own, holding NumPy, `wire` and `confine`, never a suite, a mistake or a path to one.
`warm` waits to be forked, a few milliseconds a worker; `single` serves one worker and ends, where there is no
fork. Either way the student's sources come over the wire as text and are imported from memory.
"""

from __future__ import annotations

import ast
import builtins
import functools
import gc
import importlib
import json
import linecache
import os
import platform
import random
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from itertools import islice
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np
import numpy.ma
import numpy.random

from grader.worker import confine, surroundings, wire
from grader.worker.answer import classify, left_of, raised
from grader.worker.output import Output
from grader.worker.scratch import remove
from grader.worker.surroundings import Surroundings
from grader.worker.witness import Witness

OURS = {"grader", "landlockpy", "seccompy"}
PACKAGE = "exercises"
FUTURE = ~0xFFFF  # the bits of co_flags that `from __future__` sets
NO_FILE = "<grader>"  # where a traceback, a warning or `inspect` finds our code: a word that nothing tries to open


# ── the student's modules, imported from memory ────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Source:
    """A module's text, as it came over the wire."""

    name: str
    file: str
    text: str
    statements: bool = False
    problem: str = ""


@dataclass(slots=True)
class Peer:
    """Another exercise: the function it is about, the module that defines it here, and the reference's source."""

    module: str
    function: str
    located: str
    reference: str


class Importer:
    """Finds a submission's modules as `softmax`, `exercises.softmax` and `.softmax`: one module, three names.

    `borrow` says what stands in for the other exercises: "" leaves the submission as it is, "names" binds the
    reference's functions to the names a module has, "modules" puts the reference's whole modules in.
    """

    def __init__(self, sources: list[Source], peers: list[Peer], main: str, borrow: str) -> None:
        self.sources = {source.name.removesuffix(".__init__"): source for source in sources}
        self.packages = {parent for source in sources for parent in _parents(source.name)}
        self.files = {source.file for source in sources}
        self.peers = {peer.module: peer for peer in peers if peer.reference}
        self.lent = {peer.module: compile(peer.reference, "", "exec", dont_inherit=True, optimize=2) for peer in peers}
        for peer in peers:
            peer.reference = ""  # only code is kept: what a student prints of us should teach nothing
        self.located = {peer.module: peer.located for peer in peers if peer.located}
        self.borrow = borrow
        self.asked: set[str] = set()
        self.given: list[str] = []  # names under which `sys.modules` has what was found here
        self.specs: dict[str, ModuleSpec] = {}
        self.references: dict[str, dict[str, Any]] = {}
        self.problems: list[dict[str, Any]] = []
        self.say: Callable[[int], None] = _nothing  # told the number of each statement of a notebook before it runs
        self.main = main
        for peer in self.peers.values():
            if not peer.located or (borrow == "modules" and peer.located != main):
                self.sources[peer.module] = Source(peer.module, "", "")

    def find_spec(self, fullname: str, *_: object) -> ModuleSpec | None:
        """The module finder's side of the import protocol."""
        name = "" if fullname == PACKAGE else fullname.removeprefix(PACKAGE + ".")
        self.asked.add(name)
        if name and name not in self.sources and name not in self.packages and name not in self.located:
            return None
        self.given.append(fullname)
        return ModuleSpec(fullname, self, is_package=not name or name in self.packages)  # type: ignore[arg-type]

    def forget(self) -> None:
        """Let go of all that was imported from here, as if it had never been."""
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        for name in self.given:
            sys.modules.pop(name, None)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """The very module that already exists, where `spec` is another name of it."""
        name = self._canonical(spec.name)
        if name != spec.name:
            return importlib.import_module(name)
        self.specs[name] = spec
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Run a module's source. What fails is noted; what was defined by then stays."""
        assert module.__spec__ is not None
        name = self._canonical(module.__spec__.name)
        if name != module.__spec__.name:
            module.__spec__ = self.specs[name]
            return
        key = name.removeprefix(PACKAGE + ".")
        source = self.sources.get("__init__" if name == PACKAGE else key)
        if source is None:
            if key in self.located:
                vars(module)["__getattr__"] = self._found_inside(module, key)
            return
        if source.file:
            self._run(source, module.__dict__)
            self._bind(source.name, module.__dict__)
        else:
            module.__dict__.update(self._reference(self.peers[source.name]))

    def _canonical(self, fullname: str) -> str:
        """The one name under which a module is kept. An exercise that lies elsewhere is the module it lies in."""
        if fullname == PACKAGE:
            return fullname
        name = fullname.removeprefix(PACKAGE + ".")
        if name not in self.sources and name not in self.packages and name in self.located:
            if self.located[name] == self.main and name in self.peers and not self._has_by_now(self.peers[name]):
                self.sources[name] = Source(name, "", "")  # asked for before it is defined there: the reference's
            else:
                name = self.located[name]
        return f"{PACKAGE}.{name}"

    def _found_inside(self, package: ModuleType, name: str) -> Any:
        """An exercise in a folder of its own name: `from exercises.softmax import softmax` means the function in it."""

        def lookup(attribute: str) -> Any:
            located = importlib.import_module(f"{PACKAGE}.{self.located[name]}")
            if attribute not in vars(located):
                raise AttributeError(attribute)
            setattr(package, attribute, vars(located)[attribute])
            return vars(located)[attribute]

        return lookup

    def _has_by_now(self, peer: Peer) -> bool:
        main = sys.modules.get(f"{PACKAGE}.{self.main}")
        return main is not None and callable(vars(main).get(peer.function))

    def _run(self, source: Source, namespace: dict[str, Any]) -> None:
        lines = [line + "\n" for line in source.text.split("\n")]
        linecache.cache[source.file] = (len(source.text), None, lines, source.file)
        flags = 0
        namespace["__file__"] = source.file
        if source.statements:  # names that a notebook has beside those of Python
            namespace.update(_=None, __=None, ___=None, In=[], Out={}, display=_nothing)
        for number, piece in enumerate(_pieces(source)):
            if source.statements:
                self.say(number)
            try:
                code = compile(piece, source.file, "exec", flags, dont_inherit=True)
                flags |= code.co_flags & FUTURE
                exec(code, namespace)
            except BaseException as error:  # SystemExit too: what was defined by then is graded
                self.problems.append(raised(error, self.files) | {"module": source.name})

    def _bind(self, module: str, namespace: dict[str, Any]) -> None:
        """Borrowed functions replace names that are there; a name that is missing stays so, but in its own module.

        So it does in a notebook, whose cells are what modules are elsewhere: a cell that is gone, or does not parse,
        costs its own exercise alone.
        """
        if not self.borrow:
            return
        for peer in self.peers.values():
            held = namespace.get(peer.function)
            missing = held is None and self.sources[module].statements  # a notebook is all of a learner's modules
            if module == peer.module or missing or (held is not None and not isinstance(held, ModuleType)):
                namespace.update(self._reference(peer))

    def _reference(self, peer: Peer) -> dict[str, Any]:
        """The reference's function by its name, run once."""
        if peer.module not in self.references:
            namespace: dict[str, Any] = {"__name__": f"{PACKAGE}.{peer.module}"}
            exec(self.lent[peer.module], namespace)
            self.references[peer.module] = {peer.function: _quiet(namespace[peer.function])}
        return self.references[peer.module]


def _quiet(function: Any) -> Any:
    """The function without NumPy's warnings: they would be shown as the student's own."""

    def quiet(*args: Any, **named: Any) -> Any:
        with np.errstate(all="ignore"):
            return function(*args, **named)

    return functools.update_wrapper(quiet, function)


def _parents(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:end]) for end in range(1, len(parts)))


def _pieces(source: Source) -> list[Any]:
    """What is run one after the other: a file whole, a notebook statement by statement."""
    if source.problem:
        return [f"raise SyntaxError({source.problem!r})"]
    if not source.statements:
        return [source.text]
    return [ast.Module([statement], []) for statement in ast.parse(source.text, source.file).body]


# ── serving ────────────────────────────────────────────────────────────────────────────────────────


class Server:
    """Loads a submission for one exercise, answers calls, and goes on to the next, until the other side is gone."""

    def __init__(self, channel: socket.socket, witness: Witness) -> None:
        self.channel = channel
        self.witness = witness
        self.output = Output()
        self.function: Any = None
        self.importer = Importer([], [], "", "")
        self.surroundings = Surroundings()

    def serve(self) -> None:
        """Answer every question with the token that came with it: what is to be loaded, or calls, one by one."""
        receive = wire.receive_exactly(self.channel)
        while True:
            header, body = wire.read(receive, trusted=True)
            if header["ask"] == "load":
                self.answer(header["token"], *self.load(header))
            else:
                given = iter(wire.arrays([array for call in header["calls"] for array in call["arrays"]], body))
                for call in header["calls"]:
                    self.answer(call["token"], *self.call(call, list(islice(given, len(call["arrays"])))))

    def answer(self, token: str, answer: dict[str, Any], arrays: list[Any]) -> None:
        """Send what came of one question, and what was printed and tried on the way."""
        seen = {"output": self.output.take(), "tried": self.witness.take()}
        self.send(answer | {"token": token, **seen}, arrays)

    def send(self, header: dict[str, Any], arrays: list[Any]) -> None:
        """Send one frame."""
        self.channel.sendall(wire.encode(header, arrays))

    def load(self, header: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
        """Import the submission and look up the function, where nothing is left of what was imported before."""
        self.importer.forget()
        if self.importer.given and not self.surroundings.are_as_before():
            return {"answer": "worn"}, []
        vars(sys).update(stdout=self.output, stderr=self.output, __stdout__=self.output, __stderr__=self.output)
        random.seed(0)  # here and not before the fork, after which Python would seed it anew
        np.random.seed(0)
        sources = [Source(**source) for source in header["sources"]]
        peers = [Peer(**peer) for peer in header["peers"]]
        self.importer = Importer(sources, peers, header["main"], header["borrow"])
        self.importer.say = lambda number: self.send({"answer": "at", "at": number, "token": header["token"]}, [])
        sys.meta_path.insert(0, self.importer)
        module = importlib.import_module(f"{PACKAGE}.{header['main']}")
        self.function = vars(module).get(header["function"])
        names = [peer.function for peer in peers if peer.function in vars(module) or peer.module in self.importer.asked]
        return {
            "answer": "loaded",
            "callable": callable(self.function),
            "names": names,
            "problems": self.importer.problems[:20],
        }, []

    def call(self, header: dict[str, Any], arrays: list[Any]) -> tuple[dict[str, Any], list[Any]]:
        """Call the function; the answer carries what it returned or raised and what it left in its arguments."""
        given = iter(arrays)
        args = [next(given) if value is None else value for value in header["args"]]
        named = {name: next(given) if value is None else value for name, value in header["named"].items()}
        try:
            answer, results = classify(self.function(*args, **named))
        except BaseException as error:
            answer, results = {"answer": "raised", **raised(error, self.importer.files)}, []
        left = [left_of(argument) for argument in arrays]
        return answer | {"left": [wire.describe(argument) for argument in left]}, [*results, *left]


def start(channel: socket.socket, prepared: confine.Prepared, rules: Any, bounds: confine.Bounds) -> None:
    """Confine this process, say hello, and serve until the channel closes. Never returns."""
    try:
        took_hold = confine.apply(prepared, rules, bounds, channel.fileno())
        witness = Witness(prepared.library, bounds.scratch)
        server = Server(channel, witness)
        hello = {"isolation": took_hold, "python": platform.python_version(), "numpy": np.__version__}
        server.send(hello, [])
        witness.watch()
        server.serve()
    except (EOFError, OSError, wire.WireError):
        pass
    finally:
        os._exit(0)


def forget_the_way_here() -> None:
    """Leave nothing of the grader behind but this code: no path, no module, no environment; the same dice for all."""
    for name in [name for name in sys.modules if name.partition(".")[0] in OURS]:
        vars(sys.modules.pop(name)).update(dict.fromkeys(("__file__", "__cached__", "__loader__", "__spec__")))
    sys.path[:] = [entry for entry in sys.path if entry not in sys.argv[4:]]
    del sys.argv[1:]
    os.environ.clear()
    vars(builtins).update(exit=sys.exit, quit=sys.exit, help=_nothing)  # what `site` would have given
    sys.orig_argv.clear()


def _nothing(*_: object, **__: object) -> None:
    """Stand in for what only shows something to a person."""


def warm(control: socket.socket, prepared: confine.Prepared) -> None:
    """Fork a worker for every channel that is handed over, and wait for each that is said to be over.

    Where the grader is gone without a word, its workers are ended. Raises OSError where none can be forked.
    """
    living: set[int] = set()
    while heard := _heard(control):
        answer = json.dumps(_answered(control, prepared, *heard, living)).encode()
        with suppress(OSError):  # it may be gone before it has its answer
            control.send(answer)
    for pid in living:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _heard(control: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """The next request, and the channel that came with it; None where the grader is gone."""
    with suppress(OSError):
        message, descriptors, _, _ = socket.recv_fds(control, 4_096, 1)
        return (json.loads(message), descriptors) if message else None
    return None


def _answered(
    control: socket.socket,
    prepared: confine.Prepared,
    request: dict[str, Any],
    descriptors: list[int],
    living: set[int],
) -> int:
    """The process id of a new worker, or how one of the living ended."""
    if descriptors:
        pid = fork(control, descriptors[0], prepared, confine.Bounds(**request))
        living.add(pid)
        return pid
    living.discard(request["wait"])
    return os.waitpid(request["wait"], 0)[1]


def fork(control: socket.socket, descriptor: int, prepared: confine.Prepared, bounds: confine.Bounds) -> int:
    """Fork one worker that serves `descriptor`; its process id, in the parent."""
    rules = confine.rules_for(prepared, bounds)
    pid = os.fork()
    if pid == 0:
        control.close()
        start(socket.socket(fileno=descriptor), prepared, rules, bounds)
    os.close(descriptor)
    if rules is not None:
        rules.close()
    return pid


def main() -> None:
    """`warm FD SCRATCH` or `single FD SCRATCH`, then the folders that were put on the path to get here."""
    mode, descriptor, scratch = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    prepared = confine.prepare(scratch)
    forget_the_way_here()
    surroundings.before()  # of all workers, once
    gc.freeze()  # or the first collection in every worker would copy all that is shared with the warm parent
    channel = socket.socket(fileno=descriptor)
    if mode == "warm":
        warm(channel, prepared)
        remove(scratch)
    else:
        bounds = confine.Bounds(**json.loads(channel.recv(4_096)))
        start(channel, prepared, confine.rules_for(prepared, bounds), bounds)


# ── what a student's tracebacks show of us ─────────────────────────────────────────────────────────


def _without_file(code: CodeType) -> CodeType:
    inner = tuple(_without_file(each) if isinstance(each, CodeType) else each for each in code.co_consts)
    return code.replace(co_filename=NO_FILE, co_consts=inner)


def _forget_our_files() -> None:
    """Put that word in place of each function's file; here, since what runs already keeps the code it began with."""
    for found in gc.get_objects():
        if type(found) is FunctionType and str(found.__module__).partition(".")[0] in OURS:
            found.__code__ = _without_file(found.__code__)


_forget_our_files()
