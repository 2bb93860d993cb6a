"""A tour of the page: its own checks, and the checks common to all tours."""
import pathlib
import re

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.keys import Keys

from tours.browser import DESK, NARROW, PHONE, Browser, Failed

CONTRAST = pathlib.Path(__file__).with_name("contrast.js").read_text()

# Elements that extend beyond the screen, measured once canvases and elements have their new sizes.
OVERFLOW = """const done = arguments[0];
  const isOutside = (one) => one.checkVisibility() && !one.closest('.leaflet-container') && one.getBoundingClientRect().right > innerWidth + 1;
  requestAnimationFrame(() => requestAnimationFrame(() => done([
    document.documentElement.scrollWidth - innerWidth,
    [...document.querySelectorAll('main *')].filter(isOutside).map((one) => one.outerHTML.slice(0, 60))])))"""


class Tour(Browser):
    """A browser that takes a tour of a page, and counts its checks."""

    # Errors that a tour provokes: Chromium logs each unsuccessful response.
    provoked = r"\A\Z"

    def __init__(self, url):
        super().__init__(url)
        self.passed = self.failed = 0

    def check(self, name, body):
        """Run part of the tour and print the result. A check returns `None` or `True` on success, and
        otherwise the value found instead."""
        try:
            outcome = body()
            problem = None if outcome in (None, True) else f"found {outcome!r}"
        except (Failed, WebDriverException) as error:
            self.network()
            problem = f"{error}; the page shows:\n{self.text('body')[:1500]}"
        self.passed += problem is None
        self.failed += problem is not None
        if self.failed:
            self.patience = 10  # The checks after a failure seldom pass.
        print(f"ok    {name}" if problem is None else f"FAIL  {name}: {problem}", flush=True)

    def run(self, pin):
        """Run all checks."""
        self.check("pairing by keyboard", lambda: self.pair(pin))
        if not self.failed:
            self.visit()
        self.check("nothing comes from elsewhere", self.nothing_from_elsewhere)
        self.check("the browser has no complaint", self.no_complaints)

    def visit(self):
        """The checks that run after pairing and before the logs are read."""
        raise NotImplementedError

    def pair(self, pin):
        self.look(DESK)
        self.driver.get(self.url)
        # The PIN field has the focus, so six digits and Enter suffice.
        self.wait("the form", lambda: self.js("return document.activeElement.matches('input.pin')"))
        self.keys(pin, Keys.ENTER)
        self.wait("a view", lambda: self.find("nav a"))

    def views(self):
        """Return the views in the navigation."""
        return self.js("""return [...document.querySelectorAll('nav a')]
          .filter((one) => one.checkVisibility()).map((one) => one.hash.slice(1))""")

    def fits_everywhere(self, *views):
        """Check each view on each screen: its text is readable, and nothing is wider than the screen."""
        for view in views:
            self.go(view)
            self.check(f"{view}: contrast, and nothing is too wide", self.stays_within)

    def stays_within(self):
        wrong = []
        for size in (NARROW, PHONE, DESK):
            for theme in ("light", "dark"):
                self.look(size, theme)
                over, outside = self.later(OVERFLOW)
                pale = self.js(CONTRAST)
                if over > 0 or outside or pale:
                    wrong.append(f"{size[0]} px, {theme}: {over} px too wide, outside {outside[:3]}, pale {pale[:5]}")
        self.look(PHONE)
        return wrong or True

    def views_by_keyboard(self):
        self.look(DESK)
        for view in [*self.views()[1:], self.views()[0]]:
            self.js("document.activeElement.blur()")
            self.tab_to(f"nav a[href='#{view}']")
            self.keys(Keys.ENTER)
            self.wait(f"the view {view}", lambda: self.find(f"nav a[href='#{view}'][aria-current]"))

    def forget(self):
        self.look(PHONE)
        self.confirm("Forget this phone", "Press again")
        self.wait("the form", lambda: self.find("input.pin"))
        status, _ = self.call("status")
        return status == 401 or status

    def nothing_from_elsewhere(self):
        self.collect()
        elsewhere = sorted({url for url in self.requests
                            if not url.startswith((self.url + "/", "data:", "blob:" + self.url))})
        if len(self.requests) < 20:
            raise Failed(f"the network log has only {len(self.requests)} requests")
        return not elsewhere or elsewhere

    def no_complaints(self):
        # The tours read canvases back, unlike the page.
        others = [text for text in self.complaints
                  if not re.search(self.provoked, text) and "Multiple readback" not in text]
        return not others or others
