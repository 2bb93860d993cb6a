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
  static var boardText: Parameter { Parameter("BOARD=TEXT", .own(.boardText)) { NamedText($0) } }

  /// The name may be empty.
  static var boardNaming: Parameter {
    Parameter("BOARD=NAME", .own(.boardNaming)) { text in
      guard let request = NamedText(text), request.text.isEmpty || BoardName.isFit(request.text)
      else { return nil }
      return request
    }
  }

  static var surveyAnswer: Parameter {
    Parameter("QUESTION=ANSWER", .own(.surveyAnswer)) { NamedText($0) }
  }
}

extension Parameter where Value == BoardPair {
  static var boardPair: Parameter { Parameter("BOARD,BOARD", .own(.boardPair)) { BoardPair($0) } }
}

extension Parameter where Value == UploadHours {
  static var hours: Parameter { Parameter("HOURS", .own(.hours)) { UploadHours($0) } }
}

extension Parameter where Value == HazardRequest {
  static func hazard(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .own(.hazard), text: { $0.text }) { HazardRequest($0) }
  }
}

extension Parameter where Value == FaultRequest {
  static var fault: Parameter { Parameter("FAULT", .own(.fault)) { FaultRequest($0) } }
}

extension Parameter where Value == DaemonFaultRequest {
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
  public static func liveName(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .own(.liveName)) { LiveTopic.isName($0) ? $0 : nil }
  }
}

extension Parameter where Value == String {
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
  static let board = filled("BOARD", .own(.board))

  static let session = filled("SESSION", .own(.session))

  static let signal = filled("SIGNAL", .own(.signal))

  static func destination(_ metavariable: String) -> Parameter {
    filled(metavariable, .own(.destination))
  }

  /// A later check reports an unusable address without repeating it.
  static let endpoint = unchecked("URL", .own(.endpoint))

  static let participant = Parameter("PARTICIPANT", .own(.participant)) {
    Participant.isID($0) ? $0 : nil
  }

  /// A participant, or an empty string for none.
  static let participantOrNone = Parameter("PARTICIPANT", .own(.participant)) {
    $0.isEmpty || Participant.isID($0) ? $0 : nil
  }

  static let boardName = Parameter("NAME", .own(.boardName)) { BoardName.isFit($0) ? $0 : nil }
}
