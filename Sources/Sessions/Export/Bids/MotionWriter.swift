internal import Recording
internal import Values

/// Writes the rows of a tracking system to motion files.
///
/// A gap becomes rows without values at the configured spacing, so time is neither shortened nor
/// stretched. A gap of more than an hour and a thousand rows starts a new run in a separate file. A
/// week of empty rows would be of no use.
struct MotionWriter {
  /// Nanoseconds and rows that a gap must exceed to start a new run.
  private static let longestGap = (nanoseconds: 3_600e9, rows: 1_000)
  private static let missing = Array(TabTable.unknown.utf8)

  private let system: MotionSystem
  /// For each column with the times of a stream, the index of the stream.
  private let streamOfColumn: [Int?]
  private let path: (Int) -> String
  private var rows: MotionRows
  private var buffer = TextBuffer()
  private let folder: StagedFolder
  private var file: StagedFile?
  private(set) var runs: [MotionRun] = []
  /// The number and the time of the last row.
  private var latest: (number: Int, time: Int64) = (0, 0)
  /// The number and the time of the last row with a sample of each stream.
  private var latestOfStream: [(number: Int, time: Int64)?]

  /// Prepares to write a tracking system's files into a folder. `path` returns the path for a run's
  /// number, counted from 1, without the ending `motion.tsv`.
  init(_ system: MotionSystem, in folder: StagedFolder, path: @escaping (Int) -> String) {
    self.system = system
    self.folder = folder
    self.path = path
    streamOfColumn = system.channels.indices.map { system.latencies.firstIndex(of: $0) }
    rows = MotionRows(
      rate: system.rate, streams: system.columns.count, width: system.channels.count)
    latestOfStream = [(number: Int, time: Int64)?](repeating: nil, count: system.columns.count)
  }

  /// Adds a sample. `fill` receives the columns of the sample's row.
  mutating func add(_ time: Int64, stream: Int, fill: (inout [Double]) -> Void) throws {
    rows.add(time, stream: stream, fill: fill)
    try write(before: time)
  }

  mutating func finish() throws -> [MotionRun] {
    try write(before: nil)
    try end()
    return runs
  }

  private mutating func write(before time: Int64?) throws {
    while let row = rows.next(before: time) {
      try write(row)
      rows.recycle(row)
    }
  }

  private mutating func write(_ row: MotionRows.Row) throws {
    let steps = row.number - latest.number
    if runs.isEmpty
      || steps > Self.longestGap.rows
        && Double(steps) * rows.period > Self.longestGap.nanoseconds
    {
      try end()
      let stem = path(runs.count + 1)
      runs.append(MotionRun(stem: stem, first: row.time, streams: system.columns.count))
      file = try folder.file(stem + "motion.tsv")
      for index in latestOfStream.indices { latestOfStream[index] = nil }
    } else if steps > 1 {
      let spacing = Double(row.time &- latest.time) / Double(steps)
      for step in 1..<steps {
        try append(nil, at: latest.time &+ Int64((spacing * Double(step)).rounded()))
      }
    }
    try append(row, at: row.time)
    latest = (row.number, row.time)
    let run = runs.count - 1
    for (stream, time) in row.times.enumerated() {
      guard let time else { continue }
      // A clock that was set back must not shorten the measured intervals.
      if let former = latestOfStream[stream], former.number + 1 == row.number, time > former.time {
        runs[run].intervals[stream] += 1
        runs[run].spans[stream] += Double(time &- former.time)
      }
      latestOfStream[stream] = (row.number, time)
    }
  }

  private mutating func append(_ row: MotionRows.Row?, at time: Int64) throws {
    let run = runs.count - 1
    runs[run].last = max(runs[run].last, time)
    let first = runs[run].first
    buffer.append(seconds: time &- first)
    for column in 1..<system.channels.count {
      buffer.append(UInt8(ascii: "\t"))
      if let stream = streamOfColumn[column] {
        if let time = row?.times[stream] {
          buffer.append(seconds: time &- first)
        } else {
          buffer.append(Self.missing)
        }
      } else if let value = row?.values[column], value.isFinite {
        if system.channels[column].isFloat {
          buffer.append(exactly: value)
        } else {
          buffer.append(value, decimals: system.channels[column].decimals)
        }
      } else {
        buffer.append(Self.missing)
      }
    }
    buffer.append(UInt8(ascii: "\n"))
    if buffer.isFull { try flush() }
  }

  private mutating func flush() throws {
    guard var open = file else { return }
    try buffer.flush(to: &open)
  }

  /// Completes the current run's file.
  private mutating func end() throws {
    try flush()
    try file?.close()
    file = nil
  }
}
