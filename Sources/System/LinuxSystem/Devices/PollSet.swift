internal import Glibc

/// The descriptors that a thread waits for, in the order in which it added them.
public struct PollSet: Sendable {
  /// Stands for an unwatched descriptor; its position is never ready.
  public static let nobody: Int32 = -1

  private var entries: [pollfd] = []

  /// An empty set.
  public init() {}

  /// Removes all descriptors; their storage is kept.
  public mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }

  /// Adds a descriptor to be watched for input and, if requested, for space to write.
  ///
  /// Returns its position.
  @discardableResult
  public mutating func add(_ descriptor: Int32, forWriting: Bool = false) -> Int {
    let events = POLLIN | (forWriting ? POLLOUT : 0)
    entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
    return entries.count - 1
  }

  /// Waits until a descriptor is ready or `seconds` have passed (forever if `nil` or infinite).
  /// Returns whether a descriptor is ready.
  @discardableResult
  public mutating func wait(seconds: Double?) -> Bool {
    for index in entries.indices { entries[index].revents = 0 }
    if let computer = Computer.simulated {
      for entry in entries { computer.waits(for: entry.fd) }
    }
    return unsafe poll(&entries, nfds_t(entries.count), milliseconds(seconds)) > 0
  }

  /// Whether the descriptor at `position` has something to read.
  public func isReadable(_ position: Int) -> Bool { has(position, POLLIN) }

  /// Whether any event occurred at the descriptor at `position`.
  public func isReady(_ position: Int) -> Bool { entries[position].revents != 0 }

  /// Whether the other side of the descriptor at `position` hung up or failed.
  public func isHungUp(_ position: Int) -> Bool { has(position, POLLHUP | POLLERR | POLLNVAL) }

  private func has(_ position: Int, _ events: Int32) -> Bool {
    Int32(entries[position].revents) & events != 0
  }
}

/// A wait in the kernel's unit, -1 for ever. It is rounded up, so that a thread that waits for an
/// instant does not wake just before it.
func milliseconds(_ seconds: Double?) -> Int32 {
  guard let seconds, seconds.isFinite else { return -1 }
  return Int32(min(max(seconds * 1_000, 0), 3_600_000).rounded(.up))
}
