import ChunkFormat
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// Tests that read chunks with the package in `Sources/Python`, which shares no code with the
/// library. An error goes unnoticed only if both implementations contain it.
@Suite(
  .realTime, .enabled(if: Repository.hasPythonPackage, Repository.absenceOfPythonPackage))
struct IndependentReaderTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Writes a chunk to a file, and returns its path.
  private func path(of chunk: Chunk) throws -> String {
    let path = folder.path + "/\(UniqueID.random()).chunk"
    try Data(chunk.encoded()).write(to: URL(filePath: path))
    return path
  }

  private struct Outcome {
    var status: Int32
    var text: String
  }

  private func read(_ arguments: [String]) async throws -> Outcome {
    try await run(["-m", "footbridge", "chunk"] + arguments)
  }

  private func run(_ arguments: [String]) async throws -> Outcome {
    let outcome = try await Program.run(
      Repository.python, arguments, environment: Repository.pythonPath)
    return Outcome(status: outcome.status, text: outcome.output + outcome.errors)
  }

  @Test func `an independent program reads the same samples from a chunk`() async throws {
    let chunk = SampleChunks.plain
    let outcome = try await read([path(of: chunk)])
    try #require(outcome.status == 0, "\(outcome.text)")
    let lines = outcome.text.split(separator: "\n")
    #expect(lines[0] == "counter,boot_ns,x,y,z")
    try #require(lines.count == chunk.count + 1)
    for index in 0..<chunk.count {
      let fields = lines[index + 1].split(separator: ",")
      #expect(UInt32(fields[0]) == chunk.counters[index])
      #expect(Int64(fields[1]) == chunk.time(at: index).nanoseconds)
      for axis in 0..<3 {
        let value = Double(chunk.columns[axis][index]) / chunk.stream.countsPerUnit
        #expect(Double(fields[2 + axis]) == value)
      }
    }
  }

  @Test func `an independent program reads the same floats, ticks and axis names`() async throws {
    let chunk = SampleChunks.stamped
    let outcome = try await read([path(of: chunk)])
    try #require(outcome.status == 0, "\(outcome.text)")
    let lines = outcome.text.split(separator: "\n")
    #expect(lines[0] == "counter,boot_ns,pitch,roll,yaw,tick")
    try #require(lines.count == chunk.count + 1)
    for index in 0..<chunk.count {
      let fields = lines[index + 1].split(separator: ",")
      for axis in 0..<3 {
        let value = chunk.stream.value(of: chunk.columns[axis][index])
        #expect(Double(fields[2 + axis]) == value)
      }
      #expect(UInt32(fields[5]) == chunk.ticks[index])
    }
  }

  @Test func `an independent program reads columns of every kind`() async throws {
    let path = GoldenChunkTests.file.path
    let outcome = try await read([path])
    try #require(outcome.status == 0, "\(outcome.text)")
    let chunk = SampleChunks.golden
    let lines = outcome.text.split(separator: "\n")
    #expect(lines[0] == "counter,boot_ns,x,y,z,tick")
    try #require(lines.count == chunk.count + 1)
    for index in 0..<chunk.count {
      let fields = lines[index + 1].split(separator: ",")
      #expect(UInt32(fields[0]) == chunk.counters[index])
      #expect(
        fields[2...4].map { Double($0) }
          == chunk.columns.map { Double($0[index]) / chunk.stream.countsPerUnit })
      #expect(UInt32(fields[5]) == chunk.ticks[index])
    }
    let about = try await description(path)
    #expect(about["arrivals_ns"] as? [Int64] == chunk.arrivals.map(\.nanoseconds))
    let fixes = try #require(about["fixes"] as? [[String: Any]])
    #expect(fixes.count == chunk.fixes.count)
    for (about, fix) in zip(fixes, chunk.fixes) {
      let latitude = try #require(about["latitude"] as? Double)
      #expect(abs(latitude - fix.latitude) <= fix.latitude.ulp)
      #expect(about["speed"] as? Double == fix.speed)
      #expect(about["error_horizontal"] as? Double == fix.error?.horizontal)
      #expect(about["error_vertical"] as? Double == fix.error?.vertical)
      #expect(about["error_basis"] as? UInt8 == fix.error?.basis.rawValue)
      #expect(about["follows_loss"] as? Bool == fix.followsLoss)
    }
    #expect(fixes.map { $0["utc_ns"] as? Int64 } == chunk.fixes.map(\.utc.nanoseconds))
  }

  @Test func `an independent program reads chunks of any shape`() async throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var generator = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    for round in 0..<6 {
      var chunk = SampleChunks.random(using: &generator)
      // Axis names without duplicates.
      chunk.stream.axes = StreamDescription.unnamedAxes(chunk.stream.axisCount)
      chunk.stream.rawForm = .integer
      let path = folder.path + "/\(round).chunk"
      try Data(chunk.encoded()).write(to: URL(filePath: path))
      let outcome = try await read([path])
      try #require(outcome.status == 0, "\(outcome.text), seed \(seed)")
      let rows = outcome.text.split(separator: "\n").dropFirst()
        .map { $0.split(separator: ",").map(String.init) }
      #expect(rows.map { UInt32($0[0]) } == chunk.counters, "seed \(seed)")
      for (axis, column) in chunk.columns.enumerated() {
        #expect(
          rows.map { Double($0[2 + axis]) }
            == column.map { Double($0) / chunk.stream.countsPerUnit }, "seed \(seed)")
      }
      // JSON is not used, because Foundation's parser does not preserve large numbers.
      let rest = try await python(
        """
        print(*chunk.arrivals.tolist(), sep=",")
        print(*[fix["track"] for fix in chunk.fixes], sep=",")
        print(*[fix["satellites"] for fix in chunk.fixes], sep=",")
        print(chunk.range)
        """, path)
      let texts = rest.text.split(separator: "\n", omittingEmptySubsequences: false)
        .map { $0.split(separator: ",") }
      try #require(rest.status == 0 && texts.count == 5, "\(rest.text), seed \(seed)")
      #expect(texts[3].first.flatMap { Double($0) } == chunk.stream.range, "seed \(seed)")
      #expect(texts[0].map { Int64($0) } == chunk.arrivals.map(\.nanoseconds), "seed \(seed)")
      #expect(texts[1].map { Double($0) } == chunk.fixes.map(\.track), "seed \(seed)")
      #expect(texts[2].map { UInt8($0) } == chunk.fixes.map(\.satellites), "seed \(seed)")
    }
  }

  @Test func `a chunk's table has columns for times, axes and sample numbers`() async throws {
    let outcome = try await python(
      """
      stream, = footbridge.open(sys.argv[1])["last"].streams.values()
      assert stream.signal == "acceleration"
      assert stream.values.shape == (chunk.count, 3)
      print(",".join(stream.table()))
      """, GoldenChunkTests.file.path)
    #expect(outcome.text == "utc,seconds,boot_ns,x,y,z,number,arrival_ns,board_seconds\n")
  }

  /// Runs a Python program that uses the package as a library, with a decoded chunk in `chunk`.
  private func python(_ program: String, _ path: String) async throws -> Outcome {
    let preface = """
      import sys
      import footbridge
      from footbridge._chunk import decode
      chunk, = decode([open(sys.argv[1], "rb").read()], fixes=True)

      """
    return try await run(["-c", preface + program, path])
  }

  private func description(_ path: String) async throws -> [String: Any] {
    let outcome = try await read(["--about", path])
    return try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any])
  }

  @Test func `an independent program reads the same stream description`() async throws {
    let outcome = try await read(["--about", path(of: SampleChunks.stamped)])
    try #require(outcome.status == 0, "\(outcome.text)")
    let about = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any])
    #expect(about["axes"] as? [String] == ["pitch", "roll", "yaw"])
    #expect(about["raw_form"] as? String == "float")
    #expect(about["seconds_per_tick"] as? Double == StreamDescription.secondsPerBoardTick)
    let drift = try #require(about["drift_ppm"] as? Double)
    let chunk = SampleChunks.stamped
    let expected = try #require(chunk.clock.drift(against: chunk.stream.rate))
    #expect(abs(drift - expected) < 1e-6)
    #expect(about["loss_accounting"] as? String == "estimated")
    #expect(about["firmware"] as? String == "1.7.2")
  }

  @Test func `an independent program reads the same identity, gaps and fixes`() async throws {
    let outcome = try await read(["--about", path(of: SampleChunks.plain)])
    try #require(outcome.status == 0, "\(outcome.text)")
    let about = try #require(
      try JSONSerialization.jsonObject(with: Data(outcome.text.utf8)) as? [String: Any])
    let chunk = SampleChunks.plain
    #expect(about["id"] as? String == chunk.id.description)
    #expect(about["session"] as? String == chunk.session.description)
    #expect(about["boot_id"] as? String == chunk.bootID.description)
    #expect(about["address"] as? String == "C8:4B:AA:97:50:05")
    #expect(about["name"] as? String == chunk.board.name)
    #expect(about["signal"] as? String == "acceleration")
    #expect(about["sequence"] as? Int == 7)
    #expect(about["arrivals_ns"] as? [Int64] == chunk.arrivals.map(\.nanoseconds))
    let gaps = try #require(about["gaps"] as? [[String: Any]])
    try #require(gaps.map { $0["reason"] as? String } == ["link", "disconnected"])
    #expect(gaps[1]["lost"] as? UInt64 == .max)
    let fixes = try #require(about["fixes"] as? [[String: Any]])
    #expect(fixes[0]["altitude_msl"] as? Double == 0)
    #expect(fixes[0]["quality"] as? Int == 4)
    #expect(fixes[1]["altitude_msl"] is NSNull)
    #expect(fixes[1]["satellites"] is NSNull)
    #expect(fixes[1]["three_dimensional"] as? Bool == false)
  }

  @Test func `an independent program rejects a damaged chunk`() async throws {
    let folder = try TemporaryFolder()
    var bytes = SampleChunks.plain.encoded()
    bytes[bytes.count / 2] ^= 1
    let path = folder.path + "/a.chunk"
    try Data(bytes).write(to: URL(filePath: path))
    let outcome = try await read([path])
    #expect(outcome.status == 1)
    #expect(outcome.text == "error: the chunk does not match its checksum\n")
  }
}
