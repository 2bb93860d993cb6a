@testable import Export
import ChunkFormat
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// Tables with one row per instant, read by another program's CSV reader.
@Suite(.computation) struct TableExportTests {
  private struct Table {
    var totals: ExportTotals
    var columns: [String]
    var rows: [[String: String]]
    /// The time of each row in seconds.
    var times: [Double]

    init(
      _ source: MemorySource, rate: Double? = nil,
      selection: ExportSelection = ExportSelection()
    ) throws {
      var sink = MemorySink()
      var nowhere = NoSink()
      totals = try TableExport(selection: selection, rate: rate).write(
        source, to: &sink, gaps: &nowhere)
      let read = try #require(
        try ForeignReader.read(sink.bytes, as: .table) as? [String: Any])
      columns = try #require(read["columns"] as? [String])
      rows = try #require(read["rows"] as? [[String: String]])
      times = rows.compactMap { $0["seconds"].flatMap { Double($0) } }
      try #require(times.count == rows.count)
    }

    /// Returns a stream's columns, which follow the columns of all earlier streams.
    func columns(of position: Int, in source: MemorySource) -> [String] {
      let counts = source.described.map(\.description.axisCount)
      return Array(columns[(2 + counts[..<position].reduce(0, +))...].prefix(counts[position]))
    }
  }

  private func seconds(_ time: BootTime, in source: MemorySource) -> Double {
    Double(time.nanoseconds - source.session.start.nanoseconds) * 1e-9
  }

  // MARK: Joined rows

  @Test
  func `every sample of a random session is in one row, and every lost sample is n/a`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<6 {
      let session = RandomSession(using: &random)
      let source = session.source
      let table = try Table(source)
      var long = MemorySink()
      let totals = try CSVExport().write(source, to: &long)
      let samples = try ForeignReader.table(long.bytes)
      #expect(table.totals.streams.map(\.rows) == totals.streams.map(\.rows), "seed \(seed)")
      #expect(table.totals.streams.map(\.lost) == totals.streams.map(\.lost), "seed \(seed)")
      #expect(zip(table.times, table.times.dropFirst()).allSatisfy { $0 < $1 }, "seed \(seed)")
      let tolerance = 0.5 / (source.described.map(\.description.rate).max() ?? 1) + 1e-6
      for (position, stream) in source.described.enumerated() {
        let names = table.columns(of: position, in: source)
        let expected = samples.filter {
          $0["board"] == stream.board.address.description
            && $0["signal"] == stream.description.signal
        }
        var found: [[String]] = []
        var times: [Double] = []
        var losses = 0
        for (row, time) in zip(table.rows, table.times) {
          let values = names.map { row[$0] ?? "missing" }
          if values.allSatisfy({ $0 == "n/a" }) {
            losses += 1
          } else if values.contains(where: { !$0.isEmpty }) {
            found.append(values)
            times.append(time)
          }
        }
        #expect(losses == session.lost[position], "seed \(seed)")
        let wanted = expected.map { row in
          ["x", "y", "z", "w"].prefix(names.count).map { row[$0] ?? "" }
        }
        #expect(found == wanted.map(Array.init), "seed \(seed)")
        let differences = zip(times, expected).map { (Double($1["seconds"] ?? "") ?? .nan) - $0 }
        // The time of a row is the earliest time of its samples.
        #expect(differences.allSatisfy { -2e-6 <= $0 && $0 <= tolerance }, "seed \(seed)")
      }
    }
  }

  @Test func `the rows of one stream keep their spacing in a gap`() throws {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [100, 100])
    for chunk in 0...1 {
      for row in 40..<100 { source.chunks[0][chunk].counters[row] += 25 }
    }
    for row in 0..<100 { source.chunks[0][1].counters[row] += 25 + 6_000 }
    source.chunks[0][1].clock.first = source.chunks[0][1].clock.first.advanced(
      bySeconds: 60.25)
    let table = try Table(source)
    #expect(table.rows.count == 200 + 25 + 25 + 6_000)
    #expect(
      zip(table.times, table.times.dropFirst()).allSatisfy { abs($1 - $0 - 0.01) < 1.5e-6 })
    #expect(
      table.rows.count { $0["right.acceleration.x [g]"] == "n/a" } == 25 + 25 + 6_000)
  }

  @Test func `an empty field means that a slower stream has no sample at that instant`() throws {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [20])
    source.add(MemorySource.quaternion, of: MemorySource.left, offset: 2_000_000, counts: [10])
    let table = try Table(source)
    #expect(
      table.columns == [
        "time_utc", "seconds", "right.acceleration.x [g]", "right.acceleration.y [g]",
        "right.acceleration.z [g]", "left \"L\".quaternion.x", "left \"L\".quaternion.y",
        "left \"L\".quaternion.z", "left \"L\".quaternion.w", "lat", "lon", "alt_msl",
        "fix_quality", "fix_age", "fix_method", "fix_error", "time_source",
      ])
    #expect(table.rows.count == 20)
    for (index, row) in table.rows.enumerated() {
      #expect(row["right.acceleration.x [g]"]?.isEmpty == false)
      #expect(row["left \"L\".quaternion.w"]?.isEmpty == (index % 2 == 1))
      #expect(row["seconds"] == String(format: "%.6f", Double(index) / 100))
    }
  }

  @Test func `boards that share a name or have none are identified by their addresses`() throws {
    var source = MemorySource()
    var boards = [MemorySource.left, MemorySource.right, MemorySource.right, MemorySource.right]
    for (index, name) in ["left", "left", "", "top"].enumerated() {
      boards[index].name = name
      boards[index].address = BoardAddress(value: UInt64(0xd201_0000_0000 + index))
      source.add(MemorySource.acceleration, of: boards[index], offset: 0, counts: [1])
    }
    // The board's firmware was updated, so the same board appears again.
    boards[3].firmware = "1.7.3"
    source.add(MemorySource.acceleration, of: boards[3], offset: 0, counts: [1])
    let table = try Table(source)
    #expect(
      table.columns.filter { $0.contains(".x") } == [
        "D2:01:00:00:00:00.acceleration.x [g]", "D2:01:00:00:00:01.acceleration.x [g]",
        "D2:01:00:00:00:02.acceleration.x [g]", "top.acceleration.x [g]",
        "top.acceleration.x-2 [g]",
      ])
  }

  @Test
  func `a session without samples yields only a header, and a single sample yields one row`() throws
  {
    #expect(try Table(MemorySource()).rows.isEmpty)
    #expect(try Table(MemorySource(), rate: 100).rows.isEmpty)
    for rate in [nil, 100.0] {
      var source = MemorySource()
      source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [1])
      let table = try Table(source, rate: rate)
      #expect(table.rows.count == 1)
      #expect(table.rows.first?["time_utc"] == "")
      #expect(table.rows.first?["fix_method"] == "noreceiver")
    }
  }

  @Test func `a table of part of a session contains only that part's samples and instants`()
    throws
  {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<3 {
      let source = RandomSession(using: &random).source
      var selection = ExportSelection()
      selection.from = source.session.start.advanced(bySeconds: 1)
      selection.to = source.session.start.advanced(bySeconds: 3)
      var long = MemorySink()
      let totals = try CSVExport(selection: selection).write(source, to: &long)
      let joined = try Table(source, selection: selection)
      #expect(joined.totals.streams.map(\.rows) == totals.streams.map(\.rows), "seed \(seed)")
      #expect(joined.times.allSatisfy { 1 <= $0 && $0 < 3 }, "seed \(seed)")
      // One second after the bound, even the slowest stream has samples before and after each
      // instant.
      func rows(_ table: Table) -> [[String: String]] {
        zip(table.rows, table.times).filter { 2 < $1 && $1 < 2.4 }.map(\.0)
      }
      #expect(
        try rows(Table(source, rate: 40, selection: selection))
          == rows(Table(source, rate: 40)), "seed \(seed)")
    }
  }

  @Test func `a clock that was set back neither drops a sample nor reverses the rows`() throws {
    var random = SeededGenerator(seed: 11)
    for _ in 0..<4 {
      let recording = RandomRecording(chunks: 4, using: &random)
      var source = MemorySource()
      source.session = recording.session
      source.described = [
        SourceStream(
          board: recording.board, description: recording.stream,
          sampleCount: recording.chunks.reduce(0) { $0 + $1.count })
      ]
      source.chunks = [recording.chunks]
      let table = try Table(source)
      #expect(zip(table.times, table.times.dropFirst()).allSatisfy { $0 < $1 })
      #expect(table.totals.rows == recording.chunks.reduce(0) { $0 + $1.count })
    }
  }

  // MARK: Resampled rows

  @Test func `resampled values are on the line between neighbours, and gaps remain`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<4 {
      let session = RandomSession(using: &random)
      let source = session.source
      let rates: [Double] = [10, 33, 100, 250]
      let rate = rates.randomElement(using: &random) ?? 100
      let table = try Table(source, rate: rate)
      let distances = zip(table.times, table.times.dropFirst()).map { $1 - $0 }
      #expect(distances.allSatisfy { abs($0 - 1 / rate) < 1.5e-6 }, "seed \(seed)")
      #expect(
        table.times.allSatisfy { abs(($0 * rate).rounded() / rate - $0) < 1e-6 }, "seed \(seed)")
      for position in source.described.indices {
        let names = table.columns(of: position, in: source)
        let (samples, numbers) = (session.samples[position], session.numbers[position])
        let times = samples.map { seconds($0.time, in: source) }
        var next = 0
        var faults: [String] = []
        for (row, rounded) in zip(table.rows, table.times) {
          let time = (rounded * rate).rounded() / rate
          while next < times.count, times[next] <= time { next += 1 }
          let fields = names.map { row[$0] ?? "missing" }
          // If a time is within rounding error of a sample, either of two intervals may apply.
          let nearest = times[max(0, next - 1)...].prefix(2)
          if nearest.contains(where: { abs($0 - time) < 2e-9 }) { continue }
          if next == 0 {
            if !fields.allSatisfy({ $0.isEmpty }) { faults.append("\(time) is too early") }
          } else if next == times.count {
            let isEnded = fields.allSatisfy { $0.isEmpty || $0 == "n/a" }
            if !isEnded { faults.append("\(time) is too late") }
          } else if numbers[next] &- numbers[next - 1] > 1 {
            if !fields.allSatisfy({ $0 == "n/a" }) { faults.append("\(time) is in a gap") }
          } else {
            let part = (time - times[next - 1]) / (times[next] - times[next - 1])
            for (axis, field) in fields.enumerated() {
              let (a, b) = (samples[next - 1].values[axis], samples[next].values[axis])
              let value = Double(field) ?? .nan
              let error = 1e-6 + 1e-6 * max(abs(a), abs(b))
              let isBetween = min(a, b) - error <= value && value <= max(a, b) + error
              let isOnLine = abs(value - (a + (b - a) * part)) <= error
              if !isBetween || !isOnLine { faults.append("\(field) at \(time)") }
            }
          }
        }
        #expect(faults.isEmpty, "\(faults.prefix(3)), seed \(seed)")
      }
    }
  }

  /// Returns a session with one stream of floating-point samples, 100 per second.
  private func computed(
    _ signal: String, _ unit: String, _ axes: [String], count: Int, _ value: (Double) -> [Double]
  ) -> MemorySource {
    var source = MemorySource()
    let stream = StreamDescription(
      signal: signal, unit: unit, axes: axes, rawForm: .float, countsPerUnit: 1, rate: 100,
      lossAccounting: .estimated)
    source.add(stream, of: MemorySource.right, offset: 3_000_000, counts: [count])
    let values = (0..<count).map { value(0.003 + Double($0) / 100) }
    source.chunks[0][0].columns = axes.indices.map { axis in
      values.map { Int32(bitPattern: Float($0[axis]).bitPattern) }
    }
    return source
  }

  @Test func `a resampled sine deviates by no more than linear interpolation permits`() throws {
    let source = computed("signal", "g", ["value"], count: 1_000) { [sin(2 * .pi * $0)] }
    let table = try Table(source, rate: 37)
    let step = 2 * Double.pi / 100
    let limit = step * step / 8 + 1e-6
    var largest = 0.0
    for (row, time) in zip(table.rows, table.times) {
      let field = row["right.signal.value [g]"] ?? ""
      if field.isEmpty { continue }
      largest = max(largest, abs((try #require(Double(field))) - sin(2 * .pi * time)))
    }
    #expect(table.rows.count > 360)
    #expect(largest <= limit && largest > limit / 2, "\(largest)")
  }

  @Test func `an angle that passes north turns the shorter way`() throws {
    for (lowest, unit) in [(0.0, "deg"), (-180, "°")] {
      let source = computed("euler_angles", unit, ["heading", "pitch"], count: 500) { time in
        let turned = (time * 700).truncatingRemainder(dividingBy: 360)
        return [turned >= lowest + 360 ? turned - 360 : turned, -turned / 10]
      }
      let table = try Table(source, rate: 230)
      for (row, time) in zip(table.rows, table.times) {
        let field = row["right.euler_angles.heading [\(unit)]"] ?? ""
        if field.isEmpty { continue }
        let heading = try #require(Double(field))
        #expect(heading >= lowest && heading < lowest + 360)
        #expect(abs((heading - time * 700).remainder(dividingBy: 360)) < 0.01)
      }
    }
  }

  @Test func `a resampled quaternion has length 1, whatever signs the board sends`() throws {
    var isFlipped = false
    let source = computed("quaternion", "1", ["x", "y", "z", "w"], count: 500) { time in
      isFlipped.toggle()
      let sign = isFlipped ? -1.0 : 1
      return [0, 0, sign * sin(time * 2), sign * cos(time * 2)]
    }
    let table = try Table(source, rate: 64)
    for (row, time) in zip(table.rows, table.times) {
      let fields = ["x", "y", "z", "w"].map { row["right.quaternion.\($0)"] ?? "" }
      if fields.contains("") { continue }
      let values = fields.compactMap { Double($0) }
      try #require(values.count == 4)
      #expect(abs(values.reduce(0) { $0 + $1 * $1 } - 1) < 1e-6)
      #expect(abs(abs(values[2] * sin(time * 2) + values[3] * cos(time * 2)) - 1) < 1e-6)
    }
  }

  @Test func `a resampled value at the instant of a sample equals that sample`() throws {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [500, 300])
    source.add(MemorySource.angles, of: MemorySource.right, offset: 0, counts: [800])
    for column in source.chunks[1][0].columns.indices {
      source.chunks[1][0].columns[column] = (0..<800).map {
        Int32(bitPattern: (Float($0) * 0.37).bitPattern)
      }
    }
    #expect(try Table(source, rate: 100).rows == Table(source).rows)
  }

  // MARK: The description

  @Test func `the description states how the rows were formed`() throws {
    let folder = try TemporaryFolder()
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [20])
    var files = SessionFiles()
    for (rate, name) in [(nil, "joined"), (50.0, "regular")] {
      files.rate = rate
      let path = "\(folder.path)/\(name).csv"
      let outcome = try files.write(source, as: .table, to: path)
      #expect(outcome.totals?.rows == 20)
      #expect(outcome.paths.count == 6)
      let description = try JSONSerialization.jsonObject(
        with: Data(contentsOf: URL(filePath: "\(folder.path)/\(name).session.json")))
      let members = try #require(description as? [String: Any])
      let exported = try #require(members["exported"] as? [String: Any])
      let rows = try #require(exported["rows"] as? [String: Any])
      #expect(rows["toleranceSeconds"] as? Double == (rate == nil ? 0.005 : nil))
      #expect(rows["rate"] as? Double == rate)
      #expect((rows["method"] as? String)?.contains("interpolation") == (rate != nil))
    }
  }
}
