import BoardDriver
import MetaWearProtocol
import Simulation
import TestSupport
import Testing

/// The session's reaction to a lost link and to silent streams.
@Suite(.computation) struct SessionRelinkTests {
  static let gait = [
    SensorRequest(signal: "acceleration", rate: 100, range: 8),
    SensorRequest(signal: "angular_velocity", rate: 100, range: 2_000),
  ]

  func running(_ requests: [SensorRequest] = gait) -> SessionPlay {
    var play = SessionPlay(requests)
    play.subscribe()
    play.live(2)
    return play
  }

  @Test
  func `after a lost link, the streams are set up again without querying the sensor modules`()
    throws
  {
    var play = running()
    let before = play.written.count
    play.board.inject(.disconnect, at: play.time)
    play.live(5)
    #expect(play.relinks == 1)
    #expect(play.resumptions == [false])
    let again = play.written[before...]
    #expect(!again.contains { $0[1] == 0x80 && $0[0] != 0x11 })
    // The link's connection parameters are sent first.
    #expect(again.first?.prefix(2) == [0x11, 0x09])
    try #require(play.segments.map(\.count) == [2, 2])
    for segments in play.segments { #expect(segments[1].numbers.count > 200) }
    play.feed(.stop)
    play.live(1)
    #expect(play.isFinished)
  }

  @Test
  func `after a reconnection, a reset board is distinguished from one that only lost its link`() {
    var play = running()
    play.board.inject(.reboot, at: play.time)
    play.live(5)
    #expect(play.resumptions == [true])
    play.board.inject(.disconnect, at: play.time)
    play.live(5)
    #expect(play.resumptions == [true, false])
  }

  @Test func `a board that reconnects with different firmware is identified again`() {
    var play = running()
    play.relinkSeconds = nil
    play.board.inject(.disconnect, at: play.time)
    play.live(1)
    play.board.linkUp()
    let before = play.written.count
    play.feed(
      .subscribed(DeviceInformation(modelNumber: "8", firmware: "1.8.0")))
    play.live(3)
    #expect(play.remarks == ["the board reconnected with firmware 1.8.0"])
    #expect(play.written[before...].contains([0x03, 0x80]))
    #expect(play.resumptions == [false])
  }

  @Test func `stopping a board that is out of range ends the session at once and is reported`() {
    var play = running()
    play.relinkSeconds = nil
    play.board.inject(.disconnect, at: play.time)
    play.live(10)
    #expect(!play.hasEnded)
    play.feed(.stop)
    #expect(play.isFinished)
    #expect(play.remarks == ["cannot reach the board to stop it"])
  }

  @Test func `the session fails if the link is lost repeatedly before the sensors run`() {
    var play = SessionPlay(Self.gait)
    for _ in 0..<4 {
      play.subscribe()
      play.live(0.1)
      play.feed(.linkLost)
    }
    #expect(play.failure?.message == "the link to the board was lost")
    let written = play.written.count
    for event in [BoardSession.Event.timeout, .stop, .linkLost] { play.feed(event) }
    #expect(play.written.count == written)
  }

  @Test func `the link may be lost any number of times if the sensors run in between`() {
    var play = running()
    for _ in 0..<10 {
      play.board.inject(.disconnect, at: play.time)
      play.live(4)
    }
    #expect(play.relinks == 10)
    #expect(play.failure == nil)
  }

  @Test
  func `a start requested while a ready board has no link takes effect on the board's next link`() {
    var play = SessionPlay(Self.gait)
    play.startsWhenReady = false
    play.subscribe()
    play.live(2)
    play.board.inject(.disconnect, at: play.time)
    play.live(0.1)
    play.feed(.start)
    #expect(!play.isRunning)
    play.live(4)
    #expect(play.isRunning)
    #expect(play.relinks == 1)
    #expect(play.resumptions.isEmpty)
    #expect(play.segments.allSatisfy { $0.last?.numbers.isEmpty == false })
  }

  @Test func `a reset before the sensors start is not reported as the cause of a later gap`() {
    var play = SessionPlay(Self.gait)
    play.startsWhenReady = false
    play.subscribe()
    play.live(2)
    play.board.inject(.reboot, at: play.time)
    play.live(0.1)
    play.live(5)
    play.feed(.start)
    play.live(1)
    let isRunning = play.isRunning
    #expect(isRunning)
    play.board.inject(.disconnect, at: play.time)
    play.live(5)
    #expect(play.resumptions == [false])
  }

  @Test
  func `on every link, the session survives the loss of one reply that contains a processor id`() {
    var play = running()
    for _ in 0..<3 {
      var lost = 0
      play.lets = { answer in
        guard answer.prefix(2) == [0x09, 0x02], lost == 0 else { return true }
        lost += 1
        return false
      }
      play.board.inject(.disconnect, at: play.time)
      play.live(8)
      #expect(lost == 1)
      #expect(play.failure == nil)
    }
    #expect(play.resumptions.count == 3)
  }

  @Test func `if no further link comes up, the session fails with the reason`() {
    var play = running()
    play.feed(.linkLost)
    play.feed(.abandoned(BoardFailure("the adapter is gone", remedy: "plug it in again")))
    #expect(play.failure?.message == "the adapter is gone")
  }

  @Test
  func `after a reconnection, lost replies with processor ids make the session request a new link`()
  {
    var play = running()
    var isDeaf = false
    play.lets = { !isDeaf || $0.prefix(2) != [0x09, 0x02] }
    isDeaf = true
    play.board.inject(.disconnect, at: play.time)
    play.live(8)
    #expect(play.relinks > 1)
    #expect(play.failure == nil)
    isDeaf = false
    play.live(8)
    #expect(play.streams.map(\.layout.kind) == [.countedPair, .countedPair])
    let before = play.received
    play.live(1)
    #expect(play.received > before)
  }

  // MARK: Silence

  @Test func `a sensor that stops sending unexpectedly is restarted`() {
    var play = running()
    play.board.inject(.haltSensor(.gyroscope), at: play.time)
    play.live(2.5)
    #expect(
      play.remarks == [
        "angular_velocity: no data, starting the sensor again",
        "angular_velocity: data is arriving again",
      ])
    #expect(play.silenced == [1])
    #expect(play.restarted == [1])
    let before = play.segments[1][0].numbers.count
    play.live(2)
    #expect(play.segments[1][0].numbers.count > before + 150)
    // No sample was lost in transit: the sensor produced none during the gap.
    #expect(play.missing == 0)
  }

  @Test func `a link that stalls for a while is not mistaken for a stopped sensor`() {
    var play = running()
    play.board.inject(.delay(seconds: 3), at: play.time)
    play.live(6)
    #expect(play.remarks.isEmpty)
    #expect(play.missing == 0)
  }

  /// A session's log events and actions.
  private struct Life {
    var failure: BoardFailure?
    var remarks: [String] = []
    var silent: [[Int]] = []
    var restarted: [[Int]] = []
    var relinks = 0
  }

  /// Runs a session whose board replies but stops sending some streams. Returns when the session
  /// fails or requests a new link, or after `looks` checks.
  private func live(
    without dead: Set<Int>, looks: Int, mute: Int = .max, from play: SessionPlay? = nil
  ) -> Life {
    var play = play ?? running()
    var last = [0, 1].map { play.segments[$0].last?.packets ?? 0 }
    var session = play.session
    if !play.isRunning { _ = session.handle(.start) }
    var count = last[0]
    var life = Life()
    for look in 0..<looks where life.failure == nil && life.relinks == 0 {
      count += 25
      var pending = session.handle(
        .progress([0, 1].map { dead.contains($0) ? last[$0] : count }))
      if pending.isEmpty { pending = session.handle(.timeout) }
      while let action = pending.first {
        pending.removeFirst()
        switch action {
        case .write(let command, _): play.board.receive(command.bytes, at: play.time)
        case .remark(let text): life.remarks.append(text)
        case .failed(let reason): life.failure = reason
        case .silent(let streams, _): life.silent.append(streams)
        case .stillSilent(let signals): life.remarks.append("\(signals): still silent")
        case .restarting(let streams): life.restarted.append(streams)
        case .relink: life.relinks += 1
        case .resumed: (last, count) = ([0, 0], 0)
        default: break
        }
        var notifications: [SimulatedNotification] = []
        play.board.advance(to: play.time, into: &notifications)
        for notification in notifications
        where notification.sampleCount == 0 && look < mute {
          pending += session.handle(.packet(notification.bytes))
        }
      }
    }
    return life
  }

  @Test func `a silent stream does not end the other streams`() {
    let lived = live(without: [1], looks: 600)
    #expect(lived.failure == nil)
    #expect(lived.silent == [[1]])
    #expect(lived.remarks.count { $0.hasSuffix("still silent") } == 1)
    #expect(lived.remarks.count { $0.hasSuffix("starting the sensor again") } == 9)
    #expect(lived.remarks.count { $0.hasSuffix("setting up the board again") } == 2)
    // The session restarts the stream's sensor every minute, which must not disturb other streams.
    #expect(lived.restarted.count >= 11)
    #expect(lived.restarted.allSatisfy { $0 == [1] })
  }

  @Test func `the sensors of a board that replies but sends no samples are restarted every minute`()
  {
    let lived = live(without: [0, 1], looks: 600)
    #expect(lived.failure == nil)
    #expect(lived.silent == [[0, 1]])
    #expect(lived.remarks.last == "acceleration, angular_velocity: still silent")
    // Nine restarts before the log event, and then one each minute.
    #expect(lived.restarted.count >= 11)
    #expect(lived.restarted.allSatisfy { $0 == [0, 1] })
  }

  @Test func `the session gives up on a board that replies but has never sent a sample`() {
    var play = SessionPlay(Self.gait)
    play.startsWhenReady = false
    play.subscribe()
    play.live(1)
    let lived = live(without: [0, 1], looks: 400, from: play)
    #expect(
      lived.failure?.message
        == "the board answers, but sends no acceleration, angular_velocity")
    #expect(lived.silent == [[0, 1]])
  }

  @Test func `a board that stops both sending samples and replying gets a new link`() {
    let lived = live(without: [0, 1], looks: 600, mute: 100)
    #expect(lived.failure == nil)
    #expect(
      lived.remarks.suffix(2) == [
        "acceleration, angular_velocity: still silent", "the board does not respond",
      ])
    #expect(lived.relinks == 1)
  }

  @Test func `only the board's reply confirms a stop`() {
    var play = running()
    play.feed(.stop)
    play.live(2)
    #expect(play.isFinished && play.session.hasConfirmedStop)
    var mute = running()
    mute.lets = { _ in false }
    mute.feed(.stop)
    mute.live(8)
    #expect(mute.isFinished && !mute.session.hasConfirmedStop)
  }

  @Test func `a slow stream is not reported as silent between two samples`() {
    var play = running([
      SensorRequest(signal: "acceleration", rate: 0.78125, layout: .single)
    ])
    play.live(30)
    #expect(play.isRunning)
    #expect(play.remarks.isEmpty)
    #expect(play.received > 15)
  }

  @Test func `a board that sends samples but does not reply keeps its link`() {
    var play = running()
    play.lets = { _ in false }
    play.live(4)
    let before = play.received
    play.live(4)
    #expect(play.relinks == 0)
    #expect(play.received > before + 600)
  }

  @Test func `a board that hangs while it streams gets a new link`() {
    var play = running()
    play.board.inject(.hang(seconds: 8), at: play.time)
    play.live(25)
    #expect(play.relinks >= 1)
    #expect(play.remarks.first == "the board does not respond")
    let before = play.received
    play.live(1)
    #expect(play.received > before)
  }
}
