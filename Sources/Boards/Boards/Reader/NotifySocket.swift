internal import CLinux
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

/// What one call took from a socket, side by side in memory that is made once.
struct PacketBatch: ~Copyable {
  /// A packet in its slot.
  struct Packet {
    /// Its bytes among those of the batch; none for an empty notification, and for the end.
    let place: Range<Int>
    /// The kernel's stamp in real time, 0 when there is none.
    let realtimeNanoseconds: Int64
    /// Whether it was longer than a slot.
    let isCut: Bool
  }

  /// What an attempt to receive gave.
  enum Outcome {
    /// So many packets; if they do not fill the batch, no more were waiting.
    case packets(Int)
    /// Nothing was waiting.
    case drained
    /// The descriptor failed.
    case failed
  }

  /// Packets taken by one call: those of a tick at some 1,600 a second.
  static let capacity = Int(clinux_packets_at_once)
  /// No ATT value is longer than 512 bytes, which daemons round up to 517.
  static let slotLength = 520

  /// The bytes of all slots.
  private(set) var bytes = [UInt8](repeating: 0, count: capacity * slotLength)
  private var packets = [clinux_packet](repeating: clinux_packet(), count: capacity)

  /// Takes what waits on a socket, `most` packets or what the batch holds.
  mutating func receive(_ most: Int, from socket: NotifySocket) -> Outcome {
    // Safety: both buffers hold `capacity` slots and stay where they are during the call.
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe packets.withUnsafeMutableBufferPointer { packets in
        unsafe clinux_receive_packets(
          socket.number, bytes.baseAddress, Self.slotLength, packets.baseAddress,
          Int32(min(most, Self.capacity)))
      }
    }
    if count >= 0 { return .packets(Int(count)) }
    return count == -EAGAIN || count == -EINTR ? .drained : .failed
  }

  /// The packet in a slot that was filled by the last call.
  subscript(slot: Int) -> Packet {
    let packet = packets[slot]
    let start = slot * Self.slotLength
    return Packet(
      place: start..<start + Int(packet.length),
      realtimeNanoseconds: packet.realtime_nanoseconds, isCut: packet.is_cut != 0)
  }
}
