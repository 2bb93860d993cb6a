import Export
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct SessionFilesTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func files(_ path: String? = nil) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: path ?? folder.path).sorted()
  }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: folder.path + "/" + name)))
  }

  private var source: MemorySource {
    var source = MemorySource()
    var acceleration = MemorySource.acceleration
    acceleration.range = 2
    source.add(acceleration, of: MemorySource.left, offset: 1_700, counts: [200, 150])
    source.add(MemorySource.angles, of: MemorySource.left, offset: 0, counts: [100])
    source.add(MemorySource.quaternion, of: MemorySource.right, offset: 0, counts: [30])
    source.track = [source.fix(0.5, 50.0830467, -14.4113883), source.fix(1, 51, 0)]
    let start = source.session.start
    source.reportedHazards = [
      Hazard(
        name: "Slippery, wet", intensity: 2, time: start.advanced(bySeconds: 1),
        utc: UTCTime(nanoseconds: 0), position: GeoPosition(latitude: 50, longitude: -14)),
      Hazard(name: "Slope", intensity: 0, time: start.advanced(bySeconds: 3)),
    ]
    source.remarks = [Annotation(time: start.advanced(bySeconds: 1), text: "\"gate\"")]
    source.happened = [
      SessionEvent(
        .battery, board: MemorySource.left.address, at: start.advanced(bySeconds: 0.5), value: 87),
      SessionEvent(
        .linkLost, board: MemorySource.right.address, at: start.advanced(bySeconds: 1.5),
        text: "supervision timeout"),
    ]
    return source
  }

  @Test(arguments: [ExportFormat.csv, .json, .jsonl])
  func `samples are written to one file, with companion files beside it`(
    _ format: ExportFormat
  ) throws {
    let name = "walk.\(format.rawValue)"
    let outcome = try SessionFiles().write(source, as: format, to: folder.path + "/" + name)
    #expect(outcome.totals?.rows == 480)
    #expect(
      try files()
        == [
          name, "walk.events.csv", "walk.fixes.csv", "walk.gaps.csv", "walk.hazards.csv",
          "walk.session.json",
        ].sorted())
    #expect(outcome.paths.first == folder.path + "/" + name)
    #expect(Set(outcome.paths) == Set(try files().map { folder.path + "/" + $0 }))
    _ = try ForeignReader.read(bytes(name), as: format)
    #expect(try ForeignReader.table(bytes("walk.gaps.csv")).isEmpty)
    #expect(
      try ForeignReader.table(bytes("walk.hazards.csv")) == [
        [
          "time_utc": "1970-01-01T00:00:00.000000Z", "seconds": "1.000000",
          "hazard": "Slippery, wet", "intensity": "2", "lat": "50.0000000", "lon": "-14.0000000",
        ],
        [
          "time_utc": "", "seconds": "3.000000", "hazard": "Slope", "intensity": "0", "lat": "",
          "lon": "",
        ],
      ])
    #expect(
      try ForeignReader.table(bytes("walk.events.csv")) == [
        [
          "time_utc": "", "seconds": "0.500000", "board": "C8:4B:AA:97:50:05", "event": "battery",
          "value": "87", "text": "", "name": "left \"L\"", "unit": "%",
        ],
        [
          "time_utc": "", "seconds": "1.000000", "board": "", "event": "annotation", "value": "",
          "text": "\"gate\"", "name": "", "unit": "",
        ],
        [
          "time_utc": "", "seconds": "1.500000", "board": "D2:01:00:00:00:FF",
          "event": "link-lost", "value": "", "text": "supervision timeout", "name": "right",
          "unit": "",
        ],
      ])
    let fixes = try ForeignReader.table(bytes("walk.fixes.csv"))
    #expect(fixes.map { $0["lat"] } == ["50.0830467", "51.0000000"])
    #expect(fixes.map { $0["arrival_seconds"] } == ["0.500000", "1.000000"])
    #expect(fixes.map { $0["alt_msl"] } == ["", ""])
    for (column, unit) in [("angle_unit", "deg"), ("length_unit", "m"), ("speed_unit", "m/s")] {
      #expect(fixes.map { $0[column] } == [unit, unit])
    }
    let description = try ForeignReader.object(bytes("walk.session.json"), as: .json)
    #expect(description["note"] as? String == source.session.note)
    let exported = try #require(description["exported"] as? [String: Any])
    #expect(exported["samples"] as? Int == 480)
    #expect(exported["missingChunks"] as? Int == 0)
    let losses = try #require(exported["streams"] as? [[String: Any]])
    #expect(losses.map { $0["name"] as? String } == ["left \"L\"", "left \"L\"", "right"])
    #expect(losses.map { $0["loss"] as? String } == ["counted", "estimated", "estimated"])
    #expect(losses.map { $0["lost"] as? Int } == [0, 0, 0])
    let streams = try #require(description["streams"] as? [[String: Any]])
    #expect(streams.map { $0["range"] as? Double } == [2, nil, nil])
    #expect(streams.map { $0["name"] as? String } == losses.map { $0["name"] as? String })
    let units = try #require(description["columnUnits"] as? [String: String])
    #expect(units["speed"] == "m/s" && units["alt_msl"] == "m" && units["fix_age"] == "s")
  }

  @Test(arguments: [ExportFormat.geojson, .gpx])
  func `a track is written with its session's description beside it`(_ format: ExportFormat) throws
  {
    let outcome = try SessionFiles().write(source, as: format, to: folder.path + "/walk")
    #expect(outcome.totals == nil)
    #expect(try files() == ["walk", "walk.session.json"])
    _ = try ForeignReader.read(bytes("walk"), as: format)
  }

  @Test func `in the wide format, every stream becomes a table with units in the header`() throws {
    let outcome = try SessionFiles().writeFolder(source, to: folder.path + "/walk/")
    #expect(outcome.totals?.rows == 480)
    #expect(
      try files(folder.path + "/walk") == [
        "events.csv", "fixes.csv", "gaps.csv", "hazards.csv", "left__L_.acceleration.csv",
        "left__L_.euler.csv", "right.quaternion.csv", "session.json",
      ])
    #expect(try files() == ["walk"])
    let acceleration = try ForeignReader.table(bytes("walk/left__L_.acceleration.csv"))
    try #require(acceleration.count == 350)
    #expect(
      Set(acceleration[0].keys) == [
        "time_utc", "seconds [s]", "x [g]", "y [g]", "z [g]", "lat [deg]", "lon [deg]",
        "alt_msl [m]", "fix_quality", "fix_age [s]", "fix_method", "fix_error [m]",
        "time_source", "board", "name", "range [g]",
      ])
    #expect(acceleration[349]["board"] == "C8:4B:AA:97:50:05")
    #expect(acceleration[349]["name"] == "left \"L\"")
    #expect(acceleration[349]["range [g]"] == "2")
    let euler = try ForeignReader.table(bytes("walk/left__L_.euler.csv"))
    #expect(
      Set(euler[0].keys).isSuperset(
        of: ["pitch [°]", "roll [°]", "board_seconds [s]", "range [°]"]))
    #expect(euler[0]["range [°]"] == "")
    let quaternion = try ForeignReader.table(bytes("walk/right.quaternion.csv"))
    #expect(Set(quaternion[0].keys).isSuperset(of: ["x", "y", "z", "w"]))

    // The same samples as in the single table, but in different columns.
    var sink = MemorySink()
    _ = try CSVExport().write(source, to: &sink)
    let rows = try ForeignReader.table(sink.bytes)
    for (signal, table, columns) in [
      ("acceleration", acceleration, ["x [g]", "y [g]", "z [g]"]),
      ("euler", euler, ["pitch [°]", "roll [°]"]),
      ("quaternion", quaternion, ["x", "y", "z", "w"]),
    ] {
      let own = rows.filter { $0["signal"] == signal }
      #expect(own.map { $0["seconds"] } == table.map { $0["seconds [s]"] })
      #expect(own.map { $0["fix_age"] } == table.map { $0["fix_age [s]"] })
      for (column, long) in zip(columns, ["x", "y", "z", "w"]) {
        #expect(own.map { $0[long] } == table.map { $0[column] })
      }
      if signal == "euler" {
        #expect(own.map { $0["board_seconds"] } == table.map { $0["board_seconds [s]"] })
      }
    }
  }

  @Test func `boards with the same name are distinguished by their addresses`() throws {
    var source = MemorySource()
    var twin = MemorySource.right
    twin.name = MemorySource.left.name
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [1])
    source.add(MemorySource.acceleration, of: twin, offset: 0, counts: [1])
    var odd = MemorySource.acceleration
    odd.signal = "../acceleration"
    source.add(odd, of: twin, offset: 0, counts: [1])
    _ = try SessionFiles().writeFolder(source, to: folder.path + "/walk")
    #expect(
      try files(folder.path + "/walk").filter { $0.contains("acceleration") } == [
        "C84BAA975005.acceleration.csv", "D201000000FF.___acceleration.csv",
        "D201000000FF.acceleration.csv",
      ])
  }

  @Test func `an interrupted export never leaves a file that looks complete`() throws {
    struct Interruption: Error {}
    var source = source
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [20_000])
    try "before".write(
      toFile: folder.path + "/walk.csv", atomically: false, encoding: .utf8)
    var replacing = SessionFiles()
    replacing.replaces = true
    #expect(throws: Interruption.self) {
      try SessionFiles().writeFolder(source, to: folder.path + "/walk") { _ in
        throw Interruption()
      }
    }
    // The export is interrupted at its first opportunity, at its second, and so on.
    var opportunities = 0
    var isComplete = false
    while !isComplete {
      #expect(try files() == ["walk.csv"], "\(opportunities)")
      #expect(try bytes("walk.csv") == Array("before".utf8))
      opportunities += 1
      var left = opportunities
      do {
        _ = try replacing.write(source, as: .csv, to: folder.path + "/walk.csv") { _ in
          left -= 1
          if left == 0 { throw Interruption() }
        }
        isComplete = true
      } catch is Interruption {}
    }
    #expect(opportunities > 3)
  }

  @Test func `an empty folder is replaced, but a folder with content is not`() throws {
    let path = folder.path + "/walk"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    _ = try SessionFiles().writeFolder(source, to: path)
    do {
      _ = try SessionFiles().writeFolder(source, to: path)
      Issue.record("replaced")
    } catch let error as OutputRefusal {
      #expect(
        error.words == """
          cannot write \(path): the folder is not empty
                 name a folder that does not exist yet or is empty, or add --force to replace files in it
          """)
    }
    #expect(try files() == ["walk"])
    try "mine".write(toFile: path + "/notes.txt", atomically: false, encoding: .utf8)
    try "old".write(toFile: path + "/gaps.csv", atomically: false, encoding: .utf8)
    var replacing = SessionFiles()
    replacing.replaces = true
    _ = try replacing.writeFolder(source, to: path)
    #expect(try bytes("walk/notes.txt") == Array("mine".utf8))
    #expect(try bytes("walk/gaps.csv").starts(with: Array("board,".utf8)))
    #expect(try files() == ["walk"])
  }

  @Test
  func `no file is replaced, except for the companion files of another export of the same session`()
    throws
  {
    let path = folder.path + "/walk"
    _ = try SessionFiles().write(source, as: .csv, to: path + ".csv")
    let before = try bytes("walk.csv")
    func refusal(_ name: String, _ body: () throws -> Void) {
      #expect(
        throws: OutputRefusal(
          "cannot write \(folder.path)/\(name): the file already exists",
          remedy: "give another name, or add --force to replace it"), performing: body)
    }
    refusal("walk.csv") { _ = try SessionFiles().write(source, as: .csv, to: path + ".csv") }
    // The track of the same session has the same description, so the totals in the description are
    // preserved. The description also lists the track.
    let former = try JSON(parsing: bytes("walk.session.json"))
    _ = try SessionFiles().write(source, as: .gpx, to: path + ".gpx")
    let description = try JSON(parsing: bytes("walk.session.json"))
    for member in ["exported", "content", "streams"] {
      #expect(description[member] != nil && description[member] == former[member])
    }
    let listed = try #require(description["files"]?.list)
    #expect(listed.first?["name"]?.text == "walk.gpx")
    #expect(Array(listed.dropFirst()) == former["files"]?.list)
    var other = source
    other.session.id = UniqueID(high: 77, low: 77)
    refusal("walk.session.json") {
      _ = try SessionFiles().write(other, as: .geojson, to: path + ".geojson")
    }
    #expect(try !files().contains("walk.geojson"))
    #expect(try bytes("walk.csv") == before)
    var replacing = SessionFiles()
    replacing.replaces = true
    _ = try replacing.write(other, as: .geojson, to: path + ".geojson")
    refusal("walk.session.json") {
      _ = try SessionFiles().write(source, as: .json, to: path + ".json")
    }
    // Now no file shows which session the other files belong to.
    try FileManager.default.removeItem(atPath: path + ".session.json")
    refusal("walk.gaps.csv") {
      _ = try SessionFiles().write(source, as: .json, to: path + ".json")
    }
  }

  @Test func `a partial export does not replace the files of a complete one`() throws {
    let path = folder.path + "/walk"
    _ = try SessionFiles().write(source, as: .csv, to: path + ".csv")
    try FileManager.default.moveItem(atPath: path + ".csv", toPath: folder.path + "/whole.csv")
    let before = try files().map { try bytes($0) }
    let parts = [
      ExportSelection(from: source.session.start.advanced(bySeconds: 1)),
      ExportSelection(to: source.session.start.advanced(bySeconds: 1)),
      ExportSelection(signals: ["acceleration"]),
    ]
    for part in parts {
      for format in [ExportFormat.csv, .gpx] {
        #expect(
          throws: OutputRefusal(
            "cannot write \(path).session.json: the file already exists",
            remedy: "give another name, or add --force to replace it")
        ) {
          _ = try SessionFiles(selection: part).write(
            source, as: format, to: "\(path).\(format.rawValue)")
        }
      }
    }
    #expect(try files().map { try bytes($0) } == before)
    // The complete export may be repeated, and the partial export may replace it if forced.
    _ = try SessionFiles().write(source, as: .json, to: path + ".json")
    var forced = SessionFiles(selection: parts[0])
    forced.replaces = true
    _ = try forced.write(source, as: .csv, to: path + ".csv")
  }

  @Test func `output to a device contains the samples, and no companion files are written`() throws
  {
    let link = folder.path + "/null.csv"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
    let outcome = try SessionFiles().write(source, as: .csv, to: link)
    #expect(outcome.totals?.rows == 480)
    #expect(outcome.paths == [link])
    #expect(try files() == ["null.csv"])
  }

  @Test func `the file extension selects the format, in upper or lower case`() {
    for (path, format) in [
      ("a/walk.csv", ExportFormat.csv), ("WALK.GPX", .gpx), ("walk.json", .json),
      ("walk.jsonl", .jsonl), ("w.ndjson", .jsonl), ("walk.geojson", .geojson),
    ] {
      #expect(ExportFormat(endingOf: path) == format, "\(path)")
      #expect(format.suits(path), "\(path)")
    }
    for path in ["walk", "gpx", "a.gpx/walk", "walk.txt", "walk."] {
      #expect(ExportFormat(endingOf: path) == nil, "\(path)")
      #expect(ExportFormat.json.suits(path), "\(path)")
    }
    #expect(ExportFormat.geojson.suits("walk.json"))
    #expect(!ExportFormat.csv.suits("walk.gpx") && !ExportFormat.json.suits("walk.geojson"))
  }

  @Test func `an export reports its progress repeatedly`() throws {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [20_000])
    var heard: [Int] = []
    _ = try SessionFiles().write(source, as: .csv, to: folder.path + "/walk.csv") {
      heard.append($0)
    }
    #expect(heard.count > 3)
    #expect(heard == heard.sorted() && heard.allSatisfy { (1...20_000).contains($0) })
  }
}
