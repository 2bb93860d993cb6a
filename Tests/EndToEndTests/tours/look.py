"""The page of a running gateway, on a phone with view-only access.

The gateway must record two simulated boards that walk, with a receiver, and have the hazard Slippery in its walk.
"""
import re

from tours.browser import PHONE, Failed
from tours.walk import WalkTour

ID = "5d3c0f4e8a514d0c9a630c1f2e3d4b5a"


class LookTour(WalkTour):
    # Expected errors: refused commands, and a revoked phone.
    provoked = r"/(recording|hazards|tasks|notes|survey|edit|delete) - Failed .* 403|/status - Failed .* 401"

    def visit(self):
        check = self.check
        check("Now shows what happens, and has no controls", self.now)
        check("remedies are for the person with the phone", self.remedies)
        check("texts that are cut show it, and figures of a walk that goes on are marked", self.texts)
        check("hazards can be read, and not tapped", self.hazards)
        check("a walk has its chart, track and files, and nothing to change it", self.walk)
        check("the chart follows keys", self.chart_keys)
        check("the track is drawn on a grid", self.draws_track_on_grid)
        check("files are downloaded", self.downloads)
        check("a walk: contrast, and nothing is too wide", self.stays_within)
        check("Map shows the place", self.map)
        check("Health has the doctor's findings, and says what the phone may do", self.health)
        self.fits_everywhere("now", "hazards", "walks", "map", "health")
        check("commands are refused", self.refused_commands)
        check("nothing was changed", self.unchanged)
        check("the phone can be forgotten", lambda: self.go("health") or self.forget())

    def offers(self, *texts):
        """Return the texts for which a button can be pressed."""
        return [text for text in texts if self.js("""return [...document.querySelectorAll('main button')]
          .some((one) => one.checkVisibility() && !one.disabled && one.innerText.includes(arguments[0]))""", text)]

    def now(self):
        self.look(PHONE)
        self.wait("the sentence", lambda: "Recording 2 boards" in self.text(".sign"))
        # A distance of ten metres is visible on the map.
        self.wait("a distance", lambda: re.search(r"Distance\s+[1-9]\d+ m", self.text()))
        self.wait("rates", lambda: len(re.findall(r"[1-9][\d.]+ of 100 Hz", self.text())) == 4)
        found = self.offers("Start", "Stop", "Note")
        return not found or found

    def remedies(self):
        """The gateway sends the texts, and the page combines them into sentences."""
        found = self.js("""return [remedyText('free some space\\n\\'footbridge web pair\\' makes a PIN'), remedyText(''),
          new CallError(500, 'the store is damaged', 'tell the person who set it up').sentence]""")
        answer = self.ask("doctor")["findings"]
        phones = [one["phone"]["remedy"] for one in answer]
        expected = ["Free some space.\n'footbridge web pair' makes a PIN.", "", "The store is damaged. Tell the person who set it up."]
        terminal = [one for one in phones if "sudo" in one or "'footbridge " in one.replace("'footbridge web", "")]
        return found == expected and not terminal or [found, terminal]

    def texts(self):
        title = self.js("return titleOf({ kind: 'note', text: 'a'.repeat(41) })")
        events = self.js("""const card = eventsCard({ boards: [],
            events: Array.from({ length: 302 }, (_, seconds) => ({ seconds, kind: 'battery', value: null })) });
          const shown = () => card.querySelectorAll('dt').length;
          const [before, more] = [shown(), card.querySelector('button')];
          more.click();
          return [before, more.innerText, shown()]""")
        line = self.js("""return ['recording', 'stopped'].map((ended) => walkLine({ session: 'x', start: null, seconds: 3, boards: 1,
            samples: 7, lost: 2, distanceMetres: 5, ended }).querySelector('p').textContent)""")
        expected = ["Note “" + 39 * "a" + "…”", [300, "Show 2 more", 302],
                    ["about 5 m · 1\xa0board · about 7 samples · about 2 lost · recording", "5 m · 1\xa0board · 7 samples · 2 lost · stopped"]]
        return [title, events, line] == expected or [title, events, line]

    def hazards(self):
        self.go("hazards")
        self.wait("the hint", lambda: "This phone can only view." in self.text())
        self.wait("a hazard that somebody else noted", lambda: "noted: medium" in self.text())
        usable = self.count("button.hazard:enabled")
        # A tap on a hazard does nothing, and leaves nothing to send.
        self.tap("button.hazard", "Slope")
        kept = self.js("return Object.keys(localStorage).filter((one) => one.startsWith('parcel:'))")
        return usable == 0 and not kept or [usable, kept]

    def walk(self):
        self.open_walk()
        self.unfold()
        self.wait("the files", lambda: self.count("a[download]") == 6)
        missing = self.shows("Distance", "Slippery", "2 of 3, medium")
        if missing is not True:
            return missing
        forms = self.count("main form, main textarea, main [aria-pressed]")
        found = self.offers("Save", "Add", "Delete")
        return not found and forms == 0 or [found, forms]

    def map(self):
        self.go("map")
        self.wait("the place of the gateway", lambda: re.search(r"now .*km/h .*within", self.text()))

    def health(self):
        self.go("health")
        self.tap("button", "Check the gateway")
        self.wait("the findings", lambda: re.search(r"Everything is in order|problem.* found", self.text()))
        return self.shows("Clock and devices", "can only view")

    def refused_commands(self):
        session = self.newest_session()["session"]
        remark = {"id": ID, "name": "Slope", "intensity": 1}
        commands = {
            "recording": {"command": "stop"}, "sessions/current/hazards": remark | {"ago": 0},
            "sessions/current/tasks": {"id": ID, "action": "begin", "task": "tug", "ago": 0},
            f"sessions/{session}/hazards": remark | {"at": 1}, f"sessions/{session}/notes": {"id": ID, "text": "a gate", "at": 1},
            f"sessions/{session}/survey": {"id": ID, "ago": 0, "hazards": "none", "answers": {}},
            f"sessions/{session}/edit": {"wearer": "P08"}, f"sessions/{session}/delete": {"confirm": session},
        }
        for path, body in commands.items():
            status, answer = self.call(path, body)
            if status != 403 or "may only view" not in answer["error"]:
                raise Failed(f"{path} returned {status}: {answer}")

    def unchanged(self):
        session = self.newest_session()
        found = [[one["name"] for one in session["hazards"]], session["annotations"], session["wearer"]]
        return found == [["Slippery"], [], ""] or found
