public import Recording
public import Values

/// The summary of a sealed chunk: its samples in a few buckets, its gaps, and the data that its
/// neighbours need.
///
/// It is a tenth of the chunk's size and is read in a hundredth of the time. Times and values equal
/// those of the samples to the last bit: a bucket contains raw values and steps of the counter.
public struct ChunkPyramid: Hashable, Sendable {
  /// Buckets of a full chunk. Most columns of a chart then consist of whole buckets: in a chart of
  /// eight hours, a bucket of 125 samples at 100 Hz is a fortieth of a column.
  static let bucketCount = 16
  /// The fewest samples of a bucket: with fewer, the summary would not be smaller than the chunk.
  static let leastSamples = 8

  /// Steps of the counter from the chunk's first sample to the earliest and the latest sample of a
  /// bucket.
  struct Steps: Hashable {
    var earliest: UInt32
    var latest: UInt32
  }

  /// The form of the raw values, which decides their order.
  let rawForm: StreamDescription.RawForm
  /// Number of axes.
  public let axisCount: Int
  /// Number of samples.
  public let sampleCount: Int
  /// Times of the samples.
  let clock: Chunk.Clock
  /// The board's number of the first sample.
  let firstCounter: UInt32
  /// The board's number of the last sample.
  let lastCounter: UInt32
  /// Samples counted as lost between the chunk before and the first sample.
  let lostBeforeFirst: UInt64
  /// The gaps since the chunk before, and within.
  public let gaps: [Gap]
  /// The times of the buckets.
  let steps: [Steps]
  /// The values of the buckets, all axes of a bucket side by side.
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

  /// The summary of a chunk, which must be sound.
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
      // Counters in our chunks rise, but a chunk of another program may contain any.
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

  /// Time of the last sample.
  public var lastTime: BootTime { clock.time(after: lastCounter &- firstCounter) }
}
