import ChunkFormat
import Export
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct BidsStudyTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/study" }
  var study: BidsStudy { BidsStudy(path: path, generator: ("footbridge", "1.2.3")) }

  init() throws {
    folder = try TemporaryFolder()
  }

  /// A session of this participant with two boards, one of which has two signals.
  private func source(_ id: UInt64, _ participant: String? = "P 07") -> MemorySource {
    var source = MemorySource()
    source.session.id = UniqueID(high: id, low: id)
    source.session.participant = participant.map { Participant($0, height: 1.7) }
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [200, 150])
    source.add(MemorySource.angles, of: MemorySource.left, offset: 2_000_000, counts: [350])
    source.add(MemorySource.quaternion, of: MemorySource.right, offset: 0, counts: [30])
    return source
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: path + "/" + name, encoding: .utf8)
  }

  /// Returns the fields of a table's rows.
  private func table(_ name: String) throws -> [[String]] {
    try text(name).split(separator: "\n").map { line in
      line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
  }

  private func json(_ name: String) throws -> [String: Any] {
    let data = try Data(contentsOf: URL(filePath: path + "/" + name))
    return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  /// Returns the paths of all files and folders in the dataset.
  private func names() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
  }

  private static let stem = "sub-P07/ses-01/motion/sub-P07_ses-01_task-walk_tracksys-"

  @Test func `each board becomes a tracking system, and its streams are columns of one table`()
    throws
  {
    let outcome = try #require(try study.add(source(1)))
    #expect(outcome.totals.rows == 730)
    #expect(outcome.folder == path + "/sub-P07/ses-01")
    let rows = try table(Self.stem + "leftL_motion.tsv")
    #expect(rows.count == 350)
    let channels = try table(Self.stem + "leftL_channels.tsv")
    #expect(
      channels.dropFirst().map { $0[0] } == [
        "latency", "latency_acceleration", "latency_euler", "acceleration_x", "acceleration_y",
        "acceleration_z", "euler_pitch", "euler_roll",
      ])
    #expect(rows.allSatisfy { $0.count == 8 })
    #expect(rows[1][0...2] == ["0.010000", "0.010000", "0.012000"])
    let description = try json(Self.stem + "leftL_motion.json")
    #expect(description["SamplingFrequency"] as? Double == 100)
    #expect(description["SamplingFrequencyEffective"] as? Double == 100)
    #expect(description["ACCELChannelCount"] as? Int == 3)
    #expect(description["LATENCYChannelCount"] as? Int == 3)
    #expect(description["SoftwareVersions"] as? String == "1.7.2")
    #expect(description["RecordingDuration"] as? Double == 3.49)
    let quaternion = try table(Self.stem + "right_channels.tsv")
    #expect(quaternion.dropFirst(2).map { $0[1] } == ["quat_x", "quat_y", "quat_z", "quat_w"])
    #expect(
      try table("sub-P07/ses-01/sub-P07_ses-01_scans.tsv").dropFirst().map { $0[1...] } == [
        ["n/a", "n/a", "0.000000"], ["n/a", "n/a", "0.000000"],
      ])
  }

  @Test func `a gap is exported as rows without values and as an event with its reason`() throws {
    var source = MemorySource()
    source.session.participant = Participant("P07")
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [100, 100])
    let start = source.session.start
    source.chunks[0][1].clock.first = start.advanced(bySeconds: 3)
    source.chunks[0][1].gaps = [
      Gap(
        start: start.advanced(bySeconds: 0.99), end: start.advanced(bySeconds: 3), lost: 200,
        isEstimate: false, reason: .disconnected)
    ]
    _ = try study.add(source)
    let rows = try table(Self.stem + "leftL_motion.tsv")
    #expect(rows.count == 400)
    #expect(rows[100] == ["1.000000", "n/a", "n/a", "n/a"])
    #expect(rows[100..<300].allSatisfy { $0.dropFirst().allSatisfy { $0 == "n/a" } })
    #expect(rows[300][0] == "3.000000" && rows[399][0] == "3.990000")
    #expect(
      try table(Self.stem + "leftL_events.tsv").dropFirst() == [
        ["0.990000", "2.010000", "gap", "disconnected", "n/a", "acceleration", "200", "false"]
      ])
    // The effective rate is measured between samples, without the gap.
    #expect(
      try json(Self.stem + "leftL_motion.json")["SamplingFrequencyEffective"] as? Double == 100)
  }

  @Test func `a new run begins after a gap of several hours`() throws {
    var source = source(1)
    source.chunks[0][1].clock.first = source.session.start.advanced(bySeconds: 10_000)
    source.chunks[1] = []
    _ = try study.add(source)
    #expect(try table(Self.stem + "leftL_run-1_motion.tsv").count == 200)
    #expect(try table(Self.stem + "leftL_run-2_motion.tsv").count == 150)
    #expect(try table(Self.stem + "leftL_run-2_motion.tsv")[0][0] == "0.000000")
    #expect(
      try table("sub-P07/ses-01/sub-P07_ses-01_scans.tsv")[2] == [
        "motion/sub-P07_ses-01_task-walk_tracksys-leftL_run-2_motion.tsv", "n/a", "n/a",
        "10000.000000",
      ])
  }

  @Test
  func
    `the dataset contains hazards, notes, tasks and the track, and the time only if it is known`()
    throws
  {
    var source = source(1)
    let start = source.session.start
    source.track = [0, 1, 2, 5].map { source.fix($0, 50, 14 + $0) }
    source.clock = [
      ClockTable.Entry(
        boot: start, utc: UTCTime(nanoseconds: 1_777_887_000_000_001_000), source: .satellites)
    ]
    source.reportedHazards = [
      Hazard(name: "Slippery\twet", intensity: 2, time: start.advanced(bySeconds: 1))
    ]
    source.remarks = [Annotation(time: start.advanced(bySeconds: 0.5), text: "two\nlines")]
    source.happened = [
      SessionEvent(.taskBegin, at: start.advanced(bySeconds: 0.2), value: 1, text: "tug_1"),
      SessionEvent(.taskEnd, at: start.advanced(bySeconds: 2.2), value: 1, text: "tug_1: done"),
      SessionEvent(
        .linkLost, board: MemorySource.right.address, at: start.advanced(bySeconds: 3)),
    ]
    _ = try study.add(source)
    let stem = "sub-P07/ses-01/motion/sub-P07_ses-01_task-tug1_tracksys-"
    #expect(
      try table(stem + "leftL_events.tsv").dropFirst().map { Array($0[0...4]) } == [
        ["0.200000", "2.000000", "task", "tug_1: done", "1"],
        ["0.500000", "0.000000", "annotation", "two lines", "n/a"],
        ["1.000000", "0.000000", "hazard", "Slippery wet", "2"],
      ])
    #expect(try json(stem + "leftL_motion.json")["TaskName"] as? String == "tug_1")
    #expect(try table(stem + "right_events.tsv").count == 5)
    let positions = try table(stem + "gps_motion.tsv")
    #expect(positions.map { $0[0] } == (0...5).map { "\($0).000000" })
    #expect(positions[2][1...] == ["50.0000000", "16.0000000", "n/a", "n/a", "n/a"])
    #expect(positions[3][1] == "n/a" && positions[4][1] == "n/a")
    #expect(
      try table("sub-P07/ses-01/sub-P07_ses-01_scans.tsv")[1][1...2]
        == ["2026-05-04T09:30:00.000001Z", "gps"])
    let track = try json("sourcedata/sub-P07/ses-01/sub-P07_ses-01_track.geojson")
    #expect(track["type"] as? String == "FeatureCollection")
  }

  @Test func `sessions of many participants become one dataset, and manual changes are kept`()
    throws
  {
    _ = try study.add(source(1))
    var description = try json("dataset_description.json")
    description["Authors"] = ["A", "B"]
    try JSONSerialization.data(withJSONObject: description).write(
      to: URL(filePath: path + "/dataset_description.json"))
    var lines = try text("participants.tsv").split(separator: "\n").map(String.init)
    lines[0] += "\tshoe"
    lines[1] += "\t43"
    try (lines.joined(separator: "\n") + "\n").write(
      toFile: path + "/participants.tsv", atomically: false, encoding: .utf8)
    _ = try study.add(source(2))
    _ = try study.add(source(3, "p07"))
    _ = try study.add(source(4, nil))
    _ = try study.add(source(5, nil))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasPrefix("sub") }
        .sorted()
        == [
          "sub-P07", "sub-p07x2", "sub-unknown00000000", "sub-unknown00000000x2",
        ])
    let participants = try table("participants.tsv")
    #expect(
      participants.map { [$0[0], $0[1], $0[2], $0[6]] } == [
        ["participant_id", "original_id", "height", "shoe"], ["sub-P07", "P 07", "1.7", "43"],
        ["sub-p07x2", "p07", "1.7", "n/a"], ["sub-unknown00000000", "n/a", "n/a", "n/a"],
        ["sub-unknown00000000x2", "n/a", "n/a", "n/a"],
      ])
    #expect(
      try table("sub-P07/sub-P07_sessions.tsv").dropFirst().map { [$0[0], $0[2]] } == [
        ["ses-01", "\(UniqueID(high: 1, low: 1))"], ["ses-02", "\(UniqueID(high: 2, low: 2))"],
      ])
    #expect(try json("dataset_description.json")["Authors"] as? [String] == ["A", "B"])
  }

  @Test func `a session is never added to the dataset twice`() throws {
    _ = try study.add(source(1))
    _ = try study.add(source(2))
    let before = try names()
    #expect(
      throws: OutputRefusal(
        "cannot add session \(source(2).session.id) to \(path): the dataset already contains it",
        remedy: "add --force to replace it, or leave it out")
    ) { try study.add(source(2)) }
    #expect(try names() == before)
    var longer = source(2)
    longer.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [7])
    let outcome = try #require(try study.add(longer, replaces: true))
    #expect(outcome.replaced && outcome.folder.hasSuffix("sub-P07/ses-02"))
    #expect(try names().count > before.count)
    // The participant's name was corrected, so the session moves to another folder.
    _ = try study.add(source(2, "Q1"), replaces: true)
    _ = try study.add(source(1, "Q1"), replaces: true)
    #expect(try names().filter { $0.hasPrefix("sub-P07") || $0.contains("/sub-P07") }.isEmpty)
    #expect(try table("participants.tsv").map { $0[0] } == ["participant_id", "sub-Q1"])
    #expect(
      try table("sub-Q1/sub-Q1_sessions.tsv").dropFirst().map { $0[2] } == [
        "\(UniqueID(high: 2, low: 2))", "\(UniqueID(high: 1, low: 1))",
      ])
    #expect(study.contains(source(1).session.id) && !study.contains(UniqueID(high: 9, low: 9)))
  }

  @Test func `an export that ends early leaves the dataset unchanged`() throws {
    struct Stop: Error {}
    var long = source(2)
    long.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [20_000])
    #expect(throws: Stop.self) { try study.add(long) { _ in throw Stop() } }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    _ = try study.add(source(1))
    let before = try names()
    #expect(throws: Stop.self) { try study.add(long) { _ in throw Stop() } }
    #expect(try names() == before)
    // A killed process leaves its hidden folder behind.
    try FileManager.default.createDirectory(
      atPath: path + "/.footbridge-abc/dataset/sub-P07", withIntermediateDirectories: true)
    _ = try study.add(source(3))
    #expect(try !names().contains { $0.hasPrefix(".footbridge") })
  }

  /// Returns every file of the dataset with its content.
  private func contents() throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try names() {
      let file = path + "/" + name
      if let data = FileManager.default.contents(atPath: file) { found[name] = data }
    }
    return found
  }

  @Test func `if an error occurs while a session is being replaced, the old session is kept`()
    throws
  {
    _ = try study.add(source(1))
    // A file exists where the folder for the new participant's source data should be.
    try "mine".write(
      toFile: path + "/sourcedata/sub-Q1", atomically: false, encoding: .utf8)
    let before = try contents()
    #expect(throws: OutputRefusal.self) { try study.add(source(1, "Q1"), replaces: true) }
    #expect(try contents() == before)
    // The last step fails: the old table of sessions cannot be replaced.
    _ = try study.add(source(2))
    let table = path + "/sub-P07/sub-P07_sessions.tsv"
    try FileManager.default.removeItem(atPath: path + "/sourcedata/sub-Q1")
    let complete = try contents()
    let folder = path + "/sourcedata/sub-P07/ses-02"
    try FileManager.default.createSymbolicLink(
      atPath: path + "/sub-Q1", withDestinationPath: "/nowhere")
    #expect(throws: (any Error).self) { try study.add(source(2, "Q1"), replaces: true) }
    try FileManager.default.removeItem(atPath: path + "/sub-Q1")
    #expect(FileManager.default.fileExists(atPath: folder))
    #expect(FileManager.default.fileExists(atPath: table))
    #expect(try contents() == complete)
  }

  /// Leaves a hidden folder with a plan, as a killed export does.
  private func kill(_ lines: String...) throws -> String {
    let hidden = path + "/.footbridge-killed"
    try FileManager.default.createDirectory(
      atPath: hidden + "/dataset", withIntermediateDirectories: true)
    let text = (["change\tsubject\tsession"] + lines).joined(separator: "\n") + "\n"
    try text.write(toFile: hidden + "/plan.tsv", atomically: false, encoding: .utf8)
    return hidden
  }

  @Test func `the next export restores a session that a killed export had moved`() throws {
    _ = try study.add(source(1))
    let before = try contents()
    let hidden = try kill("participant\tQ1\t01", "former\tP07\t01")
    try FileManager.default.moveItem(atPath: path + "/sub-P07", toPath: hidden + "/former-0")
    try FileManager.default.moveItem(
      atPath: path + "/sourcedata/sub-P07", toPath: hidden + "/former-1")
    #expect(try study.add(MemorySource()) == nil)
    #expect(try contents() == before)
  }

  @Test
  func `the next export removes the old session if a killed export had already added the new one`()
    throws
  {
    _ = try study.add(source(1))
    _ = try study.add(source(1, "Q1"), replaces: true)
    let expected = try contents()
    // The state before the former session is removed: the dataset contains both.
    for name in ["sub-Q1", "sourcedata/sub-Q1"] {
      try FileManager.default.copyItem(
        atPath: path + "/" + name, toPath: path + "/" + name.replacing("Q1", with: "P07"))
    }
    try FileManager.default.moveItem(
      atPath: path + "/sub-P07/sub-Q1_sessions.tsv", toPath: path + "/sub-P07/sub-P07_sessions.tsv")
    try (text("participants.tsv") + "sub-P07\tP 07\n").write(
      toFile: path + "/participants.tsv", atomically: false, encoding: .utf8)
    _ = try kill("participant\tQ1\t01", "former\tP07\t01")
    #expect(try study.add(MemorySource()) == nil)
    #expect(try contents() == expected)
  }

  @Test
  func `the next export removes rows added by a killed export, but no rows added by a person`()
    throws
  {
    _ = try study.add(source(1))
    try (text("participants.tsv") + "sub-mine\tM\n").write(
      toFile: path + "/participants.tsv", atomically: false, encoding: .utf8)
    let before = try contents()
    try (text("participants.tsv") + "sub-Q1\tQ1\n").write(
      toFile: path + "/participants.tsv", atomically: false, encoding: .utf8)
    try FileManager.default.createDirectory(
      atPath: path + "/sourcedata/sub-Q1/ses-01", withIntermediateDirectories: true)
    _ = try kill("participant\tQ1\t01")
    try study.recover()
    let found = try contents()
    #expect(found.keys.sorted() == before.keys.sorted())
    #expect(
      try table("participants.tsv").map { $0[0] } == ["participant_id", "sub-P07", "sub-mine"])
  }

  @Test func `an event shortly before a later run is listed in that run`() throws {
    var source = source(1)
    let start = source.session.start
    source.chunks[0][1].clock.first = start.advanced(bySeconds: 10_000)
    source.chunks[1] = []
    source.remarks = [9_930, 9_970, 10_000.5].map {
      Annotation(time: start.advanced(bySeconds: $0), text: "at \($0)")
    }
    _ = try study.add(source)
    func remarks(_ run: Int) throws -> [[String]] {
      try table(Self.stem + "leftL_run-\(run)_events.tsv").filter { $0[2] == "annotation" }
        .map { [$0[0], $0[3]] }
    }
    #expect(try remarks(1) == [["9930.000000", "at 9930.0"]])
    #expect(
      try remarks(2) == [["-30.000000", "at 9970.0"], ["0.500000", "at 10000.5"]])
  }

  @Test func `setting the clock back does not raise the measured rate`() throws {
    var source = source(1)
    source.chunks[0][1].clock.first = source.session.start.advanced(bySeconds: 1)
    source.chunks[1] = []
    _ = try study.add(source)
    let rows = try table(Self.stem + "leftL_motion.tsv")
    #expect(rows.count == 350 && !rows.contains { $0[3] == "n/a" })
    #expect(
      try json(Self.stem + "leftL_motion.json")["SamplingFrequencyEffective"] as? Double == 100)
  }

  @Test func `the duration of a gap is unknown if its start is unknown`() throws {
    var source = source(1)
    source.chunks[0].removeFirst()
    _ = try study.add(source)
    #expect(
      try table(Self.stem + "leftL_events.tsv").filter { $0[2] == "gap" }.map { $0[1] } == ["n/a"])
  }

  @Test(
    .enabled(
      if: ForeignReader.isEquipped,
      "needs the Python environment that 'bash .ci/setup --tests' makes"))
  func `other programs read a text that begins with a quotation mark`() throws {
    var source = source(1)
    let texts = ["\"Stop\" he said", "\"open", "a \"b\" c"]
    source.remarks = texts.enumerated().map { index, text in
      Annotation(
        time: source.session.start.advanced(bySeconds: 0.5 + Double(index)), text: text)
    }
    source.session.note = "\"quoted"
    source.session.participant?.details = ["sex": "f", "detail_sex": "\"x"]
    _ = try study.add(source)
    let program = """
      import csv, json, sys, pandas
      root, stem = sys.argv[1:3]
      texts = json.loads(sys.argv[3])
      path = f"{root}/{stem}right_events.tsv"
      with open(path, newline="") as file:
          rows = list(csv.reader(file, delimiter="\\t"))
      assert [r[3] for r in rows[1:] if r[2] == "annotation"] == texts, rows
      frame = pandas.read_csv(path, sep="\\t")
      assert list(frame[frame.trial_type == "annotation"].description) == texts, frame
      frame = pandas.read_csv(f"{root}/sub-P07/sub-P07_sessions.tsv", sep="\\t")
      assert list(frame.note) == ['"quoted'], frame
      frame = pandas.read_csv(f"{root}/participants.tsv", sep="\\t")
      assert list(frame.detail_sex) == ["f"], frame
      assert list(frame.detail_detail_sex) == ['"x'], frame
      """
    let json = try String(decoding: JSONEncoder().encode(texts), as: UTF8.self)
    let errors = folder.path + "/errors"
    let status = try Program.shell(
      #"exec "$1" -c "$2" "$3" "$4" "$5" 2> "$6""#,
      [Repository.python, program, path, Self.stem, json, errors])
    let complaint = try String(contentsOfFile: errors, encoding: .utf8)
    #expect(status == 0, "\(complaint)")
    if BidsValidator.isInstalled {
      #expect(try !BidsValidator.findings(in: path).contains { $0.severity == "error" })
    }
  }

  @Test func `a session without samples, or a folder that is not a dataset, changes nothing`()
    throws
  {
    var empty = MemorySource()
    #expect(try study.add(empty) == nil)
    empty.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [])
    empty.track = [empty.fix(1, 50, 14)]
    #expect(try study.add(empty) == nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try "mine".write(toFile: path + "/notes.txt", atomically: false, encoding: .utf8)
    #expect(
      throws: OutputRefusal(
        "cannot add a session to \(path): the folder has no dataset_description.json",
        remedy: "name a BIDS dataset, or a folder that does not exist yet or is empty")
    ) { try study.add(source(1)) }
    #expect(try names() == ["notes.txt"])
  }

  @Test func `the dataset contains every sample of random sessions with its time and value`()
    throws
  {
    let seed = UInt64.random(in: 0...UInt64.max)
    var walks = RandomWalks(seed: seed)
    for number in 0..<10 {
      let source = walks.next()
      let place = "\(folder.path)/\(number)"
      let outcome = try BidsStudy(path: place, generator: ("footbridge", "1")).add(source)
      var expected: [String: [Measurement]] = [:]
      for sample in try MergedSamples(source).samples {
        let stream = source.described[sample.stream]
        for (axis, value) in sample.values.enumerated() where value.isFinite {
          expected[
            "\(stream.board.address) \(stream.description.signal), \(axis)", default: []
          ].append(
            Measurement(seconds: sample.time.seconds(since: source.session.start), value: value))
        }
      }
      // A random session may contain neither a sample nor a fix.
      guard outcome != nil else {
        #expect(expected.isEmpty, "seed \(seed), session \(number)")
        continue
      }
      let found = try written(in: place + "/" + outcome.folderInStudy(place))
      #expect(found.keys.sorted() == expected.keys.sorted(), "seed \(seed), session \(number)")
      for (key, values) in expected {
        let pairs = zip(found[key]?.sorted() ?? [], values.sorted())
        #expect(found[key]?.count == values.count, "seed \(seed), session \(number): \(key)")
        let wrong = pairs.filter { one, other in
          (one.seconds - other.seconds).magnitude > 2e-6
            || (one.value - other.value).magnitude > 1e-6 * max(1, other.value.magnitude)
        }
        // If two samples have the same time to the microsecond, either may come first.
        #expect(
          wrong.count <= values.count / 50,
          "seed \(seed), session \(number): \(key): \(wrong.prefix(3))")
      }
    }
  }

  /// A value in the unit of its stream, and its time since the start of the session.
  private struct Measurement: Comparable {
    var seconds: Double
    var value: Double

    static func < (one: Measurement, other: Measurement) -> Bool { one.seconds < other.seconds }
  }

  /// Returns the values in the motion files of a session, by board, signal and index of the axis.
  private func written(in session: String) throws -> [String: [Measurement]] {
    var found: [String: [Measurement]] = [:]
    func rows(_ path: String) throws -> [[Substring]] {
      try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false)
      }
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: session)
    let scans = try rows(session + "/" + #require(files.first { $0.hasSuffix("_scans.tsv") }))
    for scan in scans.dropFirst() where !scan[0].contains("tracksys-gps_") {
      let stem = session + "/" + scan[0].dropLast("motion.tsv".count)
      let start = try #require(Double(scan[3]))
      let data = try Data(contentsOf: URL(filePath: stem + "motion.json"))
      let description = try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
      let board = try #require(description["DeviceSerialNumber"] as? String)
      let channels = try rows(stem + "channels.tsv").dropFirst().map { $0 }
      var columns: [(column: Int, latency: Int, key: String)] = []
      for (column, channel) in channels.enumerated() where channel[2] != "LATENCY" {
        let latency = channels.firstIndex { other in
          let name = other[0].dropFirst("latency_".count)
          return !name.isEmpty && (channel[0] == name || channel[0].hasPrefix(name + "_"))
        }
        let signal = channel[7].prefix { $0 != "," && $0 != ";" }
        columns.append((column, latency ?? 0, "\(board) \(signal)"))
      }
      var axes: [Int: Int] = [:]
      for (place, column) in columns.enumerated() {
        let isSame =
          place > 0 && columns[place - 1].key == column.key
          && columns[place - 1].latency == column.latency
        axes[column.column] = isSame ? (axes[columns[place - 1].column] ?? 0) + 1 : 0
      }
      for row in try rows(stem + "motion.tsv") {
        for (column, latency, key) in columns where row[column] != "n/a" {
          found["\(key), \(axes[column] ?? 0)", default: []].append(
            Measurement(
              seconds: start + (try #require(Double(row[latency]))),
              value: try #require(Double(row[column]))))
        }
      }
    }
    return found
  }

  @Test(
    .enabled(
      if: BidsValidator.isInstalled,
      "needs the Python environment that 'bash .ci/setup --tests' makes"))
  func `the BIDS validator finds no errors in two hundred sessions, and no avoidable warnings`()
    throws
  {
    let seed = UInt64.random(in: 0...UInt64.max)
    var walks = RandomWalks(seed: seed, longest: 40)
    for _ in 0..<200 { _ = try study.add(walks.next()) }
    let findings = try BidsValidator.findings(in: path)
    let errors = findings.filter { $0.severity == "error" }
    #expect(errors.isEmpty, "seed \(seed): \(errors.prefix(3))")
    // These facts are known only to a person, or were not reported by the board.
    let unknown: Set<String> = [
      "Authors", "License", "HEDVersion", "SourceDatasets", "InstitutionName",
      "InstitutionAddress", "InstitutionalDepartmentName", "Instructions", "StimulusPresentation",
      "SubjectArtefactDescription", "Manufacturer", "ManufacturersModelName",
      "DeviceSerialNumber", "SoftwareVersions", "SamplingFrequencyEffective",
    ]
    let avoidable = findings.filter { finding in
      finding.severity == "warning" && finding.code != "TOO_FEW_AUTHORS"
        && !(finding.subCode.map(unknown.contains) ?? false)
    }
    #expect(avoidable.isEmpty, "seed \(seed): \(avoidable.prefix(3))")
  }

  @Test(
    .enabled(
      if: BidsValidator.isInstalled,
      "needs the Python environment that 'bash .ci/setup --tests' makes"))
  func `the BIDS validator reports a table that does not follow the specification`() throws {
    _ = try study.add(source(1))
    let channels = Self.stem + "right_channels.tsv"
    try text(channels).replacing("LATENCY", with: "latency").write(
      toFile: path + "/" + channels, atomically: false, encoding: .utf8)
    #expect(try BidsValidator.findings(in: path).contains { $0.severity == "error" })
  }
}

extension BidsStudy.Outcome? {
  /// The session's folder, relative to the dataset's folder.
  fileprivate func folderInStudy(_ place: String) -> String {
    String((self?.folder ?? "").dropFirst(place.count + 1))
  }
}
