internal import Recording
internal import Values

/// Computes the values of all streams of a merge at regular instants.
///
/// Only the last sample of each stream before the instant is kept, and the merge contains the next
/// one.
struct Resampler {
  /// The state of a stream at an instant.
  enum State {
    /// The stream has not begun yet, or has ended.
    case absent
    /// A sample before or after the instant was lost.
    case lost
    case values(SIMD4<Double>)
  }

  private struct Track {
    let interpolation: Interpolation
    /// Time of the last sample at or before the instant, in nanoseconds; `nil` before the first.
    var time: Int64?
    var isLost = false
    var values = SIMD4<Double>()
    /// Number of samples since the last instant.
    var passed = 0
  }

  let rate: Double
  private let origin: Int64
  private var tracks: [Track]
  /// Index of the instant, counted from the origin; `nil` before the first instant.
  private var number: Double?
  /// The time of the instant, in nanoseconds.
  private(set) var time = Int64.min

  /// Prepares instants at whole multiples of 1/`rate` seconds after the origin. The first `step`
  /// finds the first instant.
  init(_ streams: [SourceStream], rate: Double, from origin: BootTime) {
    self.rate = rate
    self.origin = origin.nanoseconds
    tracks = streams.map { Track(interpolation: Interpolation($0.description)) }
  }

  /// Moves to the next instant. The first instant is at or after the first sample. Returns false if
  /// there are no samples, or if the next instant is beyond the clock's range.
  mutating func step(_ merge: SampleMerge) -> Bool {
    if let number {
      self.number = number + 1
    } else {
      guard let earliest = merge.earliest else { return false }
      let distance = Double(merge.time(earliest)) - Double(origin)
      number = max(0, (distance * rate / 1e9).rounded(.up))
    }
    let nanoseconds = ((number ?? 0) * 1e9 / rate).rounded()
    guard let distance = Int64(exactly: nanoseconds),
      case let (time, isTooLate) = origin.addingReportingOverflow(distance), !isTooLate
    else { return false }
    self.time = time
    return true
  }

  /// Moves past all samples up to the instant. Returns a cursor whose next chunk must be loaded
  /// first; `nil` if there is none.
  mutating func pass(_ merge: inout SampleMerge) -> Int? {
    for index in tracks.indices {
      while merge.time(index) <= time, merge.time(index) != .max {
        tracks[index].time = merge.time(index)
        tracks[index].isLost = merge.isLost(index)
        if !tracks[index].isLost {
          tracks[index].values = merge.values(index)
          tracks[index].passed += 1
        }
        if !merge.step(index) { return index }
      }
    }
    return nil
  }

  /// Whether every stream ended before the instant.
  func isAtEnd(_ merge: SampleMerge) -> Bool {
    merge.earliest == nil && tracks.allSatisfy { $0.time.map { $0 < time } ?? true }
  }

  mutating func count(isPositioned: Bool, _ merge: inout SampleMerge) {
    for index in tracks.indices where tracks[index].passed > 0 {
      merge.count(index, samples: tracks[index].passed, isPositioned: isPositioned)
      tracks[index].passed = 0
    }
  }

  /// Returns a stream's state at the instant. A sample at the instant is returned unchanged.
  mutating func state(_ index: Int, _ merge: inout SampleMerge) -> State {
    guard let former = tracks[index].time else { return .absent }
    if former == time { return tracks[index].isLost ? .lost : .values(tracks[index].values) }
    let next = merge.time(index)
    guard next != .max else { return .absent }
    guard !tracks[index].isLost, !merge.isLost(index), next > former else { return .lost }
    let fraction = Double(time &- former) / Double(next &- former)
    return .values(
      tracks[index].interpolation.values(
        from: tracks[index].values, to: merge.values(index), at: fraction))
  }
}
