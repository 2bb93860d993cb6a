internal import CLinux
internal import Glibc

/// The descriptors that a thread polls. The thread assigns each of them an identifying number.
///
/// Unlike in a `PollSet`, the descriptors stay registered with the kernel, so waiting does not
/// become slower as descriptors are added. This suits a thread that waits for every packet.
public struct WatchList: ~Copyable, Sendable {
  /// The maximum number of ready descriptors that a wait reports. The next wait reports the rest.
  private static let mostAtOnce = 32

  private let descriptor: OwnedDescriptor
  private var names = [UInt64](repeating: 0, count: mostAtOnce)
  /// The number of descriptors that the last wait found ready.
  public private(set) var count = 0

  public init() throws(SystemError) {
    let number = clinux_epoll_make()
    guard number >= 0 else { throw SystemError("create a list of descriptors to watch") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Watches a descriptor for input and hang-up. The caller chooses the number `name` to identify
  /// the descriptor. Closing the descriptor removes it from the list.
  public func add(_ descriptor: Int32, as name: UInt64) {
    _ = clinux_epoll_add(self.descriptor.number, descriptor, name)
    Computer.simulated?.watches(descriptor, in: self.descriptor.number)
  }

  public func remove(_ descriptor: Int32) {
    _ = clinux_epoll_remove(self.descriptor.number, descriptor)
  }

  /// Waits until a descriptor is ready or `seconds` have passed. If `seconds` is `nil` or infinite,
  /// there is no time limit. Returns whether a descriptor is ready.
  @discardableResult
  public mutating func wait(seconds: Double?) -> Bool {
    let limit = milliseconds(seconds)
    let number = descriptor.number
    Computer.simulated?.waits(for: number)
    // Safety: the list of names has space for the requested number of events.
    let found = unsafe names.withUnsafeMutableBufferPointer { names in
      unsafe clinux_epoll_wait(
        number, names.baseAddress, Int32(Self.mostAtOnce), limit)
    }
    count = max(0, Int(found))
    return count > 0
  }

  /// Returns the number that identifies one of the descriptors that the last wait found ready.
  public func name(at position: Int) -> UInt64 {
    precondition(position < count, "the position is beyond the ready descriptors")
    return names[position]
  }
}
