"""The page of a running gateway.

The gateway must record two simulated boards that walk, with a receiver, and occasionally lose samples.
The tour stops and starts the recording, changes a walk, and finally makes the gateway revoke the browser.
"""
import json
import pathlib
import re
import time

from selenium.webdriver.common.keys import Keys

from tours.browser import DESK, PHONE, Failed
from tours.walk import WalkTour

PHONE_NAME = "phone of <b>P07</b>"
HOSTILE = "<img src=x onerror=\"document.title='broken'\"><b>P07</b> & co"


class GatewayTour(WalkTour):
    # Expected errors: a network that is off, a wrong PIN, no recording, and a revoked phone.
    provoked = r"ERR_INTERNET_DISCONNECTED|/pair - Failed .* 403|/(hazards|recording) - Failed .* 409|/status - Failed .* 401"

    def __init__(self, url, screenshots=None):
        super().__init__(url)
        self.screenshots = screenshots and pathlib.Path(screenshots)

    def visit(self):
        check = self.check
        check("Now has strips that move, with their rates", self.moving_strips)
        check("Now has state, position, distance and battery in words", self.state_in_words)
        check("a hazard in two taps outlives a lost network and is stored once", self.hazard)
        check("a hazard can be undone", self.undone_hazard)
        check("taps on a low button are never covered by the tray", self.repeated_taps)
        check("a tap raises a hazard that is noted", self.raised_hazard)
        check("the tray says why the gateway stores nothing", self.obstacle)
        if self.screenshots:
            check("the picture of the hazards", self.hazard_picture)
        check("a note is stored", self.note)
        check("stop, a hazard for the last walk, and start", self.stop_and_start)
        check("a walk from the list, with figures, hazards and notes", self.walk)
        check("gaps are hatched and named", self.gaps)
        check("the chart follows keys", self.chart_keys)
        check("the chart follows fingers", self.chart_touch)
        if self.screenshots:
            check("the picture of the chart", self.chart_picture)
        check("files are downloaded", self.downloads)
        check("a note is corrected, then removed", self.change_note)
        check("the wearer is changed", self.edit)
        check("a walk: contrast, and nothing is too wide", self.stays_within)
        check("hostile texts stay text", self.hostile)
        check("Health shows the state and the doctor's findings", self.health)
        check("Map shows the place, and follows keys", self.map)
        check("a paused recording goes on by a button", self.resume)
        check("a stop that the phone gave up is dropped", self.late_stop)
        self.fits_everywhere("now", "hazards", "walks", "map", "health")
        if self.screenshots:
            check("the picture of Now", self.now_picture)
        check("all views by keyboard", self.views_by_keyboard)
        check("a phone that is forgotten has to pair again", self.leave)

    def pair(self, pin):
        """Pair with a wrong PIN first, and with a name that must not be interpreted as HTML."""
        self.look(DESK)
        self.driver.get(self.url)
        # The PIN field has the focus, so six digits and Enter suffice.
        self.wait("the form", lambda: self.js("return document.activeElement.matches('input.pin')"))
        self.keys("000000" if pin != "000000" else "111111", Keys.ENTER)
        self.wait("a refusal", lambda: "This PIN is wrong" in self.text())
        # Tab selects the content of the next field.
        self.keys(pin, Keys.TAB, PHONE_NAME, Keys.ENTER)
        self.wait("the view Now", lambda: self.find("nav a", "Now"))
        name = self.ask("access")["name"]
        return name == PHONE_NAME or name

    # The current state.

    def moving_strips(self):
        self.look(PHONE)
        rates = lambda: [float(rate) for rate in re.findall(r"([\d.]+) of 100 Hz", self.text())]
        self.wait("four strips at their rates",
                  lambda: len(rates()) == 4 and all(90 < rate < 110 for rate in rates()))
        self.js("document.querySelector('canvas.strip').scrollIntoView({block: 'center'})")
        strip = lambda: self.js("return document.querySelector('canvas.strip').toDataURL()")
        for _ in range(5):
            before = strip()
            self.wait("a strip that moves", lambda: strip() != before)

    def state_in_words(self):
        self.wait("the sentence", lambda: "Recording 2 boards" in self.text(".sign"))
        self.wait("a position", lambda: re.search(r"\d° N, .*within \d+", self.text(), re.DOTALL))
        self.wait("a distance", lambda: re.search(r"Distance\s+[1-9]\d* m", self.text()))
        self.wait("a battery", lambda: re.search(r"battery \d+ %", self.text()))

    def hazard(self):
        """Tap the view, then a hazard. The network is off when the phone tries to send the hazard."""
        self.tap("nav a", "Hazards")
        self.tap("button.hazard", "Slippery")
        parcel = self.wait("a parcel in the phone", self.parcel)
        places = lambda: self.js(
            "return [...document.querySelectorAll('button.hazard')].map((one) => one.getBoundingClientRect().top)")
        before = places()
        self.network(is_on=False)
        self.wait("the lost link in words", lambda: "has not responded since" in self.text())
        if places() != before:
            raise Failed(f"the buttons moved from {before} to {places()}")
        self.wait("the parcel's wait", lambda: "is waiting for the gateway" in self.text())
        self.tap("button.hazard", "Slope")
        self.tap("button.hazard", "Slope")
        self.wait("both to wait", lambda: "2 hazards and notes have been waiting" in self.text())
        self.network()
        self.wait("delivery", lambda: self.parcel() is None)
        self.wait("the link", lambda: "has not responded since" not in self.text())
        noted = {one["name"]: one["intensity"] for one in self.newest_session()["hazards"]}
        if noted != {"Slippery": 1, "Slope": 2}:
            raise Failed(f"the gateway has {noted}")
        # If the response was lost, the phone still has the parcel and sends it again.
        self.js("localStorage.setItem('parcel:' + arguments[0].id, arguments[1])",
                parcel, json.dumps(parcel | {"phase": "waiting"}))
        self.driver.refresh()
        self.wait("another delivery", lambda: self.find("nav a", "Hazards") and self.parcel() is None)
        events = [one for one in self.newest_session()["events"] if "Slippery" in one["text"]]
        return len(events) == 1 or events

    def parcel(self):
        return self.js("""const key = Object.keys(localStorage).find((one) => one.startsWith('parcel:'));
          return key ? JSON.parse(localStorage.getItem(key)) : null""")

    def undone_hazard(self):
        self.go("hazards")
        self.tap("button.hazard", "Debris")
        self.tap("button", "Undo")
        self.wait("no parcel", lambda: self.parcel() is None)
        return not any("Debris" in one["name"] for one in self.newest_session()["hazards"])

    def repeated_taps(self):
        """Tap three times at one position; the tray is open after the first tap."""
        self.look((360, 560))
        self.go("hazards")
        button = self.wait("the last button", lambda: self.find("button.hazard", "Poor Lighting"))
        self.js("arguments[0].scrollIntoView({block: 'end'})", button)
        x, y = self.js("""const box = arguments[0].getBoundingClientRect();
          return [Math.round(box.left + box.width / 2), Math.round(box.bottom - 20)]""", button)
        for said in ("1: slight", "2: medium", "3: severe"):
            self.touch("touchStart", (x, y))
            self.touch("touchEnd")
            self.wait(said, lambda: self.find("button.hazard", said))
        covered = self.js("""const tray = document.querySelector('.tray').getBoundingClientRect();
          const list = document.querySelector('.hazard-grid').getBoundingClientRect();
          return list.bottom - tray.top""")
        self.tap("button", "Undo")
        self.wait("no parcel", lambda: self.parcel() is None)
        self.look(PHONE)
        return covered <= 0 or covered

    def raised_hazard(self):
        self.wait("the noted hazard", lambda: "noted: medium" in self.text())
        self.tap("button.hazard", "Slope")
        self.wait("more of it", lambda: self.find("button.hazard", "3: severe"))
        self.tap("button", "Undo")
        self.wait("no parcel", lambda: self.parcel() is None)

    def obstacle(self):
        self.js("""window.trueFetch = window.fetch;
          window.fetch = (path, options) => options && options.method === 'POST'
            ? Promise.resolve(new Response('{"error":"the disk is full"}', { status: 500 })) : trueFetch(path, options)""")
        self.tap("button.hazard", "Debris")
        self.wait("the reason", lambda: "is waiting for the gateway: the disk is full. It is kept" in self.text())
        self.js("window.fetch = window.trueFetch")
        self.wait("delivery", lambda: self.parcel() is None)

    def note(self):
        self.go("now")
        self.tap("button", "Note")
        self.wait("the form", lambda: self.js("return document.activeElement.tagName === 'TEXTAREA'"))
        self.keys(HOSTILE)
        self.tap("button", "Save the note")
        self.wait("the note", lambda: self.parcel() is None
                  and [one["text"] for one in self.newest_session()["annotations"]] == [HOSTILE])

    def stop_and_start(self):
        """Stop by keyboard, report a hazard that is refused and then added to the last walk, and start again."""
        # The later checks need a walk with a gap.
        self.wait("a lost sample", lambda: any(one["lost"] for one in self.newest_session()["streams"]))
        self.look(DESK)
        self.go("now")
        self.tab_to("main button", "Stop")
        self.keys(Keys.ENTER)
        time.sleep(1)
        self.keys(Keys.ENTER)
        self.wait("the end of the recording", lambda: self.find("main button", "Start"))
        self.look(PHONE)
        self.go("hazards")
        self.tap("button.hazard", "Poor Lighting")
        self.wait("the refusal", lambda: "was not noted: nothing is being recorded" in self.text())
        self.tap("button", "Add to the end of the last walk")
        self.wait("delivery", lambda: self.parcel() is None)
        if "Poor Lighting" not in [one["name"] for one in self.newest_session()["hazards"]]:
            raise Failed("the hazard is not in the last walk")
        # If the walk has a hazard with this name, adding it again would move that hazard.
        self.tap("button.hazard", "Slope")
        self.wait("the refusal", lambda: "was not noted: nothing is being recorded" in self.text())
        slope = lambda: [one for one in self.newest_session()["hazards"] if one["name"] == "Slope"]
        before = slope()
        self.tap("button", "Add to the end of the last walk")
        self.wait("the question", lambda: "Press again to move it to the end" in self.text())
        self.confirm("Discard", "Discard it?")
        self.wait("no parcel", lambda: self.parcel() is None)
        if slope() != before:
            raise Failed(f"the hazard has moved: {slope()}")
        self.go("now")
        self.tap("button", "Later")
        self.tap("button", "Start")
        self.wait("the next recording", lambda: "Recording 2 boards" in self.text(".sign"))

    # A finished walk.

    def walk(self):
        # The first walk is still being recorded.
        self.open_walk(1)
        return self.shows("Distance", "Steps", "Slippery", "Slope", "Poor Lighting", HOSTILE)

    def gaps(self):
        """Check that the chart is hatched from top to bottom in the gaps of the response, and nowhere else."""
        self.wait("the gap in words", lambda: re.search(r"Hatched: radio, [\d,]+ lost", self.text()))
        self.look(PHONE)
        id = self.js("return location.hash.split('/')[1]")
        session = self.ask("sessions/" + id)
        board, seconds = session["streams"][0]["board"], session["seconds"]
        envelope = self.ask(f"sessions/{id}/envelope?board={board}&signal=acceleration&from=0&to={seconds}&columns=300")
        # A gap at the start or the end of the walk has samples on one side only.
        ends = [(0 if one["from"] is None else one["from"], seconds if one["to"] is None else one["to"])
                for one in envelope["gaps"]]
        begin, end = max(ends, key=lambda one: one[1] - one[0])
        # The middle of the longest period without a gap.
        samples = max(zip([0] + [to for _, to in ends], [at for at, _ in ends] + [seconds]), key=lambda one: one[1] - one[0])
        column = """const canvas = document.querySelector('canvas.wave');
          const x = (50 + (canvas.clientWidth - 70) * arguments[0]) * canvas.width / canvas.clientWidth;
          const data = canvas.getContext('2d').getImageData(Math.round(x), 30, 1, canvas.height - 60).data;
          return data.filter((value, index) => index % 4 === 3 && value === 0).length"""
        self.wait("hatches over the gap", lambda: self.js(column, (begin + end) / 2 / seconds) == 0)
        # One of the columns may contain the line of a hazard.
        return any(self.js(column, (samples[0] + part * (samples[1] - samples[0])) / seconds) > 0 for part in (0.3, 0.5, 0.7))

    def change_note(self):
        id = self.js("return location.hash.split('/')[1]")
        notes = lambda: [one["text"] for one in self.ask("sessions/" + id)["annotations"]]
        self.tap("main button", "Change")
        self.wait("the text", lambda: self.js("return document.activeElement.value") == HOSTILE)
        self.js("document.activeElement.select()")
        self.keys("a gate", Keys.ENTER)
        self.wait("the correction", lambda: notes() == ["a gate"] and "a gate" in self.text(".marks"))
        self.tap("main button", "Change")
        self.confirm("Remove", "Press again to remove it")
        self.wait("no note", lambda: notes() == [] and "a gate" not in self.text(".marks"))
        self.wait("the list in focus", lambda: self.js("return document.activeElement.matches('.marks')"))
        return "annotation changed from" in self.ask("sessions/" + id)["events"][-2]["text"]

    def edit(self):
        """Enter the wearer of the boards."""
        self.unfold()
        self.js("document.querySelector('form.form input[maxlength=\"100\"]').focus()")
        self.keys(HOSTILE)
        self.tap("button", "Save")
        self.wait("the wearer", lambda: "worn by " + HOSTILE in self.text())

    def hostile(self):
        self.go("walks")
        self.wait("the wearer in the list", lambda: HOSTILE in self.text())
        made = self.js("return [document.querySelectorAll('main img, main b > b').length, document.title]")
        return made[0] == 0 and "broken" not in made[1] or made

    # The other views.

    def health(self):
        self.go("health")
        self.tap("button", "Check the gateway")
        self.wait("the findings", lambda: re.search(r"Everything is in order|problem.* found", self.text()))
        return self.shows("Store", "Clock and devices", "Program", "bluetoothd", "receiver")

    def map(self):
        self.go("map")
        self.wait("the place of the gateway", lambda: re.search(r"now .*km/h .*within", self.text()))
        self.js("document.querySelector('.map canvas').focus()")
        grid = lambda: self.js("return document.querySelector('.map canvas').toDataURL()")
        before = grid()
        self.keys("+", Keys.ARROW_LEFT)
        self.wait("another part of the map", lambda: grid() != before)

    def resume(self):
        self.call("recording", {"command": "pause"})
        self.go("now")
        self.wait("the pause in words", lambda: "It is paused" in self.text() and "Press Resume" in self.text())
        self.tap("button", "Resume")
        self.wait("no pause", lambda: "It is paused" not in self.text() and not self.find("button", "Resume"))

    def late_stop(self):
        """Check that the page's requests contain their expiry time."""
        self.js("""window.trueFetch = window.fetch;
          window.fetch = (path, options) => { if (options && options.method === 'POST') window.sent = options.body;
            return trueFetch(path, options); }""")
        clock = self.js("return gatewayClock.instantIn(0)")
        self.confirm("Stop", "Stop now?")
        self.wait("the end of the recording", lambda: self.find("main button", "Start"))
        self.tap("button", "Later")
        self.tap("button", "Start")
        self.wait("the next recording", lambda: "Recording 2 boards" in self.text(".sign"))
        until = json.loads(self.js("window.fetch = window.trueFetch; return window.sent"))["until"]
        if until["boot"] != clock["boot"] or until["seconds"] < clock["seconds"] + 8:
            raise Failed(f"the request expires at {until}, and was sent after {clock}")
        status, answer = self.call("recording", {"command": "stop", "until": clock})
        return status == 409 and "too late" in answer["error"] or [status, answer]

    def leave(self):
        self.go("health")
        return self.forget()

    # Screenshots for the documents.

    def keep_picture(self, name):
        (self.screenshots / f"page-{name}.png").write_bytes(self.picture())

    def hazard_picture(self):
        self.tap("button.hazard", "Uneven")
        self.tap("button.hazard", "Uneven")
        self.wait("both taps", lambda: "2: medium" in self.text())
        self.keep_picture("hazards")
        self.tap("button", "Undo")

    def chart_picture(self):
        self.wait("the chart", lambda: "Hatched" in self.text())
        self.js("const card = document.querySelector('canvas.wave').closest('.card');"
                "scrollTo(0, card.getBoundingClientRect().top + scrollY - 16)")
        self.keep_picture("walk")

    def now_picture(self):
        self.go("now")
        # The strips are 20 seconds wide.
        self.wait("full strips", lambda: self.js(
            "return state.newest - Math.min(...[...state.streams.values()].map((one) => one.columns[0][0])) > 19.5"))
        # The last rows of the figures, followed by the first board.
        self.js("scrollTo(0, document.querySelectorAll('.figure')[4].getBoundingClientRect().top + scrollY - 10)")
        self.keep_picture("now")
