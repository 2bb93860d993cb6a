internal import LinuxSystem
internal import Recording

/// A descriptor on which each packet is one notification. It is never written to.
final class NotifySocket: Sendable {
  private let descriptor: OwnedDescriptor
  /// Time it was taken over: no packet has an earlier stamp.
  let openedAt = BootClock.now()

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
    // If the kernel cannot stamp, packets get the time of the drain.
    try? self.descriptor.stampArrivals()
  }

  var number: Int32 { descriptor.number }
}
