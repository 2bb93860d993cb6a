internal import LinuxSystem
internal import Values

/// The thread that must look for events when something is written to a descriptor.
///
/// The numbers of descriptors are reused, and a socket has a different number in each of its
/// owners; so threads wait for ends, not for numbers.
struct SimulatedDescriptors {
  /// The ends of numbers, as far as they were requested.
  private var ends: [Int32: DescriptorEnd] = [:]
  /// The other ends of sockets.
  private var others: [DescriptorEnd: DescriptorEnd] = [:]
  /// The watch lists that contain an end.
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
    // Their inodes may be those of a closed pair.
    stamps[one] = nil
    stamps[two] = nil
  }

  /// Stamps a packet that was sent on a descriptor.
  mutating func sent(on descriptor: Int32, at time: UTCTime) {
    guard let receiver = others[end(of: descriptor)] else { return }
    stamps[receiver, default: []].append(time)
  }

  /// The stamp of the next packet in a descriptor.
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

  /// Forgets a descriptor; the thread with its other end sees the hang-up.
  mutating func closes(_ descriptor: Int32) {
    let end = end(of: descriptor)
    wake(others[end] ?? end)
    ends[descriptor] = nil
    // A socket may be open under another number.
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
