import Foundation
import LinuxSystem
@testable import Positioning
import Recording
import TestSupport
import Testing
import Values

/// A real gpsd replays captures of real receivers, and its fixes must match the test vectors within
/// their tolerances.
@Suite(.realTime, .serialized) struct GPSFakeTests {
  static let program = "/usr/bin/gpsfake"

  static let vectors = URL(filePath: Repository.vectors).appending(path: "nmea")

  /// The fixes that gpsd is expected to report for a capture.
  struct Expectation: Decodable {
    struct Fix: Decodable {
      var time: String
      var lat: Double
      var lon: Double
      var altMSL: Double?
      var speed: Double?
    }
    struct Epoch: Decodable {
      var time: String
    }
    var fixes: [Fix]
    /// Epochs on which the reference implementations disagree.
    var optional: [Epoch]
    var tolerance: [String: Double]

    /// Whether a fix has the expected values for its time.
    func agrees(with fix: GPSFakeTests.Heard) -> Bool {
      guard let expected = fixes.first(where: { $0.time == fix.utc.iso8601(decimals: 3) }) else {
        return false
      }
      return values(of: fix, expected).allSatisfy { value in
        guard let found = value.found, let expected = value.expected else { return true }
        return abs(found - expected) <= tolerance[value.name] ?? 0.001
      }
    }

    func values(
      of fix: GPSFakeTests.Heard, _ expected: Fix
    ) -> [(name: String, found: Double?, expected: Double?)] {
      [
        ("lat", fix.latitude, expected.lat), ("lon", fix.longitude, expected.lon),
        ("altMSL", fix.altitudeMSL, expected.altMSL), ("speed", fix.speed, expected.speed),
      ]
    }
  }

  /// A fix that Footbridge received from gpsd.
  typealias Heard = Fix

  /// The captures from 2017 or later. gpsd does not change their dates.
  static var captures: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: vectors.path)) ?? []
    return names.filter { $0.hasSuffix(".nmea") && !$0.hasPrefix("derived-") }.sorted().filter {
      guard let first = expectation($0)?.fixes.first else { return false }
      return first.time >= "2017"
    }
  }

  static func expectation(_ capture: String) -> Expectation? {
    let file = vectors.appendingPathComponent(
      capture.replacing(".nmea", with: ".expected.json"))
    return (try? Data(contentsOf: file)).flatMap {
      try? JSONDecoder().decode(Expectation.self, from: $0)
    }
  }

  @Test func `a real gpsd reports each capture's fixes`() throws {
    guard FileManager.default.isExecutableFile(atPath: Self.program) else {
      try Test.cancel("there is no gpsfake; 'bash .ci/setup --tests' installs it")
    }
    guard !Self.captures.isEmpty else {
      try Test.cancel(
        "there are no captures in \(Self.vectors.path); FOOTBRIDGE_VECTORS names them")
    }
    for capture in Self.captures { try play(capture) }
  }

  /// Replays the capture until all fixes have been received. On a busy machine, gpsfake or its gpsd
  /// may fail to start and stay silent forever, so both are restarted in that case.
  private func play(_ capture: String) throws {
    let expectation = try #require(Self.expectation(capture))
    var heard: [String: Heard] = [:]
    let wanted = Set(expectation.fixes.map(\.time))
    var isComplete = false
    for _ in 0..<4 where !isComplete {
      isComplete = try listen(to: capture, for: expectation, hearing: &heard)
    }
    let missing = wanted.subtracting(heard.keys).sorted()
    #expect(isComplete, "\(capture): \(missing.count) of \(wanted.count) are missing: \(missing)")
    let allowed = wanted.union(expectation.optional.map(\.time))
    // A capture may contain undated epochs before its first dated one. In the second round, gpsd
    // knows their dates.
    let first = wanted.min() ?? ""
    let unexpected = heard.keys.filter { !allowed.contains($0) && $0 >= first }.sorted()
    #expect(unexpected.isEmpty, "\(capture): unexpected fixes at \(unexpected)")
    for expected in expectation.fixes {
      guard let fix = heard[expected.time], !expectation.agrees(with: fix) else { continue }
      Issue.record("\(capture) at \(expected.time): \(expectation.values(of: fix, expected))")
    }
    print("\(capture): \(wanted.count) fixes by way of gpsd")
  }

  /// Starts a gpsd that replays the capture, and listens to it for at most a minute. Returns
  /// whether all expected fixes were received. The client connects in the middle of the first
  /// round, so the capture is repeated. On a busy machine, gpsd may report an epoch before it has
  /// read all its messages. The same epoch from a later round then replaces it.
  private func listen(
    to capture: String, for expectation: Expectation, hearing heard: inout [String: Heard]
  ) throws -> Bool {
    let port = try TCPListener().port
    let fake = try Program(
      Self.program,
      ["-q", "-c", "0.01", "-P", "\(port)", Self.vectors.appendingPathComponent(capture).path])
    defer {
      fake.signal(SIGKILL)
      Self.endDaemon(at: port)
    }
    let log = try EventLog()
    let address = PositionSource.GPSDAddress(host: "127.0.0.1", port: port)
    let timing = GPSDWatch.Timing(backOff: [0.2])
    let receiver = try ReceiverThread(
      GPSDFeed(address, timing: timing, at: BootClock.now()), reports: nil, recorder: nil,
      listener: log.listener)
    let isComplete = log.waits(seconds: 60, every: 0.2) { log in
      for fix in log.fixes {
        let time = fix.utc.iso8601(decimals: 3)
        if heard[time].map(expectation.agrees) != true { heard[time] = fix }
      }
      return expectation.fixes.allSatisfy { heard[$0.time].map(expectation.agrees) == true }
    }
    receiver.stop()
    return isComplete
  }

  /// Ends the gpsd that was left running when gpsfake was killed.
  private static func endDaemon(at port: UInt16) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    for id in names.compactMap({ Int32($0) }) {
      guard let line = try? String(contentsOfFile: "/proc/\(id)/cmdline", encoding: .utf8) else {
        continue
      }
      let words = line.split(separator: "\0")
      guard words.first?.hasSuffix("gpsd") == true, words.contains("\(port)") else { continue }
      kill(id, SIGKILL)
    }
  }
}
