"""Python functions as tasks: lists them without importing their file, and runs one.

    python3 tasks.py list    files as a JSON list on standard input; JSON about each on standard output
    python3 tasks.py run     {"file", "line", "function", "inputs", "result"} on standard input; the outcome on standard output

Needs Python 3.8 and nothing else. What a task prints goes to standard error: standard output holds the outcome alone.
"""

import ast
import importlib.util
import inspect
import json
import os
import pathlib
import sys
import traceback

from scout_signature import Unsupported, form_of, list_file, parameters


class BadResult(Exception):
    """The function returned what cannot be stored. Said without a traceback: the function itself went well."""


def run(request):
    """Calls the function; its value as bytes, as it is to be stored."""
    file, name = request["file"], request["function"]
    with open(file, "rb") as source:
        tree = ast.parse(source.read(), filename=file)
    node = [each for each in tree.body if getattr(each, "name", None) == name][-1]
    forms = {arg.arg: forms_or_none(arg) for arg, _ in parameters(node.args)}
    function = getattr(load(file), name)
    given = {key: convert(value, forms.get(key)) for key, value in request["inputs"].items()}
    value = call(function, given)
    return store(value, request["result"])


def forms_or_none(arg):
    try:
        return form_of(arg.annotation) if arg.annotation else None
    except Unsupported:
        return None


def load(file):
    # Beside the file are the modules that it imports; beside this one is nothing for it.
    if sys.path and os.path.abspath(sys.path[0]) == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]
    sys.path.insert(0, os.path.dirname(file))
    name = os.path.splitext(os.path.basename(file))[0]
    # A file that is called like a module of Python must not take its place.
    name = "task_" + name if name in sys.modules else name
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


NO_INPUTS = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def call(function, given):
    listed = [each for each in inspect.signature(function).parameters.values() if each.kind not in NO_INPUTS]
    # What may be None and has no default is None when nothing was given.
    given.update({each.name: None for each in listed if each.default is each.empty and each.name not in given})
    only_positional = [each.name for each in listed if each.kind is each.POSITIONAL_ONLY and each.name in given]
    value = function(*[given.pop(each) for each in only_positional], **given)
    if inspect.isawaitable(value):
        import asyncio

        async def wait():
            return await value

        value = asyncio.run(wait())
    return list(value) if inspect.isgenerator(value) else value


def convert(value, form):
    """A value of JSON as the type hint says: paths, choices that are no texts, whole numbers for float."""
    if value is None or form is None:
        return value
    if isinstance(value, list):
        made = [convert(each, form.get("element")) for each in value]
        makers = {"tuple": tuple, "Tuple": tuple, "set": set, "Set": set, "frozenset": frozenset, "FrozenSet": frozenset}
        return makers.get(form.get("make"), list)(made)
    if "values" in form:
        return next((choice for choice in form["values"] if str(choice) == value), value)
    if form["type"] == "float" and not isinstance(value, bool):
        return float(value)
    if form["type"] == "path":
        return pathlib.Path(value)
    return value


def store(value, result):
    """Text as it is, bytes as they are, everything else as JSON."""
    if result == "binary":
        return expect(value, bytes)
    if result == "string":
        return expect(value, str).encode("utf-8", "surrogateescape")
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, default=plain).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False, default=plain).encode("ascii")
    except ValueError as error:
        raise BadResult("the result cannot be stored: %s" % error)


def expect(value, kind):
    if isinstance(value, kind):
        return value
    raise BadResult("the result is %s, not %s as its type hint says" % (type(value).__name__, kind.__name__))


def plain(value):
    """What JSON does not know: paths, sets, numbers and arrays of other packages, records."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    for method in ("tolist", "item", "isoformat", "_asdict"):
        if hasattr(value, method):
            return getattr(value, method)()
    if hasattr(value, "__dataclass_fields__"):
        import dataclasses

        return dataclasses.asdict(value)
    raise BadResult("a value of type %s cannot be stored; return text, a number, a list or a dict" % type(value).__name__)


def failure(error, request):
    """What is told of an exception: its last line, and the last place in the files beside the task."""
    file = request["file"]
    if isinstance(error, BadResult):
        print(error, file=sys.stderr)
        return {"message": str(error), "file": file, "line": request["line"]}
    # The first frames are those of this helper.
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    traceback.print_exception(type(error), error, trace)
    folder = os.path.dirname(file) + os.sep
    frames = [(each.filename, each.lineno) for each in traceback.extract_tb(trace) if each.filename.startswith(folder)]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((error.filename, error.lineno or 1))
    place = frames[-1] if frames else (file, request["line"])
    lines = "".join(traceback.format_exception_only(type(error), error)).strip().splitlines()
    own = [line for line in lines if line.split(":")[0].endswith(type(error).__name__)]
    return {"message": own[0] if own else lines[-1], "file": place[0], "line": place[1]}


def answer(out, head, body=b""):
    out.write(json.dumps(head).encode("ascii") + b"\n" + body)
    out.flush()


def main(what):
    # Whatever is printed, also by programs that are started, goes to standard error.
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    request = json.loads(sys.stdin.buffer.read().decode("utf-8"))
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if what == "list":
        answer(out, {file: list_file(file) for file in request})
        return 0
    sys.stdout.reconfigure(line_buffering=True)
    try:
        body = run(request)
    except BaseException as error:  # Also what ends a program: sys.exit is no way to give a result.
        sys.stdout.flush()
        answer(out, {"failed": failure(error, request)})
        return 1
    sys.stdout.flush()
    answer(out, {"length": len(body)}, body)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
