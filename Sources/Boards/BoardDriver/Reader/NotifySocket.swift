internal import LinuxSystem
internal import Recording

/// A descriptor on which each packet is one notification. It is never written to.
final class NotifySocket: Sendable {
  private let descriptor: OwnedDescriptor
  /// When it was taken over: no packet is stamped earlier.
  let openedAt = BootClock.now()

  init(_ descriptor: consuming OwnedDescriptor) {
    self.descriptor = descriptor
    // Where the kernel cannot stamp, packets take the time of the drain.
    try? self.descriptor.stampArrivals()
  }

  var number: Int32 { descriptor.number }
}
