@testable import Upload
import UploadProtocol
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct SizeTests {
  @Test func `a document's size includes its name, as Firestore's documentation specifies`() {
    #expect(FirestoreDocument.size(ofName: ["users", "jeff", "tasks", "my_task_id"]) == 44)
  }

  struct Case: Sendable, CustomStringConvertible {
    var samples: Int
    var isPerUser: Bool
    var size: Int

    var description: String { "\(samples) samples, \(isPerUser ? "per user" : "flat")" }
  }

  @Test(arguments: [
    Case(samples: 1, isPerUser: false, size: 244), Case(samples: 1, isPerUser: true, size: 287),
    Case(samples: 2_000, isPerUser: false, size: 266_111),
    Case(samples: 2_000, isPerUser: true, size: 266_154),
    Case(samples: 2_001, isPerUser: false, size: 266_244),
    Case(samples: 3_000, isPerUser: true, size: 399_154),
    Case(samples: 7_883, isPerUser: false, size: 1_048_550),
  ])
  func `a chunk with positions has the size that the documentation states`(_ one: Case) throws {
    let document = Self.document(samples: one.samples, isPerUser: one.isPerUser)
    #expect(document.size() == one.size)
  }

  @Test func `a document has the same size after it is read back`() throws {
    let written = Self.document(samples: 3, isPerUser: false)
    var json = JSONBytes()
    json.append(written.fields)
    let parsed = try JSON(parsing: json.bytes)
    let read = try #require([FirestoreField](parsed))
    let document = FirestoreDocument(path: written.path, fields: read)
    #expect(document.size() == written.size())
    #expect(document.size(perMap: 32) == written.size(perMap: 32))
    #expect(document.size(perMap: 32) == document.size() + 3 * 32)
  }

  @Test func `a document beyond the conservative limit is rejected with the reason`() {
    // The document takes 111 bytes plus 165 bytes per sample.
    #expect(Self.document(samples: 2_000, isPerUser: false).size(perMap: 32) == 330_111)
    #expect(Self.document(samples: 5_453, isPerUser: false).obstacle == nil)
    let obstacle = Self.document(samples: 5_454, isPerUser: false).obstacle
    #expect(
      obstacle
        == "the document would have 900021 bytes; Footbridge's limit is 900000, because "
        + "Firestore rejects documents of more than 1048576")
  }

  @Test(arguments: [
    ("a", true), ("A___B", true), ("__x__", false), ("____", false), ("___", true), (".", false),
    ("..", false), ("a/b", false), ("", false), (String(repeating: "x", count: 1_501), false),
  ])
  func `document ids that the database reserves or cannot store are rejected`(
    _ id: String, _ isFree: Bool
  ) {
    let document = FirestoreDocument(path: ["records", id], fields: [])
    #expect((document.obstacle == nil) == isFree)
  }

  @Test func `every kind of value has its documented size`() {
    let fields = [
      FirestoreField("a", .null), FirestoreField("b", .bool(true)),
      FirestoreField("c", .integer(5)), FirestoreField("d", .double(5)),
      FirestoreField("e", .timestamp(UTCTime(nanoseconds: 0))),
      FirestoreField("f", .string("é")), FirestoreField("g", .bytes([1, 2, 3])),
      FirestoreField("h", .geoPoint(GeoPosition(latitude: 1, longitude: 2))),
      FirestoreField("i", .array([.integer(1), .string("")])),
      FirestoreField("j", .map([FirestoreField("k", .null)])),
    ]
    #expect(fields.size(perMap: 0) == 10 * 2 + 1 + 1 + 8 + 8 + 8 + 3 + 3 + 16 + 9 + 3)
    #expect(fields.size(perMap: 32) == fields.size(perMap: 0) + 32)
  }

  /// Returns a document that contains only `gscope_data`, whose size the documentation states.
  static func document(samples: Int, isPerUser: Bool) -> FirestoreDocument {
    let clock = ClockTable([
      ClockTable.Entry(
        boot: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 1_684_500_000_250_000_000),
        source: .synchronised)
    ])
    var writer = SampleArray.Writer(
      StreamDescription(
        signal: "angular_velocity", unit: "deg/s", countsPerUnit: 16.4, rate: 50,
        lossAccounting: .counted), clock: clock, capacity: samples)
    var track = FixTrack([
      Fix(
        arrival: BootTime(nanoseconds: 0), utc: UTCTime(nanoseconds: 0), latitude: 48.2,
        longitude: 16.37, altitudeMSL: 171.5)
    ])
    for sample in 0..<samples {
      let position = track.position(at: BootTime(nanoseconds: 5)).position
      _ = writer.append(
        BootTime(nanoseconds: Int64(sample) * 20_000_000), position, x: 1, y: -32_768, z: 32_767)
    }
    let id = String(repeating: "A", count: 36)
    return FirestoreDocument(
      path: isPerUser ? ["users", id, "realtime_data", id] : ["realtime_data", id],
      fields: [FirestoreField("gscope_data", .samples(writer.finish()))])
  }

  @Test(arguments: [
    (16.4, 2_000.0), (32.8, 1_000.0), (65.6, 500.0), (131.2, 250.0), (262.4, 125.0),
  ])
  func `the range in a gyroscope's document is a round number`(countsPerUnit: Double, range: Double)
  {
    let stream = StreamDescription(
      signal: "angular_velocity", unit: "deg/s", countsPerUnit: countsPerUnit, rate: 100,
      lossAccounting: .counted)
    #expect(stream.degreesPerSecond == range)
  }
}
