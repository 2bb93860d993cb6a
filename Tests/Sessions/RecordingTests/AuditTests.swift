import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct AuditTests {
  private func faults(_ table: AuditedTable) -> Set<AuditFinding.Kind> {
    AuditedRecording([table.judged]).faults
  }

  private func gyroscope(rows: Int, rate: Double = 100) -> AuditedTable {
    var table = AuditedTable(rows: rows, rate: rate, seed: 2)
    (table.sensor, table.unit) = ("Gyroscope", "deg/s")
    table.values = table.values.map { $0.map { $0 * 40 } }
    return table
  }

  /// Shifts each time by up to this many milliseconds, as if a clock were read for each sample.
  private func measured(_ table: AuditedTable, by most: Int = 2) -> AuditedTable {
    var (table, generator) = (table, SeededGenerator(seed: 3))
    for row in table.times.indices {
      table.times[row] += Int(generator.unit() * Double(most + 1))
    }
    return table
  }

  // MARK: Times

  @Test func `evenly spaced times are classified as computed`() {
    let file = AuditedTable(rows: 3_000).judged
    #expect(file.times.origin == .computed)
    #expect(file.times.isRegular)
    #expect(file.times.chance < 0.01)
    #expect(file.rows == 3_000)
    #expect(file.nominal == 100)
    #expect(file.offsetMinutes == 60 && file.statedOffsetMinutes == 60)
    #expect(AuditedRecording([file]).faults == [.computedTimes])
  }

  @Test func `rounded computed times are classified as rounded`() {
    let file = AuditedTable(rows: 3_000, rate: 7.33).judged
    #expect(file.times.origin == .rounded)
    #expect(!file.times.isRegular)
  }

  @Test func `a recording with measured times is sound, and its true rate is known`() throws {
    let recording = AuditedRecording([measured(AuditedTable(rows: 3_000)).judged])
    #expect(recording.files[0].times.origin == .measured)
    let rate = try #require(recording.rates[0])
    #expect(abs(rate.hertz - 100) < 0.1)
    #expect(recording.isSound)
  }

  @Test func `with too few rows, it is unknown whether times were measured`() {
    let file = AuditedTable(rows: 20).judged
    #expect(file.times.origin == .unknown)
    let findings = AuditedRecording([file]).findings
    #expect(findings.map(\.kind) == [.unknown])
  }

  @Test func `times shared by the samples of a packet are classified as arrival times`() {
    var table = AuditedTable(rows: 3_000)
    for row in table.times.indices { table.times[row] = table.times[row - row % 3] }
    #expect(table.judged.times.origin == .arrival)
    #expect(table.judged.times.repeated == 2_000)
    #expect(faults(table).contains(.arrivalTimes))
  }

  @Test func `gaps are reported with their positions and lengths`() throws {
    var table = AuditedTable(rows: 3_000)
    table.remove(1_000..<1_003)
    table.remove(2_000..<2_040)
    let times = table.judged.times
    #expect(times.origin == .counted)
    #expect(times.gaps.map(\.row) == [1_001, 2_001])
    #expect(times.gaps.map(\.length) == [40_000, 410_000])
    #expect(times.missing == 43)
    #expect(times.gapCount == 2)
    let hertz = try #require(times.hertzBetweenGaps)
    #expect(abs(hertz - 100) < 1e-9)
    #expect(faults(table) == [.computedTimes, .gaps, .otherRate])
  }

  @Test func `times that go backwards, repeat or begin another epoch are detected`() {
    var table = measured(AuditedTable(rows: 3_000))
    table.times[500] -= 15
    table.times[600] = table.times[599]
    #expect(table.judged.times.backward >= 1)
    #expect(faults(table).isSuperset(of: [.backwardTimes, .duplicateRows]))
    for row in 1_000..<3_000 { table.times[row] -= 900_000_000_000 }
    let times = table.judged.times
    #expect(times.jumpCount == 1)
    #expect(times.jumps.first?.row == 1_001)
    #expect(times.span < 40_000_000)
    #expect(faults(table).contains(.twoEpochs))
  }

  /// Increasing times with Gaussian jitter, in milliseconds. `steps` contains each row's number of
  /// periods since the start.
  private func jittered(
    _ steps: [Int], hertz: Double, by spread: Double, rate: Double? = nil, seed: UInt64 = 5
  ) -> AuditedTable {
    var generator = SeededGenerator(seed: seed)
    var table = AuditedTable(rows: steps.count, rate: rate ?? hertz.rounded())
    let start = table.times[0]
    table.times = steps.map { step in
      start + Int((Double(step) * 1_000 / hertz + spread * generator.gaussian()).rounded())
    }.sorted()
    return table
  }

  @Test(arguments: [(100.0, 1.0), (100.5, 4), (99.3, 2.5), (25.1, 8), (50.15, 4)])
  func `jitter neither causes gaps nor changes the true rate`(_ hertz: Double, _ spread: Double)
    throws
  {
    let rate = [25.0, 50, 100].min { abs($0 - hertz) < abs($1 - hertz) }
    let table = jittered(Array(0..<6_000), hertz: hertz, by: spread, rate: rate)
    let recording = AuditedRecording([table.judged])
    let times = recording.files[0].times
    #expect(times.gapCount == 0 && times.missing == 0)
    let found = try #require(recording.rates[0])
    #expect(abs(found.hertz - hertz) <= found.uncertainty)
    #expect(found.uncertainty < 0.001 * hertz)
  }

  @Test(arguments: [7.5, 15])
  func `times that increase in steps of the connection interval contain no gaps`(
    _ interval: Double
  ) throws {
    var table = AuditedTable(rows: 12_000, rate: 50)
    let start = table.times[0]
    for row in table.times.indices {
      let steps = (Double(row) * 1_000 / 50.15 / interval).rounded(.up)
      table.times[row] = start + Int((steps * interval).rounded())
    }
    let recording = AuditedRecording([table.judged])
    #expect(recording.files[0].times.missing == 0)
    let rate = try #require(recording.rates[0])
    #expect(abs(rate.hertz - 50.15) <= rate.uncertainty)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `gaps are counted despite jitter`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var steps = Array(0..<12_000)
    var lost = 0
    for gap in 1...20 {
      let rows = 1 + Int(generator.next() % 30)
      let place = gap * 500 + Int(generator.next() % 100) - lost
      steps.removeSubrange(place..<(place + rows))
      lost += rows
    }
    let recording = AuditedRecording([jittered(steps, hertz: 100.3, by: 1, seed: seed).judged])
    #expect(recording.files[0].times.gapCount == 20, "seed \(seed)")
    #expect(recording.files[0].times.missing == lost, "seed \(seed)")
    let rate = try #require(recording.rates[0])
    #expect(abs(rate.hertz - 100.3) <= rate.uncertainty, "seed \(seed)")
  }

  @Test func `if rows are repeated or out of order, the true rate is unknown`() {
    let table = jittered(Array(0..<6_000), hertz: 100.3, by: 0.7)
    func changed(_ rows: [Int]) -> AuditedRecording {
      var table = table
      (table.times, table.values) = (rows.map { table.times[$0] }, rows.map { table.values[$0] })
      return AuditedRecording([table.judged])
    }
    var swapped = Array(0..<6_000)
    swapped.swapAt(1_000, 1_001)
    for rows in [
      (Array(0..<1_100) + Array(1_000..<1_100)).sorted() + Array(1_100..<6_000),
      Array(0..<2_000) + Array(1_950..<6_000), swapped, Array((0..<6_000).reversed()),
    ] {
      let recording = changed(rows)
      #expect(recording.rates[0] == nil && recording.hiddenLoss(of: 0) == nil)
      #expect(recording.files[0].times.missing == 0)
      #expect(!recording.isSound)
    }
    let reversed = changed((0..<6_000).reversed()).findings
    #expect(reversed.contains { $0.text == "the rows are in reverse order" })
  }

  @Test func `if the rate is far from the configured rate, losses and the true rate are unknown`() {
    for steps in [
      Array(stride(from: 0, to: 12_000, by: 2)), (0..<12_000).filter { $0 % 3 != 2 },
    ] {
      let recording = AuditedRecording([jittered(steps, hertz: 100.3, by: 0.7).judged])
      #expect(recording.rates[0] == nil && recording.hiddenLoss(of: 0) == nil)
      #expect(!recording.files[0].explainsRate)
      #expect(recording.findings.contains { $0.text.contains("means that rows are missing, or") })
      #expect(recording.faults == [.otherRate])
    }
  }

  @Test func `heavy losses are counted exactly if times are multiples of the configured period`() {
    var generator = SeededGenerator(seed: 6)
    var table = AuditedTable(rows: 12_000)
    let kept = table.times.indices.filter { _ in generator.unit() > 0.55 }
    let lost = kept[kept.count - 1] - kept[0] + 1 - kept.count
    (table.times, table.values) = (kept.map { table.times[$0] }, kept.map { table.values[$0] })
    let file = table.judged
    #expect(file.times.origin == .counted)
    #expect(file.times.missing == lost)
    #expect(AuditedRecording([file]).faults == [.computedTimes, .gaps, .otherRate])
  }

  @Test func `evenly spaced steps in the times do not prove gaps`() {
    var table = AuditedTable(rows: 6_000)
    let start = table.times[0]
    for row in table.times.indices {
      table.times[row] = start + Int(Double(row) * 100 / 99.7) * 10
    }
    let recording = AuditedRecording([table.judged])
    #expect(recording.files[0].times.origin == .unknown)
    #expect(recording.faults.isEmpty && recording.hiddenLoss(of: 0) == nil)
    #expect(recording.findings.contains { $0.text.contains("or the times are rounded to 10 ms") })
  }

  @Test func `the elapsed time is a fault only if it contradicts the epoch`() {
    let lines = measured(AuditedTable(rows: 3_000)).text.split(separator: "\n").map(String.init)
    let path = AuditedTable(rows: 0).path
    let cut = AuditedTable.judge(
      ([lines[0]] + lines[1_001...]).joined(separator: "\n") + "\n", path)
    #expect(cut.rows == 2_000 && cut.elapsedFaults == 0)
    var text = "epoch (ms),elapsed (s),x (g)\n"
    for row in 0..<500 { text += "\(1_700_000_000_000 + row * 10),\(Double(row) / 99),0.\(row)\n" }
    #expect(AuditedTable.judge(text).elapsedFaults > 100)
  }

  // MARK: Losses

  @Test func `the row counts of two sensors are compared exactly`() {
    let recording = AuditedRecording([
      AuditedTable(rows: 3_000).judged, gyroscope(rows: 3_008).judged,
    ])
    #expect(recording.comparisons.map(\.rows) == [-8])
    #expect(recording.comparisons.map(\.end) == [-80_000])
    // The row counts of sensors that are stopped one after the other may differ by that much
    // without any loss.
    #expect(recording.losses.isEmpty)
  }

  @Test(arguments: 1...10 as ClosedRange<UInt64>)
  func `simulated losses are counted with an error of at most 2 %`(_ seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let rate = [25.0, 50, 100, 200][Int(generator.next() % 4)]
    let isStretched = generator.next() % 2 == 0
    // A wearer walks. The accelerometer loses bursts of samples, and a program computes the times.
    var movement = Movement(seed: seed, rate: rate)
    movement.walk(30 + 30 * generator.unit(), at: .ankle)
    let samples = movement.samples
    var table = AuditedTable(rows: samples.count, rate: rate)
    for row in table.values.indices { table.values[row][2] = samples[row] }
    let last = table.times.last
    var lost = 0
    while lost < samples.count / 20 {
      let burst = 1 + Int(generator.next() % 40)
      let row = Int(generator.next() % UInt64(table.times.count - burst))
      table.remove(row..<(row + burst), keepsTimes: false)
      lost += burst
    }
    if isStretched, let first = table.times.first, let last {
      let step = Double(last - first) / Double(table.times.count - 1)
      for row in table.times.indices {
        table.times[row] = first + Int((Double(row) * step).rounded())
      }
    }
    let recording = AuditedRecording([
      table.judged, gyroscope(rows: samples.count, rate: rate).judged,
    ])
    #expect(recording.files[0].times.origin.mayBeComputed, "seed \(seed)")
    let loss = try #require(recording.losses.first, "seed \(seed): lost \(lost)")
    #expect(recording.losses.count == 1 && loss.file == 0, "seed \(seed)")
    #expect(abs(Double(loss.rows - lost)) <= 0.02 * Double(lost), "seed \(seed): lost \(lost)")
    #expect(recording.faults.contains(.hiddenLoss))
  }

  @Test func `a sensor with measured times reveals the true rate of the other sensors`() throws {
    // The board samples at 101 Hz, but the program computes times for 100 Hz.
    let table = AuditedTable(rows: 10_100)
    var pressure = measured(AuditedTable(rows: 734, rate: 7.33), by: 3)
    (pressure.sensor, pressure.unit) = ("Pressure", "Pa")
    let recording = AuditedRecording([table.judged, pressure.judged])
    let rate = try #require(recording.rates[0])
    #expect(rate.reference == 1)
    #expect(abs(rate.hertz - 101) <= rate.uncertainty)
    #expect(recording.faults == [.computedTimes, .drift])
  }

  @Test func `without measured times, the true rate and shared losses are unknown`() {
    let recording = AuditedRecording([
      AuditedTable(rows: 3_000).judged, gyroscope(rows: 3_000).judged,
    ])
    #expect(recording.rates.allSatisfy { $0 == nil })
    #expect(recording.files.indices.allSatisfy { recording.hiddenLoss(of: $0) == nil })
    #expect(recording.findings.count { $0.kind == .unknown } == 2)
  }

  @Test func `files are grouped into recordings by name and by time`() {
    var later = AuditedTable(rows: 3_000, start: 1_700_009_000_000)
    later.board = "C42732BE255C"
    var other = AuditedTable(rows: 2_000, start: 1_700_000_002_000)
    other.board = "EB942CED9472"
    let files = [
      AuditedTable(rows: 3_000).judged, later.judged, gyroscope(rows: 3_000).judged, other.judged,
    ]
    let recordings = AuditedRecording.sorted(files)
    #expect(recordings.map(\.files.count) == [3, 1])
    #expect(recordings[0].findings.contains { $0.text.contains("drift between the 2 boards") })
  }

  @Test func `the board, sensor, rate and start are parsed from the name of a file`() {
    let full = AuditedName(
      path: "a/7_MetaWear_2019-09-14T16.16.00.093_F1E55E2FE95F_Gyroscope_25.000Hz_1.4.5.csv.gz")
    #expect(full.recording == "7_MetaWear_2019-09-14T16.16.00.093_F1E55E2FE95F")
    #expect(full.board?.description == "F1:E5:5E:2F:E9:5F")
    #expect(full.sensor == "gyroscope" && full.hertz == 25 && full.firmware == "1.4.5")
    #expect(full.start?.iso8601(decimals: 3) == "2019-09-14T16:16:00.093Z")
    let renamed = AuditedName(path: "walk2_Down_Accelerometer_12,500Hz.csv")
    #expect(renamed.recording == nil && renamed.board == nil && renamed.firmware == nil)
    #expect(renamed.sensor == "accelerometer" && renamed.hertz == 12.5)
    let other = AuditedName(path: "Down_walk.csv.gz")
    #expect(other.sensor == nil && other.hertz == nil && other.stem == "Down_walk")
  }

  @Test
  func `two sensors of the same kind must be on different boards, so a difference is not a loss`() {
    var other = AuditedTable(rows: 2_900)
    other.board = "EB942CED9472"
    let files = [AuditedTable(rows: 3_000).judged, other.judged]
    let recording = AuditedRecording(files)
    #expect(recording.losses.isEmpty)
    #expect(recording.hiddenLoss(of: 1) == nil)
    #expect(recording.comparisons.map(\.rows) == [100])
    #expect(Set(recording.labels).count == 2)
  }

  @Test func `files that do not name their board are not treated as sharing a clock`() {
    let files = [("left", AuditedTable(rows: 3_000)), ("right", gyroscope(rows: 2_900))].map {
      AuditedTable.judge($0.1.text, $0.0)
    }
    let recording = AuditedRecording(files)
    #expect(recording.losses.isEmpty && recording.hiddenLoss(of: 1) == nil)
    #expect(!recording.findings.contains { $0.text.contains("was set") })
  }

  // MARK: Signals

  @Test func `clipped samples are counted, and the range is inferred`() {
    var table = measured(AuditedTable(rows: 3_000))
    for row in 100..<130 { table.values[row][0] = row % 2 == 0 ? 4 : -4 }
    let signals = table.judged.signals
    #expect(signals.clipped == 30)
    #expect(signals.range == 4)
    #expect(faults(table) == [.clipped])
  }

  @Test func `a minute without movement is detected, but a moving board is not reported`() throws {
    var generator = SeededGenerator(seed: 4)
    var table = measured(AuditedTable(rows: 15_000))
    for row in 5_000..<13_000 {
      table.values[row] = [0, 0, 1].map { $0 + 0.002 * generator.gaussian() }
    }
    let rest = try #require(table.judged.signals.rests.first)
    #expect((60...80).contains(rest.seconds))
    #expect((5_000...6_100).contains(rest.row))
    #expect(faults(table) == [.notWorn])
  }

  @Test func `rows that share a rounded time at a high rate are not a fault`() {
    var (table, generator) = (AuditedTable(rows: 8_000, rate: 800), SeededGenerator(seed: 4))
    for row in table.times.indices {
      let time = Double(row) * 1.25 + generator.unit() * 0.6
      table.times[row] = 1_700_000_000_000 + Int(time)
    }
    let file = table.judged
    #expect(file.times.repeated > 0 && file.times.origin != .arrival)
    #expect(!faults(table).contains(.duplicateRows), "\(faults(table))")
  }

  @Test func `constant values and duplicate rows are detected`() {
    var table = measured(AuditedTable(rows: 3_000))
    for row in 200..<300 { table.values[row] = table.values[200] }
    table.times[250] = table.times[249]
    let signals = table.judged.signals
    #expect(signals.constant.row == 201 && signals.constant.rows == 100)
    #expect(signals.duplicates >= 1)
    #expect(faults(table).isSuperset(of: [.constant, .duplicateRows]))
  }

  // MARK: Forms

  @Test func `a file read in pieces of any size yields the same findings`() {
    let table = AuditedTable(rows: 300)
    let whole = AuditedRecording([table.judged]).findings
    for size in [1, 7, 64, 1_000] {
      let file = AuditedTable.judge(table.text, table.path, by: size)
      #expect(AuditedRecording([file]).findings == whole)
      #expect(file.rows == 300)
    }
  }

  @Test func `semicolons, tabs, decimal commas and other line endings yield the same values`() {
    var table = AuditedTable(rows: 3_000)
    let plain = table.judged
    for (separator, point, end) in [
      (";", ",", "\r\n"), (";", ".", "\n"), ("\t", ",", "\n"), (",", ",", "\n"),
    ] {
      (table.separator, table.decimalPoint, table.lineEnd) = (separator, point, end)
      let file = table.judged
      #expect(file.rows == 3_000 && file.damaged == 0)
      #expect(file.hasDecimalComma == (point == ","))
      #expect(file.signals.extremes.map(\.low) == plain.signals.extremes.map(\.low))
      #expect(file.times.last == plain.times.last)
    }
  }

  @Test func `columns are found by name, whatever their order and units`() throws {
    var text = "z (m/s2),elapsed (s),label\n"
    for row in 0..<500 { text += "\(9.81 + Double(row % 7)),\(Double(row) / 50),walk\n" }
    let file = AuditedTable.judge(text)
    #expect(file.rows == 500)
    #expect(file.columns.map(\.name) == ["z", "label"])
    #expect(!file.isAbsolute)
    #expect(file.nominal == 50)
  }

  @Test func `numeric times and this project's own exports are read`() throws {
    for (heading, scale) in [
      ("time (s)", 1.0), ("time (ms)", 1e3), ("timestamp (s)", 1), ("time_utc,seconds [s]", 1),
    ] {
      var text = "\(heading),x [g],y [g],z [g]\(heading.contains("utc") ? ",lat [deg]" : "")\n"
      for row in 0..<500 {
        let fields = heading.contains("utc") ? ["2023-11-14T22:13:20Z"] : []
        let numbers = [Double(row) / 50 * scale, 0.1 + Double(row % 7), 1, 0].map { "\($0)" }
        text +=
          (fields + numbers).joined(separator: ",")
          + (heading.contains("utc") ? ",\n" : "\n")
      }
      let file = AuditedTable.judge(text)
      #expect(file.problem == nil && file.rows == 500 && file.nominal == 50, "\(heading)")
      #expect(file.sensor == "accelerometer" && file.signals.incomplete == 0, "\(heading)")
    }
    let other = AuditedTable.judge("time,x (g)\n1,0.5\n2,0.6\n")
    #expect(other.problem == .noRows)
    let finding = try #require(AuditedRecording([other]).findings.first)
    #expect(finding.text.hasSuffix("the columns are time, x (g)"))
    let mixed = AuditedTable.judge(
      "time_utc,seconds,board,signal,x\n,0,A,acceleration,1\n,0,A,angular-rate,2\n")
    #expect(mixed.problem == .mixed)
  }

  @Test func `epochs in seconds, microseconds and nanoseconds are recognised`() {
    for (unit, scale) in [("s", 1e-3), ("us", 1e3), ("", 1e6)] {
      var text = "epoch (\(unit)),x-axis (g),y-axis (g),z-axis (g)\n"
      for row in 0..<1_000 {
        let time = Double(1_700_000_000_000 + row * 10) * scale
        text += (unit == "s" ? "\(time)" : "\(Int(time))") + ",0.\(row % 9),1.0,0.5\n"
      }
      let times = AuditedTable.judge(text).times
      #expect(times.first == 1_700_000_000_000_000)
      #expect(times.span == 9_990_000)
      #expect(times.origin.isComputed)
    }
  }

  @Test func `a file with two rows is too short to audit`() {
    let recording = AuditedRecording([AuditedTable(rows: 2).judged])
    #expect(recording.isTooShort && recording.faults.isEmpty)
    #expect(!AuditedRecording([AuditedTable(rows: 20).judged]).isTooShort)
  }

  @Test func `a truncated last line is detected, and its row is not counted`() {
    let text = AuditedTable(rows: 300).text
    for count in 2...12 {
      let file = AuditedTable.judge(String(text.dropLast(count)))
      #expect(file.isCut && file.rows == 299, "\(count) characters less")
    }
    // A complete last line without a line ending is not truncated: old versions of MetaBase wrote
    // none.
    let file = AuditedTable.judge(String(text.dropLast()))
    #expect(!file.isCut && file.rows == 300)
  }

  @Test func `damaged lines, missing values and joined files are detected`() {
    let table = AuditedTable(rows: 3_000)
    var lines = table.text.split(separator: "\n").map(String.init)
    lines[10] = "### reconnected"
    lines[20] += ",7"
    lines[30].replaceSubrange(lines[30].lastIndex(of: ",")!..., with: ",")
    lines.insert(lines[0], at: 1_500)
    let file = AuditedTable.judge(lines.joined(separator: "\n") + "\n", table.path)
    #expect(file.damaged == 2 && file.firstDamaged == 11)
    #expect(file.signals.incomplete == 1)
    #expect(file.headings == 1)
    #expect(AuditedRecording([file]).faults.isSuperset(of: [.damagedLines, .joinedFiles]))
  }

  @Test func `a file that is not a table is reported as unreadable`() {
    let heading = AuditedTable(rows: 0).text
    for (text, problem) in [
      ("", AuditedFile.Problem.empty), ("\n\n", .noRows), (heading, .noRows),
      ("name,colour\nA,red\n", .heading), ("1568492160270,0.1,0.2\n", .heading),
      ("\u{1}\u{0}\u{2}binary", .binary), (heading + "\u{0}\u{0}\n", .binary),
      (String(repeating: "a", count: 100_000), .binary),
    ] {
      let file = AuditedTable.judge(text)
      #expect(file.problem == problem, "\(text.prefix(20))")
      #expect(AuditedRecording([file]).faults == [.unreadable])
    }
  }

  @Test(arguments: 1...50 as ClosedRange<UInt64>)
  func `damaged bytes never stop the program`(_ seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var bytes = Array(AuditedTable(rows: 200).text.utf8)
    for _ in 0..<(1 + generator.next() % 40) {
      bytes[Int(generator.next() % UInt64(bytes.count))] = UInt8(
        truncatingIfNeeded: generator.next())
    }
    var file = AuditedFile(path: "damaged.csv")
    file.take(bytes[...])
    file.finish()
    #expect(file.rows <= 200, "seed \(seed)")
    #expect(!AuditedRecording([file, file]).findings.isEmpty, "seed \(seed)")
  }

  @Test func `extreme numbers do not cause an overflow`() {
    var text = "epoch (ns),x-axis (g),y-axis (g),z-axis (g)\n"
    for time in ["-9e18", "9e18", "0", "1e300", "99999999999999999999999", "5"] {
      text += "\(time),1e308,-1e308,1e-320\n"
    }
    let file = AuditedTable.judge(text)
    #expect(file.rows > 0)
    #expect(!AuditedRecording([file, file]).findings.isEmpty)
  }
}
