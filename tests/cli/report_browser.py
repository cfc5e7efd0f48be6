# SPDX-License-Identifier: Apache-2.0
"""Opens a report in Chromium, moves the mouse over its panes and prints what happened as JSON: requests for
anything but the page, errors of its script, the lines that light up, the variants that a click shows. Exit
status 77 where Chromium or Python's websockets are not here.
Usage: report_browser.py REPORT.html PROFILE-FOLDER"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request

chromium = shutil.which("chromium")
try:
    from websockets.sync.client import connect
except ImportError:
    chromium = None
if not chromium:
    sys.exit(77)


class Page:
    def __init__(self, address):
        self.socket = connect(address, max_size=None)
        self.count = 0
        self.events = []

    def call(self, method, **parameters):
        self.count += 1
        self.socket.send(json.dumps({"id": self.count, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=60))
            if message.get("id") == self.count:
                return message.get("result", {})
            self.events.append(message)

    def value(self, expression):
        return self.call("Runtime.evaluate", expression=expression, returnByValue=True)["result"].get("value")

    def mouse(self, kind, selector, number):
        place = self.value(
            f"(() => {{ const e = document.querySelectorAll({selector!r})[{number}];"
            " e.scrollIntoView({block: 'center'}); const r = e.getBoundingClientRect();"
            " return [r.left + Math.min(r.width, 60) / 2, r.top + r.height / 2]; })()"
        )
        button = "none" if kind == "mouseMoved" else "left"
        self.call("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button=button, clickCount=1)


def opened(profile):
    browser = subprocess.Popen(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
         f"--user-data-dir={profile}", "about:blank"],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    for line in browser.stderr:
        found = re.search(r"DevTools listening on ws://([^/]+)/", line)
        if found:
            return browser, found.group(1)
    sys.exit("Chromium does not start")


browser, host = opened(sys.argv[2])
try:
    with urllib.request.urlopen(f"http://{host}/json/list") as answer:
        target = next(each for each in json.load(answer) if each["type"] == "page")
    page = Page(target["webSocketDebuggerUrl"])
    for domain in ("Network", "Page", "Runtime"):
        page.call(domain + ".enable")
    begin = time.monotonic()
    page.call("Page.navigate", url=pathlib.Path(sys.argv[1]).resolve().as_uri())
    while page.value("document.body && document.body.dataset.ready") != "yes":
        if time.monotonic() - begin > 30:
            sys.exit("the page does not get ready")
        time.sleep(0.02)
    seconds = time.monotonic() - begin
    lit = "[...document.querySelectorAll('%s .lit')].map(e => e.textContent.trim())"
    row = page.value(
        "[...document.querySelectorAll('#loops tr')].findIndex(r => r.textContent.startsWith('k'))"
    )
    page.mouse("mouseMoved", "#loops tr", row)
    from_row = {"nest": page.value(lit % "#nest"), "code": page.value(lit % "#code")}
    line = page.value(
        "[...document.querySelectorAll('#nest div')].findIndex(d => /for i/.test(d.textContent))"
    )
    page.mouse("mouseMoved", "#nest div", line)
    from_line = {"code": len(page.value(lit % "#code")), "loops": page.value(lit % "#loops")}
    before = page.value("document.querySelector('#history .chosen').textContent")
    page.mouse("mousePressed", "#history tbody tr", 0)
    page.mouse("mouseReleased", "#history tbody tr", 0)
    after = page.value("document.querySelector('#history .chosen').textContent")
    told = [(e.get("method"), e.get("params")) for e in page.events]
    requests = [what["request"]["url"] for method, what in told if method == "Network.requestWillBeSent"]
    errors = [what for method, what in told if method == "Runtime.exceptionThrown"]
    print(json.dumps({"seconds": seconds, "requests": requests[1:], "errors": errors, "fromRow": from_row,
                      "fromLine": from_line, "before": before, "after": after}))
finally:
    browser.terminate()
    browser.wait()
