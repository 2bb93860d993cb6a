"""The other gateways of a fleet on the map of a running gateway.

The gateway must share its position as walker-1. Its broker must have a current position of walker-2, and a position of
walker-3 that becomes stale after a few seconds.
"""
import re

from tours.browser import DESK, PHONE
from tours.tour import Tour


class OthersTour(Tour):
    def visit(self):
        check = self.check
        check("the others are listed beside the map, with their ages", self.lists)
        check("an old position is stale, and a current one is not", self.stale)
        check("the others are drawn on the map", self.drawn)
        self.fits_everywhere("map")
        check("the others are shown again after a reload", self.reload)

    def row(self, name):
        """Return the text of a gateway's row, or an empty text if there is no such row."""
        return self.js("""const row = [...document.querySelectorAll('main li')].find((one) => one.innerText.includes(arguments[0]));
          return row ? row.innerText : ''""", name)

    def lists(self):
        # The page requests the other gateways every ten seconds.
        self.patience = 60
        self.look(DESK)
        self.go("map")
        for name in ("walker-2", "walker-3"):
            self.wait(name, lambda: re.search(r"\d+\s(s|min)", self.row(name)))
        return "walker-1" in self.text()

    def stale(self):
        self.wait("a stale position", lambda: "stale" in self.row("walker-3"))
        return "stale" not in self.row("walker-2") or self.row("walker-2")

    def drawn(self):
        # The grid draws its marks and names on a canvas, whereas Leaflet adds elements.
        self.wait("the marks", lambda: self.count(".map canvas, .map .leaflet-interactive") > 0)
        self.look(PHONE)
        return "walker-2" in self.row("walker-2")

    def reload(self):
        self.driver.refresh()
        return self.lists()
