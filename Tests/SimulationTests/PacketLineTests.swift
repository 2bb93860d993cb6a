import Foundation
import LinuxSystem
import MetaWearProtocol
@testable import Simulation
import TestSupport
import Testing

@Suite(.realTime) struct PacketLineTests {
  private var line = PacketLine(SimulatedWorld.boards(2))

  /// Sends a line to the boards and returns their output.
  private mutating func say(_ text: String, at time: Double = 0) -> [String] {
    var lines: [String] = []
    line.receive(text, at: time, into: &lines)
    return lines
  }

  /// Advances the time, and returns the boards' output.
  private mutating func wait(until time: Double) -> [String] {
    var lines: [String] = []
    while let next = line.nextEvent, next <= time { line.advance(to: next, into: &lines) }
    line.advance(to: time, into: &lines)
    return lines
  }

  /// Connects the first board to a client that receives its packets.
  private mutating func connect() {
    _ = wait(until: 0)
    #expect(say("connect 0") == [#"{"board":0,"advertising":null}"#])
    #expect(say("listen 0 on").isEmpty)
  }

  @Test func `the first line of 'simulate --packets' lists the boards with their attributes`()
    throws
  {
    let told = try JSONSerialization.jsonObject(with: Data(line.introduction.utf8))
    let boards = try #require((told as? [String: Any])?["boards"] as? [[String: Any]])
    #expect(
      boards.compactMap { $0["address"] as? String } == ["C8:4B:AA:97:50:05", "C8:4B:AA:98:51:08"])
    let services = try #require(boards[0]["services"] as? [[String: Any]])
    let characteristics = services.flatMap {
      $0["characteristics"] as? [[String: Any]] ?? []
    }
    let command = try #require(characteristics.first { $0["role"] as? String == "command" })
    #expect(command["uuid"] as? String == GATT.command)
    #expect(command["flags"] as? [String] == ["write-without-response", "write"])
    let serial = characteristics.first { $0["uuid"] as? String == GATT.serialNumber }
    #expect(serial?["text"] as? String == "975005")
  }

  @Test mutating func `boards advertise from the start, each with its battery and its name`() {
    let expected = (0...1).flatMap { board in
      [
        #"{"board":\#(board),"battery":99}"#,
        #"{"board":\#(board),"advertising":{"service":"326a9000-85cb-9195-d9dd-464cfbbae75a","#
          + #""name":"MetaWear","scanResponse":""}}"#,
      ]
    }
    #expect(wait(until: 0) == expected)
    #expect(wait(until: 1).isEmpty)
  }

  @Test mutating func `a written command is answered with a notification`() {
    connect()
    #expect(say("write 0 0380") == [#"{"board":0,"notification":"03800400"}"#])
  }

  @Test mutating func `packets that are sent before a client listens are not delivered`() {
    _ = wait(until: 0)
    _ = say("connect 0")
    #expect(say("write 0 0380").isEmpty)
    _ = say("listen 0 on")
    #expect(say("write 0 0380").count == 1)
    _ = say("listen 0 off")
    #expect(say("write 0 0380").isEmpty)
  }

  @Test mutating func `streamed samples are counted, whether or not a client receives them`()
    throws
  {
    connect()
    // 100 Hz, ±8 g: subscribe, data-ready, power on.
    for bytes in ["0303a802", "030401", "03020100", "030101"] { _ = say("write 0 \(bytes)") }
    let heard = wait(until: 2).count { $0.contains(#""notification":"0304"#) }
    #expect((198...202).contains(heard))
    _ = say("disconnect 0", at: 2)
    _ = wait(until: 3)
    let counts = line.counts[0]
    #expect(counts.samples == UInt64(heard))
    #expect((99...102).contains(counts.samplesUnheard))
    #expect(counts.complaints.isEmpty)
    let told = try #require(say("counts", at: 3).last)
    #expect(
      told.hasPrefix(#"{"counts":[{"address":"C8:4B:AA:97:50:05","notifications":\#(heard),"#))
    #expect(told.contains(#""sent":\#(heard),"lost":0,"unheard":\#(counts.samplesUnheard),"#))
  }

  @Test mutating func `a board that ends its own link reports this and can then be found again`() {
    connect()
    let lines = say("drop 0", at: 1)
    #expect(lines.first == #"{"board":0,"link":"ended"}"#)
    #expect(lines.last?.contains(#""advertising":{"#) == true)
  }

  @Test mutating func `a link ended by the radio is not reported back to the radio`() {
    connect()
    #expect(!say("disconnect 0", at: 1).contains { $0.contains("link") })
  }

  @Test mutating func `a board that restarts is absent for a second`() {
    connect()
    #expect(say("write 0 fe01", at: 1) == [#"{"board":0,"link":"ended"}"#])
    #expect(wait(until: 1.9).isEmpty)
    #expect(wait(until: 2.1).count == 1)
  }

  @Test(arguments: [
    "", "connect", "connect 2", "connect 0 now", "listen 0 maybe", "write 0", "write 0 038",
    "write 0 03x0", "write 0 03 80", "fly 0", "counts 0",
  ])
  mutating func `an invalid line of input is rejected and changes nothing`(text: String) {
    connect()
    let before = line.counts
    #expect(say(text) == [#"{"error":"cannot process '\#(text)'"}"#])
    #expect(line.counts == before)
    #expect(say("write 0 0380").count == 1)
  }

  @Test
  func `the packet server accepts lines that arrive in parts, and ends when its input ends`() throws
  {
    let written = Guarded<[String]>([])
    let ended = StopFlag()
    var server: PacketServer?
    var input =
      try OwnedDescriptor.packetSocketPair().split { far in
        server = try PacketServer(
          line, input: far, write: { text in written.withLock { $0.append(text) } },
          ended: { ended.raise() })
      } as OwnedDescriptor?
    func hasWritten(_ text: String) -> Bool {
      written.withLock { $0.contains { $0.contains(text) } }
    }
    func wait(for condition: () -> Bool) {
      let deadline = GivenTime.now.advanced(bySeconds: patience)
      var polls = PollSet()
      while !condition(), GivenTime.now < deadline { polls.wait(seconds: 0.005) }
    }
    _ = input?.send(Array("connect 0\nlisten 0 on\nwri".utf8))
    wait { hasWritten(#""advertising":null"#) }
    _ = input?.send(Array("te 0 0380\n".utf8))
    wait { hasWritten("03800400") }
    #expect(written.withLock { $0.first?.hasPrefix(#"{"boards":"#) } == true)
    #expect(hasWritten("03800400"))
    #expect(!ended.isRaised)
    input = nil
    wait { ended.isRaised }
    #expect(ended.isRaised)
    server?.stop()
  }
}
