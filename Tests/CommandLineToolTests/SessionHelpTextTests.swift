@testable import CommandLineTool
import TestSupport
import Testing
import Values

/// The help of the commands around sessions and the store, word for word.
@Suite(.computation) struct SessionHelpTextTests {
  @Test func `the help of sessions tells what recovered means`() async {
    #expect(
      await Outcome.of("sessions", "--help").output == """
        usage: footbridge sessions [--newest N] [--all] [--json] [--utc] [--fleet PLACE]
                                   [--gateway ID] [--token-file FILE] [--ca-file FILE]
                                   [--store FILE]

        Lists the newest sessions of the store, the newest last: when each began (local
        time), how long it is, how many samples are stored and lost, and how it ended.
        'recovered' is one that was interrupted, for example by a power cut; everything
        stored before that is intact. It ends with 5 if stored samples of a listed
        session are gone.

        options:
              --newest N         list the newest N sessions (default: 20; all with
                                 --json)
              --all              list all sessions
              --json             print the list as JSON
              --utc              print dates in universal time, as logs have them
              --fleet PLACE      read from this endpoint, an address such as
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

  @Test func `the help of show tells what is read for it`() async {
    #expect(
      await Outcome.of("show", "--help").output == """
        usage: footbridge show [--chunks] [--json] [--utc] [--fleet PLACE]
                               [--gateway ID] [--token-file FILE] [--ca-file FILE]
                               [--store FILE] SESSION

        Shows a session: its length and path, its boards and where they were worn, what
        each stream was asked for and achieved, what is lost and why, hazards,
        annotations and events. SESSION is an id from 'footbridge sessions', the
        beginning of one, or 'last'; it may still be recorded.

        options:
              --chunks           read every chunk and list it too
              --json             print it as JSON
              --utc              print dates in universal time, as logs have them
              --fleet PLACE      read from this endpoint, an address such as
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

  @Test func `the help of session tells what an edit changes, and what it keeps`() async {
    #expect(
      await Outcome.of("session", "--help").output == """
        usage: footbridge session [--wearer TEXT] [--note TEXT]
                                  [--placement BOARD=TEXT]... [--name BOARD=NAME]...
                                  [--swap BOARD,BOARD]... [--json] [--store FILE] edit
                                  SESSION

        'footbridge session edit SESSION' corrects a session that was noted wrongly: who
        wore the boards, the note, what a board is called, where it was worn. It does so
        also while the session is recorded. An empty text clears a field; a board
        without a name goes by its address. 'footbridge sessions' lists sessions.

        BOARD is the address of a board, the name it has in the session, or the
        beginning of either. Samples stay with the address of their board: exports,
        'show' and the next upload have the new names. The known boards stay as they
        are.

        Every edit is kept among the session's events, with the former text.

        Example: footbridge session edit last --swap left,right --wearer P07

        options:
              --wearer TEXT       who wore the boards
              --note TEXT         the remark on the session
              --placement BOARD=TEXT
                                  where a board was worn, as in left='left ankle'; may
                                  be repeated
              --name BOARD=NAME   the name of a board; may be repeated
              --swap BOARD,BOARD  exchange name and placement of two boards, as in
                                  left,right; may be repeated
              --json              print the edits as JSON
              --store FILE        the store
                                  (default: that of the configuration, or else your own;
                                  environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of hazard tells the usual names`() async {
    #expect(
      await Outcome.of("hazard", "--help").output == """
        usage: footbridge hazard [--at TIME] [--json] [--store FILE] SESSION
                                 NAME=INTENSITY...

        Notes a hazard on the route, and how bad it was: 0 (nothing), 1, 2 or 3. While
        the session is being recorded, the hazard gets the current time and place, later
        the session's end, or those of the time that --at names. Run it again to change
        the intensity: during the recording the hazard moves to the current time and
        place, later it keeps its own. Every report stays among the session's events.

        Usual names are Change in Floor Levels, Uneven Surface, Debris or Obstacles,
        Slippery, Slope and Poor Lighting, and those of the definitions ('footbridge
        definitions'); the beginning of a name is enough if only one name has it. Other
        names are allowed.

        Example: footbridge hazard last Slippery=2 'Low branch=1'

        Example: footbridge hazard last Slope=3 --at 12:40

        options:
              --at TIME     when it was met, in seconds since the start, as 1:20 or as
                            2026-05-04T09:30:00Z (default: now; once the session is over
                            its own time, or the end)
              --json        print the session's hazards as JSON
              --store FILE  the store
                            (default: that of the configuration, or else your own;
                            environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of annotate tells when a remark is noted, and how one is corrected`() async {
    #expect(
      await Outcome.of("annotate", "--help").output == """
        usage: footbridge annotate [--at TIME] [--instead-of OLD] [--json]
                                   [--store FILE] SESSION TEXT

        Adds a remark to one moment of a session, even while it is being recorded. With
        --instead-of, the remark takes the place of one that is there, at the same
        moment; --at tells which one where several have that text. The former text stays
        among the session's events.

        Example: footbridge annotate last 'stopped at the traffic light' --at 1:35

        Example: footbridge annotate last 'a gate' --instead-of 'a gat'

        options:
              --at TIME         the time it refers to, in seconds since the start, as
                                1:20 or as 2026-05-04T09:30:00Z (default: now, or the
                                end if it is over)
              --instead-of OLD  correct the annotation with this text; an empty TEXT
                                removes it
              --json            print the annotation as JSON
              --store FILE      the store
                                (default: that of the configuration, or else your own;
                                environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of delete tells what stays of the file`() async {
    #expect(
      await Outcome.of("delete", "--help").output == """
        usage: footbridge delete [--yes] [--json] [--store FILE] SESSION

        Deletes a session with its samples, positions and notes, after asking you to
        confirm with yes. Not possible while the store is recorded into. The file keeps
        its size, and later sessions use the freed space; 'footbridge store compact'
        gives it back to the disk.

        options:
              --yes         do not ask
              --json        print the deleted amounts as JSON
              --store FILE  the store
                            (default: that of the configuration, or else your own;
                            environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of store tells what goes on beside a recorder`() async {
    #expect(
      await Outcome.of("store", "--help").output == """
        usage: footbridge store [--quota MB] [--floor MB] [--when-full POLICY]
                                [--keep-sent DAYS] [--force] [--json] [--store FILE]
                                ACTION [FILE]

        ACTION is check, repair, compact, backup, space or migrate.

        check reads everything and reports what is damaged; backup FILE copies the store
        as it is now, including data that is not sealed yet. Both work during a
        recording, too.

        repair sets damaged chunks aside, so that the rest can be used. Where the file
        itself is damaged or cut off, it saves into a new file everything that can still
        be read, and keeps the damaged one beside it. compact gives freed room back to
        the disk.

        space shows how much room there is. With --quota, --floor, --when-full or
        --keep-sent it sets how much the store may use, what happens when it is full,
        and how long sent data is kept.

        migrate brings a store of an earlier release to the version of this one. Before
        that it copies the store to a file beside it, which the earlier release can
        read. An upgrade of the package does this for the store of the service.

        Example: footbridge store backup /media/stick/walks.sqlite

        options:
              --quota MB          with space: limit the store to so many megabytes; 0
                                  for no limit
              --floor MB          with space: leave so many megabytes of the disk free
              --when-full POLICY  with space: stop, drop-uploaded (delete sent data) or
                                  drop-oldest (then the rest too) when there is no room
                                  left
              --keep-sent DAYS    with space: delete data that every destination has had
                                  for so many days; 0 to keep it for as long as there is
                                  room
              --force             replace files that are there already
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
}
