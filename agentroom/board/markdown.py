"""The one renderer of people's and agents' Markdown, and the only module that may call its result safe HTML.

Two fences: the parser knows no raw HTML and no images, and whatever comes out passes an allow list.
"""

from __future__ import annotations

from functools import lru_cache

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

TAGS = {
    "a", "blockquote", "br", "code", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s",
    "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
ATTRIBUTES: dict[str, set[str]] = {"*": set(), "a": {"href"}, "ol": {"start"}}
SCHEMES = {"http", "https", "mailto"}
LINKS = "noopener nofollow ugc"

# Parsing takes longest for text made of marks; nobody writes so many of them by hand.
MARKS = "*_[`~|<"
MOST_MARKS = 1500

_parser = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable(["table", "strikethrough"])
_parser.disable(["image", "html_inline", "html_block"])


@lru_cache(maxsize=1024)
def rendered(text: str) -> SafeString:
    """`text` as inert HTML; text that is mostly marks is shown as it stands."""
    if sum(text.count(mark) for mark in MARKS) > MOST_MARKS:
        return mark_safe(f'<p class="verbatim">{escape(text)}</p>')  # noqa: S308 - escaped right here
    html = nh3.clean(_parser.render(text), tags=TAGS, attributes=ATTRIBUTES, url_schemes=SCHEMES, link_rel=LINKS)
    return mark_safe(html)  # noqa: S308 - cleaned on the line above
