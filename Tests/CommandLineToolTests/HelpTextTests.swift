@testable import CommandLineTool
import TestSupport
import Testing
import Values

@Suite(.computation) struct HelpTextTests {
  @Test func `the overview lists commands, options and exit status`() async {
    let expected = Outcome(
      status: 0,
      output: """
        footbridge 0.1.0
        Records MetaWear motion sensors, tags every sample with a position and exports
        the result.

        usage: footbridge [options] COMMAND [options of the command]

        commands:
          demo         record simulated boards, without any hardware
          setup        guide through the configuration of the gateway
          scan         show the boards that are in reach
          pair         make a board known, and show its details
          boards       list the known boards, rename one or change its placement
          identify     make a board blink or vibrate, so you can tell which one it is
          stream       show or print live readings, without recording them
          record       record boards until interrupted
          run          run the gateway as a service, by its configuration file
          status       show whether the running gateway works
          start        have the running gateway record
          stop         have the running gateway end its recording
          pause        have the running gateway keep no samples for a while
          resume       have the running gateway go on after a pause
          config       check, explain, change or restore the configuration
          definitions  show or pull sensors, boards and hazards from a destination
          doctor       find what is wrong with this computer
          report       pack everything that a helper has to know into one file
          forecast     tell how long batteries, disk and card will last
          sessions     list the recorded sessions
          show         show a stored session
          session      correct the description of a session
          hazard       report a hazard of a session, or change one
          annotate     add a remark to a session, or correct one
          export       write a session as CSV, JSON, GeoJSON or GPX
          delete       delete a session for good
          store        check, repair, compact, migrate or back up the store
          destination  say where recordings are sent
          upload       send recordings to their destinations
          uploads      show sent, waiting and parked data
          fetch        list the sessions at a destination, and load one back
          reset        restart a board
          forget       remove a board from the known ones
          sensors      list what a model of board can record
          simulate     offer simulated boards on a private bus until interrupted
          gps          show the data of a GPS receiver
          inspect      explain a capture of a board or a receiver
          receive      receive uploads of gateways until interrupted
          fleet        keep the gateways of a fleet and their tokens
          web          show recordings on phones, and say which phones may
          completion   print a script that lets a shell complete words
          help         explain a command

        options:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end
              --version  show the version and end

        exit status:
            0  done
            1  failed; the reason is on standard error
            2  the command line was not understood
            3  no Bluetooth adapter, no Bluetooth service or no permission
            4  board not found
            5  some packets, lines or chunks were missing or not understood
            6  a destination rejected some of the data
            7  a destination could not be sent to
          130  ended by an interrupt (SIGINT, Ctrl-C)
          143  ended by SIGTERM

        'footbridge COMMAND --help' explains a command.

        """)
    #expect(await Outcome.of("--help") == expected)
    #expect(await Outcome.of("-h") == expected)
    #expect(await Outcome.of("help") == expected)
  }

  @Test func `the help of record names every option, and where the store is`() async {
    #expect(
      await Outcome.of("record", "--help").output == """
        usage: footbridge record [--boards N] [--board BOARD]... [--sensor SENSOR]...
                                 [--layout LAYOUT] [--require-all] [--interval MS]
                                 [--gps SOURCE] [--seconds N] [--seal MINUTES]
                                 [--at-risk SECONDS] [--note TEXT] [--hazard HAZARD]...
                                 [--wearer TEXT] [--gateway TEXT] [--export FOLDER]
                                 [--force] [--live-location NAME] [--adapter ADDRESS]...
                                 [--store FILE] [BOARD...]

        Looks for MetaWear boards, streams from those named or else from the first it
        hears, and records their samples together with the positions of a GPS receiver.
        A board that is missing joins when it appears. A lost connection is made again,
        and the gap is counted. Ctrl-C ends the recording. Without --seconds, the exit
        status is then 0 if anything was recorded.

        On a terminal, keys note hazards and remarks during the recording: h and the
        numbers of a hazard and its intensity, or n, a text and Enter. p pauses the
        recording and goes on with it: samples that come in a pause are not kept, and
        count as lost. e ends the recording like Ctrl-C. A note that is being written
        then is kept.

        Example: footbridge record left right --gps /dev/gps0

        options:
              --boards N          number of boards, 1 to 10 (default: 1)
              --board BOARD       record this board, by address or name; may be repeated
              --sensor SENSOR     record this signal; may be repeated (default:
                                  acceleration@100:8 and angular_velocity@100:2000)
              --layout LAYOUT     how the board packs samples into packets: single,
                                  packed, counted-pair, counted, timed (default: chosen
                                  for the signal and rate; rarely needed)
              --require-all       fail when a board is missing instead of starting with
                                  those that are there
              --interval MS       Bluetooth connection interval: 7.5, 15 or 30 ms
                                  (default: chosen by the number of boards)
              --gps SOURCE        record positions too, from the serial port of a GPS
                                  receiver such as /dev/gps0, gpsd, gpsd://HOST,
                                  file:PATH or fixed:LATITUDE,LONGITUDE
              --seconds N         stop after so many seconds of samples, or as in 1:30,
                                  instead of at Ctrl-C
              --seal MINUTES      seal chunks that are not full yet after so many
                                  minutes (default: 15)
              --at-risk SECONDS   seconds of samples that a power cut may cost; with
                                  more, less is written (default: 1)
              --note TEXT         a remark on the session
              --hazard HAZARD     a hazard on the route with its intensity from 0 to 3,
                                  as in Slippery=2; may be repeated
              --wearer TEXT       who wears the boards
              --gateway TEXT      the name of this computer (default: its host name)
              --export FOLDER     write samples.csv with its tables and track.geojson
                                  into this folder at the end
              --force             replace files that are there already
              --live-location NAME
                                  publish the current position in this Firestore until
                                  the recording ends; see 'footbridge destination'
              --adapter ADDRESS   use this Bluetooth adapter; may be repeated (default:
                                  all that are on)
              --store FILE        the store
                                  (default: that of the configuration, or else your own;
                                  environment: FOOTBRIDGE_STORE)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of the demo names every option with its default`() async {
    let expected = Outcome(
      status: 0,
      output: """
        usage: footbridge demo [--fast] [--seconds N] [--boards N] [--adapters N]
                               [--sensor SENSOR]... [--layout LAYOUT] [--gps SOURCE]
                               [--json] [--keep FOLDER] [--force] [--seed N]
                               [--wearer WEARER]

        Records simulated boards and a simulated GPS receiver through every stage of the
        gateway: Bluetooth service, notifications, recorder, store and export. Needs no
        hardware and no permissions.

        With --fast it simulates a day with a clock that jumps: a walk in the morning
        and one in the afternoon, in which packets, links and the receiver are lost, an
        evening without a network, a night, and the upload on the next morning.

        Store and exports are written to a temporary folder, which is removed at the end
        unless --keep names another.

        options:
              --fast           a day in seconds: two walks with losses, a night, and
                               uploads
              --seconds N      length of the recording in seconds, or as in 1:30
                               (default: 30)
              --boards N       number of simulated boards, 1 to 10 (default: 1)
              --adapters N     number of simulated adapters, 1 to 4 (default: 1)
              --sensor SENSOR  record this signal; may be repeated (default:
                               acceleration@100:8 and angular_velocity@100:2000)
              --layout LAYOUT  how the board packs samples into packets: single, packed,
                               counted-pair, counted, timed (default: chosen for the
                               signal and rate; rarely needed)
              --gps SOURCE     take positions from this source instead of a simulated
                               receiver
              --json           print the report as JSON, without the live view
              --keep FOLDER    keep store and exports in this folder
              --force          replace files that are there already
              --seed N         start of the random numbers; the same seed gives the same
                               signals (default: 1)
              --wearer WEARER  what the boards go through: still, walking, running,
                               falling (after 10 s) or the path of a recorded motion
                               (default: walking)

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
    #expect(await Outcome.of("demo", "--help") == expected)
    #expect(await Outcome.of("--help", "demo") != expected)
    #expect(await Outcome.of("help", "demo") == expected)
    #expect(await Outcome.of("demo", "--seconds", "1", "-h") == expected)
  }

  @Test func `the help of the simulation names the models`() async {
    #expect(
      await Outcome.of("simulate", "--help").output == """
        usage: footbridge simulate [--boards N] [--adapters N] [--strangers N]
                                   [--model S|RL|MMC|C|R|ENV] [--gps] [--seed N]
                                   [--wearer WEARER] [--fault FAULT]...
                                   [--bluez RELEASE] [--daemon-fault FAULT]... [--json]
                                   [--shell] [--packets] [-- COMMAND [ARG...]]

        Starts a private D-Bus with a Bluetooth service whose boards are simulated,
        prints how to reach it and serves it until it is interrupted.

        footbridge simulate -- COMMAND runs COMMAND in that world and ends with its exit
        status: DBUS_SYSTEM_BUS_ADDRESS is set for it, and with --gps
        FOOTBRIDGE_SIMULATION_GPS to the receiver's path. FOOTBRIDGE_SIMULATION_STORE is
        set to a store beside your own, so that simulated sessions stay apart from real
        ones.

        eval "$(footbridge simulate --shell)" sets them in a shell instead, and the
        simulation goes on in the background until the shell ends, or kill
        $FOOTBRIDGE_SIMULATION_PID.

        Example: footbridge simulate -- footbridge record --seconds 10

        A fault is KIND@SECONDS or KIND@SECONDS:VALUE, counted from the start; --fault
        may be given more than once. Of the next notifications, drop loses, duplicate
        doubles and garbage spoils VALUE (1). For VALUE seconds, outage loses all of
        them and delay holds them up (1), mute ignores commands and hang does nothing at
        all (for ever). disconnect ends the link, reboot restarts the board, halt
        silences the sensor VALUE (accelerometer, or gyroscope), and battery runs empty
        within VALUE seconds (60).

        Faults of the service happen to every board and the first adapter. no-reply
        leaves the next call of VALUE (connect, acquire-notify, stop-notify, listing)
        unanswered. abort fails VALUE links (1), no-objects hides the objects of VALUE
        links (1, or always until the device is removed), late-objects shows them VALUE
        seconds late (1). slow-stop answers the end of notifications after VALUE seconds
        (5), slow-disconnect ends links VALUE seconds later (5), early loses what boards
        send in the VALUE seconds before they are subscribed (0.1), and empty is a
        notification without bytes. wedge refuses discovery until VALUE (stop, or power
        for a power cycle); with silence nothing is heard for VALUE seconds (for ever).
        off, on, block and unblock switch the adapter, unplug removes it, plug brings it
        back with a number higher by VALUE (1). gone takes the service and the links
        away for VALUE seconds (3), restart the service alone, crash does as gone at the
        next removal of a device. denied forbids the method VALUE (Connect). held gives
        the boards to another central for VALUE seconds (for ever), bootloader restarts
        them into their bootloader, bond has them demand a bond. foreign-notify,
        foreign-scan and foreign-link are another client that acquired the
        notifications, scans, or linked the boards.

        With --packets there is no bus. What the boards send is written as lines of
        JSON, and lines such as "connect 0", "listen 0 on", "write 0 0380", "disconnect
        0" and "counts" are read, until there are no more: for a radio that another
        program simulates.

        options:
              --boards N                number of simulated boards, 1 to 10 (default: 1)
              --adapters N              number of simulated adapters, 1 to 4, each of
                                        which hears every board (default: 1)
              --strangers N             number of other Bluetooth devices in reach, 0 to
                                        10 (default: 0)
              --model S|RL|MMC|C|R|ENV  model of the boards: MetaMotion S, RL or C,
                                        MetaWear C or R, MetaEnvironment (default: S)
              --gps                     simulate a GPS receiver on a pseudo-terminal too
              --seed N                  start of the random numbers; the same seed gives
                                        the same signals (default: 1)
              --wearer WEARER           what the boards go through: still, walking,
                                        running, falling (after 10 s) or the path of a
                                        recorded motion (default: walking)
              --fault FAULT             make something go wrong with every board; see
                                        above
              --bluez RELEASE           behave like this release of BlueZ: 5.66, 5.72,
                                        5.82 or 5.84 (default: 5.72)
              --daemon-fault FAULT      make something go wrong with the service; see
                                        above
              --json                    print addresses and device paths as JSON
              --shell                   print lines for a shell and go on in the
                                        background; see above
              --packets                 exchange packets on standard input and output;
                                        see above

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help of inspect names the models, the formats and an example`() async {
    #expect(
      await Outcome.of("inspect", "--help").output == """
        usage: footbridge inspect [--board MODEL] [--not-before DATE] [--json]
                                  metawear|nmea [FILE]

        metawear explains commands and notifications of MetaWear boards, each as soon as
        it has been read from FILE or standard input. Knows hexadecimal lines, what
        btmon prints, and btsnoop files (btmon -w).

        A hexadecimal line may begin with a time and an arrow: > is host to board, < is
        board to host. Without an arrow, the way is the one in which the packet means
        something, and a command where both do. What follows a # is a comment.

        nmea reads the sentences of a positioning receiver and prints one line for each
        of its fixes, none for a moment without a fix or a date. What was refused is
        counted by reason on standard error.

        Example: echo '> 03 03 a8 02' | footbridge inspect metawear --board S

        options:
              --board MODEL      take chips and revisions from this model where the
                                 capture does not tell them: S, RL, MMR, MMC
                                 (MetaMotion), R, RG, RPro, C, CPro (MetaWear),
                                 MetaDetector, ENV (MetaEnvironment), MetaTracker
              --not-before DATE  take dates of a receiver before this one for a wrapped
                                 week, and add 1,024 weeks until they are not
              --json             print one JSON object per packet or fix and line

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `inspect wants to know what is spoken, and a model it knows`() async {
    #expect(
      await Outcome.of("inspect", "metawear", "--board", "RL", "--json", "night.log").output
        == "metawear, board RL, json true, file night.log\n")
    #expect(
      await Outcome.of("inspect")
        == .misunderstood(
          """
          error: 'metawear|nmea' is missing
                 choose metawear or nmea
                 try 'footbridge inspect --help'
          """))
    #expect(
      await Outcome.of("inspect", "night.log")
        == .misunderstood(
          """
          error: unknown choice 'night.log'
                 choose metawear or nmea
                 try 'footbridge inspect --help'
          """))
    let date = await Outcome.of("inspect", "nmea", "--not-before", "Monday")
    #expect(date.status == 2)
    #expect(
      date.errors.contains(
        "'--not-before' cannot be 'Monday'\n       DATE is a day as in 2026-05-04"))
    let unknown = await Outcome.of("inspect", "metawear", "--board", "Z")
    #expect(unknown.status == 2)
    #expect(
      unknown.errors.contains("'--board' cannot be 'Z'\n       choose one of S, RL, MMR, MMC,"))
  }

  @Test func `the help of completion tells where the script goes`() async {
    #expect(
      await Outcome.of("completion", "--help").output == """
        usage: footbridge completion bash|zsh|fish

        Prints a script with which the shell completes commands, options, their words,
        and the names of known boards.

        bash: put source <(footbridge completion bash) into ~/.bashrc

        zsh: put source <(footbridge completion zsh) into ~/.zshrc, behind compinit

        fish: footbridge completion fish > ~/.config/fish/completions/footbridge.fish

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `the help explains itself`() async {
    #expect(
      await Outcome.of("help", "help").output == """
        usage: footbridge help [--manual] [COMMAND]

        Shows the help of COMMAND, or the list of commands.

        With --manual it prints the manual page for 'man', also where no package has
        installed it.

        Example: footbridge help --manual record | man -l -

        options:
              --manual  print the manual page, for 'man -l -'

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }

  @Test func `a word for a model means the same in every command, and the help has them all`() {
    let known = Dictionary(uniqueKeysWithValues: KnownBoard.allCases.map { ($0.rawValue, "\($0)") })
    for model in SimulateCommand.Model.allCases {
      #expect(known[model.rawValue] == "\(model)")
    }
    let told = KnownBoard.words.split { ", ()".contains($0) }
    for word in known.keys { #expect(told.contains { $0 == word }) }
  }

  @Test func `no line of any help is wider than 80 columns`() {
    let commands = Commands.all
    let texts = [HelpText.overview(of: commands)] + commands.map(HelpText.command)
    for line in texts.joined(separator: "\n").split(separator: "\n") {
      #expect(line.count <= 80)
    }
  }

  @Test func `the list tells what completion needs to know about every option`() {
    let commands = Commands.all
    #expect(
      commands.map(\.name) == [
        "demo", "setup", "scan", "pair", "boards", "identify", "stream", "record", "run", "status",
        "start", "stop", "pause", "resume", "config", "definitions", "doctor", "report", "forecast",
        "sessions", "show",
        "session", "hazard", "annotate", "export", "delete", "store", "destination", "upload",
        "uploads",
        "fetch", "reset", "forget", "sensors", "simulate", "gps", "inspect", "receive",
        "fleet", "web",
        "completion",
        "complete", "help",
      ])
    let demo = commands[0].options
    #expect(
      demo.map(\.name) == [
        "fast", "seconds", "boards", "adapters", "sensor", "layout", "gps", "json", "keep",
        "force", "seed", "wearer",
      ])
    #expect(
      demo.map(\.defaultValue)
        == [nil, "30", "1", "1", nil, nil, nil, nil, nil, nil, "1", "walking"])
    #expect(
      demo.map(\.argument?.kind) == [
        nil, .seconds(upTo: 86_400), .wholeNumber(from: 1, through: 10),
        .wholeNumber(from: 1, through: 4), .sensor,
        .word(["single", "packed", "counted-pair", "counted", "timed"]), .positions, nil, .folder,
        nil, .wholeNumber(from: 0, through: .max), .wearer,
      ])
    let model = commands.first { $0.name == "simulate" }?.options.first { $0.name == "model" }
    #expect(
      model?.argument
        == Argument(
          "S|RL|MMC|C|R|ENV", .word(["S", "RL", "MMC", "C", "R", "ENV"])))
    #expect(commands.last?.operands.map(\.argument) == [Argument("COMMAND", .command)])
  }

  @Test func `the help of gps tells what a source may be`() async {
    #expect(
      await Outcome.of("gps", "--help").output == """
        usage: footbridge gps [--speed BAUD] [--not-before DATE] [--seconds N] [--json]
                              [SOURCE]

        Shows state and position, satellites with the strength of their signals, speed,
        error, and how many sentences were accepted or rejected; where standard output
        is no terminal, prints a line for each fix and each change of the state. Nothing
        is sent to the receiver.

        SOURCE is a serial port such as /dev/gps0, gpsd, gpsd://HOST[:PORT][/DEVICE],
        file:PATH of a file of sentences, or fixed:LATITUDE,LONGITUDE[,ALTITUDE].
        Without it, the only receiver or gpsd that is found is used.

        Example: footbridge gps /dev/ttyUSB0 --speed 9600

        options:
              --speed BAUD       speed of the serial port (default: it is looked for)
              --not-before DATE  take dates in a file before this one for a wrapped
                                 week, and add 1,024 weeks until they are not
              --seconds N        stop after so many seconds, or as in 1:30, instead of
                                 at Ctrl-C
              --json             print each fix and each change of the state as a JSON
                                 object on a line

        options of every command:
          -q, --quiet    report only warnings and errors
          -v, --verbose  report every step
          -h, --help     show this help and end

        """)
  }
}
