"""Pages and tables in HTML, as tests read them."""

from html.parser import HTMLParser


class BalancedPage(HTMLParser):
    """The number of tags and the text of every cell; every tag that is opened is closed, in order."""

    EMPTY = frozenset(("meta", "br"))

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags = 0
        self.open: list[str] = []
        self.cells: list[str] = []
        self.feed(html)
        assert not self.open

    def handle_starttag(self, tag: str, attrs) -> None:
        self.tags += 1
        if tag not in self.EMPTY:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.cells[-1] += data
