internal import BoardDriver
internal import Gateway
internal import HTTPServer
internal import LinuxSystem
public import Sharing
internal import Positioning
internal import Recording
internal import Upload
public import Values
internal import Web

extension Parameter where Value == WearerRequest {
  /// The wearer of the simulated boards.
  static var wearer: Parameter {
    Parameter("WEARER", .wearer) { WearerRequest($0) }
  }
}

extension Parameter where Value == SensorRequest {
  /// A signal to record, with rate and range.
  static var sensor: Parameter {
    Parameter("SENSOR", .sensor, text: { $0.text }) { text in
      guard let request = SensorRequest(text: text),
        SensorChoice.signal(meantBy: request.signal) == nil
      else { return nil }
      return request
    }
  }
}

extension Parameter where Value == Moment {
  /// An instant of a session.
  static var moment: Parameter { Parameter("TIME", .moment) { Moment($0) } }
}

extension Parameter where Value == UTCTime {
  /// A day, which begins at midnight of universal time, or an instant of it.
  public static var date: Parameter {
    Parameter("DATE", .date) { UTCTime(iso8601: $0) ?? UTCTime(iso8601: $0 + "T00:00Z") }
  }
}

extension Parameter where Value == BoardAddress {
  /// A Bluetooth adapter.
  static var adapter: Parameter { Parameter("ADDRESS", .adapter) { BoardAddress($0) } }

  /// A board by its address.
  static var boardAddress: Parameter {
    Parameter("ADDRESS", .boardAddress) { BoardAddress($0) }
  }
}

extension Parameter where Value == PositionSource {
  /// A source of positions.
  static var positions: Parameter { Parameter("SOURCE", .positions) { PositionSource($0) } }
}

extension Parameter where Value == ListenAddress {
  /// An address of this computer and a port.
  static var listenAddress: Parameter {
    Parameter("ADDRESS:PORT", .listenAddress) { ListenAddress($0) }
  }
}

extension Parameter where Value == SerialSpeed {
  /// The speed of a serial port.
  static var serialSpeed: Parameter {
    Parameter("BAUD", .word(SerialSpeed.allCases.map { "\($0.rawValue)" })) {
      Int($0).flatMap(SerialSpeed.init)
    }
  }
}

extension Parameter where Value == BoardText {
  /// A text for a board of a session.
  static var boardText: Parameter { Parameter("BOARD=TEXT", .boardText) { BoardText($0) } }

  /// A name for a board of a session, which may be empty.
  static var boardNaming: Parameter {
    Parameter("BOARD=NAME", .boardNaming) { text in
      guard let request = BoardText(text), request.text.isEmpty || BoardName.isFit(request.text)
      else { return nil }
      return request
    }
  }
}

extension Parameter where Value == BoardPair {
  /// Two boards of a session.
  static var boardPair: Parameter { Parameter("BOARD,BOARD", .boardPair) { BoardPair($0) } }
}

extension Parameter where Value == UploadHours {
  /// Hours of the day.
  static var hours: Parameter { Parameter("HOURS", .hours) { UploadHours($0) } }
}

extension Parameter where Value == HazardRequest {
  /// A hazard with its intensity.
  static func hazard(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .hazard, text: { $0.text }) { HazardRequest($0) }
  }
}

extension Parameter where Value == FaultRequest {
  /// A fault of a simulated board.
  static var fault: Parameter { Parameter("FAULT", .fault) { FaultRequest($0) } }
}

extension Parameter where Value == DaemonFaultRequest {
  /// A fault of the simulated Bluetooth service.
  static var daemonFault: Parameter {
    Parameter("FAULT", .daemonFault) { DaemonFaultRequest($0) }
  }
}

extension Parameter where Value == BrokerAddress {
  /// An MQTT broker, or several of a cluster. A later check refuses a password, which this one does
  /// not repeat.
  public static var broker: Parameter { Parameter("ADDRESS", .broker) { BrokerAddress($0) } }
}

extension Parameter where Value == String {
  /// The name of a fleet or of a gateway in it.
  public static func liveName(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .liveName) { LiveTopic.isName($0) ? $0 : nil }
  }
}

extension Parameter where Value == String {
  /// A name by which phones reach the page.
  static var pageName: Parameter {
    Parameter("NAME", .pageName) { HostRule.isName($0) ? $0 : nil }
  }
}

extension Parameter where Value == UniqueID {
  /// A permanent identifier.
  public static func uniqueID(_ metavariable: String) -> Parameter {
    Parameter(metavariable, .uniqueID) { UniqueID($0) }
  }
}
