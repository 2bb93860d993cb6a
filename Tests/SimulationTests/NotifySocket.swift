import LinuxSystem

/// The client's end of a notify socket.
final class NotifySocket: Sendable {
  /// An event that the client observes at the socket.
  enum Arrival: Hashable {
    case packet([UInt8])
    /// The daemon hung up.
    case end
    case nothing
  }

  private let descriptor: OwnedDescriptor

  init(_ box: DescriptorBox) throws {
    guard let descriptor = box.take() else {
      throw SystemError("take a descriptor that is taken", number: 9)
    }
    self.descriptor = descriptor
  }

  /// Returns the next event. Waits at most this many seconds for it.
  func next(within seconds: Double = 5) -> Arrival {
    var polls = PollSet()
    polls.add(descriptor.number)
    polls.wait(seconds: seconds)
    let isHungUp = polls.isHungUp(0)
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = descriptor.read(into: &bytes)
    if count < 0 { return .nothing }
    // A read returns zero bytes both at the end of the stream and for an empty packet, but only the
    // end causes a hang-up.
    return count == 0 && isHungUp ? .end : .packet(Array(bytes.prefix(count)))
  }

  /// Writes bytes to the socket, which the daemon never reads.
  func write(_ bytes: [UInt8]) {
    _ = descriptor.send(bytes)
  }
}
