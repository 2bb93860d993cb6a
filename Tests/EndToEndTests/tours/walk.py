"""Checks of a walk on any page: chart, track and downloads."""
import re
import time

from selenium.webdriver.common.keys import Keys

from tours.browser import DESK, PHONE, Failed
from tours.tour import Tour

RANGE = "canvas.wave + .row p"
WHOLE = "canvas.wave + .row button"


def seconds_of(clock):
    """Return a time such as 1:02.50 in seconds."""
    minutes, seconds = clock.split(":")[-2:]
    return 60 * int(minutes) + float(seconds)


class WalkTour(Tour):
    """A tour that includes the view of a walk."""

    def newest_session(self):
        """Return the newest session in the gateway's response."""
        return self.ask("sessions/" + self.ask("sessions?newest=1")[-1]["session"])

    def open_walk(self, place=0):
        """Open a walk from the list by keyboard."""
        self.look(DESK)
        self.go("walks")
        self.wait("the list", lambda: self.count("a.walk") > place)
        self.js("document.querySelectorAll('a.walk')[arguments[0]].focus()", place)
        self.keys(Keys.ENTER)
        self.wait("the chart", lambda: self.find("canvas.wave"))
        # By default, Chromium records only 250 requests.
        self.js("performance.setResourceTimingBufferSize(100000)")

    def shows(self, *texts):
        """Check that the view contains these texts."""
        shown = self.text()
        missing = [text for text in texts if text not in shown]
        return not missing or missing

    def envelopes(self):
        """Return the number of responses that the chart has received."""
        return self.js("""return performance.getEntriesByType('resource')
          .filter((one) => one.name.includes('/envelope?') && one.responseEnd > 0).length""")

    def chart_keys(self):
        self.look(DESK)
        self.tab_to("canvas.wave")
        shown = lambda: self.text(RANGE)
        whole = shown()
        end = seconds_of(whole.split()[-1])
        is_at_end = lambda: abs(seconds_of(shown().split()[-1]) - end) < 1
        for keys, holds in (("++", None), (Keys.ARROW_RIGHT, None),
                            (Keys.HOME, lambda: re.match(r"0:00(\.00)? to", shown())),
                            (Keys.END, is_at_end), ("0", lambda: shown() == whole)):
            before, asked = shown(), self.envelopes()
            self.keys(keys)
            self.wait(f"the chart after {keys!r}", lambda: shown() != before
                      and (holds is None or holds()) and self.envelopes() > asked)
        # At the highest magnification, only a few samples are visible, joined by a line.
        self.keys("+" * 30)
        self.moved = time.monotonic()
        self.wait("a line through single samples", lambda: self.line_share() > 0.6 or self.leave_gap())
        self.keys("0")
        self.wait("the whole walk", lambda: shown() == whole)

    def leave_gap(self):
        """Move the chart by half a second if it shows only a gap, or if no line has appeared on it for ten seconds."""
        if "Hatched" not in self.text() and time.monotonic() < self.moved + 10:
            return
        self.moved = time.monotonic()
        asked = self.envelopes()
        self.keys("-" * 8, Keys.ARROW_RIGHT * 5, "+" * 8)
        self.wait("another part of the chart", lambda: self.envelopes() > asked)

    def line_share(self):
        """Return the share of the chart's width that the line of the first axis covers."""
        return self.js("""const canvas = document.querySelector('canvas.wave');
          const probe = document.body.appendChild(document.createElement('i'));
          probe.style.color = palette().axes[0];
          const colour = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
          probe.remove();
          const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          const columns = new Set();
          for (let at = 0; at < data.length; at += 4) {
            const isLine = data[at + 3] > 128 && colour.every((part, k) => Math.abs(data[at + k] - part) < 40);
            if (isLine) columns.add(at / 4 % width);
          }
          return columns.size / width""")

    def chart_touch(self):
        self.look(PHONE)
        shown = lambda: self.text(RANGE)
        whole = shown()
        self.js("document.querySelector('canvas.wave').scrollIntoView({block: 'center'})")
        x, y = self.js("""const box = document.querySelector('canvas.wave').getBoundingClientRect();
          return [box.left + box.width / 2, box.top + 120]""")
        before, asked = shown(), self.envelopes()
        self.touch("touchStart", (x - 30, y), (x + 30, y))
        for step in range(1, 8):
            self.touch("touchMove", (x - 30 - 10 * step, y), (x + 30 + 10 * step, y))
        self.touch("touchEnd")
        self.wait("a pinched chart", lambda: shown() != before and self.envelopes() > asked)
        before = shown()
        self.touch("touchStart", (x, y))
        for step in range(1, 8):
            self.touch("touchMove", (x - 12 * step, y))
        self.touch("touchEnd")
        self.wait("a dragged chart", lambda: shown() != before)
        # The browser treats a tap immediately after a drag as part of the drag.
        self.wait("the whole walk", lambda: self.tap(WHOLE, "All") or shown() == whole)

    def downloads(self):
        """Download the walk in every format."""
        self.unfold()
        find = "return [...document.querySelectorAll('a[download]')].map((one) => one.href)"
        links = self.wait("the files", lambda: self.js(find))
        for link in links:
            status, kind, size = self.later("""const [link, done] = arguments;
              fetch(link).then(async (answer) => done([answer.status, answer.headers.get('Content-Disposition'),
                (await answer.arrayBuffer()).byteLength])).catch((error) => done([0, String(error), 0]))""", link)
            if status != 200 or not kind.startswith("attachment") or size < 500:
                raise Failed(f"{link} returned {status}, {kind}, {size} bytes")
        return len(links) == 6 or links

    def draws_track_on_grid(self):
        """Check that the track is drawn on the map with a grid. When magnified, a few metres are visible."""
        for _ in range(2):
            self.tap(".map .zoom button", "+")
        self.wait("the track on a grid", lambda: self.pixels(".map > canvas", "track") > 50)

    def pixels(self, selector, colour, middle=None):
        """Count the pixels of a canvas, or of a square in its middle, with a colour of the page's palette."""
        return self.js("""const [selector, name, middle] = arguments;
          const probe = document.body.appendChild(document.createElement('i'));
          probe.style.color = palette()[name];
          const [r, g, b] = getComputedStyle(probe).color.match(/[\\d.]+/g).map(Number);
          probe.remove();
          const canvas = document.querySelector(selector);
          const [width, height] = middle ? [middle, middle] : [canvas.width, canvas.height];
          const [left, top] = [(canvas.width - width) / 2, (canvas.height - height) / 2].map(Math.round);
          const { data } = canvas.getContext('2d').getImageData(left, top, width, height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4) {
            if (data[at] === r && data[at + 1] === g && data[at + 2] === b && data[at + 3] === 255) count += 1;
          }
          return count""", selector, colour, middle)
