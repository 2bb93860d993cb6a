@testable import Upload
import HTTPClient
import TestSupport
import Testing
import Values

/// Records in formats that earlier programs wrote. Footbridge does not write these formats.
@Suite(.realTime, .enabled(if: Emulator.isInstalled, Emulator.absence))
struct OldRecordTests {
  private let place = FirestorePlace(
    project: Emulator.project(), layout: .researchers, gateway: "PHONE")

  private func sample(_ number: Int) -> FirestoreValue {
    .map([
      FirestoreField("timestamp", .double(1_684_500_000 + Double(number) / 50)),
      FirestoreField("gscope_x", .double(Double(number))), FirestoreField("gscope_y", .integer(7)),
      FirestoreField("gscope_z", .double(-0.25)),
    ])
  }

  @Test func `chunks of different sizes are joined in the order that the record specifies`()
    async throws
  {
    let emulator = try await Emulator.running()
    let access = FirestoreAccount(
      place, .none, over: emulator.client, environment: emulator.environment
    ).access
    // The ids are in a different order from the chunks in the record.
    let sizes = [("E", 2_001), ("D", 3_000), ("C", 0), ("B", 3_001), ("A", 1)]
    var next = 0
    for (id, size) in sizes {
      let samples = (next..<(next + size)).map(sample)
      next += size
      try await access.commit([
        FirestoreWrite(
          .create(
            FirestoreDocument(
              path: ["realtime_data", id],
              fields: [FirestoreField("gscope_data", .array(samples))])))
      ])
    }
    try await access.commit([
      FirestoreWrite(
        .create(
          FirestoreDocument(
            path: ["records", "PHONE___20230519120000"],
            fields: [
              FirestoreField("user_id", .string("PHONE")),
              FirestoreField("timestamp", .double(1_684_500_000.25)),
              FirestoreField("gscope_data", .array(sizes.map { .string($0.0) })),
            ])))
    ])
    let library = FirestoreLibrary(
      place, credentials: .none, over: emulator.client, parallel: 3,
      environment: emulator.environment)
    let entry = try #require(try await library.entries().first)
    #expect(entry.name == "PHONE___20230519120000")
    #expect(entry.date == UTCTime(iso8601: "2023-05-19T12:40:00.25Z"))
    #expect(entry.samples == nil)
    #expect(entry.chunks == 5)
    var read: [WrittenSample] = []
    var counts: [Int] = []
    let missing = try await library.samples(of: entry) { samples, _, _ in
      read += samples
      counts.append(samples.count)
    }
    #expect(missing.isEmpty)
    #expect(counts == sizes.map(\.1))
    #expect(read.map(\.x) == (0..<8_003).map(Double.init))
    #expect(read.allSatisfy { $0.y == 7 && $0.z == -0.25 && $0.latitude == nil })
    #expect(read.last?.time == UTCTime(iso8601: "2023-05-19T12:42:40.040Z"))
  }

  @Test func `an old record that contains its samples and has old field names can be read`()
    async throws
  {
    let emulator = try await Emulator.running()
    let access = FirestoreAccount(
      place, .none, over: emulator.client, environment: emulator.environment
    ).access
    try await access.commit([
      FirestoreWrite(
        .create(
          FirestoreDocument(
            path: ["records", "PHONE___20220101000000"],
            fields: [
              FirestoreField("user_id", .string("PHONE")),
              FirestoreField("timestamp", .double(1_641_000_000)),
              FirestoreField(
                "gscope_data",
                .array([
                  .map([
                    FirestoreField("timestamp", .double(1_641_000_000.5)),
                    FirestoreField("location_latitude", .double(48.2)),
                    FirestoreField("location_longitude", .double(16.37)),
                    FirestoreField("location_altitude", .double(171)),
                    FirestoreField("gyroscope_x", .double(1.5)),
                    FirestoreField("gyroscope_y", .double(2.5)),
                    FirestoreField("gyroscope_z", .string("not a number")),
                  ])
                ])),
            ])))
    ])
    let library = FirestoreLibrary(
      place, credentials: .none, over: emulator.client, environment: emulator.environment)
    let entry = try #require(try await library.entries().first)
    #expect(entry.samples == 1)
    #expect(entry.chunks == 0)
    var table = WrittenTable()
    let missing = try await library.samples(of: entry) { samples, _, _ in table.append(samples) }
    #expect(missing.isEmpty)
    #expect(
      String(decoding: table.take(), as: UTF8.self)
        == "time_utc,x,y,z,lat,lon,alt_msl\n"
        + "2022-01-01T01:20:00.500000Z,1.500000,2.500000,0.000000,48.2000000,16.3700000,171.00\n")
  }
}
