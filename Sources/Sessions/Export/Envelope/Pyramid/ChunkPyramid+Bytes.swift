internal import Recording
internal import Values
internal import Coding

/// Encodes pyramids for the cache. The bytes never leave this computer, so earlier versions need
/// not be readable: a change in the encoding changes the version of the cache.
extension ChunkPyramid {
  /// The version of the encoding, stored in the first byte.
  static let version: UInt8 = 1
  /// The maximum number of gaps in a pyramid. Encoded pyramids with more gaps are rejected.
  private static let mostGaps = 1 << 16

  /// Encodes the pyramid. The bytes end with a checksum that also covers the chunk's location.
  func encoded(at place: ChunkPlace) -> [UInt8] {
    var writer = PyramidWriter()
    writer.append(Self.version)
    writer.append(rawForm.rawValue)
    writer.append(UInt8(axisCount))
    writer.append(UInt8(steps.count))
    writer.append(UInt32(sampleCount))
    writer.append(firstCounter)
    writer.append(lastCounter)
    writer.append(lostBeforeFirst)
    writer.append(clock.first.nanoseconds)
    writer.append(clock.period.bitPattern)
    for (bucket, steps) in steps.enumerated() {
      writer.append(steps.earliest)
      writer.append(steps.latest)
      for axis in 0..<axisCount {
        writer.append(ranges[bucket * axisCount + axis].lowest)
        writer.append(ranges[bucket * axisCount + axis].highest)
      }
    }
    writer.append(UInt32(gaps.count))
    for gap in gaps {
      writer.append(gap.start.nanoseconds)
      writer.append(gap.end.nanoseconds)
      writer.append(gap.lost)
      writer.append(gap.reason.rawValue)
      writer.append(gap.isEstimate ? 1 as UInt8 : 0)
    }
    let checksum = Self.checksum(writer.bytes, place)
    writer.append(checksum)
    return writer.bytes
  }

  /// Decodes a pyramid; `nil` unless the bytes are intact and were encoded for this location.
  ///
  /// Invalid bytes are rejected without a crash. Bytes with a valid checksum are checked further,
  /// so that no time computed from them overflows.
  init?(decoding bytes: [UInt8], at place: ChunkPlace) {
    guard bytes.count > 4 else { return nil }
    var end = PyramidReader(Array(bytes.suffix(4)))
    let content = Array(bytes.dropLast(4))
    guard end.next(UInt32.self) == Self.checksum(content, place) else { return nil }
    var reader = PyramidReader(content)
    guard reader.next(UInt8.self) == Self.version,
      let form = StreamDescription.RawForm(rawValue: reader.next(UInt8.self))
    else { return nil }
    let axisCount = Int(reader.next(UInt8.self))
    let bucketCount = Int(reader.next(UInt8.self))
    guard (1...StreamDescription.maximumAxisCount).contains(axisCount) else { return nil }
    let sampleCount = Int(reader.next(UInt32.self))
    let (firstCounter, lastCounter) = (reader.next(UInt32.self), reader.next(UInt32.self))
    let lostBeforeFirst = reader.next(UInt64.self)
    let clock = Chunk.Clock(
      first: BootTime(nanoseconds: reader.next(Int64.self)),
      period: Double(bitPattern: reader.next(UInt64.self)))
    var steps: [Steps] = []
    var ranges: [RawRange] = []
    steps.reserveCapacity(bucketCount)
    ranges.reserveCapacity(bucketCount * axisCount)
    for _ in 0..<bucketCount {
      steps.append(
        Steps(earliest: reader.next(UInt32.self), latest: reader.next(UInt32.self)))
      for _ in 0..<axisCount {
        ranges.append(
          RawRange(lowest: reader.next(Int32.self), highest: reader.next(Int32.self)))
      }
    }
    let gapCount = Int(reader.next(UInt32.self))
    guard gapCount <= Self.mostGaps, let gaps = Self.gaps(gapCount, &reader), reader.isAtEnd
    else { return nil }
    self.init(
      rawForm: form, axisCount: axisCount, sampleCount: sampleCount, clock: clock,
      firstCounter: firstCounter, lastCounter: lastCounter, lostBeforeFirst: lostBeforeFirst,
      gaps: gaps, steps: steps, ranges: ranges)
    guard isSound else { return nil }
  }

  private static func gaps(_ count: Int, _ reader: inout PyramidReader) -> [Gap]? {
    var gaps: [Gap] = []
    for _ in 0..<count {
      let start = BootTime(nanoseconds: reader.next(Int64.self))
      let end = BootTime(nanoseconds: reader.next(Int64.self))
      let lost = reader.next(UInt64.self)
      guard let reason = LossReason(rawValue: reader.next(UInt8.self)) else { return nil }
      gaps.append(
        Gap(
          start: start, end: end, lost: lost, isEstimate: reader.next(UInt8.self) != 0,
          reason: reason))
    }
    return gaps
  }

  /// Whether the pyramid can have been computed from a chunk within the limits of `ChunkLayout`.
  private var isSound: Bool {
    let limit: Int64 = 1 << 62
    let longest = max(steps.map(\.latest).max() ?? 0, lastCounter &- firstCounter)
    return (sampleCount == 0) == steps.isEmpty && clock.period.isFinite && clock.period >= 0
      && (-limit...limit).contains(clock.first.nanoseconds)
      && Double(longest) * clock.period < Double(limit)
      && steps.allSatisfy { $0.earliest <= $0.latest }
  }

  private static func checksum(_ content: [UInt8], _ place: ChunkPlace) -> UInt32 {
    CRC32.of((content + place.bytes).span)
  }
}
