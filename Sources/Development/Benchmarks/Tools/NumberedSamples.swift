internal import ChunkFormat
internal import Recording
internal import Storage
internal import Values

/// Samples that contain their own number as a value, so that the stored samples can be compared
/// with the sent samples.
enum NumberedSamples {
  static let perPacket = 3

  /// Returns a sample's values: its number as two words, and a constant.
  static func values(of number: Int) -> [Int16] {
    [Int16(truncatingIfNeeded: number), Int16(truncatingIfNeeded: number >> 16), -1]
  }

  /// Returns a packet with three acceleration samples.
  static func packet(_ number: Int) -> [UInt8] {
    var bytes: [UInt8] = [0x03, 0x05]
    for sample in number * perPacket..<(number + 1) * perPacket {
      for value in values(of: sample) {
        bytes.append(UInt8(truncatingIfNeeded: value))
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
      }
    }
    return bytes
  }

  /// Returns the numbers of a stream's stored samples in order, and the number of samples that its
  /// gaps report as lost because they could not be stored.
  static func stored(
    in path: String, session: UniqueID, signal: String
  ) throws -> (numbers: [Int], lost: Int) {
    let reader = try StoreReader(path: path)
    guard
      let stream = try reader.streams(of: session).first(where: { $0.description.signal == signal })
    else { return ([], 0) }
    var numbers: [Int] = []
    var lost = 0
    for listed in try reader.chunks(of: stream) {
      let bytes = try reader.bytes(ofChunk: listed.id)
      let chunk = try Chunk(decoding: bytes.span)
      for index in chunk.counters.indices {
        let low = Int(UInt16(truncatingIfNeeded: chunk.columns[0][index]))
        let high = Int(UInt16(truncatingIfNeeded: chunk.columns[1][index]))
        numbers.append(high << 16 | low)
      }
      for gap in chunk.gaps where gap.reason == .store { lost += Int(clamping: gap.lost) }
    }
    return (numbers, lost)
  }

  /// Compares the stored samples with the sent samples, which are numbered from 0 up to `sent`.
  static func compare(
    _ stored: (numbers: [Int], lost: Int), sent: Int, _ place: String
  ) -> CutReport {
    var report = CutReport(cuts: 1, sent: sent, stored: stored.numbers.count)
    let unique = Set(stored.numbers)
    report.duplicates = stored.numbers.count - unique.count
    let end = (stored.numbers.max() ?? -1) + 1
    report.newest = sent - end
    report.counted = stored.lost
    if report.duplicates > 0 { report.broken.append("\(place): \(report.duplicates) twice") }
    if stored.numbers != stored.numbers.sorted() { report.broken.append("\(place): out of order") }
    if end > sent { report.broken.append("\(place): a sample that was never sent") }
    if end - unique.count != stored.lost {
      report.broken.append(
        "\(place): \(end - unique.count) samples missing before the last stored one, "
          + "\(stored.lost) reported as lost")
    }
    return report
  }
}
