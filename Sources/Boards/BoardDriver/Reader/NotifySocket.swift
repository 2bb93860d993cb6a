internal import LinuxSystem
internal import Recording

/// Owns the read-only socket on which a board's notifications arrive. Each packet is one
/// notification.
final class NotifySocket: Sendable {
  private let descriptor: OwnedDescriptor
  /// Time when this object took ownership of the descriptor. No packet has an earlier timestamp.
  let openedAt = BootClock.now()

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
    // If the kernel cannot timestamp packets, the time of reading is used instead.
    try? self.descriptor.stampArrivals()
  }

  var number: Int32 { descriptor.number }
}
