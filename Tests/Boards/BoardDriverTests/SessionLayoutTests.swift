import BoardDriver
import MetaWearProtocol
import Recording
import Simulation
import TestSupport
import Testing

/// The layout of samples in packets, as chosen by the session or the user.
@Suite(.computation) struct SessionLayoutTests {
  func play(
    _ requests: [SensorRequest], model: BoardModel = .metaMotionS, seconds: Double = 2
  ) -> SessionPlay {
    var play = SessionPlay(requests, model: model)
    play.subscribe()
    play.live(seconds)
    return play
  }

  @Test func `samples are counted in pairs if the link has capacity for the packets`() {
    let gait = [100.0, 100].enumerated().map { index, rate in
      SensorRequest(signal: ["acceleration", "angular_velocity"][index], rate: rate)
    }
    #expect(play(gait).streams.map(\.layout.kind) == [.countedPair, .countedPair])
    // Counted pairs at 200 Hz and 100 Hz need 100 + 50 packets per second. At 400 Hz and 100 Hz
    // they would need 250, or 183 if only the first stream were packed. The session packs both.
    var fast = gait
    fast[0].rate = 200
    #expect(play(fast).streams.map(\.layout.kind) == [.countedPair, .countedPair])
    fast[0].rate = 400
    let mixed = play(fast)
    #expect(mixed.streams.map(\.layout.kind) == [.packed, .packed])
    #expect(mixed.streams.map(\.description.lossAccounting) == [.counted, .counted])
    #expect(mixed.remarks == ["167 packets per second may be more than a link can carry"])
  }

  @Test(arguments: StreamLayout.Kind.allCases)
  func `the session uses the packet layout that the caller requests`(kind: StreamLayout.Kind) throws
  {
    let play = play([
      SensorRequest(signal: "acceleration", rate: 50, range: 8, layout: kind)
    ])
    let stream = try #require(play.streams.first)
    #expect(stream.layout.kind == kind)
    #expect(stream.description.hasBoardTicks == (kind == .timed))
    // The board counts the samples of every stream. If the packets contain no numbers, the session
    // queries the count often.
    #expect(stream.counter != nil)
    #expect(stream.description.isTallied == (kind.lossAccounting == .estimated))
    #expect(stream.description.lossAccounting == .counted)
    let segment = try #require(play.segments.first?.first)
    #expect(segment.numbers == (0..<UInt32(segment.numbers.count)).map { $0 })
    #expect(segment.numbers.count > 60)
    #expect(segment.malformed == 0)
  }

  @Test func `consecutive samples at 50 Hz are 13 or 14 board ticks apart`() throws {
    let play = play([
      SensorRequest(signal: "acceleration", rate: 50, range: 8, layout: .timed)
    ])
    var decoder = try #require(play.segments.first?.first?.decoder)
    var ticks: [UInt32] = []
    var batch = SampleBatch()
    for packet in play.samplePackets {
      try decoder.decode(packet.span, into: &batch)
      ticks.append(UInt32(bitPattern: batch[0].w))
    }
    let steps = zip(ticks.dropFirst(), ticks).map { $0 - $1 }
    // 20 ms, in ticks of 1.4648 ms.
    #expect(steps.allSatisfy { (13...14).contains($0) })
  }

  @Test func `a layout that does not fit the samples is rejected with a list of layouts`() {
    let play = play([
      SensorRequest(signal: "temperature", rate: 1, layout: .packed)
    ])
    #expect(
      play.failure?.message
        == "the board cannot send temperature as packed: its sensor has no such layout")
    #expect(play.failure?.remedy == "choose from: single")
  }

  @Test func `a requested layout that exceeds the board's memory is rejected instead of replaced`()
  {
    var play = SessionPlay([
      SensorRequest(signal: "acceleration", rate: 50, layout: .timed)
    ])
    play.lets = { $0.prefix(2) != [0x09, 0x02] }
    play.subscribe()
    play.live(8)
    #expect(play.failure?.message == "the board has no room to send acceleration as timed")
  }

  @Test func `signals that must be polled are polled by the board itself`() {
    let play = play([SensorRequest(signal: "temperature", rate: 5)], seconds: 5)
    #expect(play.isRunning)
    #expect(play.received > 18)
    // The read command is sent only as a part of the board's event. The gateway itself reads
    // nothing.
    #expect(!play.written.contains { $0.prefix(2) == [0x04, 0x81] })
    #expect(play.remarks.isEmpty)
    #expect(play.board.complaints.isEmpty)
  }

  @Test func `the barometer runs only while its temperature is polled`() {
    var play = play(
      [SensorRequest(signal: "temperature_barometer", rate: 5)], model: .metaMotionS, seconds: 4)
    #expect(play.received > 10)
    #expect(play.written.last { $0.prefix(2) == [0x12, 0x04] } == [0x12, 0x04, 1, 1])
    play.feed(.stop)
    play.live(1)
    #expect(play.isFinished)
    #expect(play.board.complaints.isEmpty)
    #expect(play.written.last { $0.prefix(2) == [0x12, 0x04] } == [0x12, 0x04, 0, 0])
  }

  @Test func `without a free timer on the board, the gateway polls the signals`() {
    var play = SessionPlay([SensorRequest(signal: "temperature", rate: 5)])
    play.lets = { $0.prefix(2) != [0x0c, 0x02] }
    play.subscribe()
    play.live(8)
    #expect(play.isRunning)
    #expect(play.received > 20)
    #expect(
      play.remarks == ["temperature: the board has no room for a timer, so the gateway polls it"])
    play.feed(.stop)
    play.live(1)
    let written = play.written.count
    play.live(2)
    #expect(play.written.count == written)
  }

  @Test func `timers that other programs left on the board are removed to free its memory`() {
    var play = SessionPlay([SensorRequest(signal: "temperature", rate: 5)])
    for _ in 0..<8 {
      play.board.receive([0x0c, 0x02, 0xe8, 3, 0, 0, 0xff, 0xff, 0], at: 0)
      var answers: [SimulatedNotification] = []
      play.board.advance(to: 0, into: &answers)
    }
    play.subscribe()
    play.live(8)
    #expect(play.isRunning)
    #expect(play.remarks.isEmpty)
    #expect(!play.written.contains { $0.prefix(2) == [0x04, 0x81] })
    #expect(play.received > 15)
  }

  @Test func `the board's polling timer stops when the link is lost`() {
    var play = play([SensorRequest(signal: "temperature", rate: 5)], seconds: 3)
    play.board.linkDown(at: play.time)
    play.board.linkUp()
    let before = play.received
    play.live(0.9)
    #expect(play.received == before)
  }

  @Test func `sensors that cannot run together are rejected with the reason`() {
    let failures: [([SensorRequest], String)] = [
      (
        [
          SensorRequest(signal: "acceleration", rate: 100),
          SensorRequest(signal: "quaternion", rate: 100),
        ],
        "acceleration and quaternion cannot be recorded together: sensor fusion configures "
          + "its own sensors"
      ),
      (
        [
          SensorRequest(signal: "pressure", rate: 1), SensorRequest(signal: "altitude", rate: 2),
        ], "pressure and altitude come from the same chip, which supports only one rate at a time"
      ),
      (
        [
          SensorRequest(signal: "quaternion", rate: 100),
          SensorRequest(signal: "gravity", rate: 50),
        ], "quaternion and gravity come from the same chip, which supports only one rate at a time"
      ),
      (
        [
          SensorRequest(signal: "acceleration", rate: 100),
          SensorRequest(signal: "acceleration", rate: 100),
        ], "acceleration is requested twice"
      ),
    ]
    for (requests, message) in failures {
      let play = play(requests)
      #expect(play.failure?.message == message)
      #expect(play.failure?.remedy.isEmpty == false)
    }
  }

  @Test func `the board's sample count is read every second, after stopping, and on the next link`()
    throws
  {
    var play = SessionPlay([SensorRequest(signal: "acceleration", rate: 400)])
    play.subscribe()
    play.live(5)
    let counter = try #require(play.streams.first?.counter)
    let read: [UInt8] = [0x09, 0x84, counter]
    #expect((4...6).contains(play.written.count { $0 == read }))
    let made = play.received
    play.board.linkDown(at: play.time)
    play.live(5)
    #expect(play.relinks == 1)
    let counts = try #require(play.counts.first)
    // The packets of the last connection event may still be in transit.
    #expect((made...made + 12).contains(Int(try #require(counts.first ?? nil))))
    play.feed(.stop)
    let written = play.written.suffix(3)
    #expect(written.contains(read))
    #expect(play.board.complaints.isEmpty)
  }
}
