@testable import CommandLineTool
import TestSupport
import Testing
import Values

/// The help of the commands around uploads, word for word.
@Suite(.computation) struct UploadHelpTextTests {
  @Test func `the help of destination tells where secrets belong`() async {
    #expect(
      await Outcome.of("destination", "--help").output == """
        usage: footbridge destination [--http URL] [--firestore PROJECT] [--folder PATH]
                                      [--layout LAYOUT] [--database NAME]
                                      [--token-file FILE] [--key-file FILE]
                                      [--login-file FILE] [--ca-file FILE]
                                      [--certificate FILE] [--certificate-key FILE]
                                      [--proxy URL] [--compress] [--limit KB/S]
                                      [--parallel N] [--newest-first] [--hours HOURS]
                                      [--json] [--store FILE] ACTION [NAME]

        ACTION is add, list, remove or test.

        add NAME makes a destination known, with one of --http, --firestore and
        --folder; 'footbridge upload' sends to it. Secrets are never typed here: their
        files are named, which nobody else may read. Adding NAME again with the same
        place replaces its settings. Another place is another destination, which is sent
        everything.

        list shows the destinations. test NAME sees whether one could be sent to now,
        and stores nothing there. remove NAME forgets one: what is recorded stays, and
        what was sent is known when the same place is added again.

        Example:
          footbridge destination add home --http https://walks.example.org \\
            --token-file /etc/footbridge/token

        options:
              --http URL          an endpoint of the upload protocol
              --firestore PROJECT
                                  a Firestore database of this project
              --folder PATH       a folder, as on a stick
              --layout LAYOUT     how sessions look in Firestore: researchers,
                                  researchers-per-user or compact (default: compact)
              --database NAME     the database of the project (default: '(default)')
              --token-file FILE   a bearer token is in this file
              --key-file FILE     a service account's key is in this file
              --login-file FILE   e-mail and password are in this file
              --ca-file FILE      trust the certificates in this file instead of the
                                  system's
              --certificate FILE  the client certificate is in this file
              --certificate-key FILE
                                  its key is in this file
              --proxy URL         go through this proxy (default: the one the
                                  environment names)
              --compress          send gzipped where that saves something
              --limit KB/S        send at most so many kilobytes a second
              --parallel N        send at most so many requests at a time (default:
                                  depends on the destination)
              --newest-first      send the newest recordings first
              --hours HOURS       send only at these hours of the local day, as in
                                  20:00-06:00
              --json              print the outcome as JSON
              --store FILE        the store
                                  (default: that of the configuration, or else your own;
                                  environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of upload tells what counts as sent`() async {
    #expect(
      await Outcome.of("upload", "--help").output == """
        usage: footbridge upload [--destination NAME]... [--session SESSION]...
                                 [--again SESSION]... [--newest-first] [--now]
                                 [--dry-run] [--json] [--store FILE]

        Sends every chunk that a destination does not have yet, and then the record of
        its session. Run it as often as you like, even during a recording: what has
        arrived is not sent again, and an interrupted upload continues where it stopped.
        A chunk counts as sent only when the destination has confirmed it.

        Data that a destination rejects is set aside ("parked") and does not block the
        rest; 'footbridge uploads' shows it. The exit status is 6 when something is
        parked, and 7 when a destination could not be sent to.

        When a destination has lost some of a session, or its copy is damaged, --again
        sends the whole session once more. The destination keeps what it holds intact,
        and nothing is there twice. Chunks that were deleted from the store cannot be
        sent; they are named, and the exit status is 5.

        Example: footbridge upload --again last --destination home

        options:
              --destination NAME  send to this one; may be repeated (default: all)
              --session SESSION   send only this one; may be repeated
              --again SESSION     send only this one, and all of it once more; may be
                                  repeated
              --newest-first      send the newest recordings first
              --now               send even outside the hours set for a destination
              --dry-run           show what would be sent, and send nothing
              --json              print the outcome as JSON
              --store FILE        the store
                                  (default: that of the configuration, or else your own;
                                  environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of uploads tells what parked means`() async {
    #expect(
      await Outcome.of("uploads", "--help").output == """
        usage: footbridge uploads [--destination NAME]... [--json] [--utc]
                                  [--store FILE] [retry]

        Shows for each destination how much it has, how much is waiting, and what is
        parked: data that it rejected, with its reason. 'next try' is when a destination
        that could not be reached is tried again by itself; 'footbridge upload' tries at
        once.

        'footbridge uploads retry' makes the next upload send the parked data again.

        options:
              --destination NAME  only this one; may be repeated (default: all)
              --json              print it as JSON
              --utc               print dates in universal time, as logs have them
              --store FILE        the store
                                  (default: that of the configuration, or else your own;
                                  environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }
}
