#!/usr/bin/python3
"""Visits a page as its users do, in headless Chromium.

    page_tour.py TOUR --url http://127.0.0.1:8080 --pin 123456

TOUR is one of the files in tours/. Each describes the data that the page must have; PageTourTests.swift provides them.
The PIN comes from 'footbridge web pair'. Prints a line for each check, and 'N passed, N failed' at the end. The exit
status is 1 if a check failed.

With --screenshots, the tour of a gateway also writes page-now.png, page-walk.png and page-hazards.png.

Needs Debian's chromium, chromium-driver and python3-selenium.
"""
import argparse
import sys

sys.dont_write_bytecode = True  # The tours are in the source tree.

from tours.fleet import FleetTour
from tours.gateway import GatewayTour
from tours.look import LookTour
from tours.others import OthersTour
from tours.store import MapTour, StoreTour
from tours.survey import SurveyTour
from tours.tasks import TaskTour

TOURS = {
    "gateway": lambda given: GatewayTour(given.url, given.screenshots), "look": lambda given: LookTour(given.url),
    "store": lambda given: StoreTour(given.url), "map": lambda given: MapTour(given.url),
    "others": lambda given: OthersTour(given.url),
    "tasks": lambda given: TaskTour(given.url), "survey": lambda given: SurveyTour(given.url),
    "fleet": lambda given: FleetTour(given.url, {name: int(id) for name, id in (one.split("=") for one in given.gateway)}),
}


def main():
    parser = argparse.ArgumentParser(description="Visits a page as its users do.")
    parser.add_argument("tour", choices=TOURS)
    parser.add_argument("--url", required=True)
    parser.add_argument("--pin", required=True)
    parser.add_argument("--screenshots", metavar="FOLDER")
    parser.add_argument("--gateway", metavar="NAME=PROCESS", action="append", default=[])
    given = parser.parse_args()
    tour = TOURS[given.tour](given)
    try:
        tour.run(given.pin)
    finally:
        tour.quit()
    print(f"{tour.passed} passed, {tour.failed} failed")
    sys.exit(1 if tour.failed or not tour.passed else 0)


main()
