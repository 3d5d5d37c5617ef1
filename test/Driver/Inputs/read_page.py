"""Reads a page of qcc explain as a browser does: what it loads, and the data in it."""

import html.parser
import json
import sys


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.loads, self.data, self.in_data = [], "", False

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.loads += [value for name, value in attributes.items() if name in ("src", "href")]
        self.in_data = tag == "script" and attributes.get("id") == "data"

    def handle_endtag(self, tag):
        self.in_data = False

    def handle_data(self, data):
        if self.in_data:
            self.data += data


text = open(sys.argv[1], encoding="utf-8").read()
page = Page()
page.feed(text)
remote = [word for word in ("@import", "url(", "fetch(", "https://") if word in text]
print("the page loads nothing" if not page.loads and not remote else f"the page loads {page.loads} {remote}")
data = json.loads(page.data)
report = json.load(open(sys.argv[2], encoding="utf-8"))
print("the report is what --json prints" if data["report"] == report else "the report is another one")
profile = data.get("profile")
print("a profile of " + profile["entry"] + ": " + ", ".join(step["name"] for step in profile["steps"])
      if profile else "no profile")
