internal import CLinux
internal import Glibc

/// A bell that wakes a polling thread, implemented as an eventfd. Any thread can ring it. One
/// thread polls it together with other descriptors.
public final class WakeUp: Sendable {
  private let descriptor: OwnedDescriptor

  public init() throws(SystemError) {
    let number = eventfd(0, Int32(clinux_eventfd_flags))
    guard number >= 0 else { throw SystemError("create an eventfd") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// The descriptor to poll for input.
  public var number: Int32 { descriptor.number }

  /// Makes the descriptor readable. Never blocks or allocates memory. Several rings before a
  /// `clear` have the same effect as one.
  public func ring() {
    eventfd_write(descriptor.number, 1)
    Computer.simulated?.wrote(to: descriptor.number)
  }

  /// Clears the bell, so that the descriptor is no longer readable. Call this before checking for
  /// work. Otherwise, a ring may be missed.
  public func clear() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor.number, &count)
  }
}
