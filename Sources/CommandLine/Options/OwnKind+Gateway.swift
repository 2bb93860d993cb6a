internal import BoardDriver
internal import Gateway
internal import Positioning
internal import Recording
internal import Sharing
internal import Terminal
internal import Values

/// The kinds of arguments that are specific to the gateway.
extension OwnKind {
  // MARK: Boards and their signals

  static let board = OwnKind("board", offers: Candidates(source: .asked("boards"))) {
    "\($0) is the address or the name of a board, or the beginning of either\n"
      + "'footbridge boards' lists names, 'footbridge scan' shows addresses"
  }
  static let boardAddress = OwnKind("board address") {
    "\($0) is the address of a board, as in C8:4B:AA:97:50:05\n"
      + "'footbridge scan' shows addresses"
  }
  static let adapter = OwnKind("adapter") {
    "\($0) is the address of an adapter, as in 00:1A:7D:DA:71:0A, and not its name (hci0),\n"
      + "which may change when the adapter is plugged in: 'bluetoothctl list' shows addresses"
  }
  static let boardName = OwnKind("board name") { "\($0) has \(BoardName.rule)" }
  static let boardText = OwnKind("board text") {
    "\($0) is a board of the session, an equals sign and text on one line,\n"
      + "of at most \(LineOfText.longest) characters, as in left='left ankle'"
  }
  static let boardNaming = OwnKind("board naming") {
    "\($0) is a board of the session, an equals sign and its name, as in left=right\n"
      + "a name has \(BoardName.rule)"
  }
  static let boardPair = OwnKind("board pair") {
    "\($0) is two boards of the session separated by a comma, as in left,right"
  }
  static let signal = OwnKind("signal", offers: Candidates(words: SensorChoice.signals)) {
    "\($0) is the name of a signal, such as acceleration"
  }
  static let sensor = OwnKind(
    "sensor", offers: Candidates(words: SensorChoice.signals),
    refusal: { word in
      SensorRequest(text: word).flatMap { request in
        SensorChoice.exists(request.signal)
          ? nil
          : "there is no signal '\(request.signal)'"
            + (SensorChoice.signal(meantBy: request.signal).map { ": did you mean '\($0)'?" } ?? "")
      }
    },
    advice: {
      "\($0) is SIGNAL, SIGNAL@RATE or SIGNAL@RATE:RANGE, as in acceleration@100:8\n"
        + "'footbridge sensors' lists signals, rates and ranges"
    })

  // MARK: Sessions

  static let session = OwnKind("session", offers: Candidates(words: [SessionDirectory.last])) {
    "\($0) is the id of a session, the beginning of one, or 'last'\n"
      + "'footbridge sessions' lists the ids"
  }
  static let sessionOrFile = OwnKind(
    "session or file", offers: Candidates(words: [SessionDirectory.last], source: .files)
  ) {
    "\($0) is the id of a session, 'last', or the path of an export or a certificate\n"
      + "'footbridge sessions' lists sessions"
  }
  static let participant = OwnKind("participant") {
    "\($0) is a pseudonym, as in P07, which \(Participant.rule)\n"
      + "'footbridge definitions' shows participants, if the definitions list any"
  }
  static let task = OwnKind("task") {
    "\($0) is the id of a task, as in tug\n'footbridge task list' lists the tasks"
  }
  static let surveyAnswer = OwnKind("survey answer") {
    "\($0) is the id of a question, an equals sign and its answer, as in mood=good\n"
      + "'footbridge definitions --json' shows the questions"
  }
  static let moment = OwnKind("moment") {
    "\($0) is the time since the start of the session, as in 80 or 1:20, or a time with a\n"
      + "time zone, as in 2026-05-04T09:30:00Z or 2026-05-04T11:30:00+02:00"
  }
  static let hazard = OwnKind(
    "hazard", offers: Candidates(words: HazardRequest.words),
    refusal: { word in
      HazardRequest.meanings(of: word).map { "'\(TerminalText.quotation(word))' could mean \($0)" }
    }, advice: { _ in HazardRequest.advice })
  static let positions = OwnKind(
    "positions",
    offers: Candidates(words: ["gpsd", "gpsd://", "file:", "fixed:"], source: .files),
    advice: { _ in PositionSource.advice })

  // MARK: The gateway and its readers

  static let configurationKey = OwnKind(
    "configuration key", offers: Candidates(words: GatewayConfiguration.descriptions.map(\.path))
  ) {
    "\($0) is a key of the configuration file, as in recording.when\n"
      + "'footbridge config explain' lists the keys"
  }
  static let destination = OwnKind(
    "destination", offers: Candidates(source: .asked("destinations"))
  ) {
    "\($0) is the name of a destination\n'footbridge destination list' shows the names"
  }
  static let endpoint = OwnKind("endpoint", offers: Candidates(words: ["https://", "http://"])) {
    "\($0) is an address as in https://walks.example.org or http://127.0.0.1:8420"
  }
  static let uniqueID = OwnKind("unique id") {
    "\($0) is an id as in 496001c7-80a4-4cd8-b8a4-f282b76f2bfa"
  }
  static let hours = OwnKind("hours") { "\($0) is a range of hours, as in 20:00-06:00" }
  static let broker = OwnKind("broker", offers: Candidates(words: ["mqtts://", "mqtt://"])) {
    "\($0) is an address as in mqtts://user@broker.example.org, or mqtt://host1:1883,host2:1883"
  }
  static let liveName = OwnKind("live name") { "\($0) has \(LiveTopic.nameRule)" }
  static let pageName = OwnKind("page name") {
    "\($0) is a name without a port, as in walks.example.org, or the address of a proxy,\n"
      + "as in https://walks.example.org"
  }
  static let listenAddress = OwnKind(
    "listen address", offers: Candidates(words: ["127.0.0.1:8420", "0.0.0.0:8420"])
  ) {
    "\($0) is an address of this computer with a port, as in 127.0.0.1:8420 or [::1]:8420\n"
      + "0.0.0.0:8420 means all of its addresses, and port 0 a free port"
  }

  // MARK: Simulation

  static let wearer = OwnKind(
    "wearer", offers: Candidates(words: WearerRequest.words, source: .files)
  ) {
    "\($0) is \(WearerRequest.words.joined(separator: ", ")) or the path of a CSV file"
  }
  static let fault = OwnKind("fault") {
    "\($0) is KIND@SECONDS or KIND@SECONDS:VALUE, as in drop@10:3\n"
      + "kinds are " + FaultRequest.Kind.allCases.map(\.rawValue).joined(separator: ", ")
  }
  static let daemonFault = OwnKind("daemon fault") {
    "\($0) is KIND@SECONDS or KIND@SECONDS:VALUE, as in gone@10:3\n"
      + "kinds are " + DaemonFaultRequest.Kind.allCases.map(\.rawValue).joined(separator: ", ")
  }
}
