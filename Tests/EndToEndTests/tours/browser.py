"""Headless Chromium, used the way a person would use it on a phone or a desktop computer."""
import base64
import json
import os
import time

from selenium import webdriver
from selenium.common.exceptions import JavascriptException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

# A machine that is busy with other tests is slow. A check ends as soon as it passes.
PATIENCE = 60
PHONE, DESK, NARROW = (360, 800), (1280, 800), (320, 640)


class Failed(Exception):
    """A check that failed."""


def chromium(keeps_logs=False):
    """Start the browser. Logging requests and errors makes it slower."""
    os.environ["NO_PROXY"] = "*"  # The driver is on loopback, too.
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                     "--disable-dev-shm-usage", "--force-color-profile=srgb", "--no-proxy-server"):
        options.add_argument(argument)
    if keeps_logs:
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(service=Service("/usr/bin/chromedriver"), options=options)
    driver.set_script_timeout(PATIENCE)
    return driver


class Browser:
    """A browser that displays a page, and a log of its requests and errors."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self.patience = PATIENCE
        self.requests, self.complaints = [], []
        self.driver = chromium(keeps_logs=True)

    def quit(self):
        self.driver.quit()

    # Reading the page.

    def js(self, code, *values):
        return self.driver.execute_script(code, *values)

    def later(self, code, *values):
        """Return the value that a script passes asynchronously to its last argument."""
        return self.driver.execute_async_script(code, *values)

    def devtools(self, command, **values):
        return self.driver.execute_cdp_cmd(command, values)

    def text(self, selector="main"):
        return self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def count(self, selector):
        return self.js("return document.querySelectorAll(arguments[0]).length", selector)

    def find(self, selector, text=None):
        """Return a visible element, which contains the text if one is given."""
        return self.js("""return [...document.querySelectorAll(arguments[0])].find((one) => one.checkVisibility()
          && (arguments[1] === null || one.innerText.includes(arguments[1]))) ?? null""", selector, text)

    def picture(self):
        """Return the screen as a PNG."""
        data = self.devtools("Page.captureScreenshot", format="png", optimizeForSpeed=False)["data"]
        return base64.b64decode(data)

    # Using the page.

    def look(self, size, theme="light"):
        """Switch to a phone's touch screen or to a desktop's screen."""
        is_touched = size != DESK
        self.devtools("Emulation.setDeviceMetricsOverride", width=size[0], height=size[1],
                      deviceScaleFactor=1, mobile=is_touched)
        self.devtools("Emulation.setTouchEmulationEnabled", enabled=is_touched)
        self.devtools("Emulation.setEmulatedMedia",
                      features=[{"name": "prefers-color-scheme", "value": theme}])

    def tap(self, selector, text=None):
        """Tap an element as a finger does."""
        element = self.wait(f"'{text or selector}'", lambda: self.find(selector, text))
        # The position of the element is known once the layout is stable.
        place = """const box = arguments[0].getBoundingClientRect();
          return [Math.round(box.left + box.width / 2), Math.round(box.top + box.height / 2)]"""
        self.js("arguments[0].scrollIntoView({block: 'center'})", element)
        x, y = self.js(place, element)
        self.touch("touchStart", (x, y))
        self.touch("touchEnd")

    def confirm(self, text, question):
        """Press a button that must be pressed twice. A double tap counts as one press."""
        def is_pressed():
            armed = self.find("button", question)
            if armed:
                self.js("arguments[0].click()", armed)
                return True
            element = self.wait(f"'{text}'", lambda: self.find("button", text))
            self.js("arguments[0].click(); arguments[0].click()", element)
            # If the second press is too early, it counts as a double tap. A slow browser may ask again.
            time.sleep(1)
            return False
        self.wait(f"'{question}'", is_pressed)

    def touch(self, kind, *fingers):
        self.devtools("Input.dispatchTouchEvent", type=kind, touchPoints=[
            {"x": x, "y": y, "id": number} for number, (x, y) in enumerate(fingers)])

    def keys(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def tab_to(self, selector, text=""):
        """Press Tab until an element has the focus, which must be visible."""
        for _ in range(80):
            found, is_seen = self.js("""const one = document.activeElement;
              return [one.matches(arguments[0]) && one.innerText.includes(arguments[1]),
                getComputedStyle(one).outlineStyle !== 'none']""", selector, text)
            if found and is_seen:
                return
            self.keys(Keys.TAB)
        raise Failed(f"Tab does not move a visible focus to '{text or selector}'")

    def go(self, view):
        self.js("location.hash = arguments[0]", view)

    def unfold(self):
        """Expand every collapsed section."""
        self.js("for (const one of document.querySelectorAll('details')) one.open = true;")

    def network(self, is_on=True, milliseconds=0):
        """Switch the network on or off, or delay each response."""
        self.devtools("Network.emulateNetworkConditions", offline=not is_on, latency=milliseconds,
                      downloadThroughput=-1, uploadThroughput=-1)

    # Responses from the gateway, but not the page's own code.

    def call(self, path, body=None):
        """Return a response's status and content."""
        return self.later("""const [path, body, done] = arguments;
          const post = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
          fetch('/api/v1/' + path, body === null ? {} : post)
            .then(async (answer) => done([answer.status, await answer.json()]))
            .catch((error) => done([0, String(error)]))""", path, body and json.dumps(body))

    def ask(self, path):
        """Return the content of a response, whose status must be 200."""
        status, answer = self.call(path)
        if status != 200:
            raise Failed(f"{path} returned {status}: {answer}")
        return answer

    # Time, and the logs.

    def wait(self, what, condition):
        """Wait for a condition, and return its value."""
        end = time.monotonic() + self.patience
        while True:
            try:
                value = condition()
            except (Failed, JavascriptException):  # The element does not exist yet.
                value = None
            if value:
                return value
            if time.monotonic() > end:
                raise Failed(f"timed out waiting for {what}")
            self.collect()
            time.sleep(0.05)

    def collect(self):
        """Read the browser's logs, which would otherwise grow without limit."""
        for entry in self.driver.get_log("performance"):
            event = json.loads(entry["message"])["message"]
            if event["method"] == "Network.requestWillBeSent":
                self.requests.append(event["params"]["request"]["url"])
        for entry in self.driver.get_log("browser"):
            if entry["level"] in ("SEVERE", "WARNING"):
                self.complaints.append(entry["message"])
