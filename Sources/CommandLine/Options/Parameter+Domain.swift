internal import BoardDriver
internal import Gateway
internal import HTTPServer
internal import LinuxSystem
public import Sharing
internal import Positioning
internal import Recording
public import Terminal
internal import Upload
public import Values
internal import Web

extension Parameter where Value == WearerRequest {
  static var wearer: Parameter {
    Parameter("WEARER", .own(.wearer)) { WearerRequest($0) }
  }
}

extension Parameter where Value == SensorRequest {
  /// A signal to record, with its rate and range.
  static var sensor: Parameter {
    Parameter("SENSOR", .own(.sensor), text: { $0.text }) { text in
      guard let request = SensorRequest(text: text),
        SensorChoice.exists(request.signal)
      else { return nil }
      return request
    }
  }
}

extension Parameter where Value == Moment {
  /// A moment in a session.
  static var moment: Parameter { Parameter("TIME", .own(.moment)) { Moment($0) } }
}

extension Parameter where Value == BoardAddress {
  static var adapter: Parameter { Parameter("ADDRESS", .own(.adapter)) { BoardAddress($0) } }

  static var boardAddress: Parameter {
    Parameter("ADDRESS", .own(.boardAddress)) { BoardAddress($0) }
  }
}

extension Parameter where Value == PositionSource {
  static var positions: Parameter { Parameter("SOURCE", .own(.positions)) { PositionSource($0) } }
}

extension Parameter where Value == ListenAddress {
  /// A network address of this computer, with a port.
  static var listenAddress: Parameter {
    Parameter("ADDRESS:PORT", .own(.listenAddress)) { ListenAddress($0) }
  }
}

extension Parameter where Value == SerialSpeed {
  static var serialSpeed: Parameter {
    Parameter("BAUD", .word(SerialSpeed.allCases.map { "\($0.rawValue)" })) {
      Int($0).flatMap(SerialSpeed.init)
    }
  }
}

extension Parameter where Value == NamedText {
  /// A board in a session, with a description of the board.
  static var boardText: Parameter { Parameter("BOARD=TEXT", .own(.boardText)) { NamedText($0) } }

  /// A board in a session, with a new name for the board; the name may be empty.
  static var boardNaming: Parameter {
    Parameter("BOARD=NAME", .own(.boardNaming)) { text in
      guard let request = NamedText(text), request.text.isEmpty || BoardName.isFit(request.text)
      else { return nil }
      return request
    }
  }

  /// The id of a question in the definitions, with an answer.
  static var surveyAnswer: Parameter {
    Parameter("QUESTION=ANSWER", .own(.surveyAnswer)) { NamedText($0) }
  }
}

extension Parameter where Value == BoardPair {
  /// Two boards in a session.
  static var boardPair: Parameter { Parameter("BOARD,BOARD", .own(.boardPair)) { BoardPair($0) } }
}

extension Parameter where Value == UploadHours {
  static var hours: Parameter { Parameter("HOURS", .own(.hours)) { UploadHours($0) } }
}

extension Parameter where Value == HazardRequest {
  /// A hazard with its intensity.
  static func hazard(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .own(.hazard), text: { $0.text }) { HazardRequest($0) }
  }
}

extension Parameter where Value == FaultRequest {
  /// A fault to inject into a simulated board.
  static var fault: Parameter { Parameter("FAULT", .own(.fault)) { FaultRequest($0) } }
}

extension Parameter where Value == DaemonFaultRequest {
  /// A fault to inject into the simulated Bluetooth service.
  static var daemonFault: Parameter {
    Parameter("FAULT", .own(.daemonFault)) { DaemonFaultRequest($0) }
  }
}

extension Parameter where Value == BrokerAddress {
  /// The address of an MQTT broker, or the addresses of several brokers in a cluster. A later check
  /// rejects an address with a password, without repeating the password.
  public static var broker: Parameter { Parameter("ADDRESS", .own(.broker)) { BrokerAddress($0) } }
}

extension Parameter where Value == String {
  /// The name of a fleet, or of a gateway in a fleet.
  public static func liveName(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .own(.liveName)) { LiveTopic.isName($0) ? $0 : nil }
  }
}

extension Parameter where Value == String {
  /// A host name that phones use to reach the page.
  static var pageName: Parameter {
    Parameter("NAME", .own(.pageName)) { HostRule.isName($0) ? $0 : nil }
  }
}

extension Parameter where Value == UniqueID {
  public static func uniqueID(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .own(.uniqueID)) { UniqueID($0) }
  }
}

extension Parameter where Value == String {
  /// A board, given by its address or name.
  static let board = filled("BOARD", .own(.board))

  /// A session, given by its id.
  static let session = filled("SESSION", .own(.session))

  /// The name of a recorded signal.
  static let signal = filled("SIGNAL", .own(.signal))

  static func destination(_ metavariable: String) -> Parameter {
    filled(metavariable, .own(.destination))
  }

  /// The URL of an upload endpoint. A later check reports an unusable address without repeating it.
  static let endpoint = unchecked("URL", .own(.endpoint))

  /// A participant, given by a pseudonym.
  static let participant = Parameter("PARTICIPANT", .own(.participant)) {
    Participant.isID($0) ? $0 : nil
  }

  /// A participant, or an empty string for none.
  static let participantOrNone = Parameter("PARTICIPANT", .own(.participant)) {
    $0.isEmpty || Participant.isID($0) ? $0 : nil
  }

  static let boardName = Parameter("NAME", .own(.boardName)) { BoardName.isFit($0) ? $0 : nil }
}
