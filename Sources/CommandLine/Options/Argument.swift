internal import BoardDriver
internal import Gateway
internal import Sharing
internal import Positioning

/// What follows an option or stands alone: its metavariable in the help, and what may be written.
///
/// Help, error texts, the manual page and shell completion all speak from it.
public struct Argument: Hashable, Sendable {
  /// What kind of text is expected.
  public enum Kind: Hashable, Sendable {
    /// The path of a file.
    case file
    /// The path of a folder.
    case folder
    /// A whole number between two bounds, both included.
    case wholeNumber(from: UInt64, through: UInt64)
    /// A decimal number above one bound and up to another.
    case number(above: Double, upTo: Double)
    /// A length of time up to so many seconds.
    case seconds(upTo: Double)
    /// One of a few words.
    case word([String])
    /// The name of a command.
    case command
    /// What the wearers of simulated boards do.
    case wearer
    /// A fault of a simulated board.
    case fault
    /// A fault of the simulated Bluetooth service.
    case daemonFault
    /// A signal with its rate and range.
    case sensor
    /// A board by its address, its name or the beginning of either.
    case board
    /// A Bluetooth adapter by its address.
    case adapter
    /// A name for a board.
    case boardName
    /// A board of a session, with a text for it.
    case boardText
    /// A board of a session, with a name for it.
    case boardNaming
    /// Two boards of a session.
    case boardPair
    /// A session by its id or the beginning of it, or the newest.
    case session
    /// A hazard with its intensity.
    case hazard
    /// The name of a signal.
    case signal
    /// An instant of a session.
    case moment
    /// A day, or an instant of universal time.
    case date
    /// Where positions come from.
    case positions
    /// The name of a destination.
    case destination
    /// The address of an endpoint.
    case endpoint
    /// The permanent name of a gateway.
    case uniqueID
    /// Hours of the day.
    case hours
    /// An address of this computer with a port.
    case listenAddress
    /// The path of a file from the root on.
    case absolutePath
    /// The path of a socket from the root on.
    case socketPath
    /// A board by its address.
    case boardAddress
    /// A key of the configuration file.
    case configurationKey
    /// A program and its arguments.
    case commandLine
    /// An MQTT broker.
    case broker
    /// The name of a fleet or of a gateway in it.
    case liveName
    /// A name by which phones reach the page.
    case pageName
    /// Any text.
    case text
  }

  /// How the help names it, as in `FILE`.
  public var metavariable: String
  /// What is expected.
  public var kind: Kind

  /// An argument shown as `metavariable`.
  public init(_ metavariable: String, _ kind: Kind) {
    self.metavariable = metavariable
    self.kind = kind
  }

  /// Why this argument, or the option of this name, does not accept a word.
  func refusal(of word: String, asOption option: String? = nil) -> String {
    let quotation = TerminalText.quotation(word)
    switch kind {
    case .word(let words):
      let meant = Suggestion.nearest(to: word, among: words).map { ": did you mean '\($0)'?" } ?? ""
      guard let option else { return "unknown choice '\(quotation)'\(meant)" }
      return "'\(option)' cannot be '\(quotation)'\(meant)"
    case .hazard:
      if let names = HazardRequest.meanings(of: word) { return "'\(quotation)' may be \(names)" }
    case .sensor:
      if let name = SensorRequest(text: word)?.signal,
        let signal = SensorChoice.signal(meantBy: name)
      {
        return "there is no signal '\(name)': did you mean '\(signal)'?"
      }
    default: break
    }
    return "'\(option ?? metavariable)' cannot be '\(quotation)'"
  }

  /// What may be written, as advice to one who wrote something else.
  public var advice: String {
    switch kind {
    case .file: "\(metavariable) is the path of a file"
    case .folder: "\(metavariable) is the path of a folder"
    case .wholeNumber(let low, UInt64.max):
      "\(metavariable) is a whole number from \(low) to 2^64 - 1"
    case .wholeNumber(let low, let high):
      "\(metavariable) is a whole number from \(low) to \(high)"
    case .number(let low, let high) where low < 0:
      "\(metavariable) is 0 or more, and at most \(NumberText.plain(high))"
    case .number(let low, let high):
      "\(metavariable) is a number above \(NumberText.plain(low)) and at most "
        + NumberText.plain(high)
    case .seconds(let high):
      "\(metavariable) is a number of seconds above 0 and at most \(NumberText.plain(high)), "
        + "or a time as in 1:30"
    case .word(let words):
      words.count > 2
        ? "choose one of " + words.joined(separator: ", ")
        : "choose " + words.joined(separator: " or ")
    case .command: "\(metavariable) is the name of a command"
    case .wearer:
      "\(metavariable) is \(WearerRequest.words.joined(separator: ", ")) or the path of a CSV file"
    case .sensor:
      "\(metavariable) is SIGNAL, SIGNAL@RATE or SIGNAL@RATE:RANGE, as in acceleration@100:8\n"
        + "'footbridge sensors' lists signals, rates and ranges"
    case .board:
      "\(metavariable) is the address or the name of a board, or the beginning of either\n"
        + "'footbridge boards' lists names, 'footbridge scan' shows addresses"
    case .adapter:
      "\(metavariable) is the address of an adapter, as in 00:1A:7D:DA:71:0A; its name (hci0) will not do,\n"
        + "since it may get another when it is plugged in: 'bluetoothctl list' shows addresses"
    case .session:
      "\(metavariable) is the id of a session, the beginning of one, or 'last'\n"
        + "'footbridge sessions' lists them"
    case .hazard: HazardRequest.advice
    case .boardName: "\(metavariable) is \(BoardName.rule)"
    case .boardText:
      "\(metavariable) is a board of the session, an equals sign and text on one line,\n"
        + "of at most \(LineOfText.longest) characters, as in left='left ankle'"
    case .boardNaming:
      "\(metavariable) is a board of the session, an equals sign and its name, as in left=right\n"
        + "a name has \(BoardName.rule)"
    case .boardPair:
      "\(metavariable) is two boards of the session with a comma between, as in left,right"
    case .signal: "\(metavariable) is the name of a signal, such as acceleration"
    case .moment:
      "\(metavariable) is time since the start of the session, as in 80 or 1:20, or a time with its\n"
        + "zone as in 2026-05-04T09:30:00Z or 2026-05-04T11:30:00+02:00"
    case .date:
      "\(metavariable) is a day as in 2026-05-04, or a time with its zone as in 2026-05-04T09:30:00Z"
    case .positions: PositionSource.advice
    case .destination:
      "\(metavariable) is the name of a destination\n'footbridge destination list' shows them"
    case .uniqueID:
      "\(metavariable) is an id as in 496001c7-80a4-4cd8-b8a4-f282b76f2bfa"
    case .endpoint:
      "\(metavariable) is an address as in https://walks.example.org or http://127.0.0.1:8420"
    case .hours: "\(metavariable) is a span of the day, as in 20:00-06:00"
    case .broker:
      "\(metavariable) is as in mqtts://user@broker.example.org, or mqtt://host1:1883,host2:1883"
    case .liveName: "\(metavariable) has \(LiveTopic.nameRule)"
    case .pageName:
      "\(metavariable) is a name without a port, as in walks.example.org, or the address of a proxy,\n"
        + "as in https://walks.example.org"
    case .listenAddress:
      "\(metavariable) is an address of this computer with a port, as in 127.0.0.1:8420 or [::1]:8420\n"
        + "0.0.0.0:8420 is all of its addresses, port 0 one that is free"
    case .absolutePath:
      "\(metavariable) is the path of a file from the root on, as in /srv/walks/recording.sqlite"
    case .socketPath:
      "\(metavariable) is the path of a socket from the root on, of at most 107 bytes"
    case .boardAddress:
      "\(metavariable) is the address of a board, as in C8:4B:AA:97:50:05\n"
        + "'footbridge scan' shows addresses"
    case .configurationKey:
      "\(metavariable) is a key of the configuration file, as in recording.when\n"
        + "'footbridge config explain' lists them"
    case .commandLine:
      "\(metavariable) is a program, and its arguments follow, as in -- footbridge scan"
    case .text: "\(metavariable) is \(LineOfText.rule)"
    case .fault:
      "\(metavariable) is KIND@SECONDS or KIND@SECONDS:VALUE, as in drop@10:3\n"
        + "kinds are " + FaultRequest.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    case .daemonFault:
      "\(metavariable) is KIND@SECONDS or KIND@SECONDS:VALUE, as in gone@10:3\n"
        + "kinds are "
        + DaemonFaultRequest.Kind.allCases.map(\.rawValue).joined(separator: ", ")
    }
  }
}
