internal import CLinux
internal import LinuxSystem
internal import Recording

/// A descriptor on which each packet is one notification.
final class NotifySocket: Sendable {
  /// What one attempt to receive gave.
  enum Outcome {
    /// A packet of this many bytes, stamped by the kernel in real time (0 when it was not).
    case packet(count: Int, realtimeNanoseconds: Int64)
    /// An empty packet, or the end; only poll can tell.
    case empty
    /// Nothing is left.
    case drained
    /// The descriptor is of no use any more.
    case broken
  }

  private let descriptor: OwnedDescriptor

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
    // Where the kernel cannot stamp, packets take the time of the drain.
    try? self.descriptor.stampArrivals()
  }

  var number: Int32 { descriptor.number }

  /// Receives one packet into the buffer, which is larger than any notification.
  func receive(into buffer: inout [UInt8]) -> Outcome {
    var flags: Int32 = 0
    var stamp: Int64 = 0
    let count = unsafe buffer.withUnsafeMutableBytes { bytes in
      unsafe clinux_receive_stamped(
        descriptor.number, bytes.baseAddress, bytes.count, &flags, &stamp)
    }
    if count > 0 { return .packet(count: count, realtimeNanoseconds: stamp) }
    if count == 0 { return .empty }
    return count == -Int(EAGAIN) || count == -Int(EINTR) ? .drained : .broken
  }
}
