@testable import Upload
import Foundation
import UploadProtocol
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct JSONBytesTests {
  @Test(
    arguments: [
      (0, 2, "0.0"), (125, 2, "1.25"), (120, 2, "1.2"), (100, 2, "1.0"), (5, 7, "0.0000005"),
      (-1_234_567_890, 7, "-123.456789"), (1_777_887_000_123_456, 6, "1777887000.123456"),
      (1_777_887_000_000_000, 6, "1777887000.0"), (10, 1, "1.0"),
    ] as [(Int64, Int, String)])
  func `decimals are written in JSON without unnecessary zeros`(
    _ units: Int64, _ decimals: Int, _ text: String
  ) {
    var json = JSONBytes()
    json.append(units: units, decimals: decimals)
    #expect(String(decoding: json.bytes, as: UTF8.self) == text)
  }

  @Test func `times, coordinates and altitudes are written exactly and in their shortest form`() {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20_000 {
      for (units, decimals, power) in [
        (Int64.random(in: 1_500_000_000_000_000...2_500_000_000_000_000, using: &random), 6, 1e6),
        (Int64.random(in: -1_800_000_000...1_800_000_000, using: &random), 7, 1e7),
        (Int64.random(in: -50_000...900_000, using: &random), 2, 1e2),
      ] {
        var json = JSONBytes()
        json.append(units: units, decimals: decimals)
        let text = String(decoding: json.bytes, as: UTF8.self)
        let value = Double(units) / power
        #expect(Double(text) == value, "seed \(seed)")
        // Close to zero, scientific notation would be slightly shorter.
        let shortest = value.description
        guard !shortest.contains("e") else { continue }
        #expect(text.utf8.count <= max(3, shortest.utf8.count), "seed \(seed), \(text)")
      }
    }
  }

  @Test func `another parser reads back the values that were written`() throws {
    let texts = ["", "a\"b\\c", "\u{0}\u{1f}\n\t", "é—𝄞", "Poor Lighting"]
    let fields =
      texts.enumerated().map { FirestoreField("f\($0)\($1)", .string($1)) } + [
        FirestoreField("i", .integer(.min)), FirestoreField("d", .double(-1.5e-300)),
        FirestoreField("n", .double(.infinity)),
        FirestoreField("t", .timestamp(UTCTime(nanoseconds: 1_684_500_000_123_456_789))),
        FirestoreField("b", .bytes(Array(0...255))),
        FirestoreField("g", .geoPoint(GeoPosition(latitude: 0, longitude: -0.5))),
        FirestoreField("m", .map([])), FirestoreField("a", .array([])),
        FirestoreField("o", .bool(false)), FirestoreField("r", .reference("projects/p")),
        FirestoreField("0", .null),
      ]
    var json = JSONBytes()
    json.append(fields)
    let foreign = try #require(
      try JSONSerialization.jsonObject(with: Data(json.bytes)) as? [String: [String: Any]])
    #expect(foreign["i"]?["integerValue"] as? String == "-9223372036854775808")
    #expect(foreign["d"]?["doubleValue"] as? Double == -1.5e-300)
    #expect(foreign["n"]?["doubleValue"] as? String == "Infinity")
    #expect(foreign["t"]?["timestampValue"] as? String == "2023-05-19T12:40:00.123456Z")
    for (number, text) in texts.enumerated() {
      #expect(foreign["f\(number)\(text)"]?["stringValue"] as? String == text)
    }
    let bytes = try #require(foreign["b"]?["bytesValue"] as? String)
    #expect(Data(base64Encoded: bytes).map(Array.init) == Array(0...255))
    let parsed = try JSON(parsing: json.bytes)
    var read = try #require([FirestoreField](parsed))
    // The time is truncated as the service truncates it.
    let time = try #require(read.firstIndex { $0.name == "t" })
    #expect(read[time].value == .timestamp(UTCTime(nanoseconds: 1_684_500_000_123_456_000)))
    read[time].value = .timestamp(UTCTime(nanoseconds: 1_684_500_000_123_456_789))
    #expect(read == fields.sorted { $0.name < $1.name })
  }

  @Test(arguments: [
    (#"{"doubleValue":1.68450000025E9}"#, FirestoreValue.double(1_684_500_000.25)),
    (#"{"doubleValue":256}"#, .double(256)), (#"{"doubleValue":256.0}"#, .double(256)),
    (#"{"doubleValue":"-Infinity"}"#, .double(-.infinity)), (#"{"integerValue":"7"}"#, .integer(7)),
    (#"{"integerValue":7}"#, .integer(7)), (#"{"arrayValue":{}}"#, .array([])),
    (#"{"mapValue":{}}"#, .map([])), (#"{"nullValue":null}"#, .null),
    (#"{"geoPointValue":{"latitude":1}}"#, .geoPoint(GeoPosition(latitude: 1, longitude: 0))),
    (
      #"{"timestampValue":"2026-11-21T07:12:31.257648Z"}"#,
      .timestamp(UTCTime(nanoseconds: 1_795_245_151_257_648_000))
    ),
  ])
  func `values are parsed in every format in which Firestore sends them`(
    _ text: String, _ value: FirestoreValue
  )
    throws
  {
    #expect(FirestoreValue(try JSON(parsing: Array(text.utf8))) == value)
  }

  @Test(arguments: [
    ("hazards", "Poor Lighting", "hazards.`Poor Lighting`"), ("a", "b_1", "a.b_1"),
    ("a", "1b", "a.`1b`"), ("a", "b`\\", "a.`b\\`\\\\`"),
  ])
  func `field paths are quoted unless they are plain words`(
    _ first: String, _ second: String, _ path: String
  ) {
    #expect(FirestoreWrite.fieldPath(first, second) == path)
  }
}
