"""The page of a fleet with the positions of its gateways.

Three gateways must walk and share their positions, the last one in another study. A gateway named trolley must be
stale from the start. The database has one walk. The tour kills one of the three, as if it were switched off.
"""
import os
import re
import signal

from selenium.webdriver.common.keys import Keys

from tours.browser import DESK, PHONE
from tours.walk import WalkTour

STALE = "trolley"


class FleetTour(WalkTour):
    # Expected errors: a revoked phone, and a walk that takes more than a second to fetch.
    provoked = r"/status - Failed .* 401|/sessions/\S+ - Failed .* 503"

    def __init__(self, url, gateways):
        """`gateways` maps names to process ids."""
        super().__init__(url)
        self.gateways = gateways

    def visit(self):
        check = self.check
        gone, *rest = sorted(self.gateways)
        check("only the views of a fleet are offered", lambda: self.views() == ["walks", "map"] or self.views())
        check("the map begins with all gateways, also one that is far away", self.begins_with_all)
        check("three gateways have name, age and speed", self.list)
        check("their positions move", lambda: self.moves(*self.gateways))
        check("the filter by name shows a part of them", lambda: self.filter(gone))
        check("a study shows its gateways", lambda: self.study(max(self.gateways)))
        check("a gateway can be shown on the map", lambda: self.mark(rest[0], is_stale=False))
        self.fits_everywhere("map")
        check("a gateway that is switched off becomes stale in time", lambda: self.switch_off(gone, rest))
        check("the list shows it as stale", lambda: self.stale_line(gone))
        check("the map shows it as stale", lambda: self.mark(gone, is_stale=True))
        check("the others go on moving", lambda: self.moves(*rest))
        check("a page that is opened now shows the same", lambda: self.reload(gone, rest))
        check("a walk from the list, with its figures and samples", self.walk)
        check("its track is drawn", self.draws_track_on_grid)
        check("its chart follows keys", self.chart_keys)
        check("its files are downloaded", self.downloads)
        check("nothing offers to change it", self.unchangeable)
        self.fits_everywhere("map", "walks")
        check("all views by keyboard", self.views_by_keyboard)
        check("the phone can be forgotten", lambda: self.go("walks") or self.forget())

    def lines(self):
        """Return the text of each listed gateway by name, and whether it is grey."""
        found = self.js("""return [...document.querySelectorAll('.people li')].filter((one) => one.checkVisibility())
          .map((one) => [one.querySelector('b').innerText, one.querySelector('p').innerText, one.classList.contains('gone')])""")
        return {name: (facts, is_grey) for name, facts, is_grey in found}

    def are_current(self, *names):
        lines = self.lines()
        return all(name in lines and not lines[name][1] for name in names)

    def places(self):
        """Return the positions of the gateways on the page."""
        return self.js("""return Object.fromEntries([...state.fleet.values()].filter((one) => one.location)
          .map((one) => [one.gateway, [one.location.latitude, one.location.longitude]]))""")

    def begins_with_all(self):
        """The events arrive only after the map, starting with the distant gateway."""
        self.look(DESK)
        self.network(milliseconds=1500)
        self.driver.refresh()
        self.wait("the list", lambda: self.are_current(*self.gateways))
        for colour in ("accent", "dim"):
            self.wait(f"a mark in the colour {colour}", lambda: self.pixels(".map > canvas", colour) > 20)
        self.network()

    def list(self):
        self.look(PHONE)
        fact = r"\b(now|\d+\ss ago) · \d+\.\d\skm/h · within \d+\sm"
        self.wait("three that are current", lambda: self.are_current(*self.gateways)
                  and all(re.search(fact, self.lines()[name][0]) for name in self.gateways))
        self.wait("the heading", lambda: "4\u00a0gateways, 3 current." in self.text())
        names = list(self.lines())
        return names == [*sorted(self.gateways), STALE] or names

    def moves(self, *names):
        before, picture = self.places(), self.grid()
        self.wait("all to move", lambda: all(self.places()[name] != before[name] for name in names))
        self.wait("marks to move", lambda: self.grid() != picture)

    def grid(self):
        return self.js("return document.querySelector('.map > canvas').toDataURL()")

    def filter(self, name):
        self.tap("input[type=search]")
        self.keys(name.upper())
        self.wait("one in the list", lambda: list(self.lines()) == [name])
        self.wait("one in the heading", lambda: "1\u00a0gateway, 1 current." in self.text())
        self.keys(Keys.BACKSPACE * len(name))
        self.wait("all again", lambda: len(self.lines()) == 4)

    def study(self, name):
        choose = """const select = document.querySelector('select');
          select.value = arguments[0];
          select.dispatchEvent(new Event('change'));
          return [...select.options].map((one) => one.innerText)"""
        self.wait("the choice", lambda: self.find("select"))
        studies = self.js(choose, "pilot")
        self.wait("one in the list", lambda: list(self.lines()) == [name])
        self.js(choose, "")
        self.wait("all again", lambda: len(self.lines()) == 4)
        return studies == ["All studies", "pilot", "study"] or studies

    def mark(self, name, is_stale):
        """Check the mark in the middle of the map: filled if it is current, otherwise empty and dashed."""
        in_middle = lambda colour, side: self.pixels(".map > canvas", colour, side)
        holds = (lambda: in_middle("card", 6) == 36 and in_middle("dim", 22) > 10) if is_stale \
            else (lambda: in_middle("accent", 6) == 36)
        # Another gateway or its label may cover the mark for a moment.
        self.wait(f"the mark of {name}", lambda: self.tap(f"[aria-label='Show {name} on the map']") or holds())

    def switch_off(self, name, rest):
        os.kill(self.gateways[name], signal.SIGKILL)
        self.wait("it to be stale", lambda: self.lines()[name][1])
        self.wait("the others to be current", lambda: self.are_current(*rest))
        self.wait("the heading", lambda: "4\u00a0gateways, 2 current." in self.text())

    def stale_line(self, name):
        """The line shows how long the gateway has been stale. This time keeps increasing."""
        age = lambda: re.search(r"no recent message · was recording · (\d+)\ss ago", self.lines()[name][0])
        before = int(self.wait("its age", age)[1])
        self.wait("it to grow", lambda: int(age()[1]) > before)
        names = list(self.lines())
        return names[2:] == sorted([name, STALE]) or names

    def reload(self, gone, rest):
        self.driver.refresh()
        self.wait("the list", lambda: len(self.lines()) == 4 and self.are_current(*rest))
        return self.lines()[gone][1] and self.lines()[STALE][1]

    def walk(self):
        self.open_walk()
        self.wait("the name of its gateway", lambda: "walker-1" in self.text())
        return self.shows("Distance", "Steps", "Slippery")

    def unchangeable(self):
        offered = self.js("""return [...document.querySelectorAll('main button, main summary')]
          .map((one) => one.innerText).filter((text) => /change|add|delete|remove|wearer|save/i.test(text))""")
        return not offered or offered
