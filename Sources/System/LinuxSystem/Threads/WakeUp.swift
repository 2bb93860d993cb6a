internal import CLinux
internal import Glibc

/// An eventfd: any thread rings it, one thread polls it together with its other descriptors.
public final class WakeUp: Sendable {
  private let descriptor: OwnedDescriptor

  /// A wake-up that was not rung yet.
  public init() throws(SystemError) {
    let number = eventfd(0, Int32(clinux_eventfd_flags))
    guard number >= 0 else { throw SystemError("make an eventfd") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// The descriptor to poll for input.
  public var number: Int32 { descriptor.number }

  /// Makes the descriptor readable. Never blocks or allocates; several rings before a `clear` count
  /// as one.
  public func ring() {
    eventfd_write(descriptor.number, 1)
    Computer.simulated?.wrote(to: descriptor.number)
  }

  /// Clears the rings. Call it before looking for work, or a ring may be missed.
  public func clear() {
    var count: eventfd_t = 0
    _ = unsafe eventfd_read(descriptor.number, &count)
  }
}
