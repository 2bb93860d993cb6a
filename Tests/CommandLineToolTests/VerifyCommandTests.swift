import Foundation
@testable import Gateway
import LinuxSystem
import Recording
import SQLite
import SessionFolder
import TestSupport
import Testing
import UploadProtocol
import Values

@testable import CommandLineTool
@testable import Storage
@testable import Terminal

/// `footbridge show --certificate` and `footbridge verify`.
@Suite(.computation) struct VerifyCommandTests {
  private let walk: RecordedWalk
  private let folder: TemporaryFolder

  init() throws {
    walk = try RecordedWalk()
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(filePath: path(name))))
  }

  private func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: URL(filePath: path(name)))
  }

  /// Copies the walk to a folder, as a folder destination does.
  private func copy(to place: String) throws {
    let reader = try StoreReader(path: walk.store)
    var writer = try FolderWriter(folder: place)
    let record = try #require(try reader.record(of: RecordedWalk.walk.id))
    for stream in record.streams {
      let parts = try stream.chunks.map {
        ChunkBatch.Part(id: $0.id, bytes: try reader.bytes(ofChunk: $0.id))
      }
      _ = try writer.store(parts)
    }
    _ = try writer.store(
      TrackPiece(
        session: record.session.id, first: 0, fixes: try reader.fixes(of: record.session.id)))
    _ = try writer.store(record)
  }

  @Test func `a certificate states rates, losses and hashes, but does not name anyone`()
    async throws
  {
    let outcome = await walk.run("show", "11112233", "--certificate", "--json")
    #expect(outcome.status == 0, "\(outcome.errors)")
    let json = try JSON(parsing: Array(outcome.output.utf8))
    #expect(json["certificate"]?.integer == 1 && json["samples"]?.integer == 3_000)
    #expect(json["lost"]?.integer == 15 && json["lostEstimated"]?.integer == 3)
    let streams = try #require(json["streams"]?.list)
    #expect(streams.map { $0["configuredHertz"]?.number } == [100, 10])
    #expect(streams[0]["lost"]?["link"]?["counted"]?.integer == 12)
    #expect(streams[0]["clipped"]?.integer == 0 && streams[1]["clipped"] == nil)
    #expect(streams[0]["gravity"]?["result"]?.text == "not enough orientations")
    #expect(json["hashes"]?["recording"]?.text?.count == 64)
    #expect(json["boards"]?.list?.first?["batteryPercent"]?["first"]?.number == 98)
    #expect(json["clock"]?["source"]?.text == "gps")
    #expect(json["methods"]?.text?.contains("MetaMotion S (firmware 1.7.2") == true)
    for secret in ["Anna", "Brücke"] { #expect(!outcome.output.contains(secret)) }
    #expect(json["boards"]?.list?.first?["settings"]?.list == [])
    let text = await walk.run("show", "11112233", "--certificate")
    #expect(text.status == 0 && text.output.contains("not enough orientations"))
  }

  @Test func `a saved certificate is verified, and a change to a random byte in it is detected`()
    async throws
  {
    let page = path("walk.html")
    let outcome = await walk.run("show", "last", "--certificate", "--output", page)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output == "Wrote the certificate\n  \(path("walk.json"))\n  \(page)\n")
    let good = await walk.run("verify", path("walk.json"))
    #expect(good.status == 0 && good.output.hasSuffix("Everything agrees.\n"), "\(good)")
    let original = try bytes("walk.json")
    let seed = UInt64.random(in: 0..<1_000_000)
    var random = SeededGenerator(seed: seed)
    // The last byte is a line feed, which the test leaves unchanged.
    for _ in 0..<40 {
      var changed = original
      changed[Int.random(in: 0..<(original.count - 1), using: &random)] ^= 1
      try write(changed, to: "walk.json")
      let outcome = await walk.run("verify", path("walk.json"))
      #expect(outcome.status != 0, "seed \(seed)")
    }
    // The output names the figure that was changed.
    let text = String(decoding: original, as: UTF8.self)
      .replacing(#","samples":3000,"lost""#, by: #","samples":3001,"lost""#)
    try write(Array(text.utf8), to: "walk.json")
    let changed = await walk.run("verify", path("walk.json"))
    #expect(changed.status == 5)
    #expect(changed.output.contains("✗ samples: 3001 in the certificate, 3000 now\n"))
  }

  @Test
  func `a certificate's page is complete, loads no resources, and shows the certificate's hash`()
    async throws
  {
    _ = await walk.run("show", "last", "--certificate", "--output", path("a.html"))
    let page = String(decoding: try bytes("a.html"), as: UTF8.self)
    let json = try JSON(parsing: try bytes("a.json"))
    let hash = try #require(json["blake2b"]?.text)
    #expect(page.contains(hash) && page.hasSuffix("</html>\n"))
    #expect(page.contains("size: A4") && !page.contains("http") && !page.contains("<script"))
    #expect(CertificatePage.escaped("<b> & \"x\"") == "&lt;b&gt; &amp; &quot;x&quot;")
  }

  @Test func `a later note changes the description, but not the recording`() async throws {
    _ = await walk.run("show", "last", "--certificate", "--output", path("walk.json"))
    #expect(await walk.run("annotate", "last", "a gate", "--at", "3").status == 0)
    let outcome = await walk.run("verify", path("walk.json"))
    #expect(outcome.status == 5)
    let lines = outcome.output.split(separator: "\n").filter { $0.hasPrefix("✗") }
    #expect(lines.count == 1 && lines.first?.hasPrefix("✗ hashes.description: ") == true)
  }

  @Test func `a copy in a folder has the same certificate, and a changed byte in it is detected`()
    async throws
  {
    let place = try TemporaryFolder()
    let copied = place.path
    try copy(to: copied)
    _ = await walk.run("show", "last", "--certificate", "--output", path("walk.json"))
    let same = await walk.run("verify", path("walk.json"), "--folder", copied)
    #expect(same.status == 0, "\(same)")
    #expect(await walk.run("verify", "last", "--folder", copied).status == 0)
    let files = try #require(
      FileManager.default.enumerator(atPath: copied)?.compactMap { $0 as? String })
    let chunk = try #require(
      files.first { name in
        let bytes = try? Data(contentsOf: URL(filePath: copied + "/" + name))
        return bytes?.starts(with: [0x89, 0x46, 0x42, 0x43, 0x48]) == true
      })
    var bytes = Array(try Data(contentsOf: URL(filePath: copied + "/" + chunk)))
    bytes[bytes.count / 2] ^= 4
    try Data(bytes).write(to: URL(filePath: copied + "/" + chunk))
    let session = await walk.run("verify", "last", "--folder", copied)
    #expect(session.status == 5 && session.output.contains("does not match its checksum"))
    let other = await walk.run("verify", path("walk.json"), "--folder", copied)
    #expect(other.status == 5 && other.output.contains("✗ hashes.recording: "))
  }

  /// Marks all chunks as received by a destination, and deletes the chunks.
  private func deleteSentChunks() throws {
    let database = try Database.open(path: walk.store, mode: .recording)
    try database.execute(
      "INSERT INTO destination (name, place, settings, added_utc_ns) VALUES ('nas', '/x', '', 0)",
      doing: "add")
    try database.execute(
      "INSERT INTO upload (chunk, destination, state, attempts, error, utc_ns) "
        + "SELECT number, 1, 1, 1, '', 0 FROM chunk", doing: "send")
    let time = UTCTime(nanoseconds: 1_777_890_000_000_000_000)
    #expect(try StoreEditor(path: walk.store).dropSent(before: time, at: time).chunks == 3)
  }

  @Test func `samples that were sent and deleted are not lost, and their copy is verified`()
    async throws
  {
    let place = try TemporaryFolder()
    try copy(to: place.path)
    _ = await walk.run("show", "last", "--certificate", "--output", path("walk.json"))
    try deleteSentChunks()
    // The store has added an event that the copy lacks.
    _ = await walk.run("show", "last", "--certificate", "--output", path("part.json"))
    let hashes = try ["walk.json", "part.json"].map {
      try JSON(parsing: bytes($0))["hashes"]?["description"]?.text
    }
    #expect(hashes[0] == hashes[1])
    let copied = await walk.run("verify", path("walk.json"), "--folder", place.path)
    #expect(copied.status == 0, "\(copied)")
    let json = try JSON(parsing: try bytes("part.json"))
    #expect(json["samples"]?.integer == 0 && json["lost"]?.integer == 15)
    #expect(json["elsewhere"]?["samples"]?.integer == 3_000)
    #expect(json["methods"] == nil && json["lostEstimated"] == nil)
    #expect(json["isComplete"]?.bool == false)
    for name in ["clipped", "longestGap", "effectiveHertz", "lost", "positioned"] {
      #expect(json["streams"]?.list?.first?[name] == nil)
    }
    let text = await walk.run("show", "last", "--certificate")
    let line = text.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(line.contains("3,000 samples are not in this store, but were sent to nas"))
    #expect(line.contains("No methods paragraph: ") && !line.contains("100.000 %"))
  }

  /// Replaces a text in a certificate, and writes a hash that matches.
  private func forge(_ name: String, _ text: String, _ other: String) throws {
    let original = String(decoding: try bytes(name), as: UTF8.self)
    let end = try #require(original.range(of: #","blake2b":""#, options: .backwards))
    let body = String(original[..<end.lowerBound]).replacing(text, by: other)
    #expect(body != original[..<end.lowerBound])
    let hash = Hexadecimal.text(BLAKE2b.hash(of: Array(body.utf8).span))
    try write(Array("\(body),\"blake2b\":\"\(hash)\"}\n".utf8), to: name)
  }

  @Test(arguments: [
    ("were lost", "were kept", "✗ methods: "), ("The Footbridge authors", "Anna", "✗ citation: "),
    (#""lost":15,"#, #""lost":15,"lost":15,"#, "was changed after"),
    (#""pairs":2"#, #""pairs":2,"pairs":2"#, "was changed after"),
  ])
  func `a forged text or a repeated member is detected even if the hash matches`(
    _ text: String, _ other: String, _ message: String
  ) async throws {
    _ = await walk.run("show", "last", "--certificate", "--output", path("walk.json"))
    try forge("walk.json", text, other)
    let outcome = await walk.run("verify", path("walk.json"))
    #expect(outcome.status == 5, "\(outcome)")
    #expect((outcome.output + outcome.errors).contains(message), "\(outcome)")
  }

  @Test func `a file or folder that is not an intact certificate is rejected`() async throws {
    _ = await walk.run("show", "last", "--certificate", "--output", path("walk.html"))
    let page = await walk.run("verify", path("walk.html"))
    #expect(page.status == 1 && page.errors.contains("verify \(path("walk.json")) instead"))
    let text = String(decoding: try bytes("walk.json"), as: UTF8.self)
    for changed in ["", text.replacing("\":", by: "\" : ").replacing("{", by: "{\n")] {
      try write(Array(changed.utf8), to: "walk.json")
      let outcome = await walk.run("verify", path("walk.json"))
      #expect(outcome.status == 5 && outcome.errors.contains("was changed after"), "\(outcome)")
    }
    let outcome = await walk.run("verify", folder.path)
    #expect(outcome.status == 1 && outcome.errors.contains("it is a folder"), "\(outcome)")
  }

  @Test func `the paragraph on methods names the sources of position errors`() {
    var track = Certificate.Track()
    track.bases = [.dilution: 3]
    #expect(track.basisText == "estimated from the dilution of precision")
    track.bases = [.dilution: 3, .reported: 2, .daemon: 1]
    #expect(
      track.basisText
        == "partly reported by the receiver, estimated from the dilution of precision and reported "
        + "by gpsd")
  }

  @Test func `each changed part of a session's description is reported`() async throws {
    #expect(await walk.run("export", "last", "--output", path("walk.csv")).status == 0)
    let good = await walk.run("verify", path("walk.csv"))
    #expect(
      good.output.contains("  description: the session has the same description\n"), "\(good)")
    #expect(good.output.contains("  track: the session has the same fixes\n"))
    let text = String(decoding: try bytes("walk.session.json"), as: UTF8.self)
    for (old, new, line) in [
      ("Fahrt", "Gang", "✗ note: "), (#""boot":35"#, #""boot":36"#, "✗ clock: "),
      (#""content":"#, #""contents":"#, "✗ content: missing"),
      (#""name":"walk.csv""#, #""name":"../walk.csv""#, "✗ walk.session.json: an entry in"),
    ] {
      try write(Array(text.replacing(old, by: new).utf8), to: "walk.session.json")
      let outcome = await walk.run("verify", path("walk.csv"))
      #expect(outcome.status == 5 && outcome.output.contains(line), "\(outcome)")
    }
  }

  @Test func `if the data ends long before the session, a remark says so`() async {
    let outcome = await walk.run("verify", "last")
    #expect(outcome.output.contains("; the data ends 56 s before the end of"), "\(outcome)")
  }

  @Test(arguments: ["csv", "json", "jsonl"])
  func `a changed byte in an exported file is detected, and so is a missing file`(_ format: String)
    async throws
  {
    let main = path("walk.\(format)")
    #expect(await walk.run("export", "last", "--output", main).status == 0)
    let good = await walk.run("verify", main)
    #expect(good.status == 0, "\(good)")
    #expect(good.output.contains("the session has the same samples"))
    for name in ["walk.\(format)", "walk.gaps.csv", "walk.fixes.csv", "walk.events.csv"] {
      let original = try bytes(name)
      var changed = original
      changed[original.count / 2] ^= 1
      try write(changed, to: name)
      let outcome = await walk.run("verify", main)
      #expect(outcome.status == 5)
      #expect(outcome.output.contains("✗ \(name): the content has changed\n"))
      try write(original, to: name)
    }
    try FileManager.default.removeItem(atPath: path("walk.hazards.csv"))
    let missing = await walk.run("verify", path("walk.session.json"))
    #expect(missing.status == 5 && missing.output.contains("✗ walk.hazards.csv: not found\n"))
  }

  @Test func `files from several exports share a description, and are all verified`() async throws {
    for name in ["walk.csv", "walk.gpx", "walk.geojson"] {
      #expect(await walk.run("export", "last", "--output", path(name)).status == 0)
    }
    let outcome = await walk.run("verify", path("walk.gpx"))
    #expect(outcome.status == 0, "\(outcome)")
    for name in ["walk.csv", "walk.gpx", "walk.geojson", "walk.gaps.csv"] {
      #expect(outcome.output.contains("  \(name): agrees\n"))
    }
    let wide = path("wide")
    #expect(await walk.run("export", "last", "--wide", "--output", wide).status == 0)
    for name in [wide, wide + "/", wide + "/left.light.csv"] {
      #expect(await walk.run("verify", name).status == 0)
    }
  }

  @Test func `an export whose session is not in the store is verified using its files alone`()
    async throws
  {
    #expect(await walk.run("export", "last", "--output", path("walk.csv")).status == 0)
    let empty = ["FOOTBRIDGE_STORE": path("none.sqlite")]
    let outcome = await Outcome.of(
      ["verify", path("walk.csv")], environment: empty, commands: Commands.all)
    #expect(outcome.status == 0 && outcome.output.contains("the session is not in this store"))
    #expect(
      await walk.run("export", "last", "--from", "1", "--output", path("part.csv")).status == 0)
    let part = await walk.run("verify", path("part.csv"))
    #expect(part.status == 0 && part.output.contains("only a part or the track was exported"))
  }

  @Test func `a file that cannot be verified is rejected with a remedy`() async throws {
    let old = path("old.session.json")
    try write(Array(#"{"session":"x","streams":[]}"#.utf8), to: "old.session.json")
    try write(Array("a,b\n".utf8), to: "old.csv")
    try write(Array("a,b\n".utf8), to: "alone.csv")
    for (name, message) in [
      ("old.csv", "cannot verify \(old): the file contains no hashes"),
      ("alone.csv", "cannot verify \(path("alone.csv")): \(path("alone.session.json")) not found"),
      ("none.csv", "cannot read \(path("none.csv")): not found"),
    ] {
      let outcome = await walk.run("verify", path(name))
      #expect(outcome.status == 1 && outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome)")
    }
  }

  @Test func `conflicting or invalid options for a certificate are rejected`() async {
    for (arguments, message) in [
      (["--output", "/tmp/a.html"], "'--output' needs '--certificate'"),
      (["--certificate", "--force"], "'--force' needs '--output'"),
      (["--certificate", "--output", "/tmp/a.pdf"], "'/tmp/a.pdf' has an unknown extension"),
    ] {
      let outcome = await Outcome.of(
        ["show", "last"] + arguments, environment: ["FOOTBRIDGE_STORE": walk.store],
        commands: Commands.all)
      #expect(outcome.status == 2 && outcome.errors.hasPrefix("error: \(message)\n"), "\(outcome)")
    }
  }

  @Test func `a session without samples, fixes or a date still has a certificate`() async throws {
    let page = path("empty.html")
    let outcome = await walk.run("show", "11112222", "--certificate", "--output", page)
    #expect(outcome.status == 0, "\(outcome)")
    let json = try JSON(parsing: try bytes("empty.json"))
    #expect(json["samples"]?.integer == 0 && json["start"] == nil)
    #expect(json["position"]?["share"] == nil)
    #expect(await walk.run("verify", path("empty.json")).status == 0)
    #expect(await walk.run("verify", "11112222").status == 0)
  }
}
