internal import Recording
internal import Values

/// A recording's samples, in a CSV file compressed with gzip.
///
/// The first line names the columns: a time in seconds and three axes.
struct StepSamples {
  /// The maximum size of an unpacked recording in bytes. A three-hour recording at 100 Hz is
  /// smaller.
  private static let largest = 64 << 20
  private static let mostColumns = 32
  /// The maximum number of seconds between the first sample and any other sample.
  private static let longest = 1e6
  /// If two samples are more than this many seconds apart, samples between them are missing. A
  /// phone samples irregularly, and its first samples may be 0.08 s apart.
  private static let longestDelay = 0.1
  /// MetaBase includes the unit, which is always g.
  private static let axes = [
    ["x", "y", "z"], ["ax", "ay", "az"], ["x-axis (g)", "y-axis (g)", "z-axis (g)"],
  ]
  private static let rotations = [["gx", "gy", "gz"]]
  private static let times = ["t", "elapsed (s)"]

  /// Counts the steps in a recording with the step counter that is used for sessions.
  static func steps(in recording: StepRecording) throws(VectorFileError) -> Int {
    let start = BootTime(nanoseconds: 0)
    var meter = StatisticsMeter(start: start)
    let stream = meter.add(
      StreamDescription(
        signal: "acceleration", unit: "g", countsPerUnit: 1, rate: recording.rate,
        lossAccounting: .counted), of: BoardAddress(value: 0))
    guard let stream else { return 0 }
    var first: Double?
    var (former, number) = (0.0, -1)
    try read(axes, in: recording) { time, acceleration in
      let seconds = time - (first ?? time)
      first = first ?? time
      guard abs(seconds) <= longest else { return false }
      let pause = seconds - former
      number += pause > longestDelay ? Int((pause * recording.rate).rounded()) : 1
      former = seconds
      meter.take(
        acceleration, counter: UInt32(truncatingIfNeeded: number),
        at: start.advanced(bySeconds: seconds), stream: stream)
      return true
    }
    return meter.statistics().steps.first?.count ?? 0
  }

  /// Determines how a recording's board was attached, with the method that is used for sessions.
  /// Returns the mountings with their times in seconds.
  static func mountings(
    in recording: StepRecording
  ) throws(VectorFileError) -> [(time: Double, mounting: Mounting)] {
    var meter = MountingMeter(accelerationRate: recording.rate, rotationRate: recording.rate)
    var accelerations: [SIMD3<Double>] = []
    try read(axes, in: recording) { _, acceleration in
      accelerations.append(acceleration)
      return true
    }
    var number = 0
    var mountings: [(time: Double, mounting: Mounting)] = []
    try read(rotations, in: recording) { time, rotation in
      meter.add(acceleration: accelerations[number], counter: UInt32(number))
      if let mounting = meter.add(rotation: rotation, counter: UInt32(number)) {
        mountings.append((time, mounting))
      }
      number += 1
      return true
    }
    return mountings
  }

  /// Passes each sample to `take`: its time in seconds, and the values of three axes in g or in
  /// degrees per second. `choices` contains the possible axis names. The sample is invalid if
  /// `take` returns `false`.
  private static func read(
    _ choices: [[String]], in recording: StepRecording, _ take: (Double, SIMD3<Double>) -> Bool
  ) throws(VectorFileError) {
    let bytes = try recording.file.unpacked(upTo: largest)
    var rest = bytes[...]
    let names = nextRow(&rest)?.map { String(decoding: $0, as: UTF8.self) } ?? []
    guard let time = names.firstIndex(where: times.contains),
      let axes = choices.first(where: { $0.allSatisfy(names.contains) })
    else { throw recording.file.damaged("its first line does not name a time and three axes") }
    let unit = choices == rotations ? recording.unitsPerDegree : recording.unitsPerG
    guard let unit = axes[0].hasSuffix("(g)") ? 1 : unit else {
      throw recording.file.damaged("the unit in the manifest is neither 'g' nor 'm/s2'")
    }
    let columns = [time] + axes.compactMap(names.firstIndex(of:))
    var count = 0
    while let fields = nextRow(&rest) {
      count += 1
      let values = columns.compactMap { column in
        fields.count == names.count ? Double(String(decoding: fields[column], as: UTF8.self)) : nil
      }
      guard values.count == 4, values.allSatisfy(\.isFinite),
        take(values[0], SIMD3(values[1], values[2], values[3]) / unit)
      else { throw recording.file.damaged("row \(count) does not have a time and three numbers") }
    }
    guard count > 0 else { throw recording.file.damaged("it contains no sample") }
  }

  /// Removes the next line, and returns its fields; `nil` at the end.
  private static func nextRow(_ rest: inout ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    guard !rest.isEmpty else { return nil }
    let end = rest.firstIndex(of: UInt8(ascii: "\n"))
    var line = rest[..<(end ?? rest.endIndex)]
    rest = end.map { rest[($0 + 1)...] } ?? []
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    return line.split(
      separator: UInt8(ascii: ","), maxSplits: mostColumns, omittingEmptySubsequences: false)
  }
}
