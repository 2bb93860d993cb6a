internal import CLinux
internal import Glibc

/// Descriptors that a thread waits for, each under a name of its choice.
///
/// Unlike those of a `PollSet` they stay registered with the kernel, so that a wait costs the same
/// for one as for many. This suits a thread that waits for each packet.
public struct WatchList: ~Copyable, Sendable {
  /// The most descriptors that one wait reports; the next wait reports the others.
  private static let mostAtOnce = 32

  private let descriptor: OwnedDescriptor
  private var names = [UInt64](repeating: 0, count: mostAtOnce)
  /// Number of descriptors that the last wait found ready.
  public private(set) var count = 0

  /// An empty list.
  public init() throws(SystemError) {
    let number = clinux_epoll_make()
    guard number >= 0 else { throw SystemError("make a list of descriptors to watch") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Watches a descriptor for input and for its end, under a name. Closing the descriptor removes
  /// it from the list.
  public func add(_ descriptor: Int32, as name: UInt64) {
    _ = clinux_epoll_add(self.descriptor.number, descriptor, name)
    Computer.simulated?.watches(descriptor, in: self.descriptor.number)
  }

  /// Stops watching a descriptor.
  public func remove(_ descriptor: Int32) {
    _ = clinux_epoll_remove(self.descriptor.number, descriptor)
  }

  /// Waits until a descriptor is ready or `seconds` have passed (forever if `nil` or infinite).
  /// Returns whether a descriptor is ready.
  @discardableResult
  public mutating func wait(seconds: Double?) -> Bool {
    let limit = milliseconds(seconds)
    let number = descriptor.number
    Computer.simulated?.waits(for: number)
    // Safety: the list of names has space for the requested number.
    let found = unsafe names.withUnsafeMutableBufferPointer { names in
      unsafe clinux_epoll_wait(
        number, names.baseAddress, Int32(Self.mostAtOnce), limit)
    }
    count = max(0, Int(found))
    return count > 0
  }

  /// The name of a descriptor that the last wait found ready.
  public func name(at position: Int) -> UInt64 {
    precondition(position < count, "the position is beyond the ready descriptors")
    return names[position]
  }
}
