import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ImportTests {
  /// Imports tables, and returns each stream with its counts and its chunks.
  private func imported(
    _ tables: [(path: String, text: String)], board: BoardAddress? = nil
  ) -> (recording: ImportedRecording, streams: [(samples: ImportedSamples, chunks: [Chunk])]) {
    let files = tables.map { AuditedTable.judge($0.text, $0.path) }
    let recording = ImportedRecording(AuditedRecording(files), board: board, hashes: [:])
    var streams: [(ImportedSamples, [Chunk])] = []
    for (file, samples) in zip(recording.files, recording.samples) {
      let text = tables.first { $0.path == file.audited.path }?.text ?? ""
      for var stream in samples {
        var reader = AuditedFile(path: file.audited.path)
        reader.keepsRows = true
        var chunks: [Chunk] = []
        let bytes = Array(text.utf8)
        for start in stride(from: 0, to: bytes.count, by: 1_000) {
          reader.take(bytes[start..<min(start + 1_000, bytes.count)])
          chunks += stream.take(reader.takeRows())
        }
        reader.finish()
        chunks += stream.take(reader.takeRows())
        chunks += stream.finish()
        streams.append((stream, chunks))
      }
    }
    return (recording, streams)
  }

  private func imported(
    _ table: AuditedTable, change: (inout [String]) -> Void = { _ in }
  ) throws -> (samples: ImportedSamples, chunks: [Chunk]) {
    var lines = table.text.split(separator: "\n").map(String.init)
    change(&lines)
    return try #require(
      imported([(table.path, lines.joined(separator: "\n") + "\n")]).streams.first)
  }

  private func lost(_ chunks: [Chunk], _ reason: LossReason) -> UInt64 {
    chunks.flatMap(\.gaps).filter { $0.reason == reason }.reduce(0) { $0 + $1.lost }
  }

  private func times(_ chunks: [Chunk]) -> [Int64] {
    chunks.flatMap(\.times).map(\.nanoseconds)
  }

  @Test func `every row becomes a sample with its time and values`() throws {
    let table = AuditedTable(rows: 4_500)
    let (samples, chunks) = try imported(table)
    #expect(chunks.map(\.count) == [2_000, 2_000, 500] && chunks.allSatisfy { $0.gaps.isEmpty })
    #expect(times(chunks) == table.times.map { Int64($0 - table.times[0]) * 1_000_000 })
    let stream = samples.stream.description
    #expect((stream.signal, stream.unit, stream.rate) == ("acceleration", "g", 100))
    #expect(stream.axes == ["x", "y", "z"] && stream.range == nil)
    for axis in 0..<3 {
      let values = chunks.flatMap { $0.columns[axis] }.map(stream.value)
      #expect(values == table.values.map { ($0[axis] * 1_000).rounded() / 1_000 })
    }
    #expect(samples.counts.samples == 4_500 && samples.counts.deviation == 0)
  }

  @Test func `rows that are missing according to their timestamps are counted as lost`() throws {
    var table = AuditedTable(rows: 4_000)
    table.remove(3_000..<3_007)
    table.remove(500..<501)
    let (samples, chunks) = try imported(table)
    #expect(samples.counts.samples == 3_992 && samples.counts.missing == 8)
    #expect(lost(chunks, .link) == 8 && chunks.flatMap(\.gaps).allSatisfy(\.isEstimate))
    #expect(times(chunks) == table.times.map { Int64($0 - table.times[0]) * 1_000_000 })
  }

  @Test func `measured times are kept, and the line fitted to them stays close`() throws {
    var (table, generator) = (AuditedTable(rows: 5_000), SeededGenerator(seed: 5))
    for row in table.times.indices { table.times[row] += row / 300 + Int(generator.unit() * 3) }
    table.remove(2_500..<2_520)
    let (samples, chunks) = try imported(table)
    #expect(
      chunks.flatMap(\.arrivals).map(\.nanoseconds)
        == table.times.map { Int64($0 - table.times[0]) * 1_000_000 })
    #expect(samples.counts.samples == 4_980 && samples.counts.missing == 20)
    #expect(samples.counts.deviation > 500 && samples.counts.deviation < 2_500)
    #expect(zip(times(chunks), times(chunks).dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func `damaged and incomplete rows, and rows out of order, are counted as malformed`() throws
  {
    let (samples, chunks) = try imported(AuditedTable(rows: 1_000)) { lines in
      lines[101] = "no row"
      lines[301] = lines[301].split(separator: ",").dropLast().joined(separator: ",") + ","
      lines.swapAt(501, 502)
      lines.insert(lines[700], at: 701)
    }
    let counts = samples.counts
    #expect(counts.samples == 997 && counts.malformed == 3 && counts.repeated == 1)
    #expect(counts.missing == 0 && lost(chunks, .malformed) == 3)
  }

  @Test func `incomplete rows at both ends are counted`() throws {
    let (samples, chunks) = try imported(AuditedTable(rows: 100)) { lines in
      for row in [1, 100] {
        lines[row] = lines[row].split(separator: ",").dropLast().joined(separator: ",") + ","
      }
    }
    #expect(samples.counts.samples == 98 && lost(chunks, .malformed) == 2)
    #expect(samples.end == BootTime(nanoseconds: 990_000_000))
  }

  @Test func `a file with a jump into another epoch is refused, and the row is named`() {
    var table = AuditedTable(rows: 1_000)
    for row in 600..<1_000 { table.times[row] += 86_400_000 }
    let recording = imported([(table.path, table.text)]).recording
    #expect(recording.files.isEmpty)
    #expect(recording.refusals.first?.reason.contains("jumps at row 601") == true)
  }

  @Test func `repeated rows do not stretch the times`() throws {
    let (samples, chunks) = try imported(AuditedTable(rows: 2_000)) { lines in
      for row in stride(from: 1_990, to: 1, by: -10) { lines.insert(lines[row], at: row) }
    }
    #expect(samples.counts.repeated == 199 && samples.counts.samples == 2_000)
    #expect(samples.counts.deviation < 1 && samples.isSound)
    #expect(chunks.allSatisfy { $0.gaps.isEmpty })
  }

  @Test(arguments: [2, 3, 4, 10])
  func `the times of packets show no gaps between packets`(rows: Int) throws {
    var table = AuditedTable(rows: 3_000)
    for row in table.times.indices { table.times[row] = table.times[row / rows * rows] }
    let (samples, _) = try imported(table)
    #expect(samples.counts.missing == 0 && samples.counts.samples == 3_000 && samples.isSound)
  }

  @Test func `a file whose losses are unknown is refused`() {
    var (table, generator) = (AuditedTable(rows: 6_000), SeededGenerator(seed: 6))
    for row in table.times.indices { table.times[row] += Int(generator.unit() * 5) }
    var row = 5_990
    while row > 10 {
      table.remove(row..<row + 1 + Int(generator.unit() * 6))
      row -= 8 + Int(generator.unit() * 24)
    }
    let (recording, streams) = imported([(table.path, table.text)])
    #expect(recording.files.isEmpty || !streams[0].samples.isSound, "\(recording.refusals)")
  }

  @Test func `every row is counted exactly once, whatever is wrong with the file`() throws {
    for seed in UInt64(0)..<40 {
      var generator = SeededGenerator(seed: seed)
      var table = AuditedTable(rows: 3_000, seed: seed + 1)
      if generator.unit() < 0.5 {
        for row in table.times.indices { table.times[row] += Int(generator.unit() * 3) }
      }
      for _ in 0..<Int(generator.unit() * 5) {
        let first = 1 + Int(generator.unit() * Double(table.times.count - 200))
        table.remove(first..<first + 1 + Int(generator.unit() * 100))
      }
      var rows = 0
      let (samples, chunks) = try imported(table) { lines in
        for _ in 0..<Int(generator.unit() * 20) {
          let line = 2 + Int(generator.unit() * Double(lines.count - 4))
          switch Int(generator.unit() * 4) {
          case 0: lines[line] = "damaged"
          case 1: lines.insert(lines[line], at: line)
          case 2: lines.swapAt(line, line + 1)
          default: lines[line] += ","
          }
        }
        rows = AuditedTable.judge(lines.joined(separator: "\n") + "\n", table.path).rows
      }
      let counts = samples.counts
      let stored = chunks.reduce(0) { $0 + $1.count }
      #expect(stored == counts.samples, "seed \(seed)")
      // Damaged lines are not rows. All other rows are samples, repeated or malformed.
      let others = rows - counts.samples - counts.repeated
      #expect(others >= 0 && others <= counts.malformed, "seed \(seed)")
      let lost = chunks.reduce(UInt64(0)) { $0 + $1.lostCount }
      #expect(lost == UInt64(counts.missing + counts.malformed), "seed \(seed)")
      let times = times(chunks)
      #expect(zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }, "seed \(seed)")
      let counters = chunks.flatMap(\.counters)
      #expect(
        UInt64(counters.last ?? 0) - UInt64(counters.first ?? 0) + 1
          <= UInt64(stored) + lost, "seed \(seed)")
    }
  }

  @Test func `the same files yield the same session, in any order`() {
    let table = AuditedTable(rows: 300)
    var other = AuditedTable(rows: 300, seed: 2)
    (other.sensor, other.unit) = ("Gyroscope", "deg/s")
    let files = [(table.path, table.text), (other.path, other.text)]
    let (one, two) = (imported(files), imported(files.reversed()))
    #expect(one.recording.session.id == two.recording.session.id)
    #expect(one.streams.flatMap(\.chunks).map(\.id) == two.streams.flatMap(\.chunks).map(\.id))
    #expect(one.streams.flatMap(\.chunks) == two.streams.flatMap(\.chunks))
    #expect(one.streams.map(\.samples.stream.description.signal).count == 2)
    #expect(imported([files[0]]).recording.session.id != one.recording.session.id)
  }

  @Test func `unknown facts stay unknown`() throws {
    let text =
      "seconds,x (g),y (g),z (g)\n" + (0..<50).map { "\(Double($0) / 100),0,0,1\n" }.joined()
    let (recording, streams) = imported([("walk.csv", text)])
    #expect(recording.clock.isEmpty)
    let record = recording.record([], end: streams[0].samples.end)
    #expect(record.boards.map(\.address) == [BoardAddress(value: 0)])
    #expect(record.boards[0].firmware.isEmpty && record.boards[0].model.isEmpty)
    #expect(record.annotations.first?.text == "walk.csv: the set rate is unknown")
    #expect(record.events.map(\.text) == ["walk.csv"] && record.events[0].kind == .imported)
  }

  @Test func `columns with different units become separate streams`() throws {
    let text =
      "seconds,ax (g),ay (g),az (g),wx (deg/s),wy (deg/s),wz (deg/s),light (lx)\n"
      + (0..<50).map { "\(Double($0) / 100),0,0,1,5,6.25,7,1e9\n" }.joined()
    let streams = imported([("walk.csv", text)]).streams
    #expect(
      streams.map(\.samples.stream.description.signal)
        == ["acceleration", "angular_velocity", "light"])
    #expect(streams.map(\.samples.stream.description.rawForm) == [.integer, .integer, .float])
    let (rotation, chunk) = (streams[1].samples.stream.description, streams[1].chunks[0])
    #expect(chunk.columns.map { rotation.value(of: $0[0]) } == [5, 6.25, 7])
  }

  @Test(arguments: [
    ("time_utc,x (g)\n2024-01-01T00:00:00Z,1\n2024-01-01T00:00:01Z,1\n", "export of this program"),
    ("seconds,x (g)\n3,1\n2,1\n1,1\n0,1\n", "reverse order"), ("seconds,x (g)\n3,1\n", "no rate"),
    ("words\n", "does not name a column"),
  ])
  func `a file that cannot be imported is rejected, with the reason`(text: String, reason: String) {
    let recording = imported([("walk.csv", text)]).recording
    #expect(recording.files.isEmpty)
    #expect(recording.refusals.first?.reason.contains(reason) == true, "\(recording.refusals)")
  }

  @Test func `a signal contained in two files is imported once`() {
    let table = AuditedTable(rows: 300)
    let other = AuditedTable(rows: 300, seed: 2)
    let recording = imported([(table.path, table.text), ("b_" + other.path, other.text)]).recording
    #expect(recording.files.count == 1 && recording.refusals.count == 1)
  }
}
