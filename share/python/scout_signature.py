"""Tasks of a Python file from its syntax alone: functions, type hints, defaults, docstrings. Nothing of the file is run."""

import ast

from scout_docstring import first_paragraph, parameter_texts

SCALARS = {
    "int": "integer",
    "float": "float",
    "bool": "boolean",
    "str": "string",
    "Path": "path",
    "PurePath": "path",
    "PathLike": "path",
}
LISTS = {"list", "List", "Sequence", "Iterable", "Collection", "tuple", "Tuple", "set", "Set", "frozenset", "FrozenSet"}
RESULTS = {"str": "string", "int": "integer", "float": "float", "bool": "boolean", "bytes": "binary"}


class Unsupported(Exception):
    """A type that no input can have."""


def list_file(file):
    """The tasks of a file, and what kept some of it from being tasks. Nothing of the file is run."""
    try:
        with open(file, "rb") as source:
            tree = ast.parse(source.read(), filename=file)
    except SyntaxError as error:
        return {"tasks": [], "problems": [{"line": error.lineno or 1, "message": error.msg}]}
    except ValueError as error:
        return {"tasks": [], "problems": [{"line": 1, "message": str(error)}]}
    functions = {}
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and is_task(node):
            # As in Python itself, the last one of a name counts.
            functions[node.name] = node
    tasks, problems = [], []
    for node in functions.values():
        try:
            tasks.append(describe(node))
        except Unsupported as error:
            problems.append({"line": node.lineno, "message": str(error), "task": node.name})
    return {"title": first_paragraph(ast.get_docstring(tree) or ""), "tasks": tasks, "problems": problems}


def is_task(node):
    return not node.name.startswith("_") and bool((ast.get_docstring(node) or "").strip())


def describe(node):
    docstring = ast.get_docstring(node)
    texts = parameter_texts(docstring)
    inputs = [parameter(node, each, texts) for each in parameters(node.args)]
    return {
        "name": node.name,
        "line": node.lineno,
        "description": first_paragraph(docstring),
        "inputs": [each for each in inputs if each is not None],
        "result": result_type(node.returns),
    }


def parameters(args):
    """(argument, default or None) in order; *args and **kwargs are no inputs."""
    positional = args.posonlyargs + args.args
    missing = len(positional) - len(args.defaults)
    pairs = [(arg, args.defaults[index - missing] if index >= missing else None) for index, arg in enumerate(positional)]
    return pairs + list(zip(args.kwonlyargs, args.kw_defaults))


def parameter(node, pair, texts):
    arg, default = pair
    standard, is_known = literal(default)
    if default is not None and (arg.arg.startswith("_") or not (arg.annotation or is_known)):
        # Private, or of a kind that nobody can know: its default stands.
        return None
    try:
        form = form_of(arg.annotation) if arg.annotation else form_of_value(standard)
    except Unsupported as error:
        if default is not None:
            return None
        raise Unsupported('parameter "%s" of "%s" is %s, which cannot be an input' % (arg.arg, node.name, error))
    result = {
        "name": arg.arg,
        "type": form["type"],
        "description": texts.get(arg.arg) or form.get("text", ""),
        "required": default is None and not form.get("optional", False),
    }
    if "values" in form:
        result["values"] = [str(value) for value in form["values"]]
    if is_known and standard is not None:
        result["default"] = texts_of(standard) if "values" in form else standard
    return result


def texts_of(value):
    return [str(each) for each in value] if isinstance(value, list) else str(value)


def literal(node):
    """(value, whether it is known); a path that is made from a text is that text, a set or tuple is a list."""
    if node is None:
        return None, False
    if isinstance(node, ast.Call) and SCALARS.get(last_name(node.func)) == "path" and len(node.args) == 1:
        node = node.args[0]
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None, False
    if isinstance(value, (set, frozenset)):
        value = sorted(value, key=str)
    if isinstance(value, (list, tuple)):
        return list(value), all(isinstance(each, (str, int, float, bool)) for each in value)
    return value, value is None or isinstance(value, (str, int, float, bool))


def form_of_value(value):
    """The type of a parameter that has none, from its default."""
    if isinstance(value, list):
        forms = {form_of_value(each)["type"] for each in value}
        return {"type": (forms.pop() if len(forms) == 1 else "string") + "_array"}
    names = {bool: "boolean", int: "integer", float: "float"}
    return {"type": names.get(type(value), "string")}


def form_of(annotation):
    """Type, choices and optionality of a type hint: {"type", "values"?, "optional"?, "text"?, "make"?}."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return form_of(ast.parse(annotation.value.strip(), mode="eval").body)
        except SyntaxError:
            raise Unsupported(annotation.value)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return union([annotation])
    name = last_name(annotation)
    if name in SCALARS:
        return {"type": SCALARS[name], "make": name}
    if name in LISTS:
        return {"type": "string_array", "make": name}
    if isinstance(annotation, ast.Subscript):
        return subscript(last_name(annotation.value), elements(annotation.slice), annotation)
    raise Unsupported(source_of(annotation))


def subscript(name, inner, annotation):
    if name == "Optional":
        return union(inner + [ast.Constant(None)])
    if name == "Union":
        return union(inner)
    if name == "Annotated":
        form = dict(form_of(inner[0]))
        texts = [each.value for each in inner[1:] if isinstance(each, ast.Constant) and isinstance(each.value, str)]
        return dict(form, text=texts[0]) if texts else form
    if name == "Literal":
        if not all(isinstance(each, ast.Constant) for each in inner):
            raise Unsupported(source_of(annotation))
        values = [each.value for each in inner]
        choices = [value for value in values if value is not None]
        return {"type": "select", "values": choices, "optional": len(choices) < len(values)}
    if name == "PathLike":
        return {"type": "path", "make": "Path"}
    if name in LISTS:
        kinds = [each for each in inner if not (isinstance(each, ast.Constant) and each.value is Ellipsis)]
        forms = [form_of(each) for each in kinds]
        if len({form["type"] for form in forms}) == 1 and not forms[0]["type"].endswith("_array"):
            return dict(forms[0], type=forms[0]["type"] + "_array", make=name, element=forms[0])
    raise Unsupported(source_of(annotation))


def union(parts):
    """One type, possibly with None; of numbers the wider one."""
    flat = [each for part in parts for each in alternatives(part)]
    kinds = [part for part in flat if not is_none(part)]
    forms = [form_of(part) for part in kinds]
    names = {form["type"] for form in forms}
    if len(forms) == 1:
        form = forms[0]
    elif names == {"integer", "float"}:
        form = {"type": "float"}
    elif names == {"string", "path"}:
        form = {"type": "path"}
    else:
        raise Unsupported(" | ".join(source_of(part) for part in kinds))
    return dict(form, optional=len(kinds) < len(flat) or form.get("optional", False))


def alternatives(node):
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return alternatives(node.left) + alternatives(node.right)
    return [node]


def is_none(node):
    return isinstance(node, ast.Constant) and node.value is None


def last_name(node):
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else None


def elements(node):
    # Python 3.8 wraps what stands in brackets.
    node = getattr(node, "value", node) if type(node).__name__ == "Index" else node
    return list(node.elts) if isinstance(node, ast.Tuple) else [node]


def source_of(node):
    if hasattr(ast, "unparse"):
        return ast.unparse(node)
    return last_name(node) or "a type of its own"


def result_type(annotation):
    """How the value is stored: by its type hint, else as JSON, which keeps whatever kind of value it is."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            annotation = ast.parse(annotation.value.strip(), mode="eval").body
        except SyntaxError:
            return "json"
    return RESULTS.get(last_name(annotation), "json") if annotation is not None else "json"
