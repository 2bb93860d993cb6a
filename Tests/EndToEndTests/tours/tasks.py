"""The tasks of a study on the page of a running gateway, with a second phone.

The gateway must record one simulated board that walks. Its definitions must have these tasks: 'tug' with a limit of
three seconds and repeat 2, 'balance' without a limit, 'stairs' with a limit of 600 seconds, and the survey 'mood'. The
study Gait has the blocks Indoors (tug, balance) and Outdoors (stairs, mood). The tour stops the recording.
"""
import re

from tours.browser import DESK, PHONE, Browser, Failed
from tours.walk import WalkTour, seconds_of

TUG, BALANCE, STAIRS = "Timed up and go", "Balance", "Stairs"
INSTRUCTIONS = "Stand up.\nWalk <b>three</b> metres and sit down."
API = "*/api/v1/*"


class TaskTour(WalkTour):
    # Expected errors: a network that is off, an API that does not respond, and conflicting commands.
    provoked = r"ERR_INTERNET_DISCONNECTED|ERR_BLOCKED_BY_CLIENT|/tasks - Failed .* 409"

    def visit(self):
        check = self.check
        check("the tasks are listed in the order of the study, without the survey", self.list)
        check("instructions are large, keep their lines, and stay text", self.instructions)
        self.fits_everywhere("now")
        check("a task begins, its time runs out once, and it ends", self.limit)
        check("the task is repeated, and can be repeated again", self.repeat)
        check("a task without a limit is stopped early with a reason", self.stop_early)
        check("a task is skipped with a reason", self.skip)
        check("a countdown survives a reload, and one without the gateway", self.reload)
        self.fits_everywhere("now")
        check("a second phone shows the countdown, and ends the task", self.second_phone)
        check("a task begins and ends without a network, and is sent later", self.without_network)
        check("a task of another phone ends one that began without a network", self.cut_off)
        check("the walk has a table of its tasks", self.table)
        check("a walk: contrast, and nothing is too wide", self.stays_within)

    # The card, and the state of the gateway.

    def open_task(self):
        return self.text(".task-name")

    def countdown(self):
        return self.find(".countdown") and self.text(".countdown")

    def progress(self):
        """Return the progress of each task in the displayed list."""
        return dict(self.js("""return [...document.querySelectorAll('.tasks .task')]
          .map((one) => [...one.children].map((part) => part.innerText))"""))

    def stored(self):
        """Return the tasks as stored by the gateway: task, outcome and reason."""
        return [[one[name] for name in ("task", "outcome", "reason")] for one in self.tasks()["tasks"]]

    def tasks(self):
        return self.ask(f"sessions/{self.session}/tasks")

    def press(self, text):
        """Press a button of the open task. The page ignores the second tap of a double tap."""
        self.wait("the end of a double tap", lambda: self.later("setTimeout(arguments[0], 800, true)"))
        self.tap(".tasks .controls button", text)

    def give_reason(self, text, button):
        self.wait("the form", lambda: self.js("return document.activeElement.matches('.tasks form input')"))
        self.keys(text)
        self.wait("the end of a double tap", lambda: self.later("setTimeout(arguments[0], 800, true)"))
        self.tap(".tasks form button", button)

    def parcels(self):
        return self.js("return Object.keys(localStorage).filter((one) => one.startsWith('parcel:')).length")

    # The checks.

    def list(self):
        self.look(PHONE)
        self.go("now")
        self.wait("the tasks", lambda: len(self.progress()) == 3)
        self.session = self.js("return state.session.id")
        headings = self.js("return [...document.querySelectorAll('.tasks div > h3')].map((one) => one.innerText)")
        found = [headings, list(self.progress().items())]
        return found == [["Gait · Indoors", "Gait · Outdoors"], [(TUG, ""), (BALANCE, ""), (STAIRS, "")]] or found

    def instructions(self):
        shown = self.js("""const one = document.querySelector('.task-text');
          return [one.innerText, one.children.length, parseFloat(getComputedStyle(one).fontSize) >= 24]""")
        facts = self.text(".task-name + p")
        expected = [INSTRUCTIONS, 0, True]
        return self.open_task() == TUG and shown == expected and facts.startswith("Time limit 0:03") or [shown, facts]

    def limit(self):
        self.js("window.vibrations = 0; navigator.vibrate = () => { window.vibrations += 1; return true; }")
        # On a slow computer, the gateway may confirm that a task has begun only after the task's time is up.
        self.js("""window.announced = [];
          const said = document.getElementById('said');
          new MutationObserver(() => window.announced.push(said.textContent)).observe(said, { childList: true });""")
        self.press("Begin")
        self.wait("the countdown", lambda: self.countdown())
        self.wait("the time beyond the limit", lambda: re.fullmatch(r"\+\d:\d\d", self.countdown()))
        # The page announces at its next update that the time is up.
        said = lambda: self.js("return window.announced").count(f"Time is up: {TUG}.")
        self.wait("the announcement", said)
        self.press("End")
        self.wait("the end in the store", lambda: self.stored() == [["tug", "done", ""]])
        if said() != 1:
            raise Failed(f"the end of the time was announced {said()} times")
        [one] = self.tasks()["tasks"]
        length, vibrations = one["endSeconds"] - one["seconds"], self.js("return window.vibrations")
        self.wait("the progress", lambda: self.progress()[TUG] == "1 of 2 done")
        return length > 3 and vibrations == 1 or [length, vibrations]

    def repeat(self):
        # The first task is shown again, because it must be done twice.
        if self.open_task() != TUG or self.find(".tasks .controls button", "Repeat"):
            raise Failed(f"'{self.open_task()}' is open, with {self.text('.tasks .controls')!r}")
        for button in ("Begin", f"Repeat {TUG}"):
            self.press(button)
            self.wait("the countdown", lambda: self.countdown())
            self.press("End")
            self.wait("the next task", lambda: self.open_task() == BALANCE)
        self.wait("the end in the store", lambda: self.stored()[1:] == [["tug", "done", ""]] * 2)
        return self.progress()[TUG] == "done 3 times" or self.progress()

    def stop_early(self):
        self.press("Begin")
        self.wait("the time since the beginning", lambda: seconds_of(self.countdown()) >= 1)
        self.press("Stop early")
        self.give_reason("a phone rang", "Stop the task")
        self.wait("the reason in the store", lambda: self.stored()[3:] == [["balance", "stopped", "a phone rang"]])
        return self.open_task() == BALANCE and self.progress()[BALANCE] == "stopped early" or self.progress()

    def skip(self):
        self.press("Skip")
        self.tap(".tasks form button", "Skip the task")
        self.wait("the question", lambda: "Enter a reason." in self.text(".tasks"))
        self.give_reason("too tired", "Skip the task")
        self.wait("the reason in the store", lambda: self.stored()[4:] == [["balance", "skipped", "too tired"]])
        return self.open_task() == STAIRS and self.progress()[BALANCE] == "skipped" or self.progress()

    def is_on_time(self, shown, limit=600):
        """Check a countdown against the gateway's clock. The tolerance covers the time between the two readings."""
        answer = self.tasks()
        left = limit - (answer["now"] - answer["tasks"][-1]["seconds"])
        return abs(seconds_of(shown) - left) < 20

    def reload(self):
        self.press("Begin")
        self.wait("the task in the store", lambda: self.stored()[5:] == [["stairs", None, ""]])
        self.wait("the countdown to move", lambda: seconds_of(self.countdown()) < 599)
        self.driver.refresh()
        self.wait("the countdown", lambda: self.countdown() and self.is_on_time(self.countdown()))
        self.devtools("Network.setBlockedURLs", urls=[API])
        self.driver.refresh()
        before = self.wait("the countdown without the gateway", lambda: self.countdown())
        self.wait("it to move", lambda: seconds_of(self.countdown()) < seconds_of(before))
        self.devtools("Network.setBlockedURLs", urls=[])
        self.wait("the countdown with the gateway", lambda: self.js("return isRecording()") and self.is_on_time(self.countdown()))
        return self.open_task() == STAIRS or self.open_task()

    def second_phone(self):
        """Use another browser with the same cookie, but without the data stored in this one."""
        [cookie] = self.devtools("Network.getCookies", urls=[self.url])["cookies"]
        other = Browser(self.url)
        try:
            other.look(PHONE)
            other.devtools("Network.setCookie", name=cookie["name"], value=cookie["value"], url=self.url)
            other.driver.get(self.url + "/#now")
            shown = other.wait("the countdown on the second phone", lambda: other.find(".countdown") and other.text(".countdown"))
            if not self.is_on_time(shown):
                raise Failed(f"the second phone shows {shown}")
            other.tap(".tasks .controls button", "End")
            self.wait("the end in the store", lambda: self.stored()[5:] == [["stairs", "done", ""]])
        finally:
            other.quit()
        self.wait("the end on the first phone", lambda: self.progress()[STAIRS] == "done")
        return self.open_task() == "All tasks are done or skipped." or self.open_task()

    def without_network(self):
        self.network(is_on=False)
        self.wait("the lost link", lambda: self.find("#banner"))
        self.tap(".tasks .task", BALANCE)
        self.press("Begin")
        self.wait("the time since the beginning", lambda: seconds_of(self.countdown()) >= 2)
        self.press("End")
        self.wait("the progress", lambda: self.progress()[BALANCE] == "done")
        self.wait("the wait in words", lambda: "2 hazards, notes and tasks have been waiting" in self.text())
        self.network()
        self.wait("delivery", lambda: self.parcels() == 0)
        self.wait("both in the store", lambda: self.stored()[6:] == [["balance", "done", ""]])
        one = self.tasks()["tasks"][-1]
        length = one["endSeconds"] - one["seconds"]
        return length > 1.5 or length

    def cut_off(self):
        """Begin a task on this phone without a network, and then begin another task on another phone."""
        self.tap(".tasks .task", STAIRS)
        self.network(is_on=False)
        self.wait("the lost link", lambda: self.find("#banner"))
        self.press("Repeat")
        self.wait("the countdown", lambda: self.countdown())
        self.js("window.trueFetch = window.fetch; window.fetch = () => new Promise(() => {})")
        self.network()
        id = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
        status, answer = self.later("""const [path, body, done] = arguments;
          trueFetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })
            .then(async (answer) => done([answer.status, await answer.json()]))""",
            f"/api/v1/sessions/{self.session}/tasks", {"id": id, "action": "begin", "task": "tug", "ago": 0})
        if status != 200:
            raise Failed(f"the other phone's command returned {status}: {answer}")
        self.js("window.fetch = window.trueFetch")
        self.driver.refresh()
        self.wait("delivery", lambda: self.parcels() == 0)
        self.wait("the task of the other phone", lambda: self.open_task() == TUG and self.countdown())
        return self.stored()[7:] == [["stairs", "unfinished", ""], ["tug", None, ""]] or self.stored()

    def table(self):
        self.look(DESK)
        self.confirm("Stop", "Stop now?")
        self.wait("no card", lambda: not self.find(".tasks"))
        self.open_walk()
        rows = self.wait("the table", lambda: self.js("""return [...document.querySelectorAll('tbody tr')]
          .map((row) => [...row.children].map((one) => one.innerText))"""))
        self.wait("names", lambda: self.text("tbody th") == TUG)
        results = ["Done"] * 3 + ["Stopped early: a phone rang", "Skipped: too tired"] + ["Done"] * 2 + ["Unfinished"] * 2
        numbers, lengths = [row[1] for row in rows[:3]], [row[2] for row in rows]
        is_timed = seconds_of(lengths[0]) >= 3 and lengths[4] == "–"
        return [row[6] for row in rows] == results and numbers == ["1", "2", "3"] and is_timed or rows
