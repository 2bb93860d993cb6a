internal import CLinux
internal import Glibc
internal import Values

/// The packets received by one call, each in its own slot. The memory for the slots is allocated
/// only once.
public struct PacketBatch: ~Copyable {
  /// A packet in a slot of the batch.
  public struct Packet {
    /// The position of the packet's bytes in the batch. The range is empty for an empty
    /// notification and at the end of the stream.
    public let place: Range<Int>
    /// The arrival time that the kernel recorded, in nanoseconds on the system clock; 0 if the
    /// kernel did not report one.
    public let realtimeNanoseconds: Int64
    /// Whether the packet was longer than a slot and was truncated.
    public let isCut: Bool
  }

  public enum Outcome {
    /// The number of packets received. If it is less than the requested number, no more packets
    /// were waiting.
    case packets(Int)
    /// No packet was waiting.
    case drained
    case failed
  }

  /// The maximum number of packets per call. At about 320 packets per second, this many arrive in
  /// 0.1 s, the longest interval at which the reader polls.
  public static let capacity = Int(clinux_packets_at_once)
  /// The slot size in bytes. An ATT value has at most 512 bytes, which daemons round up to 517.
  public static let slotLength = 520

  public private(set) var bytes = [UInt8](repeating: 0, count: capacity * slotLength)
  private var packets = [clinux_packet](repeating: clinux_packet(), count: capacity)

  public init() {}

  /// Receives the packets that are waiting on a socket: at most `most` of them, and no more than
  /// fit in the batch.
  public mutating func receive(_ most: Int, from socket: Int32) -> Outcome {
    // Safety: both buffers have `capacity` slots, and they do not move during the call.
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe packets.withUnsafeMutableBufferPointer { packets in
        unsafe clinux_receive_packets(
          socket, bytes.baseAddress, Self.slotLength, packets.baseAddress,
          Int32(min(most, Self.capacity)))
      }
    }
    if count >= 0 {
      if let computer = Computer.simulated {
        // In a simulation, the kernel's timestamps come from the real system clock. They are
        // replaced by simulated arrival times.
        for slot in 0..<Int(count) {
          packets[slot].realtime_nanoseconds = computer.takeStamp(of: socket)?.nanoseconds ?? 0
        }
      }
      return .packets(Int(count))
    }
    return count == -EAGAIN || count == -EINTR ? .drained : .failed
  }

  /// The packet in a slot that the last call to `receive` filled.
  public subscript(slot: Int) -> Packet {
    let packet = packets[slot]
    let start = slot * Self.slotLength
    return Packet(
      place: start..<start + Int(packet.length),
      realtimeNanoseconds: packet.realtime_nanoseconds, isCut: packet.is_cut != 0)
  }
}
