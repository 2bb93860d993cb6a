import LinuxSystem
import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct SimulatedReceiverLineTests {
  /// Reads until two complete sentences of one type have arrived, for at most `seconds`.
  private func listen(
    to path: String, for type: String, at speed: SerialSpeed = .baud9600, seconds: Double = 10
  ) throws -> String {
    let line = try SerialLine(path: path, speed: speed)
    var polls = PollSet()
    polls.add(line.number)
    var text = ""
    var buffer = [UInt8](repeating: 0, count: 1_024)
    let end = GivenTime.now.advanced(bySeconds: seconds)
    while GivenTime.now < end {
      polls.wait(seconds: 0.5)
      let count = line.read(into: &buffer)
      if count > 0 { text += String(decoding: buffer[..<count], as: UTF8.self) }
      if text.split(separator: type).count > 2, text.hasSuffix("\r\n") { break }
    }
    return text
  }

  @Test func `the receiver's GGA sentences have different times, in whole seconds`() throws {
    let line = try SimulatedReceiverLine()
    let text = try listen(to: line.path, for: "$GNGGA")
    let times = text.split(separator: "\r\n").filter { $0.hasPrefix("$GNGGA") }
      .map { $0.split(separator: ",")[1] }
    #expect(times.count >= 2)
    #expect(Set(times).count == times.count)
    #expect(times.allSatisfy { $0.hasSuffix(".00") })
    line.stop()
  }

  @Test func `a reader whose speed differs from the line's receives garbage`() throws {
    let line = try SimulatedReceiverLine(speed: .baud38400)
    #expect(try !listen(to: line.path, for: "$GNGGA", seconds: 2.5).contains("$GNGGA"))
    #expect(
      try listen(to: line.path, for: "$GNGGA", at: .baud38400, seconds: 60).contains("$GNGGA"))
    line.stop()
  }

  @Test func `a second reader is served after the first one disconnects`() throws {
    let line = try SimulatedReceiverLine()
    for _ in 0..<2 {
      #expect(try listen(to: line.path, for: "$GNRMC").contains("$GNRMC"))
    }
  }

  @Test func `stopping the receiver hangs up its line`() throws {
    let line = try SimulatedReceiverLine()
    let reader = try SerialLine(path: line.path, speed: .baud9600)
    line.stop()
    line.stop()
    var polls = PollSet()
    let position = polls.add(reader.number)
    polls.wait(seconds: 10)
    #expect(polls.isHungUp(position))
  }
}
