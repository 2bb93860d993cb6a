internal import CLinux
internal import Glibc

/// Descriptors a thread waits on for input, each under a name of its choice.
///
/// Unlike those of a `PollSet` they stay known to the kernel, so that a wait costs the same for one
/// of them as for many: the choice where packets are awaited one by one.
public struct WatchList: ~Copyable, Sendable {
  /// Descriptors told of by one wait; what else is ready comes with the next.
  private static let mostAtOnce = 32

  private let descriptor: OwnedDescriptor
  private var names = [UInt64](repeating: 0, count: mostAtOnce)
  /// How many the last wait found ready.
  public private(set) var count = 0

  /// An empty list.
  public init() throws(SystemError) {
    let number = clinux_epoll_make()
    guard number >= 0 else { throw SystemError("make a list of descriptors to watch") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Watches a descriptor for input and for its end, under a name. Closing it takes it off the
  /// list.
  public func add(_ descriptor: Int32, as name: UInt64) {
    _ = clinux_epoll_add(self.descriptor.number, descriptor, name)
  }

  /// Watches a descriptor no more.
  public func remove(_ descriptor: Int32) {
    _ = clinux_epoll_remove(self.descriptor.number, descriptor)
  }

  /// Waits until a descriptor is ready or `seconds` have passed (for ever when `nil`).
  public mutating func wait(seconds: Double?) {
    // Rounded up, so that a thread which waits for a moment does not wake just before it.
    let milliseconds = seconds.map { Int32(min(max($0 * 1_000, 0), 3_600_000).rounded(.up)) }
    let number = descriptor.number
    // Safety: the list of names holds as many as are asked for.
    let found = unsafe names.withUnsafeMutableBufferPointer { names in
      unsafe clinux_epoll_wait(
        number, names.baseAddress, Int32(Self.mostAtOnce), milliseconds ?? -1)
    }
    count = max(0, Int(found))
  }

  /// The name of a descriptor that the last wait found ready.
  public func name(at position: Int) -> UInt64 {
    precondition(position < count, "only what was found ready has a place")
    return names[position]
  }
}
