internal import ChunkFormat
internal import Recording
internal import Simulation
internal import Values
internal import Coding

/// Creates chunks of about 12 kB. Only a few are encoded. The others are copies with different ids,
/// because copying is much faster.
struct FleetChunks: Sendable {
  /// The number of encoded chunks, alternating between a board's two signals.
  private static let models = 8
  /// The noise range at which an encoded chunk is about as long as its raw values. A simulated walk
  /// has half as much noise.
  private static let noise: ClosedRange<Int32> = -4_096...4_095
  // Offsets of fields in a chunk, as defined in docs/data-format.md. The header is the first
  // section.
  private static let checksum = 24
  private static let head = 28
  private static let headLength = 20

  private let models: [[UInt8]]

  init() {
    var generator = SplitMix64(seed: 7)
    let encoder = ChunkEncoder()
    models = SimulatedChunks.make(GaitWearer(seed: 1), perSignal: Self.models / 2).map { chunk in
      var chunk = chunk
      for axis in chunk.columns.indices {
        for index in chunk.columns[axis].indices {
          let value = chunk.columns[axis][index] + .random(in: Self.noise, using: &generator)
          chunk.columns[axis][index] = Int32(Int16(clamping: value))
        }
      }
      return encoder.encode(chunk)
    }
  }

  /// Returns a gateway's chunk with this number. If `isOther` is set, the chunk has different
  /// content under the same id. Calls with the same arguments return the same bytes.
  func chunk(_ number: Int, of gateway: FleetGateway, isOther: Bool = false) -> [UInt8] {
    // Encoded chunks alternate between two signals, so adding 2 selects different content of the
    // same signal.
    chunk(
      number, id: gateway.chunk(number), session: gateway.session,
      content: number + (isOther ? 2 : 0))
  }

  /// Returns the session's chunk with this number. Chunks with different numbers have different
  /// content.
  func chunk(_ number: Int, id: UniqueID, session: UniqueID, content: Int) -> [UInt8] {
    var bytes = models[content % models.count]
    var place = Self.head
    // The session id also serves as the boot id.
    for word in [id.high, id.low, session.high, session.low, session.high, session.low] {
      Self.write(word.byteSwapped, at: &place, in: &bytes)
    }
    Self.write(UInt32(number), at: &place, in: &bytes)
    var length = 0
    for index in (0..<4).reversed() { length = length << 8 | Int(bytes[Self.headLength + index]) }
    place = Self.checksum
    let head = Self.head..<Self.head + length
    Self.write(CRC32.of(bytes.span.extracting(head)), at: &place, in: &bytes)
    place = bytes.count - BLAKE2b.size
    let hash = BLAKE2b.hash(of: bytes.span.extracting(0..<place))
    bytes.replaceSubrange(place..., with: hash)
    return bytes
  }

  private static func write<Word: FixedWidthInteger>(
    _ word: Word, at place: inout Int, in bytes: inout [UInt8]
  ) {
    for shift in 0..<Word.bitWidth / 8 {
      bytes[place + shift] = UInt8(truncatingIfNeeded: word >> Word(8 * shift))
    }
    place += Word.bitWidth / 8
  }
}
