internal import Glibc

/// The descriptors that a thread polls, in the order in which they were added.
public struct PollSet: Sendable {
  /// A placeholder for a descriptor that is not watched. Its entry is never ready.
  public static let nobody: Int32 = -1

  private var entries: [pollfd] = []

  public init() {}

  /// Removes all descriptors but keeps their storage.
  public mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
  }

  /// Adds a descriptor. It is polled for input and, if requested, for writability.
  ///
  /// Returns the descriptor's position in the set.
  @discardableResult
  public mutating func add(_ descriptor: Int32, forWriting: Bool = false) -> Int {
    let events = POLLIN | (forWriting ? POLLOUT : 0)
    entries.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
    return entries.count - 1
  }

  /// Waits until a descriptor is ready or `seconds` have passed. If `seconds` is `nil` or infinite,
  /// there is no time limit. Returns whether a descriptor is ready.
  @discardableResult
  public mutating func wait(seconds: Double?) -> Bool {
    for index in entries.indices { entries[index].revents = 0 }
    if let computer = Computer.simulated {
      for entry in entries { computer.waits(for: entry.fd) }
    }
    return unsafe poll(&entries, nfds_t(entries.count), milliseconds(seconds)) > 0
  }

  public func isReadable(_ position: Int) -> Bool { has(position, POLLIN) }

  /// Returns whether any event occurred on the descriptor at `position`.
  public func isReady(_ position: Int) -> Bool { entries[position].revents != 0 }

  /// Returns whether the descriptor at `position` failed or its peer hung up.
  public func isHungUp(_ position: Int) -> Bool { has(position, POLLHUP | POLLERR | POLLNVAL) }

  private func has(_ position: Int, _ events: Int32) -> Bool {
    Int32(entries[position].revents) & events != 0
  }
}

/// Converts a timeout from seconds to milliseconds, at most an hour; -1 means forever. Rounds up,
/// because a thread that waits for a deadline must not wake just before it.
func milliseconds(_ seconds: Double?) -> Int32 {
  guard let seconds, seconds.isFinite else { return -1 }
  return Int32(min(max(seconds * 1_000, 0), 3_600_000).rounded(.up))
}
