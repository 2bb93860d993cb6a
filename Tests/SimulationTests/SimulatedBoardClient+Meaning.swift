import MetaWearProtocol

@testable import Simulation

extension SimulatedBoardClient {
  /// Advances the time, and returns the notifications in decoded form.
  mutating func hear(seconds: Double) throws(DecodeError) -> [Notification] {
    try meaning(of: wait(seconds: seconds).map(\.bytes))
  }

  /// Writes commands, and returns the replies in decoded form.
  mutating func ask(_ commands: any ModuleCommand...) throws(DecodeError) -> [Notification] {
    try meaning(of: write(commands.map(\.command.bytes)))
  }

  /// Requests the value of a signal, and returns the decoded replies.
  mutating func read(_ signal: Signal) throws(DecodeError) -> [Notification] {
    guard let request = SignalRequest(.read, signal, on: board.model.modules) else { return [] }
    return try ask(request)
  }

  mutating func subscribe(_ signals: Signal...) {
    for signal in signals {
      guard let request = SignalRequest(.subscribe, signal, on: board.model.modules) else {
        continue
      }
      write(request)
    }
  }

  private func meaning(of packets: [[UInt8]]) throws(DecodeError) -> [Notification] {
    var notifications: [Notification] = []
    for packet in packets {
      notifications.append(try Notification(decoding: packet.span, from: board.model.modules))
    }
    return notifications
  }
}

/// A wearer whose movements are scripted.
struct TestWearer: Wearer {
  var force: @Sendable (Double) -> SIMD3<Double> = { _ in SIMD3(0, 0, 1) }
  var turning: @Sendable (Double) -> SIMD3<Double> = { _ in .zero }
  var turned: @Sendable (Double) -> Orientation = { _ in .level }

  func acceleration(at time: Double) -> SIMD3<Double> { force(time) }
  func angularVelocity(at time: Double) -> SIMD3<Double> { turning(time) }
  func orientation(at time: Double) -> Orientation { turned(time) }

  /// Returns a wearer who holds the board still in this orientation.
  static func holding(_ orientation: Orientation) -> TestWearer {
    TestWearer(
      force: { _ in orientation.inverse(SIMD3(0, 0, 1)) }, turned: { _ in orientation })
  }
}
