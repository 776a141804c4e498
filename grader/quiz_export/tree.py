"""XML: elements with their text, and documents."""

from __future__ import annotations

import xml.etree.ElementTree as ET

from grader.quiz_export.markup import legible


def child(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    """A new last child of `parent`. Whatever the text and attributes hold, the document stays well-formed."""
    made = ET.SubElement(parent, tag, {name: legible(value) for name, value in attributes.items()})
    made.text = legible(text) or None
    return made


def document(root: ET.Element) -> bytes:
    """The document in UTF-8, indented; text is never touched by the indenting."""
    ET.indent(root)
    return bytes(ET.tostring(root, encoding="utf-8", xml_declaration=True)) + b"\n"
