@testable import BoardDriver
import MetaWearProtocol
import Recording
import Simulation
import TestSupport
import Testing
import Values

private let gait = [
  SensorRequest(signal: "acceleration", rate: 100, range: 8),
  SensorRequest(signal: "angular_velocity", rate: 100, range: 2_000),
]

@Suite(.computation) struct BoardSessionTests {
  @Test(arguments: [BoardModel.metaMotionS, .metaMotionRL])
  func `a session sets up counted streams and stops them without complaints from the board`(
    model: BoardModel
  ) throws {
    var play = SessionPlay(gait, model: model)
    play.subscribe()
    play.live(2)
    #expect(play.isRunning)
    #expect(play.model?.description == model.name)
    #expect(play.streams.map(\.description.signal) == ["acceleration", "angular_velocity"])
    #expect(play.streams.allSatisfy { $0.description.lossAccounting == .counted })
    #expect(play.streams.map(\.description.countsPerUnit) == [4_096, 16.4])
    // Two seconds of both sensors at 100 Hz, with two samples per packet, minus the time taken by
    // set-up.
    #expect(play.samplePackets.count > 150)
    play.feed(.stop)
    play.live(1)
    #expect(play.isFinished)
    let packets = play.samplePackets.count
    play.live(1)
    #expect(play.samplePackets.count == packets)
    #expect(play.board.complaints.isEmpty)
    #expect(play.remarks.isEmpty)
  }

  @Test func `the battery is read when the sensors start and every five minutes`() {
    var play = SessionPlay([SensorRequest(signal: "acceleration", rate: 12.5)])
    play.subscribe()
    play.live(2)
    #expect(play.batteries.map(\.percent) == [99])
    play.board.inject(.lowBattery(seconds: 3_000), at: 2)
    play.live(610)
    #expect(play.batteries.map(\.percent) == [99, 90, 80])
    play.feed(.stop)
    play.live(1)
    #expect(play.isFinished)
    #expect(play.board.complaints.isEmpty)
    #expect(play.session.diagnosis.counts.isEmpty)
  }

  @Test func `a ready board sends no samples until it is started`() {
    var play = SessionPlay(gait)
    play.startsWhenReady = false
    play.subscribe()
    play.live(2)
    #expect(play.streams.count == 2)
    #expect(play.samplePackets.isEmpty)
    play.feed(.start)
    play.live(1)
    #expect(play.isRunning)
    #expect(!play.samplePackets.isEmpty)
  }

  @Test func `the connection parameters are sent before the second module is queried`() throws {
    var play = SessionPlay(gait)
    play.subscribe()
    play.live(1)
    let parameters: [UInt8] = [0x11, 0x09, 6, 0, 6, 0, 0, 0, 0x58, 0x02]
    let position = try #require(play.written.firstIndex(of: parameters))
    #expect(play.written.prefix(position) == [[0x11, 0x80]])
  }

  @Test func `a board that shares its adapter requests a longer connection interval`() {
    var play = SessionPlay(gait, tuning: ConnectionTuning(.shared))
    play.subscribe()
    play.live(1)
    #expect(play.written[1] == [0x11, 0x09, 12, 0, 12, 0, 0, 0, 0x58, 0x02])
    play.feed(.tune(.boards(4)))
    #expect(play.written.last == [0x11, 0x09, 24, 0, 24, 0, 0, 0, 0x58, 0x02])
    #expect(play.board.complaints.isEmpty)
  }

  @Test
  func `the host changes the interval of a link that stays slow, and reports the change`()
    throws
  {
    var play = SessionPlay(gait)
    play.feed(.tune(.methods([.update])))
    play.subscribe()
    play.live(1)
    var end: Int64 = 0
    for _ in 0...ConnectionTuning.unsettledMeasurements {
      end += 1
      play.feed(
        .tune(
          .measured(
            LinkMeasurement(
              interval: .measured(milliseconds: 11.25),
              end: BootTime(nanoseconds: end)))))
    }
    #expect(play.linkReports.map(\.text) == ["requested 7.5 ms / achieved 11.3 ms"])
    let changed = try #require(play.changed.first)
    #expect(changed.method == .update)
    #expect(changed.parameters == .fast)
    #expect(play.remarks.isEmpty)
  }

  @Test func `a link's interval is not changed while its board is stopping`() {
    var play = SessionPlay(gait)
    play.subscribe()
    play.live(1)
    play.feed(.stop)
    let written = play.written.count
    play.feed(.tune(.boards(4)))
    #expect(play.written.count == written)
  }

  @Test func `a board's sensors stop automatically when the link is lost`() {
    var play = SessionPlay(gait)
    play.subscribe()
    play.live(1)
    #expect(play.isRunning)
    play.board.linkDown(at: play.time)
    play.board.linkUp()
    let packets = play.samplePackets.count
    play.live(1)
    #expect(play.samplePackets.count == packets)
  }

  @Test func `a rate that the chip does not support is rejected with a list of the chip's rates`() {
    var play = SessionPlay([SensorRequest(signal: "acceleration", rate: 120, range: 8)])
    play.subscribe()
    play.live(3)
    #expect(
      play.failure?.message
        == "cannot measure acceleration at 120 Hz: the BMI270 has no such rate")
    #expect(play.failure?.remedy.contains("100, 200, 400") == true)
    #expect(play.samplePackets.isEmpty)
  }

  @Test
  func `a signal that the board does not offer is rejected with a list of the board's signals`() {
    var play = SessionPlay([SensorRequest(signal: "humidity", rate: 1)])
    play.subscribe()
    play.live(3)
    #expect(play.failure?.message == "the board has no sensor for humidity")
    #expect(play.failure?.remedy.hasPrefix("choose from: acceleration, angular_velocity, ") == true)
  }

  @Test func `the session gives up on a silent board after three requests on each of four links`() {
    var play = SessionPlay(gait)
    play.lets = { _ in false }
    play.subscribe()
    play.live(14.9)
    #expect(play.failure == nil)
    play.live(0.5)
    #expect(play.failure?.message == "the board does not respond")
    #expect(play.relinks == 3)
    #expect(play.written == Array(repeating: [0x11, 0x80], count: 12))
  }

  @Test func `a request is repeated after a lost reply`() {
    var play = SessionPlay(gait)
    var lost: Set<[UInt8]> = []
    play.lets = { answer in
      // Only queries are repeated: a repeated create command would leave a second processor on the
      // board.
      let header = Array(answer.prefix(2))
      return header[1] == 0x02 || !lost.insert(header).inserted
    }
    play.subscribe()
    play.live(60)
    #expect(play.isRunning)
    #expect(play.streams.count == 2)
  }

  @Test func `a session runs and stops even if the logging module never replies`() {
    var play = SessionPlay(gait)
    play.lets = { $0.prefix(2) != [0x0b, 0x80] }
    play.subscribe()
    play.live(5)
    #expect(play.isRunning)
    play.feed(.stop)
    play.live(2)
    #expect(play.isFinished)
  }

  @Test func `if the board creates no counter, samples are packed and losses are estimated`() {
    var play = SessionPlay(gait)
    play.lets = { $0.prefix(2) != [0x09, 0x02] }
    play.subscribe()
    play.live(4)
    #expect(play.isRunning)
    #expect(play.streams.map(\.layout) == [.packed, .packed])
    #expect(play.streams.allSatisfy { $0.description.lossAccounting == .estimated })
    #expect(play.remarks.count == 2)
    #expect(!play.samplePackets.isEmpty)
  }

  @Test func `streams left running by an earlier connection are stopped before new ones start`() {
    var play = SessionPlay(gait)
    for command: [UInt8] in [
      [0x03, 0x04, 1], [0x03, 0x02, 1, 0], [0x03, 0x01, 1], [0x13, 0x04, 1], [0x13, 0x02, 1, 0],
      [0x13, 0x01, 1],
    ] { play.board.receive(command, at: 0) }
    play.subscribe()
    play.live(2)
    #expect(play.isRunning)
    // The old streams must send their last packet before our own processors send their first.
    let old = play.samplePackets.lastIndex { $0[0] != 0x09 }
    let new = play.samplePackets.firstIndex { $0[0] == 0x09 }
    #expect(old.map { $0 < new ?? 0 } ?? true)
    #expect(play.board.complaints.isEmpty)
  }

  @Test func `a stop completes even if the board does not confirm it`() {
    var play = SessionPlay(gait)
    play.subscribe()
    play.live(1)
    play.lets = { _ in false }
    play.feed(.stop)
    play.live(4)
    #expect(play.isFinished)
    #expect(play.remarks == ["the board did not confirm that it stopped"])
  }

  @Test
  func `stopping a silent board leaves enough time to end its link before the program must exit`() {
    // The program must exit within four seconds. The session waits up to two seconds for the board,
    // or only one if a reply is overdue.
    for (seconds, ends) in [(0.0, 2.2), (1.9, 1.2)] {
      var play = SessionPlay(gait)
      play.subscribe()
      play.live(1)
      play.board.inject(.hang(seconds: 60), at: play.time)
      play.lets = { _ in false }
      play.live(seconds)
      let written = play.written.count
      play.feed(.stop)
      play.live(ends)
      #expect(play.isFinished, "\(seconds) s after it fell silent")
      #expect(play.written.count > written)
    }
  }

  @Test func `a session that is stopped at any point during set-up ends cleanly`() {
    for step in 0..<60 {
      var play = SessionPlay(gait)
      play.subscribe()
      play.live(Double(step) * 0.005)
      play.feed(.stop)
      play.live(8)
      #expect(play.isFinished, "stopped after \(step * 5) ms")
      let packets = play.samplePackets.count
      play.live(0.5)
      #expect(play.samplePackets.count == packets)
    }
  }

  @Test func `unusable packets are counted by kind, stored, and otherwise ignored`() {
    var play = SessionPlay(gait)
    play.subscribe()
    play.live(1)
    let packets: [([UInt8], PacketDiagnosis.Kind)] = [
      ([], .truncated), ([0x03], .truncated), ([0x0b, 0x84, 1], .truncated),
      ([0xaa, 0xbb, 1, 2], .unknownModule), ([0x02, 0x3f, 1], .unknownRegister),
      ([0x0b, 0x84, 1, 2, 3, 4, 5], .unasked), ([0x09, 0x02, 7], .unasked),
      ([0x03, 0x04, 1, 2, 3, 4, 5, 6], .strayedSample), ([0x03, 0x80, 9, 9], .contradiction),
      ([0x19, 0x07] + [UInt8](repeating: 0xff, count: 16), .notFinite),
      ([0x03, 0x83, 0x11, 0x77], .unknownCode),
      ([0x01, 0x01, 0] + [UInt8](repeating: 0, count: 18), .overlong),
    ]
    for (packet, kind) in packets {
      let before = play.session.diagnosis.counts[kind] ?? 0
      play.feed(.packet(packet))
      #expect(play.session.diagnosis.counts[kind] == before + 1, "\(packet)")
    }
    #expect(play.session.diagnosis.packets.first?.bytes == [])
    #expect(play.isRunning)
    #expect(play.failure == nil)
    for _ in 0..<100 { play.feed(.malformed([0x09, 0x03])) }
    #expect(play.session.diagnosis.packets.count == PacketDiagnosis.capacity)
  }

  @Test
  func
    `an accelerometer with an unknown chip is not used, and its reply counts as a contradiction`()
  {
    var play = SessionPlay(gait)
    // The board's own reply is lost, and the test sends an unknown chip's reply in its place.
    play.lets = { $0.prefix(2) != [0x03, 0x80] }
    play.subscribe()
    while !play.written.contains([0x03, 0x80]) { play.live(0.01) }
    play.feed(.packet([0x03, 0x80, 9, 0]))
    play.live(5)
    #expect(play.session.diagnosis.counts[.contradiction] == 1)
    #expect(play.failure?.message == "the board has no sensor for acceleration")
  }

  @Test func `a counted sample with a non-finite value is distinguished from a truncated one`()
    throws
  {
    var play = SessionPlay([SensorRequest(signal: "quaternion", rate: 100)])
    play.subscribe()
    play.live(3)
    let layout = try #require(play.streams.first?.layout)
    guard case .counted(let processor, 1) = layout else {
      Issue.record("a quaternion comes as \(layout)")
      return
    }
    let packet = [0x09, 0x03, processor, 7] + [UInt8](repeating: 0xff, count: 16)
    play.feed(.malformed(packet))
    play.feed(.malformed(Array(packet.dropLast())))
    #expect(play.session.diagnosis.counts == [.notFinite: 1, .truncated: 1])
  }
}
