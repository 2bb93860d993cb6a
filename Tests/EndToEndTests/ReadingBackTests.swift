import Foundation
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import UploadProtocol
import Values

/// Commands that read sessions back from an upload endpoint.
@Suite(.realTime) struct ReadingBackTests {
  private let scratch: Scratch
  private let store: String
  private let home: String
  private let receiver: ReceiverProgram
  private var place: [String] { ["--fleet", "http://127.0.0.1:\(receiver.port)"] }

  /// Records a session and sends it to a receiver.
  init() async throws {
    scratch = try Scratch()
    store = try await scratch.recordDemo()
    home = scratch.path + "/home.sqlite"
    // One test kills and restarts its receiver, whose port no other test may use in the meantime.
    receiver = try await ReceiverProgram(
      into: home, at: FaultServer.steadyPort(), environment: scratch.environment)
    for arguments in [
      ["destination", "add", "home", "--http", "http://127.0.0.1:\(receiver.port)"], ["upload"],
    ] {
      let outcome = try await run(arguments + ["--store", store])
      try #require(outcome.status == 0, "\(outcome.errors)")
    }
  }

  private func run(_ arguments: [String]) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, arguments,
      environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
  }

  @Test
  func `a session read back from an endpoint equals the gateway's, both as a whole and in part`()
    async throws
  {
    try await scratch.expectSameExports(["--store", store], place)
    // A busy machine links its boards late, so the time ranges are taken from the samples.
    let samples = try await run(["export", "last", "--store", store, "--signal", "acceleration"])
      .output.split(separator: "\n").dropFirst().map { String($0.split(separator: ",")[1]) }
    let (from, to) = (samples[samples.count / 4], samples[samples.count / 2])
    for part in [["--from", from, "--to", to], ["--signal", "acceleration", "--from", from]] {
      let here = try await run(["export", "last", "--store", store] + part)
      let there = try await run(["export", "last"] + place + part)
      #expect(here.status == 0 && there.status == 0, "\(there.errors)")
      #expect(here.output == there.output && here.output.split(separator: "\n").count > 1)
      // Facts about the whole session are the same in a partial export.
      let json = ["export", "last", "--format", "json"] + part
      let described = try await run(json + ["--store", store])
      let fetched = try await run(json + place)
      #expect(described.output == fetched.output && fetched.status == 0, "\(fetched.errors)")
    }
    // The downloaded copy has been removed.
    let left = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    #expect(!left.contains { $0.hasPrefix("footbridge-") }, "\(left)")
  }

  @Test func `an endpoint's lists and details equal those from the store`() async throws {
    let here = try await run(["sessions", "--json", "--store", store])
    let there = try await run(["sessions", "--json"] + place)
    // The endpoint's summaries contain neither tasks nor reports.
    let listed = here.output.replacing(
      #""tasks":0,"submitted":false"#, with: #""tasks":null,"submitted":null"#)
    #expect(there.status == 0 && listed == there.output, "\(there.errors)")
    let shown = try await run(["show", "last", "--store", store])
    let fetched = try await run(["show", "last"] + place)
    #expect(fetched.status == 0 && shown.output == fetched.output, "\(fetched.output)")
    // The same data can be read using the destination's name or the options of 'fetch'.
    let named = try await run(["fetch", "home", "--json", "--store", store])
    #expect(named.output == listed, "\(named.errors)")
    let exported = try await run(["export", "last", "--store", store])
    let back = try await run(["fetch", "--from", place[1], "last"])
    #expect(back.output == exported.output && !back.output.isEmpty, "\(back.errors)")
    let table = try await run(["sessions"] + place)
    #expect(table.output.contains("gateway"), "\(table.output)")
  }

  @Test
  func `a missing chunk is reported, and a session with an incomplete upload is listed as such`()
    async throws
  {
    // A session's record is sent, but one of its chunks is withheld.
    let reader = try StoreReader(path: store)
    let session = try #require(try reader.sessions().first)
    var record = try #require(try reader.record(of: session.id))
    let chunk = try #require(record.streams[0].chunks.first)
    record.session.id = .random()
    record.streams = [record.streams[0]]
    record.streams[0].chunks = [chunk]
    record.streams[0].chunks[0].id = .random()
    record.streams[0].lastSequence = chunk.sequence
    let connection = try receiver.connect()
    let answer = connection.upload("PUT", .session(record.session.id), record.encoded)
    #expect(answer?.status == 201, "\(String(describing: answer))")
    let arriving = TrackPiece(
      session: .random(), first: 0,
      fixes: [
        Fix(arrival: session.start, utc: UTCTime(nanoseconds: 0), latitude: 50, longitude: 14)
      ])
    let piece = connection.upload("PUT", .track(arriving.session, first: 0), arriving.encoded)
    #expect(piece?.status == 201)
    let export = try await run(["export", "\(record.session.id)"] + place)
    #expect(export.status == 5, "\(export.errors)")
    #expect(export.errors.contains("\(record.streams[0].chunks[0].id)"), "\(export.errors)")
    // The track was not sent either.
    let shown = try await run(["show", "\(record.session.id)"] + place)
    #expect(shown.status == 5 && shown.output.contains("0, \(record.fixCount) missing"))
    let described = try await run(["show", "\(record.session.id)", "--json"] + place)
    let json = try JSON(parsing: Array(described.output.utf8))
    #expect(json["fixes"]?.integer == 0 && json["missingFixes"]?.integer == record.fixCount)
    let list = try await run(["sessions"] + place)
    let short = String("\(arriving.session)".prefix(8))
    #expect(list.output.contains("Still being sent: \(short)"), "\(list.output)")
    let early = try await run(["show", "\(arriving.session)"] + place)
    #expect(early.status == 1 && early.errors.contains("still being sent"), "\(early.errors)")
  }

  @Test func `while all sessions are still being uploaded, no remedy suggests making a recording`()
    async throws
  {
    let empty = try await ReceiverProgram(
      into: scratch.path + "/new.sqlite", environment: scratch.environment)
    let place = ["--fleet", "http://127.0.0.1:\(empty.port)"]
    let local = ["--store", scratch.path + "/new.sqlite"]
    let none = try await run(["sessions"] + local)
    #expect(none.errors.contains("lists a session once its first samples arrive"), "\(none.errors)")
    let nothing = try await run(["show", "last"] + place)
    #expect(
      nothing.status == 1 && nothing.errors.contains("send one there from a gateway"),
      "\(nothing.errors)")
    let arriving = TrackPiece(
      session: .random(), first: 0,
      fixes: [
        Fix(
          arrival: BootTime(nanoseconds: 1), utc: UTCTime(nanoseconds: 0), latitude: 50,
          longitude: 14)
      ])
    let connection = try empty.connect()
    let piece = connection.upload("PUT", .track(arriving.session, first: 0), arriving.encoded)
    #expect(piece?.status == 201)
    for format in ["gpx", "geojson", "csv"] {
      let track = try await run(["export", "\(arriving.session)", "--format", format] + local)
      #expect(track.status == 5, "\(format): \(track.errors)")
      #expect(track.errors.contains("the session is still being sent"), "\(track.errors)")
    }
    let kept = try await run(["delete", "\(arriving.session)", "--yes"] + local)
    #expect(kept.status == 1 && kept.errors.contains("an upload server is writing to"))
    #expect(kept.errors.contains("stop the upload server first"), "\(kept.errors)")
    for command in [["show", "last"], ["export", "last"]] {
      let outcome = try await run(command + place)
      #expect(outcome.status == 1)
      #expect(outcome.errors.contains("all sessions at \(place[1]) are still being sent"))
      #expect(
        outcome.errors.contains("'footbridge sessions --fleet \(place[1])' lists them"),
        "\(outcome.errors)")
    }
    let unknown = try await run(["show", "zz"] + place)
    #expect(
      unknown.errors.contains("'footbridge sessions --fleet \(place[1])' lists ids"),
      "\(unknown.errors)")
  }

  @Test func `an unusable endpoint or a conflicting option is reported with a remedy`()
    async throws
  {
    let calls: [([String], Int32, String)] = [
      (["sessions", "--fleet", "http://127.0.0.1:1"], 7, "cannot read from"),
      (["sessions", "--fleet", "ftp://lab"], 2, "invalid web address"),
      (["sessions", "--fleet", "https://ada:wombat@lab"], 2, "password"),
      (["sessions", "--fleet", "nowhere", "--store", store], 1, "no destination 'nowhere'"),
      (["sessions", "--fleet", "nowhere", "--store", store + "x"], 1, "an address such as https:"),
      (
        ["sessions", "--fleet", "postgres://db1/walks"], 2,
        "'footbridge-fleet receive' that uses this"
      ),
      (["sessions", "--token-file", "x", "--store", store], 2, "give the endpoint"),
      (["export", "last", "--folder", "x"] + place, 2, "cannot be used together"),
      (["export", "last", "--from", "3000"] + place, 2, "only"),
      (["export", "zzz"] + place, 1, "no session's id begins"),
      (["fetch"], 2, "no DESTINATION"),
      (["fetch", "--from", place[1], "last", "last"], 2, "'--from' and DESTINATION"),
      (["fetch", "--from", place[1], "--user", "ada"], 2, "--user"),
    ]
    for (arguments, status, words) in calls {
      let outcome = try await run(arguments)
      #expect(outcome.status == status, "\(arguments) \(outcome.errors)")
      #expect(outcome.errors.contains(words), "\(arguments) \(outcome.errors)")
      #expect(outcome.errors.contains("\n       "), "\(arguments) \(outcome.errors)")
      #expect(!outcome.errors.contains("wombat"))
    }
  }

  @Test
  func
    `an export that starts while the receiver is down completes once the receiver has restarted`()
    async throws
  {
    let port = receiver.port
    let expected = try await run(["export", "last", "--store", store])
    await receiver.kill()
    let program = try Program(
      Program.footbridge, ["export", "last"] + place,
      environment: scratch.environment.merging(["no_proxy": "*"]) { $1 })
    try await Task.sleep(for: .milliseconds(700))
    let again = try Program(
      Program.footbridge, ["receive", "--into", home, "--listen", "127.0.0.1:\(port)"],
      environment: scratch.environment)
    let outcome = await program.wait()
    #expect(outcome.status == 0 && outcome.output == expected.output, "\(outcome.errors)")
    again.signal(SIGINT)
    _ = await again.wait()
  }
}
