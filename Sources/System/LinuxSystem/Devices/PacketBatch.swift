internal import CLinux
internal import Glibc
internal import Values

/// The packets of one receive call, side by side in memory that is allocated once.
public struct PacketBatch: ~Copyable {
  /// A packet in its slot.
  public struct Packet {
    /// Range of its bytes in the batch; empty for an empty notification, and at the end of the
    /// stream.
    public let place: Range<Int>
    /// The kernel's stamp in real time, 0 if there is none.
    public let realtimeNanoseconds: Int64
    /// Whether it was longer than a slot.
    public let isCut: Bool
  }

  /// The outcome of a receive call.
  public enum Outcome {
    /// This many packets; if they do not fill the batch, no more were waiting.
    case packets(Int)
    /// No packet was waiting.
    case drained
    /// The descriptor failed.
    case failed
  }

  /// The most packets of one call: a tick's packets at some 320 a second.
  public static let capacity = Int(clinux_packets_at_once)
  /// Bytes of a slot. No ATT value is longer than 512 bytes, which daemons round up to 517.
  public static let slotLength = 520

  public private(set) var bytes = [UInt8](repeating: 0, count: capacity * slotLength)
  private var packets = [clinux_packet](repeating: clinux_packet(), count: capacity)

  /// Allocates the memory for a batch.
  public init() {}

  /// Receives the waiting packets of a socket, at most `most` or the capacity of the batch.
  public mutating func receive(_ most: Int, from socket: Int32) -> Outcome {
    // Safety: both buffers hold `capacity` slots and stay where they are during the call.
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe packets.withUnsafeMutableBufferPointer { packets in
        unsafe clinux_receive_packets(
          socket, bytes.baseAddress, Self.slotLength, packets.baseAddress,
          Int32(min(most, Self.capacity)))
      }
    }
    if count >= 0 {
      if let computer = Computer.simulated {
        // The kernel's stamps are in real time.
        for slot in 0..<Int(count) {
          packets[slot].realtime_nanoseconds = computer.takeStamp(of: socket)?.nanoseconds ?? 0
        }
      }
      return .packets(Int(count))
    }
    return count == -EAGAIN || count == -EINTR ? .drained : .failed
  }

  /// The packet in a slot that the last call filled.
  public subscript(slot: Int) -> Packet {
    let packet = packets[slot]
    let start = slot * Self.slotLength
    return Packet(
      place: start..<start + Int(packet.length),
      realtimeNanoseconds: packet.realtime_nanoseconds, isCut: packet.is_cut != 0)
  }
}
