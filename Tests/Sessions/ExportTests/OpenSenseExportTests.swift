@testable import Export
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

/// Orientations for OpenSim, read by another program and, if it is installed, by OpenSim.
@Suite(.computation) struct OpenSenseExportTests {
  private static let rotation = StreamDescription(
    signal: "quaternion", unit: "1", axes: ["x", "y", "z", "w"], rawForm: .float, countsPerUnit: 1,
    rate: 100, lossAccounting: .estimated)

  /// Returns half the angle about the vertical axis.
  private static func angle(_ seconds: Double) -> Double { seconds * 0.7 }

  /// Returns two boards that turn about the vertical axis. The second begins 250 ms later.
  private func source() -> MemorySource {
    var source = MemorySource()
    for (index, board) in [MemorySource.left, MemorySource.right].enumerated() {
      let offset = Int64(index) * 250_000_000 + 1_000_000
      source.add(Self.rotation, of: board, offset: offset, counts: [200, 200])
      for chunk in 0...1 {
        let angles = (0..<200).map { row in
          Self.angle(Double(offset) * 1e-9 + Double(200 * chunk + row) / 100)
        }
        func bits(_ values: [Double]) -> [Int32] {
          values.map { Int32(bitPattern: Float($0).bitPattern) }
        }
        source.chunks[index][chunk].columns = [
          bits(angles.map { _ in 0 }), bits(angles.map { _ in 0 }), bits(angles.map(sin)),
          bits(angles.map(cos)),
        ]
      }
    }
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [400])
    source.worn = [MemorySource.left.address: "tibia r", MemorySource.right.address: "pelvis_imu"]
    return source
  }

  private func read(
    _ source: MemorySource, rate: Double? = nil
  ) throws -> (content: [String: Any], rows: [[Any]]) {
    var sink = MemorySink()
    var nowhere = NoSink()
    let totals = try OpenSenseExport(rate: rate).write(source, to: &sink, gaps: &nowhere)
    #expect(totals.streams.map(\.signal) == ["quaternion", "quaternion"])
    let content = try ForeignReader.object(sink.bytes, as: .sto)
    return (content, try #require(content["rows"] as? [[Any]]))
  }

  private func check(_ rows: [[Any]]) throws {
    for row in rows {
      let time = try #require(row[0] as? Double)
      for field in row.dropFirst() where !(field is NSNull) {
        let values = try #require(field as? [Double])
        let angle = Self.angle(time)
        for (value, expected) in zip(values, [cos(angle), 0, 0, sin(angle)]) {
          #expect(abs(value - expected) < 1e-4)
        }
      }
    }
  }

  @Test
  func `the orientations of all boards form one table, with columns named after the placements`()
    throws
  {
    let (content, rows) = try read(source())
    #expect(content["columns"] as? [String] == ["tibia_r_imu", "pelvis_imu"])
    #expect(content["rate"] as? Double == 100)
    // OpenSim calibrates with the first row, so this row must contain an orientation of every
    // board.
    #expect(rows.first?[0] as? Double == 0.26)
    #expect(rows.first?.contains { $0 is NSNull } == false)
    #expect(rows.last?[0] as? Double == 4.24)
    try check(rows)
    try check(try read(source(), rate: 60).rows)
  }

  @Test func `a board's orientation is nan in a gap, and the other boards are not affected`() throws
  {
    var source = source()
    for row in 0..<200 { source.chunks[0][1].counters[row] += 50 }
    source.chunks[0][1].clock.first = source.chunks[0][1].clock.first.advanced(bySeconds: 0.5)
    let rows = try read(source).rows
    let missing = rows.filter { $0[1] is NSNull }.compactMap { $0[0] as? Double }
    #expect(missing.count == 51)
    #expect(missing.first == 2 && missing.last == 2.5)
    #expect(rows.filter { $0[0] as? Double ?? 9 < 4 }.allSatisfy { !($0[2] is NSNull) })
  }

  @Test
  func `a gap in all boards' data becomes a jump in time, without rows that OpenSim cannot solve`()
    throws
  {
    var source = source()
    for stream in 0...1 {
      for row in 0..<200 { source.chunks[stream][1].counters[row] += 300 }
      source.chunks[stream][1].clock.first = source.chunks[stream][1].clock.first.advanced(
        bySeconds: 3)
    }
    let times = try read(source).rows.compactMap { $0[0] as? Double }
    let jumps = zip(times, times.dropFirst()).filter { $1 - $0 > 0.015 }
    #expect(jumps.map(\.0) == [2.24] && jumps.map(\.1) == [5.01])
  }

  @Test(
    .enabled(
      if: ForeignReader.isEquipped,
      "needs the Python environment that 'bash .ci/setup --tests' makes"))
  func `OpenSim reads the same orientations from the file`() throws {
    var source = source()
    for row in 0..<200 { source.chunks[0][1].counters[row] += 50 }
    source.chunks[0][1].clock.first = source.chunks[0][1].clock.first.advanced(bySeconds: 0.5)
    let (content, rows) = try read(source)
    guard let opensim = content["opensim"] as? [String: Any] else {
      print("OpenSim is not installed, so it has not read the file")
      return
    }
    #expect(opensim["columns"] as? [String] == content["columns"] as? [String])
    let others = try #require(opensim["rows"] as? [[Any]])
    try #require(others.count == rows.count)
    for (row, other) in zip(rows, others) {
      #expect(row[0] as? Double == other[0] as? Double)
      for (field, found) in zip(row.dropFirst(), other.dropFirst()) {
        #expect((field is NSNull) == (found is NSNull))
        // OpenSim normalises each quaternion, which changes its last digits.
        let numbers = zip(field as? [Double] ?? [], found as? [Double] ?? [])
        #expect(numbers.allSatisfy { abs($0 - $1) < 1e-7 })
      }
    }
  }

  @Test
  func `a session without quaternions is rejected, and the remedy names the sensor to record`()
    throws
  {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [400])
    var sink = MemorySink()
    var nowhere = NoSink()
    let refusal = #expect(throws: OutputRefusal.self) {
      try OpenSenseExport().write(source, to: &sink, gaps: &nowhere)
    }
    #expect(refusal?.remedy.contains("'quaternion'") == true)
    #expect(sink.bytes.isEmpty)
  }

  @Test func `boards whose orientations never overlap are rejected`() throws {
    var source = source()
    for chunk in 0...1 {
      source.chunks[1][chunk].clock.first = source.chunks[1][chunk].clock.first.advanced(
        bySeconds: 100)
    }
    var sink = MemorySink()
    var nowhere = NoSink()
    #expect(throws: OutputRefusal.self) {
      try OpenSenseExport().write(source, to: &sink, gaps: &nowhere)
    }
  }

  @Test func `a name that OpenSim does not allow is simplified, and stays unique`() throws {
    var source = source()
    source.worn = [:]
    for stream in 0...1 {
      source.described[stream].board.name = "Fuß, \"links\"\n"
      for chunk in 0...1 { source.chunks[stream][chunk].board.name = "Fuß, \"links\"\n" }
    }
    #expect(
      try read(source).content["columns"] as? [String]
        == ["Fu____links___C84BAA975005_imu", "Fu____links___D201000000FF_imu"])
  }
}
