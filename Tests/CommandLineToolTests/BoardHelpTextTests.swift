@testable import CommandLineTool
import TestSupport
import Testing
import Values

/// The help of the commands that have to do with boards, word for word.
@Suite(.computation) struct BoardHelpTextTests {
  @Test func `the help of scan tells why a board may not appear`() async {
    #expect(
      await Outcome.of("scan", "--help").output == """
        usage: footbridge scan [--seconds N] [--json] [--adapter ADDRESS]...
                               [--store FILE]

        Listens for advertisements and shows who was heard: boards first, then other
        devices. On a terminal the table is kept up to date; elsewhere it is printed
        once, at the end.

        A board that does not appear sleeps, is out of reach, or is connected to a phone
        or another computer: connected boards do not advertise.

        options:
              --seconds N        end after so many seconds, or as in 1:30 (default: at
                                 Ctrl-C on a terminal, else after 10)
              --json             print the devices as JSON at the end
              --adapter ADDRESS  use this Bluetooth adapter; may be repeated (default:
                                 all that are on)
              --store FILE       the store
                                 (default: that of the configuration, or else your own;
                                 environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of pair tells what it does to the board and what is kept`() async {
    #expect(
      await Outcome.of("pair", "--help").output == """
        usage: footbridge pair [--name NAME] [--placement TEXT] [--bond] [--json]
                               [--adapter ADDRESS]... [--store FILE] BOARD

        Connects to the board, asks for model, firmware, modules and battery, and blinks
        its LED. From now on every command accepts the board's name, and the Bluetooth
        service remembers the board. Whatever the board was doing continues.

        Needed once for each board. Run it again to rename the board, or after an update
        of its firmware.

        options:
              --name NAME        the name of the board (default: its advertised name and
                                 the end of its address)
              --placement TEXT   where the board is worn, as in 'left wrist'
              --bond             exchange keys too (default: only if the board demands
                                 it)
              --json             print the board's answers as JSON
              --adapter ADDRESS  use this Bluetooth adapter; may be repeated (default:
                                 all that are on)
              --store FILE       the store
                                 (default: that of the configuration, or else your own;
                                 environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of boards tells how a board is renamed`() async {
    #expect(
      await Outcome.of("boards", "--help").output == """
        usage: footbridge boards [--name NAME] [--placement TEXT] [--json] [--utc]
                                 [--store FILE] [set] [BOARD]

        Lists the boards that were made known with 'footbridge pair', with their names,
        where they are worn, and when they were last connected (local time).

        'footbridge boards set BOARD' changes --name, --placement or both.

        Example: footbridge boards set left --name 'left wrist'

        options:
              --name NAME       with set: the new name of the board
              --placement TEXT  with set: where the board is worn; '' clears it
              --json            print the list as JSON
              --utc             print dates in universal time, as logs have them
              --store FILE      the store
                                (default: that of the configuration, or else your own;
                                environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of identify tells how long a board blinks`() async {
    #expect(
      await Outcome.of("identify", "--help").output == """
        usage: footbridge identify [--haptic] [--adapter ADDRESS]... [--store FILE]
                                   BOARD

        Connects to the board and makes it blink for ten seconds. With --haptic it
        vibrates for one second instead, if it has a motor. Whatever the board was doing
        continues, except a pattern on its LED.

        options:
              --haptic           run its vibration motor instead of its LED
              --adapter ADDRESS  use this Bluetooth adapter; may be repeated (default:
                                 all that are on)
              --store FILE       the store
                                 (default: that of the configuration, or else your own;
                                 environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of stream tells what is printed where`() async {
    #expect(
      await Outcome.of("stream", "--help").output == """
        usage: footbridge stream [--sensor SENSOR]... [--layout LAYOUT] [--gps SOURCE]
                                 [--seconds N] [--json] [--csv] [--adapter ADDRESS]...
                                 [--store FILE] BOARD...

        Connects to the boards, streams their sensors and shows the newest readings with
        rate, loss and signal strength, or prints all of them. Nothing is stored. Ctrl-C
        ends it, and so does q in the view.

        A program that reads the samples too slowly misses some; their number is
        reported at the end.

        Example: footbridge stream left --sensor acceleration@50 --csv > left.csv

        options:
              --sensor SENSOR    read this signal; may be repeated (default:
                                 acceleration@100:8 and angular_velocity@100:2000)
              --layout LAYOUT    how the board packs samples into packets: single,
                                 packed, counted-pair, counted, timed (default: chosen
                                 for the signal and rate; rarely needed)
              --gps SOURCE       show the position too, and print samples with the last
                                 fix and its age; sources are those of 'footbridge
                                 record'
              --seconds N        stop after so many seconds of samples, or as in 1:30,
                                 instead of at Ctrl-C
              --json             print each sample as a JSON object on a line of its own
                                 (default where standard output is not a terminal)
              --csv              print each sample as a line of a table with commas
              --adapter ADDRESS  use this Bluetooth adapter; may be repeated (default:
                                 all that are on)
              --store FILE       the store
                                 (default: that of the configuration, or else your own;
                                 environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of reset tells what a board forgets`() async {
    #expect(
      await Outcome.of("reset", "--help").output == """
        usage: footbridge reset [--adapter ADDRESS]... [--store FILE] BOARD

        Restarts the board. It forgets what any software set up on it (streams, timers,
        events, processors); its log and its macros stay.

        options:
              --adapter ADDRESS  use this Bluetooth adapter; may be repeated (default:
                                 all that are on)
              --store FILE       the store
                                 (default: that of the configuration, or else your own;
                                 environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of forget tells what stays`() async {
    #expect(
      await Outcome.of("forget", "--help").output == """
        usage: footbridge forget [--store FILE] BOARD

        Removes the board from the store's list and from the Bluetooth service, with its
        keys if it was bonded. Its recordings stay. The board itself need not be in
        reach.

        options:
              --store FILE  the store
                            (default: that of the configuration, or else your own;
                            environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }
}
