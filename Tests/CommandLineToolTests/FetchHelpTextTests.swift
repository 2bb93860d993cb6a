@testable import CommandLineTool
import TestSupport
import Testing
import Values

/// The help of fetch, word for word.
@Suite(.computation) struct FetchHelpTextTests {
  @Test func `the help of fetch tells what comes back`() async {
    #expect(
      await Outcome.of("fetch", "--help").output == """
        usage: footbridge fetch [--format FORMAT] [--user ID] [--output PATH] [--force]
                                [--json] [--utc] [--from PLACE] [--gateway ID]
                                [--token-file FILE] [--ca-file FILE] [--store FILE]
                                [DESTINATION] [RECORD]

        Lists what DESTINATION has, a Firestore or an endpoint, the newest last, or
        loads RECORD back: a name from the list, the beginning of one, or 'last'. With
        --from, give only RECORD. Chunks come several at a time and are joined in order;
        one that is missing is named on standard error with its place, not waited for,
        and ends the command with status 5.

        A session at an endpoint, and what the compact layout of a Firestore holds, is
        written as 'footbridge export' writes it, with the same files beside it. The
        researchers' layouts hold the gyroscope alone: it is written as a CSV table with
        time_utc, x, y, z, lat, lon and alt_msl.

        Example: footbridge fetch university last --output walk.csv

        Example: footbridge fetch --from https://walks.example.org last

        options:
              --format FORMAT    csv, jsonl, json, geojson or gpx (default: by the
                                 ending of --output, else csv)
              --user ID          the records of this user instead of your own
              --output PATH      write into this file and files beside it instead of to
                                 standard output
              --force            replace files that are there already
              --json             print the list as JSON
              --utc              print dates in universal time, as logs have them
              --from PLACE       read from this endpoint, an address such as
                                 https://walks.example.org or the name of a destination,
                                 instead of from the store
              --gateway ID       there, the sessions of this gateway alone
              --token-file FILE  a token that may read there is in this file
              --ca-file FILE     trust the certificates in this file instead of the
                                 system's
              --store FILE       the store
                                 (default: that of the configuration, or else your own;
                                 environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `what is typed behind fetch arrives`() async {
    let outcome = await Outcome.of(
      "fetch", "university", "last", "--format", "json", "--user", "Ada", "--output", "walk.json",
      "--store", "/s.sqlite")
    #expect(
      outcome.output
        == "university last, json, user Ada, output walk.json, json false, store /s.sqlite\n")
    #expect(await Outcome.of("fetch", commands: Commands.all).status == 2)
  }
}
