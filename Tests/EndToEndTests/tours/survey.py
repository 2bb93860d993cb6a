"""The report at the end of a walk on the page of a running gateway, with a second phone.

The gateway must record one simulated board that walks. Its definitions must have a survey with these questions: the
choice 'tired' (no, a little, yes), the scale 'pain' from 0 to 10, the optional number 'water' from 0 to 20, and the
optional text 'remark'. The tour stops the recording.
"""
import re

from tours.browser import DESK, PHONE, Browser, Failed
from tours.walk import WalkTour

TIRED, PAIN, WATER, REMARK = "Are you <b>tired</b>?", "Pain", "Glasses of water", "Remark"
NO_REPORT = "return [...document.querySelectorAll('main button')].every((one) => !one.checkVisibility() || one.innerText !== 'Report')"


class SurveyTour(WalkTour):
    # Expected errors: a network that is off, and a rejected report.
    provoked = r"ERR_INTERNET_DISCONNECTED|/survey - Failed .* 409"

    def visit(self):
        check = self.check
        check("after Stop, the page asks about the walk", self.stop)
        self.fits_everywhere("now")
        check("missing answers are named, and the first has the focus", self.missing)
        check("'No hazard' and hazards exclude each other", self.no_hazard)
        check("a draft survives a reload", self.reload)
        check("Later closes the sheet, and the walk offers it with the draft", self.later_on_the_walk)
        check("a walk with the sheet: contrast, and nothing is too wide", self.stays_within)
        check("a report that is too long names the answer to shorten", self.too_long)
        check("a report is submitted without a network, and is sent later", self.without_network)
        check("the walk shows the report, and this phone is not asked again", self.report)
        check("a second phone adds a hazard, and also submits", self.second_phone)
        check("a second report from this phone is refused", self.refused)
        check("a walk: contrast, and nothing is too wide", self.stays_within)

    # The sheet, and the state of the gateway.

    def group(self, name):
        """Give an id to the group of a question, because no selector can match the text of its legend."""
        self.js("""[...document.querySelectorAll('.sheet fieldset, .sheet label')]
          .find((one) => one.innerText.startsWith(arguments[0])).id = 'asked'""", name)
        return "#asked"

    def answer(self, name, text, selector):
        self.js("document.querySelector('#asked')?.removeAttribute('id')")
        self.tap(f"{self.group(name)} {selector}", text)

    def write(self, name, text):
        self.answer(name, None, "input, #asked textarea")
        self.wait("the focus", lambda: self.js("return document.activeElement.closest('#asked') !== null"))
        self.keys(text)

    def drafted(self):
        """Return the answers that the sheet shows."""
        return self.js("""const of = (selector) => document.querySelector('.sheet ' + selector);
          return [of(':checked')?.parentElement.innerText ?? null, of('fieldset .row [aria-pressed=true]')?.innerText ?? null,
            of('[inputmode=decimal]').value, of('textarea').value]""")

    def tile(self, name):
        return self.js("""return [...document.querySelectorAll('.sheet .hazard')]
          .find((one) => one.innerText.startsWith(arguments[0]))?.querySelector('.said').innerText""", name)

    def none(self):
        """Return whether the button 'No hazard' can be pressed, and whether it is pressed."""
        return self.js("""const one = [...document.querySelectorAll('.sheet button')].find((one) => one.innerText === 'No hazard');
          return [!one.disabled, one.getAttribute('aria-pressed') === 'true']""")

    def failure(self):
        return self.text(".sheet .failure")

    def parcels(self):
        return self.js("return Object.keys(localStorage).filter((one) => one.startsWith('parcel:')).length")

    def stored(self):
        """Return the reports as stored by the gateway, without their times."""
        return [[one["hazards"], one["answers"]] for one in self.ask(f"sessions/{self.session}")["reports"]]

    def hazards(self):
        return [[one["name"], one["intensity"]] for one in self.ask(f"sessions/{self.session}")["hazards"]]

    # The checks.

    def stop(self):
        self.look(PHONE)
        self.go("now")
        self.session = self.wait("the session", lambda: self.js("return state.session?.id"))
        self.confirm("Stop", "Stop now?")
        self.wait("the sheet", lambda: self.js("return document.activeElement.matches('.sheet h2')"))
        self.wait("the questions", lambda: self.count(".sheet label, .sheet fieldset") > 5)
        shown = self.text(".sheet")
        missing = [text for text in (TIRED, PAIN, f"{WATER} (a number from 0 to 20, optional)", f"{REMARK} (optional)") if text not in shown]
        return not missing or [missing, shown]

    def missing(self):
        self.tap(".sheet button", "Submit")
        self.wait("both names", lambda: self.failure() == f"Answer “{TIRED}”, “{PAIN}”.")
        if not self.js("return document.activeElement.type === 'radio'"):
            raise Failed("the first question does not have the focus")
        self.answer(TIRED, "a little", "label")
        self.write(WATER, "21")
        self.tap(".sheet button", "Submit")
        self.wait("the others", lambda: self.failure() == f"Answer “{PAIN}”, “{WATER}” with a number from 0 to 20.")
        self.answer(PAIN, "7", "button")
        return self.failure() == "" or self.failure()

    def no_hazard(self):
        steps = []
        for name in ("No hazard", "Slope", "Slope", "Slope", "Slope", "No hazard"):
            self.tap(".sheet button", name)
            steps.append([self.tile("Slope"), *self.none()])
        expected = [["tap to add", True, True], ["slight", False, False], ["medium", False, False], ["severe", False, False],
                    ["tap to add", True, False], ["tap to add", True, True]]
        return steps == expected or steps

    def reload(self):
        self.js("document.querySelector('.sheet [inputmode=decimal]').select()")
        self.keys("2,5")
        self.write(REMARK, "uphill\nwas hard")
        self.driver.refresh()
        self.wait("the draft", lambda: self.drafted() == ["a little", "7", "2,5", "uphill\nwas hard"])
        return self.none() == [True, True] or self.none()

    def later_on_the_walk(self):
        self.tap(".sheet button", "Later")
        self.wait("no sheet", lambda: not self.find(".sheet"))
        self.open_walk()
        self.look(PHONE)
        self.tap("button", "Report")
        self.wait("the sheet", lambda: self.js("return document.activeElement.matches('.sheet h2')"))
        self.wait("the draft", lambda: self.drafted() == ["a little", "7", "2,5", "uphill\nwas hard"])
        return self.none() == [True, True] or self.none()

    def too_long(self):
        # The page limits the length of a typed answer, but not of a draft from an earlier version.
        write = """const text = document.querySelector('.sheet textarea');
          text.value = arguments[0];
          text.dispatchEvent(new Event('input'))"""
        self.js(write, "x" * 66000)
        self.tap(".sheet button", "Submit")
        self.wait("the question", lambda: self.failure() == f"The report is too long. Shorten the answer to “{REMARK}”.")
        if not self.js("return document.activeElement.matches('.sheet textarea')") or self.parcels():
            raise Failed("the question does not have the focus, or the report was sent")
        self.js(write, "uphill\nwas hard")
        return self.failure() == "" or self.failure()

    def without_network(self):
        self.network(is_on=False)
        self.wait("the lost link", lambda: self.find("#banner"))
        self.tap(".sheet button", "Submit")
        self.wait("the wait in words", lambda: re.search(r"The report \(.* ago\) is waiting for the gateway", self.text(".tray")))
        if self.find(".sheet") or not self.js(NO_REPORT):
            raise Failed("the phone is asked again")
        self.network()
        self.wait("delivery", lambda: self.parcels() == 0)
        expected = [["none", {"tired": "a little", "pain": 7, "water": 2.5, "remark": "uphill was hard"}]]
        return self.stored() == expected or self.stored()

    def report(self):
        found = self.wait("the report", lambda: self.js("""const list = [...document.querySelectorAll('.card')]
          .find((one) => one.querySelector('h2')?.innerText === 'Report').querySelectorAll('dl > *');
          return list.length ? [...list].map((one) => one.innerText) : null"""))
        expected = ["Hazards", "no hazard", TIRED, "a little", PAIN, "7", WATER, "2.5", REMARK, "uphill was hard"]
        if found != expected:
            raise Failed(f"the card shows {found}")
        self.go("walks")
        self.wait("the list", lambda: "report submitted" in self.text("a.walk"))
        self.open_walk()
        self.wait("the report", lambda: "uphill was hard" in self.text())
        return self.js(NO_REPORT)

    def second_phone(self):
        """Use another browser with the same cookie, but without the data stored in this one."""
        [cookie] = self.devtools("Network.getCookies", urls=[self.url])["cookies"]
        other = SurveyTour(self.url)
        try:
            other.look(PHONE)
            other.devtools("Network.setCookie", name=cookie["name"], value=cookie["value"], url=self.url)
            other.driver.get(f"{self.url}/#walks/{self.session}")
            other.tap("button", "Report")
            other.wait("the questions", lambda: TIRED in other.text(".sheet"))
            other.answer(TIRED, "no", "label")
            other.answer(PAIN, "0", "button")
            other.tap(".sheet button", "Slope")
            other.tap(".sheet button", "Slope")
            other.tap(".sheet button", "Submit")
            self.wait("both reports", lambda: len(self.stored()) == 2)
            other.wait("both on the walk", lambda: other.text().count(TIRED) == 2 and "hazards reported" in other.text())
            other.wait("the hazard on the walk", lambda: "Slope" in other.text(".marks"))
        finally:
            other.quit()
        expected = ["reported", {"tired": "no", "pain": 0, "water": None, "remark": None}]
        return self.stored()[1] == expected and self.hazards() == [["Slope", 2]] or [self.stored(), self.hazards()]

    def refused(self):
        """Submit again on a phone that has forgotten that it submitted the report, but still has the report's id."""
        self.js("""const key = 'survey:' + arguments[0];
          localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), isSent: false }))""", self.session)
        self.driver.refresh()
        self.look(PHONE)
        self.tap("button", "Report")
        self.wait("the questions", lambda: TIRED in self.text(".sheet"))
        if self.tile("Slope") != "noted: medium" or self.none() != [False, False]:
            raise Failed(f"the hazard of the other phone is '{self.tile('Slope')}', and 'No hazard' {self.none()}")
        self.answer(TIRED, "yes", "label")
        self.answer(PAIN, "8", "button")
        self.tap(".sheet button", "Submit")
        self.wait("the refusal", lambda: re.search("The report .* was not noted: .+", self.text(".tray")))
        if self.find("main button", "Add to the end of the last walk"):
            raise Failed("a report can be added to the last walk")
        self.look(DESK)
        self.confirm("Discard", "Discard it?")
        self.wait("no parcel", lambda: self.parcels() == 0)
        return self.js(NO_REPORT) and len(self.stored()) == 2 or self.stored()
