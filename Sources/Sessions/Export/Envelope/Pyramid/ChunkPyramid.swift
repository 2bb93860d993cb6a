public import Recording
public import Values

/// The summary of a sealed chunk: its samples in a few buckets, its gaps, and the data needed to
/// compute a gap between this chunk and its neighbours.
///
/// A pyramid is a tenth of the chunk's size and takes a hundredth of the time to read. Its times
/// and values are bit-for-bit equal to those of the samples, since a bucket stores raw values and
/// counter steps.
public struct ChunkPyramid: Hashable, Sendable {
  /// Number of buckets in a full chunk. With this number, most columns of a chart consist of whole
  /// buckets. In an eight-hour chart, a bucket of 125 samples at 100 Hz spans a fortieth of a
  /// column.
  static let bucketCount = 16
  /// The minimum number of samples per bucket. With fewer samples, the summary would not be smaller
  /// than the chunk.
  static let leastSamples = 8

  /// The earliest and the latest sample of a bucket, as numbers of counter steps since the chunk's
  /// first sample.
  struct Steps: Hashable {
    var earliest: UInt32
    var latest: UInt32
  }

  /// The format of the raw values, which determines how to compare them.
  let rawForm: StreamDescription.RawForm
  public let axisCount: Int
  public let sampleCount: Int
  /// The clock from which the times of the samples are computed.
  let clock: Chunk.Clock
  /// The board's counter at the first sample.
  let firstCounter: UInt32
  /// The board's counter at the last sample.
  let lastCounter: UInt32
  /// Number of samples lost between the previous chunk and the first sample.
  let lostBeforeFirst: UInt64
  /// The gaps since the end of the previous chunk, including the gaps within this chunk.
  public let gaps: [Gap]
  /// The time range of each bucket, in counter steps.
  let steps: [Steps]
  /// The value ranges of the buckets, grouped by bucket, one for each axis.
  let ranges: [RawRange]

  init(
    rawForm: StreamDescription.RawForm, axisCount: Int, sampleCount: Int, clock: Chunk.Clock,
    firstCounter: UInt32, lastCounter: UInt32, lostBeforeFirst: UInt64, gaps: [Gap],
    steps: [Steps], ranges: [RawRange]
  ) {
    self.rawForm = rawForm
    self.axisCount = axisCount
    self.sampleCount = sampleCount
    self.clock = clock
    self.firstCounter = firstCounter
    self.lastCounter = lastCounter
    self.lostBeforeFirst = lostBeforeFirst
    self.gaps = gaps
    self.steps = steps
    self.ranges = ranges
  }

  /// Summarizes a chunk, which must be sound.
  public init(of chunk: Chunk) {
    let scale = RawScale(chunk.stream)
    let count = chunk.count
    let buckets = count == 0 ? 0 : max(1, min(Self.bucketCount, count / Self.leastSamples))
    var steps: [Steps] = []
    var ranges: [RawRange] = []
    steps.reserveCapacity(buckets)
    ranges.reserveCapacity(buckets * chunk.stream.axisCount)
    for bucket in 0..<buckets {
      let rows = bucket * count / buckets..<(bucket + 1) * count / buckets
      // The counters in a recorder's chunks only increase, but a chunk from another program may
      // contain any numbers.
      var found = Steps(earliest: .max, latest: 0)
      for row in rows {
        let step = chunk.counters[row] &- chunk.counters[0]
        found.earliest = min(found.earliest, step)
        found.latest = max(found.latest, step)
      }
      steps.append(found)
      for column in chunk.columns { ranges.append(scale.range(of: column, rows)) }
    }
    self.init(
      rawForm: chunk.stream.rawForm, axisCount: chunk.stream.axisCount, sampleCount: count,
      clock: chunk.clock, firstCounter: chunk.counters.first ?? 0,
      lastCounter: chunk.counters.last ?? 0, lostBeforeFirst: chunk.lostBeforeFirst,
      gaps: chunk.gaps, steps: steps, ranges: ranges)
  }

  public var lastTime: BootTime { clock.time(after: lastCounter &- firstCounter) }
}
