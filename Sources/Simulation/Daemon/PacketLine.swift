internal import MetaWearProtocol
internal import Values

/// Simulated boards that exchange lines of text with another program, which simulates the radio.
///
/// Each line from the radio reports an event that concerns a board, or requests information. Boards
/// are identified by their index:
///
/// ```text
/// connect 0          a central is connected
/// disconnect 0       the link has dropped
/// listen 0 on        the central has subscribed to the notifications (off: unsubscribed)
/// write 0 0380       the central has written this to the command characteristic
/// drop 0             the board is to end the link, as by a fault
/// counts             how many packets has every board sent so far?
/// ```
///
/// The boards reply and report with JSON objects, one per line. The first line contains the boards'
/// attributes. Each later line describes one board: `advertising` (`null` if the board stops),
/// `notification`, `battery` or `link`. A `counts` or `error` line is the reply to a line from the
/// radio.
public struct PacketLine: Sendable {
  /// A board and its state as last reported to the radio.
  private struct Place: Sendable {
    var board: SimulatedBoard
    var isLinked = false
    var advertisement: JSONValue?
    var battery: UInt8?
  }

  private var places: [Place]

  /// Creates a packet line for these boards. The boards have not yet reported any state to the
  /// radio.
  public init(_ boards: [SimulatedBoard]) {
    places = boards.map { Place(board: $0) }
  }

  /// The first line: the boards and their attributes.
  public var introduction: String {
    JSONValue.object([.init("boards", .array(places.map { Self.introduction(of: $0.board) }))]).text
  }

  /// True time at which a board may next act on its own.
  ///
  /// A board without a link may start or stop advertising at any time, so call `advance` regularly.
  public var nextEvent: Double? { places.compactMap(\.board.nextEvent).min() }

  public var counts: [BoardCounts] {
    places.map { place in
      BoardCounts(
        address: place.board.address, notifications: place.board.notificationsSent,
        samples: place.board.samplesSent, samplesLost: place.board.samplesDropped,
        samplesUnheard: place.board.samplesUnheard, dropped: 0, complaints: place.board.complaints)
    }
  }

  /// Processes a line from the radio and appends the reply.
  public mutating func receive(_ line: String, at time: Double, into lines: inout [String]) {
    advance(to: time, into: &lines)
    let words = line.split(separator: " ")
    if words == ["counts"] {
      lines.append(Self.line([.init("counts", .array(counts.map(Self.members)))]))
      return
    }
    guard words.count >= 2, let index = Int(words[1]), places.indices.contains(index),
      obey(words[0], words.dropFirst(2).map(String.init), index, time)
    else {
      lines.append(Self.line([.init("error", .string("cannot process '\(line)'"))]))
      return
    }
    advance(index, to: time, into: &lines)
  }

  /// Runs the boards until `time` and appends their reports.
  public mutating func advance(to time: Double, into lines: inout [String]) {
    for index in places.indices { advance(index, to: time, into: &lines) }
  }

  // MARK: From the radio

  private mutating func obey(
    _ verb: Substring, _ arguments: [String], _ index: Int, _ time: Double
  ) -> Bool {
    switch (verb, arguments) {
    case ("connect", []):
      // A board sends notifications only after a subscription.
      places[index].board.isNotifying = false
      places[index].board.linkUp()
      places[index].isLinked = true
    case ("disconnect", []):
      // Clear `isLinked`, so that this disconnection is not reported back to the radio.
      places[index].isLinked = false
      places[index].board.linkDown(at: time)
    case ("listen", ["on"]): places[index].board.isNotifying = true
    case ("listen", ["off"]): places[index].board.isNotifying = false
    case ("write", _) where arguments.count == 1:
      guard let bytes = Hexadecimal.bytes(arguments[0]) else { return false }
      places[index].board.receive(bytes, at: time)
    case ("drop", []): places[index].board.inject(.disconnect, at: time)
    default: return false
    }
    return true
  }

  // MARK: To the radio

  private mutating func advance(_ index: Int, to time: Double, into lines: inout [String]) {
    var sent: [SimulatedNotification] = []
    places[index].board.advance(to: time, into: &sent)
    func tell(_ name: String, _ value: JSONValue) {
      lines.append(Self.line([.init("board", index), .init(name, value)]))
    }
    for notification in sent { tell("notification", Hexadecimal.text(notification.bytes).json) }
    if places[index].isLinked, !places[index].board.isLinkUp {
      places[index].isLinked = false
      tell("link", .string("ended"))
    }
    let battery = places[index].board.battery.percent
    if places[index].battery != battery {
      places[index].battery = battery
      tell("battery", battery.json)
    }
    let advertisement = Self.advertisement(of: places[index].board, at: time)
    if places[index].advertisement != advertisement {
      places[index].advertisement = advertisement
      tell("advertising", advertisement)
    }
  }

  private static func advertisement(of board: SimulatedBoard, at time: Double) -> JSONValue {
    guard board.isAdvertising(at: time) else { return .null }
    return [
      "service": .string(
        board.mode == .bootloader ? GATT.firmwareUpdateService : GATT.service),
      "name": board.advertisedName.json, "scanResponse": Hexadecimal.text(board.scanResponse).json,
    ]
  }

  private static func introduction(of board: SimulatedBoard) -> JSONValue {
    let services = GATTTable(of: board).services.map { service in
      JSONValue.object([
        .init("uuid", service.uuid),
        .init("characteristics", .array(service.characteristics.map(introduction))),
      ])
    }
    return [
      "address": board.address.json, "model": board.model.name.json, "services": .array(services),
    ]
  }

  private static func introduction(of attribute: GATTTable.Attribute) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("uuid", attribute.uuid), .init("flags", attribute.flags),
    ]
    switch attribute.role {
    case .text(let text): members.append(.init("text", text))
    case .batteryLevel: members.append(.init("role", "battery"))
    case .command: members.append(.init("role", "command"))
    case .notify: members.append(.init("role", "notify"))
    case .firmwareUpdate: members.append(.init("role", "firmwareUpdate"))
    }
    return .object(members)
  }

  private static func members(_ counts: BoardCounts) -> JSONValue {
    [
      "address": counts.address.json, "notifications": counts.notifications.json,
      "sent": counts.samples.json, "lost": counts.samplesLost.json,
      "unheard": counts.samplesUnheard.json, "complaints": counts.complaints.json,
    ]
  }

  private static func line(_ members: [JSONValue.Member]) -> String {
    JSONValue.object(members).text
  }
}
