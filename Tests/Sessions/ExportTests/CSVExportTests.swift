import ChunkFormat
import Export
import Foundation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct CSVExportTests {
  /// An export, as parsed by another program's CSV reader.
  private struct Table {
    var totals: ExportTotals
    var rows: [[String: String]]

    init(_ source: MemorySource) throws {
      var sink = MemorySink()
      totals = try CSVExport().write(source, to: &sink)
      let hasBoardClock = source.described.contains { $0.description.hasBoardTicks }
      let header =
        CSVExport.header + (hasBoardClock ? ",board_seconds" : "") + ",name,unit,range\n"
      #expect(sink.bytes.starts(with: Array(header.utf8)))
      rows = try ForeignReader.table(sink.bytes)
    }
  }

  private func twoBoards() -> MemorySource {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 1_700, counts: [200, 150])
    source.add(MemorySource.quaternion, of: MemorySource.right, offset: 0, counts: [100, 100])
    return source
  }

  @Test func `the columns of a CSV export match the documentation`() {
    #expect(
      CSVExport.header
        == "time_utc,seconds,board,signal,x,y,z,w,lat,lon,alt_msl,fix_quality,fix_age,"
        + "fix_method,fix_error,time_source")
    #expect(CSVExport.lastColumns == "name,unit,range")
  }

  @Test func `the row of every sample contains its board's name, its unit and the sensor's range`()
    throws
  {
    var source = MemorySource()
    var ranged = MemorySource.acceleration
    ranged.range = 2
    source.add(ranged, of: MemorySource.left, offset: 0, counts: [20])
    source.add(MemorySource.quaternion, of: MemorySource.right, offset: 0, counts: [10])
    source.add(MemorySource.angles, of: MemorySource.right, offset: 0, counts: [10])
    let table = try Table(source)
    for row in table.rows {
      switch row["signal"] {
      case "acceleration":
        #expect([row["name"], row["unit"], row["range"]] == ["left \"L\"", "g", "2"])
      case "quaternion":
        #expect([row["name"], row["unit"], row["range"]] == ["right", "1", ""])
      default: #expect([row["name"], row["unit"], row["range"]] == ["right", "°", ""])
      }
    }
    // Each row must show, on its own, whether its sample reached the limit of the range.
    #expect(
      table.rows.contains { row in
        let numbers = [row["x"], row["range"]].compactMap { $0.flatMap { Double($0) } }
        return numbers.count == 2 && abs(numbers[0]) >= 0.999 * numbers[1]
      })
  }

  @Test func `every sample becomes one row with its value and its time`() throws {
    let source = twoBoards()
    let table = try Table(source)
    #expect(table.totals.rows == 550)
    #expect(table.totals.streams.map(\.rows) == [350, 200])
    #expect(table.totals.isWhole)
    try #require(table.rows.count == 550)
    for (stream, chunks) in zip(source.described, source.chunks) {
      let rows = table.rows.filter {
        $0["board"] == stream.board.address.description
          && $0["signal"] == stream.description.signal
      }
      var index = 0
      for chunk in chunks {
        for sample in 0..<chunk.count {
          let row = rows[index]
          index += 1
          let seconds = chunk.time(at: sample).seconds(since: source.session.start)
          #expect(row["seconds"] == String(format: "%.6f", seconds))
          for (axis, name) in ["x", "y", "z", "w"].enumerated() {
            let expected =
              axis < chunk.columns.count
              ? String(
                format: "%.6f",
                Double(chunk.columns[axis][sample]) / chunk.stream.countsPerUnit) : ""
            #expect(row[name] == expected)
          }
        }
      }
    }
  }

  @Test func `the rows of all streams are in chronological order`() throws {
    let table = try Table(twoBoards())
    let times = table.rows.compactMap { $0["seconds"].flatMap { Double($0) } }
    #expect(times.count == 550)
    #expect(times == times.sorted())
    #expect(Set(table.rows.prefix(3).compactMap { $0["signal"] }).count == 2)
  }

  @Test func `an unknown value is written as an empty field, never as zero`() throws {
    let table = try Table(twoBoards())
    for row in table.rows {
      for name in [
        "time_utc", "lat", "lon", "alt_msl", "fix_quality", "fix_age", "fix_error",
      ] {
        #expect(row[name] == "")
      }
      #expect(row["fix_method"] == "noreceiver")
      #expect(row["time_source"] == "unsynced")
    }
    #expect(table.totals.positioned == 0)
  }

  @Test func `a sample's position is interpolated between fixes, and its row names the method`()
    throws
  {
    var source = MemorySource()
    var slow = MemorySource.acceleration
    slow.rate = 2
    source.add(slow, of: MemorySource.left, offset: 0, counts: [12])
    source.track = (1...4).map { second in
      var fix = source.fix(Double(second), 50 + Double(second) * 1e-5, 14)
      fix.altitudeMSL = 100 + Double(second)
      fix.error = Fix.ErrorEstimate(horizontal: 3.25, basis: .reported)
      return fix
    }
    source.track[3].followsLoss = true
    let table = try Table(source)
    #expect(
      table.rows.map { $0["fix_method"] } == [
        "nofix", "nofix", "interpolated", "interpolated", "interpolated", "interpolated", "last",
        "last", "last", "last", "last", "last",
      ])
    let between = table.rows[3]
    #expect(between["lat"] == "50.0000150")
    #expect(between["alt_msl"] == "101.50")
    #expect(between["fix_age"] == "0.500")
    #expect(between["fix_error"] == "3.25")
    #expect(table.rows[0]["lat"] == "")
    #expect(table.rows[7]["lat"] == "50.0000300")
  }

  @Test func `a sample after the last fix has the last known position, unless it is too old`()
    throws
  {
    var source = MemorySource()
    var slow = MemorySource.acceleration
    slow.rate = 1
    source.add(slow, of: MemorySource.left, offset: 0, counts: [20])
    var precise = source.fix(1.5, 50.0830467, -14.4113883)
    precise.altitudeMSL = 181.256
    precise.quality = .realTimeKinematic
    source.track = [precise, source.fix(4, -0.00000004, 0)]
    source.track[1].followsLoss = true
    let table = try Table(source)
    #expect(table.rows[1]["lat"] == "")
    let second = table.rows[2]
    #expect(second["lat"] == "50.0830467")
    #expect(second["lon"] == "-14.4113883")
    #expect(second["alt_msl"] == "181.26")
    #expect(second["fix_quality"] == "rtk_fixed")
    #expect(second["fix_age"] == "0.500")
    let fourth = table.rows[4]
    #expect(fourth["lat"] == "0.0000000")
    #expect(fourth["alt_msl"] == "")
    #expect(fourth["fix_quality"] == "autonomous")
    #expect(fourth["fix_age"] == "0.000")
    #expect(table.rows[14]["fix_age"] == "10.000")
    #expect(table.rows[15]["lat"] == "")
    #expect(table.rows[15]["fix_method"] == "stale")
    #expect(table.totals.positioned == 13)
  }

  @Test func `a long track yields the same positions as a short one that fits in memory`() throws {
    var source = MemorySource()
    var slow = MemorySource.acceleration
    slow.rate = 0.5
    source.add(slow, of: MemorySource.left, offset: 0, counts: [1_000, 500])
    source.track = (0..<13_000).map { source.fix(Double($0) * 0.21, Double($0) / 1_000, 1) }
    let table = try Table(source)
    var track = FixTrack(source.track)
    for (index, row) in table.rows.enumerated() {
      let position = track.position(at: source.session.start.advanced(bySeconds: Double(index) * 2))
        .position
      #expect(row["lat"] == position.map { String(format: "%.7f", $0.latitude) } ?? "")
      #expect(row["fix_age"] == position.map { String(format: "%.3f", $0.age) } ?? "")
    }
  }

  @Test func `UTC times come from the clock table, even across midnight`() throws {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [200])
    let utc = UTCTime(year: 2026, month: 12, day: 31, nanosecondOfDay: 86_399_000_000_999)
    source.clock = [ClockTable.Entry(boot: source.session.start, utc: utc, source: .satellites)]
    let table = try Table(source)
    #expect(table.rows[0]["time_utc"] == "2026-12-31T23:59:59.000000Z")
    #expect(table.rows[99]["time_utc"] == "2026-12-31T23:59:59.990000Z")
    #expect(table.rows[100]["time_utc"] == "2027-01-01T00:00:00.000000Z")
  }

  @Test func `a damaged or missing chunk is reported, and the other chunks are exported`() throws {
    var source = MemorySource()
    source.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 0,
      counts: [10, 10, 10, 10, 10, 10, 10])
    source.add(MemorySource.quaternion, of: MemorySource.right, offset: 0, counts: [30])
    var damaged = source.chunks[0][1].encoded()
    damaged[damaged.count / 2] ^= 4
    source.replaced[source.chunks[0][1].id] = damaged
    source.replaced[source.chunks[0][6].id] = source.chunks[1][0].encoded()
    source.chunks[0].removeSubrange(3...4)
    let table = try Table(source)
    try #require(table.totals.streams.map(\.rows) == [30, 30])
    #expect(!table.totals.isWhole)
    let lines = table.totals.streams[0].missing.map(\.description)
    try #require(lines.count == 3)
    #expect(lines[0].hasPrefix("chunk 1: "))
    #expect(lines[0].hasSuffix(" does not match its checksum"))
    #expect(lines[1] == "chunks 3 to 4: not in the store")
    #expect(lines[2] == "chunk 6: belongs elsewhere")
    #expect(table.totals.streams[1].missing.isEmpty)
  }

  @Test func `a value computed by a board is read back as exactly the same number`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var source = MemorySource()
    source.add(MemorySource.angles, of: MemorySource.left, offset: 0, counts: [2_000])
    var state = seed
    var values: [Float] = [0, -0.0, 1e-30, .greatestFiniteMagnitude, .leastNonzeroMagnitude, 0.1]
    while values.count < 2_000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let value = Float(bitPattern: UInt32(truncatingIfNeeded: state >> 32))
      if value.isFinite { values.append(value) }
    }
    let angles = Array(repeating: Float.nan.bitPattern, count: 2_000)
    source.chunks[0][0].columns = [
      values.map { Int32(bitPattern: $0.bitPattern) }, angles.map { Int32(bitPattern: $0) },
    ]
    let table = try Table(source)
    try #require(table.rows.count == 2_000)
    for (row, value) in zip(table.rows, values) {
      #expect(row["x"].flatMap { Float($0) }?.bitPattern == value.bitPattern, "seed \(seed)")
      #expect(row["y"] == "")
    }
    #expect(table.rows[5]["x"] == "0.1")
  }

  @Test func `the board's clock has its own column, which is empty for streams without a clock`()
    throws
  {
    var source = MemorySource()
    source.add(MemorySource.angles, of: MemorySource.left, offset: 0, counts: [200, 150])
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [10])
    let table = try Table(source)
    let stamped = table.rows.filter { $0["signal"] == "euler" }
    let ticks = source.chunks[0].flatMap(\.ticks)
    try #require(stamped.count == 350)
    for (row, tick) in zip(stamped, ticks) {
      #expect(row["board_seconds"] == String(format: "%.6f", Double(tick) * 48 / 32_768))
    }
    let others = table.rows.filter { $0["signal"] == "acceleration" }
    #expect(others.map { $0["board_seconds"] } == Array(repeating: "", count: 10))
  }

  @Test func `a damaged clock, start or scale affects only the columns that use it`() throws {
    for nanoseconds in [Int64.min, .max, 1 << 62, -(1 << 62)] {
      var source = MemorySource()
      source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [10])
      source.described[0].description.countsPerUnit = 0
      source.session.start.nanoseconds = nanoseconds
      source.clock = [
        ClockTable.Entry(
          boot: BootTime(nanoseconds: nanoseconds), utc: UTCTime(nanoseconds: ~nanoseconds),
          source: .satellites)
      ]
      source.track = [source.fix(0, 1, 2)]
      let table = try Table(source)
      #expect(table.rows.count == 10)
      #expect(table.rows.allSatisfy { $0["x"] == "" && $0["signal"] == "acceleration" })
      var sink = MemorySink()
      var nowhere = NoSink()
      _ = try JSONExport().writeDocument(source, to: &sink, gaps: &nowhere)
      _ = try ForeignReader.read(sink.bytes, as: .json)
    }
  }

  @Test func `a session without samples is exported as a single header line`() throws {
    var sink = MemorySink()
    let totals = try CSVExport().write(MemorySource(), to: &sink)
    #expect(totals.rows == 0)
    #expect(
      String(decoding: sink.bytes, as: UTF8.self) == CSVExport.header + ",name,unit,range\n")
  }

  @Test func `names that contain commas and quotes stay in one field`() throws {
    var source = MemorySource()
    var odd = MemorySource.acceleration
    odd.signal = "a,\"b\"\r\nc"
    source.add(odd, of: MemorySource.left, offset: 0, counts: [2])
    let table = try Table(source)
    #expect(table.rows.map { $0["signal"] } == [odd.signal, odd.signal])
  }

  @Test func `numbers are formatted as C prints them`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var source = MemorySource()
    var odd = MemorySource.acceleration
    odd.countsPerUnit = Double(seed % 1_000_003 + 1) / 997
    source.add(odd, of: MemorySource.left, offset: -1_000_000_000, counts: [2_000])
    let table = try Table(source)
    for (index, row) in table.rows.enumerated() {
      let value = Double(source.chunks[0][0].columns[0][index]) / odd.countsPerUnit
      let seconds = -1 + Double(index) / 100
      let printed = String(format: "%.6f", value)
      #expect(row["x"] == (printed == "-0.000000" ? "0.000000" : printed), "seed \(seed)")
      #expect(row["seconds"] == String(format: "%.6f", seconds))
    }
  }
}
