internal import LinuxSystem
internal import Values

/// Tracks which thread must check for events when data is written to a descriptor.
///
/// Descriptor numbers are reused, and each owner of a socket knows it by a different number.
/// Threads therefore wait on connection ends instead of descriptor numbers.
struct SimulatedDescriptors {
  /// The connection end to which each descriptor number refers, for all numbers requested so far.
  private var ends: [Int32: DescriptorEnd] = [:]
  /// The opposite end of each socket.
  private var others: [DescriptorEnd: DescriptorEnd] = [:]
  /// The epoll list that contains each connection end.
  private var lists: [DescriptorEnd: Int32] = [:]
  private var listeners: [DescriptorEnd: SimulatedThread] = [:]
  /// The times at which the packets in a socket were sent.
  private var stamps: [DescriptorEnd: [UTCTime]] = [:]

  mutating func opened(_ descriptor: Int32) {
    ends[descriptor] = nil
  }

  mutating func connected(_ descriptor: Int32, _ other: Int32) {
    let (one, two) = (end(of: descriptor), end(of: other))
    others[one] = two
    others[two] = one
    // The inode numbers of these ends may have belonged to a socket pair that is now closed.
    stamps[one] = nil
    stamps[two] = nil
  }

  /// Records the time at which a packet was sent on a descriptor.
  mutating func sent(on descriptor: Int32, at time: UTCTime) {
    guard let receiver = others[end(of: descriptor)] else { return }
    stamps[receiver, default: []].append(time)
  }

  /// Returns the time at which the next packet in a descriptor was sent.
  mutating func takeStamp(of descriptor: Int32) -> UTCTime? {
    let end = end(of: descriptor)
    guard let first = stamps[end]?.first else { return nil }
    stamps[end]?.removeFirst()
    return first
  }

  mutating func waits(_ thread: SimulatedThread, for descriptor: Int32) {
    guard descriptor >= 0 else { return }
    let end = end(of: descriptor)
    if listeners[end] !== thread { listeners[end] = thread }
  }

  mutating func watches(_ descriptor: Int32, in list: Int32) {
    lists[end(of: descriptor)] = list
  }

  mutating func wrote(to descriptor: Int32) {
    let end = end(of: descriptor)
    wake(others[end] ?? end)
  }

  /// Removes a descriptor. The thread at its other end is notified that it was closed.
  mutating func closes(_ descriptor: Int32) {
    let end = end(of: descriptor)
    wake(others[end] ?? end)
    ends[descriptor] = nil
    // A socket may also be open under another descriptor number.
    if case .own = end {
      listeners[end] = nil
      lists[end] = nil
    }
  }

  private mutating func wake(_ end: DescriptorEnd) {
    if let thread = listeners[end] { thread.mayBeReady = true }
    guard let list = lists[end] else { return }
    listeners[self.end(of: list)]?.mayBeReady = true
  }

  private mutating func end(of descriptor: Int32) -> DescriptorEnd {
    if let end = ends[descriptor] { return end }
    let end = DescriptorEnd(descriptor)
    ends[descriptor] = end
    return end
  }
}
