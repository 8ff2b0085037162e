"""Docstrings: what a function does, and what is said of its parameters (as Google, NumPy and reST write them)."""

import re

HEADING = re.compile(r"^(Args|Arguments|Parameters|Params|Returns?|Raises|Yields|Examples?)\s*:?\s*$")
PARAMETERS = re.compile(r"^(Args|Arguments|Parameters|Params)\s*:?\s*$")
FIELD = re.compile(r"^:(\w+)([^:]*):\s*(.*)$")
ENTRY = re.compile(r"^\*{0,2}(\w+)\s*(\([^)]*\))?\s*:\s*(.*)$")
NUMPY_ENTRY = re.compile(r"^\*{0,2}(\w+(?:\s*,\s*\w+)*)\s*(:.*)?$")


def first_paragraph(text):
    """In one line."""
    paragraph = re.split(r"\n\s*\n", text.strip())[0]
    lines = []
    for line in paragraph.splitlines():
        if HEADING.match(line) or FIELD.match(line.strip()):
            break
        lines.append(line.strip())
    return " ".join(lines)


def parameter_texts(docstring):
    """Texts by parameter, in the ways of Google, NumPy and reST."""
    lines = docstring.expandtabs().splitlines()
    texts = {}
    field_texts(lines, texts)
    for index, line in enumerate(lines):
        if not PARAMETERS.match(line.strip()) or indent_of(line) > 0:
            continue
        if index + 1 < len(lines) and re.match(r"^\s*-{3,}\s*$", lines[index + 1]):
            numpy_texts(lines[index + 2 :], texts)
        else:
            google_texts(lines[index + 1 :], texts)
    return {name: " ".join(part for part in parts if part) for name, parts in texts.items()}


def field_texts(lines, texts):
    name = None
    for line in lines:
        field = FIELD.match(line.strip())
        if field:
            kind, words, text = field.groups()
            name = words.split()[-1] if kind in ("param", "parameter", "arg", "argument", "key") and words.split() else None
            if name:
                texts[name] = [text]
        elif name and line.strip() and not HEADING.match(line.strip()):
            texts[name].append(line.strip())
        else:
            name = None


def google_texts(lines, texts):
    name, depth = None, None
    for line in lines:
        if not line.strip():
            continue
        if indent_of(line) == 0:
            return
        depth = indent_of(line) if depth is None else depth
        entry = ENTRY.match(line.strip()) if indent_of(line) <= depth else None
        if entry:
            name = entry.group(1)
            texts[name] = [entry.group(3)]
        elif name:
            texts[name].append(line.strip())


def numpy_texts(lines, texts):
    names = []
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else ""
        if indent_of(line) == 0 and (HEADING.match(line.strip()) or re.match(r"^\s*-{3,}\s*$", following)):
            return
        if not line.strip():
            continue
        entry = NUMPY_ENTRY.match(line.strip()) if indent_of(line) == 0 else None
        if entry:
            names = [each.strip() for each in entry.group(1).split(",")]
            for name in names:
                texts[name] = []
        else:
            for name in names:
                texts[name].append(line.strip())


def indent_of(line):
    return len(line) - len(line.lstrip())
