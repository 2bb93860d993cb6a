"""The page of a store, and its walk on a map from a file.

The store must contain one walk of a few seconds with a track, two boards, and the hazard Slippery of intensity 2.
"""
import re

from tours.browser import DESK, PHONE, Failed
from tours.walk import WalkTour


class StoreTour(WalkTour):
    """View the walk on a grid, change it, and finally delete it."""

    def visit(self):
        check = self.check
        check("only the views of a store are offered", lambda: self.views() == ["walks", "health"] or self.views())
        check("a walk from the list, with figures, hazards and notes", self.walk)
        check("the track is drawn on a grid", self.draws_track_on_grid)
        check("the chart follows keys", self.chart_keys)
        check("the chart follows fingers", self.chart_touch)
        check("files are downloaded", self.downloads)
        check("swapped boards have correct labels after one press", self.swap_labels)
        check("a hazard is changed", self.change_hazard)
        check("a hazard is added in the middle of the chart", self.add_hazard)
        check("a note whose answer is lost stays in its form, and is stored once", self.add_note)
        check("a hazard that another phone moved is not moved back", self.moved_hazard)
        check("a wearer is saved without the note that another phone wrote", self.edit_wearer)
        check("a walk: contrast, and nothing is too wide", self.stays_within)
        check("Health has the doctor's findings", self.health)
        self.fits_everywhere("walks", "health")
        check("all views by keyboard", self.views_by_keyboard)
        check("a walk is deleted after a second press", self.delete)

    def walk(self):
        self.open_walk()
        return self.shows("Distance", "Steps", "Track", "Slippery", "Downloads", "a bridge, \"wet\"")

    def swap_labels(self):
        labels = lambda: [one["placement"] for one in self.newest_session()["boards"]]
        before = labels()
        self.wait("the warning", lambda: "It seems to be swapped with right foot" in self.text())
        self.tap("button", "Swap the labels")
        self.wait("the correction", lambda: "seems to be swapped" not in self.text())
        self.wait("the chart", lambda: self.find("canvas.wave"))
        return sorted(before) == ["left foot", "right foot"] and labels() == before[::-1] or labels()

    def hazards(self):
        return {one["name"]: one["intensity"] for one in self.newest_session()["hazards"]}

    def change_hazard(self):
        self.tap("[aria-label='Slippery: 3, severe']")
        self.wait("the change", lambda: self.hazards() == {"Slippery": 3})
        self.wait("its button", lambda: self.find("[aria-label='Slippery: 3, severe'][aria-pressed=true]"))

    def add_hazard(self):
        self.unfold()
        self.wait("the names", lambda: self.js("""const choice = document.querySelector('form select');
          choice.value = 'Slope';
          choice.dispatchEvent(new Event('change'));
          return choice.value === 'Slope'"""))
        self.tap("form button", "Add")
        self.wait("the hazard", lambda: self.hazards() == {"Slippery": 3, "Slope": 1})
        self.wait("its line", lambda: self.find("[aria-label='Slope: 1, slight'][aria-pressed=true]"))
        session = self.newest_session()
        at = next(one["seconds"] for one in session["hazards"] if one["name"] == "Slope")
        return abs(at - session["seconds"] / 2) < 1.1 or at

    def add_note(self):
        self.js("""const choice = document.querySelector('form select');
          choice.value = '';
          choice.dispatchEvent(new Event('change'));
          window.trueFetch = window.fetch""")
        text = "form input[maxlength='2000']:not([aria-label])"
        self.js("document.querySelector(arguments[0]).focus()", text)
        self.keys("a stile")
        notes = lambda: [one["text"] for one in self.newest_session()["annotations"] if one["text"] == "a stile"]
        # First the request is lost, and then only the response.
        for sending, stored in (("", []), ("await trueFetch(path, options);", ["a stile"])):
            self.js("""window.lost = 0;
              window.fetch = async (path, options) => {
                if (!options || options.method !== 'POST') return trueFetch(path, options);
                %s
                lost += 1;
                throw new TypeError('lost');
              }""" % sending)
            self.tap("form button", "Add")
            self.wait("the failure", lambda: self.js("return lost") == 1 and "does not respond" in self.text())
            self.js("window.fetch = window.trueFetch")
            left = self.js("return document.querySelector(arguments[0]).value", text)
            if left != "a stile" or notes() != stored:
                raise Failed(f"the form has {left!r}, and the walk {notes()}")
        self.tap("form button", "Add")
        self.wait("an empty form", lambda: self.js("return document.querySelector(arguments[0]).value", text) == "")
        return notes() == ["a stile"] or notes()

    def moved_hazard(self):
        id = self.newest_session()["session"]
        status, _ = self.call(f"sessions/{id}/hazards", {"id": "5d3c0f4e8a514d0c9a630c1f2e3d4b5a", "name": "Slope", "intensity": 2, "at": 0.5})
        if status != 200:
            raise Failed(f"the request returned {status}")
        self.tap("[aria-label='Slope: 3, severe']")
        self.wait("the news", lambda: "Someone changed Slope meanwhile: 2 of 3, medium, at 0:00" in self.text())
        self.wait("its button", lambda: self.find("[aria-label='Slope: 2, medium'][aria-pressed=true]"))
        slope = lambda: [(one["seconds"], one["intensity"]) for one in self.newest_session()["hazards"] if one["name"] == "Slope"]
        if slope() != [(0.5, 2)]:
            raise Failed(f"the hazard is {slope()}")
        self.tap("[aria-label='Slope: 3, severe']")
        self.wait("the change", lambda: slope() == [(0.5, 3)])

    def edit_wearer(self):
        id = self.newest_session()["session"]
        self.call(f"sessions/{id}/edit", {"note": "by another phone"})
        self.unfold()
        self.js("document.querySelector('form.form input[maxlength=\"100\"]').focus()")
        self.keys("P09")
        self.tap("button", "Save")
        self.wait("the wearer", lambda: "worn by P09" in self.text())
        note = self.newest_session()["note"]
        return note == "by another phone" or note

    def health(self):
        self.go("health")
        self.tap("button", "Check the gateway")
        self.wait("the findings", lambda: re.search(r"Everything is in order|problem.* found", self.text()))

    def delete(self):
        self.open_walk()
        self.look(PHONE)
        self.confirm("Delete this walk", "Press again to delete it permanently")
        self.wait("an empty list", lambda: "No walks yet." in self.text())
        return self.ask("sessions") == [] or "it is still there"


class MapTour(WalkTour):
    """View the walk on the tiles of an MBTiles file, with Debian's Leaflet and without it.

    The file must contain the tiles around the walk, and an attribution that looks like HTML: see make_map.py.
    """

    # Expected error: Leaflet cannot be loaded.
    provoked = r"/leaflet\.(js|css) - .*ERR_BLOCKED_BY_CLIENT"

    def visit(self):
        check = self.check
        check("the gateway says that it has a map", lambda: self.ask("access")["tiles"])
        check("pictures of the file are shown, and the track over them", self.tiles)
        check("a route is drawn in the colour of its difficulty, and named below the map", self.routes)
        check("the elevation along the distance is drawn", self.elevation)
        check("hazards are drawn over them, with their names", self.hazards)
        check("the attribution stays text", self.attribution)
        check("finer pictures come by keyboard", self.zoom_by_keys)
        check("coarser pictures come by touch", self.zoom_by_touch)
        check("a walk on a map: contrast, and nothing is too wide", self.stays_within)
        check("without Leaflet, the track is drawn on a grid", self.without_leaflet)

    def shown_tiles(self):
        """Return the paths of the loaded tiles, and the number of tiles that are not loaded."""
        return self.js("""const all = [...document.querySelectorAll('.map img.leaflet-tile')];
          const isShown = (one) => one.complete && one.naturalWidth > 0;
          return [all.filter(isShown).map((one) => new URL(one.src).pathname), all.filter((one) => !isShown(one)).length]""")

    def wait_for_tiles(self, holds=lambda zooms: True):
        """Wait until all tiles are loaded at the requested zoom levels, and the map has stopped moving."""
        def are_shown():
            shown, rest = self.shown_tiles()
            # During a zoom, Leaflet ignores further zoom commands.
            is_at_rest = self.count(".leaflet-zoom-anim") == 0
            return is_at_rest and shown and not rest and holds({int(one.split("/")[2]) for one in shown})
        self.wait("pictures of the map", are_shown)

    def zoom(self):
        return max(int(one.split("/")[2]) for one in self.shown_tiles()[0])

    def tiles(self):
        self.open_walk()
        self.wait("the track", lambda: self.pixels(".leaflet-overlay-pane canvas", "track") > 20)
        self.wait_for_tiles()
        # The images come from the file and have the size of its tiles.
        sizes = self.js("""return [...new Set([...document.querySelectorAll('.map img.leaflet-tile')]
          .map((one) => one.naturalWidth))]""")
        return sizes == [256] or sizes

    def routes(self):
        self.wait("the route", lambda: self.pixels(".leaflet-overlay-pane canvas", "fault") > 5)
        return self.text(".routes") == "Heath loop · hard" or self.text(".routes")

    def elevation(self):
        self.wait("the profile", lambda: self.pixels("canvas.profile", "track") > 20)
        label = self.js("return document.querySelector('canvas.profile').getAttribute('aria-label')")
        return bool(re.fullmatch(r"Elevation from [\d,−-]+ to [\d,−-]+ m along [\d.,]+ k?m", label)) or label

    def hazards(self):
        self.look(DESK)
        self.wait("the hazard", lambda: self.text(".map .map-mark") == "2")
        inside = self.js("""const inner = document.querySelector('.map .map-mark').getBoundingClientRect();
          const outer = document.querySelector('.map').getBoundingClientRect();
          return inner.left > outer.left && inner.right < outer.right && inner.top > outer.top && inner.bottom < outer.bottom""")
        if not inside:
            raise Failed("the hazard is outside the map")
        self.js("document.querySelector('.map').scrollIntoView({block: 'center'})")
        x, y = self.js("""const box = document.querySelector('.map .map-mark').getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2]""")
        self.devtools("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.wait("its name", lambda: self.find(".map .tip", "Slippery"))

    def attribution(self):
        shown = self.text(".map .leaflet-control-attribution")
        elements = self.js("return document.querySelector('.map .leaflet-control-attribution').innerHTML.match(/<[^>]*>/g)")
        if elements or "Makers of the map" not in shown:
            raise Failed(f"the map says {shown!r}, with the elements {elements}")
        title = self.js("return document.title")
        return "broken" not in title or title

    def zoom_by_keys(self):
        self.look(DESK)
        # Leaflet handles keys while it has the focus. Shift and Plus zoom in by three levels.
        self.js("document.querySelector('.leaflet-container').focus()")
        for key, step in (("-", -1), ("=", 1)):
            before = self.zoom()
            self.keys(key)
            self.wait_for_tiles(lambda zooms: zooms == {before + step})

    def zoom_by_touch(self):
        self.look(PHONE)
        self.wait_for_tiles()
        before = self.zoom()
        size = self.js("return document.querySelector('.map .leaflet-control-zoom-out').getBoundingClientRect().height")
        if size < 44:
            raise Failed(f"the button has {size} pixels")
        self.tap(".map .leaflet-control-zoom-out")
        self.wait_for_tiles(lambda zooms: zooms == {before - 1})

    def without_leaflet(self):
        self.devtools("Network.setBlockedURLs", urls=["*/leaflet.js", "*/leaflet.css"])
        self.driver.refresh()
        self.draws_track_on_grid()
        self.wait("the route", lambda: self.pixels(".map canvas", "fault") > 5)
