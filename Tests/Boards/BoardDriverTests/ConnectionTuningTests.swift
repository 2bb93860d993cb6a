@testable import BoardDriver
import MetaWearProtocol
import TestSupport
import Testing
import Values

/// Connection tuning as tables, with an event on the left and the resulting actions on the right.
@Suite(.computation) struct ConnectionTuningTests {
  /// Gives each measurement its own end time, so the tuner can distinguish it from the others.
  private struct Play {
    var tuning: ConnectionTuning
    var stretches: Int64 = 0

    init(_ pace: LinkPace = .fast, isFixed: Bool = false, methods: Set<LinkMethod> = []) {
      tuning = ConnectionTuning(pace, isFixed: isFixed)
      _ = tuning.handle(.methods(methods))
    }

    mutating func handle(_ event: ConnectionTuning.Event) -> [ConnectionTuning.Action] {
      tuning.handle(event)
    }

    /// Feeds the same measurement the given number of times, and returns all resulting actions.
    mutating func measure(
      _ interval: AchievedInterval?, times: Int = 1
    ) -> [ConnectionTuning.Action] {
      (0..<times).flatMap { _ in
        stretches += 1
        return tuning.handle(
          .measured(
            LinkMeasurement(
              interval: interval, end: BootTime(nanoseconds: stretches))))
      }
    }

    /// Feeds the last measurements of packets that arrived before the interval changed.
    mutating func settle(_ interval: AchievedInterval) {
      let actions = measure(interval, times: ConnectionTuning.unsettledMeasurements)
      #expect(actions.isEmpty)
    }
  }

  private static let slow = AchievedInterval.measured(milliseconds: 48.75)
  private static let slowReport = LinkReport(requested: .fast, achieved: slow)
  private static let good = AchievedInterval.measured(milliseconds: 7.5)

  @Test
  func `a board that can request an interval is asked to do so before the host sets one`() {
    var play = Play(methods: [.update, .load])
    #expect(play.handle(.identified(canAsk: true)) == [.ask(LinkPace.fast.parameters)])
  }

  @Test func `a link with the requested interval is reported once and left alone`() {
    var play = Play(methods: [.update, .load])
    _ = play.handle(.identified(canAsk: true))
    play.settle(Self.slow)
    #expect(
      play.measure(Self.good)
        == [.report(LinkReport(requested: .fast, achieved: Self.good))])
    #expect(play.measure(.measured(milliseconds: 7.6), times: 100).isEmpty)
  }

  @Test
  func `if a board's request does not change the interval, the host tries its own methods in turn`()
  {
    var play = Play(methods: [.load, .update])
    _ = play.handle(.identified(canAsk: true))
    play.settle(Self.slow)
    #expect(
      play.measure(Self.slow)
        == [.report(Self.slowReport), .changeLink(.update, LinkPace.fast.parameters)])
    // Before the reply to the request arrives, there is no result to evaluate.
    #expect(play.measure(Self.slow, times: 5).isEmpty)
    #expect(play.handle(.changed(.update)).isEmpty)
    play.settle(Self.slow)
    #expect(play.measure(Self.slow) == [.changeLink(.load, LinkPace.fast.parameters)])
    #expect(play.handle(.changed(.load)).isEmpty)
    play.settle(Self.slow)
    #expect(
      play.measure(Self.slow)
        == [
          .remark("the link keeps its current interval: requested 7.5 ms / achieved 48.8 ms")
        ])
    #expect(play.measure(Self.slow, times: 100).isEmpty)
  }

  @Test
  func `without Linux capabilities, only the board requests an interval, at most three times`() {
    var play = Play()
    var asked = play.handle(.identified(canAsk: true))
    asked += play.measure(Self.slow, times: 1_000)
    #expect(
      asked == [
        .ask(LinkPace.fast.parameters), .report(Self.slowReport),
        .ask(LinkPace.fast.parameters), .ask(LinkPace.fast.parameters),
        .remark("the link keeps its current interval: requested 7.5 ms / achieved 48.8 ms"),
      ])
  }

  @Test func `if the kernel refuses a longer interval, the board is asked once more`() {
    var play = Play(.crowded, methods: [.update])
    let short = AchievedInterval.measured(milliseconds: 7.5)
    _ = play.handle(.identified(canAsk: true))
    play.settle(short)
    let report = LinkReport(requested: .crowded, achieved: short)
    #expect(
      play.measure(short) == [.report(report), .changeLink(.update, LinkPace.crowded.parameters)])
    #expect(
      play.handle(.refused(.update, reason: "cannot update the link: Input/output error"))
        == [
          .remark(
            "this computer cannot change the link's interval: cannot update the link: Input/output error"
          ),
          .ask(LinkPace.crowded.parameters),
        ])
    play.settle(short)
    #expect(
      play.measure(short, times: 100)
        == [.remark("the link keeps its current interval: requested 30.0 ms / achieved 7.5 ms")])
  }

  @Test func `after three failed attempts to change the interval, no more are made`() {
    var play = Play(methods: [.update, .load])
    _ = play.handle(.identified(canAsk: true))
    play.settle(Self.slow)
    _ = play.measure(Self.slow)
    let next = play.handle(.refused(.update, reason: "no"))
    #expect(next.last == .changeLink(.load, LinkPace.fast.parameters))
    #expect(
      play.handle(.refused(.load, reason: "busy"))
        == [
          .remark("this computer cannot change the link's interval: busy"),
          .remark("the link keeps its current interval: requested 7.5 ms / achieved 48.8 ms"),
        ])
    #expect(play.handle(.refused(.load, reason: "busy")).isEmpty)
  }

  @Test func `if a board cannot request an interval, the host requests it`() {
    var play = Play(methods: [.update])
    #expect(
      play.handle(.identified(canAsk: false)) == [.changeLink(.update, LinkPace.fast.parameters)])
    #expect(play.handle(.changed(.update)).isEmpty)
    play.settle(Self.good)
    #expect(
      play.measure(Self.good)
        == [.report(LinkReport(requested: .fast, achieved: Self.good))])
  }

  @Test
  func `the link's interval is reported even if neither the board nor the host can change it`() {
    var play = Play()
    #expect(play.handle(.identified(canAsk: false)).isEmpty)
    play.settle(Self.slow)
    #expect(
      play.measure(Self.slow, times: 100) == [
        .report(Self.slowReport),
        .remark("the link keeps its current interval: requested 7.5 ms / achieved 48.8 ms"),
      ])
  }

  @Test func `packets that do not reveal the connection interval cause no action`() {
    var play = Play(methods: [.update, .load])
    _ = play.handle(.identified(canAsk: true))
    play.settle(Self.good)
    #expect(play.measure(nil, times: 100).isEmpty)
    #expect(
      play.measure(.atMost(milliseconds: 10))
        == [.report(LinkReport(requested: .fast, achieved: .atMost(milliseconds: 10)))])
  }

  @Test func `the connection interval is requested again on every new link`() {
    var play = Play()
    let ask = [ConnectionTuning.Action.ask(LinkPace.fast.parameters)]
    #expect(play.handle(.identified(canAsk: true)) == ask)
    _ = play.measure(Self.slow, times: 1_000)
    #expect(play.handle(.linkLost).isEmpty)
    // A late measurement from the old link.
    #expect(play.measure(Self.slow).isEmpty)
    #expect(play.handle(.identified(canAsk: true)) == ask)
    play.settle(Self.slow)
    #expect(play.measure(Self.slow) == [.report(Self.slowReport)] + ask)
  }

  @Test
  func `the interval grows when boards join the adapter, and shrinks when they leave`() {
    var play = Play()
    #expect(play.handle(.boards(1)).isEmpty)
    #expect(play.handle(.identified(canAsk: true)) == [.ask(LinkPace.fast.parameters)])
    #expect(play.handle(.boards(2)) == [.ask(LinkPace.shared.parameters)])
    #expect(play.handle(.boards(3)).isEmpty)
    #expect(play.handle(.boards(4)) == [.ask(LinkPace.crowded.parameters)])
    #expect(play.handle(.boards(1)) == [.ask(LinkPace.fast.parameters)])
  }

  @Test
  func `if the number of boards changes between links, the next link uses the new interval`() {
    var play = Play()
    #expect(play.handle(.boards(2)).isEmpty)
    #expect(play.handle(.identified(canAsk: true)) == [.ask(LinkPace.shared.parameters)])
    _ = play.handle(.linkLost)
    #expect(play.handle(.boards(5)).isEmpty)
    #expect(play.handle(.identified(canAsk: true)) == [.ask(LinkPace.crowded.parameters)])
  }

  @Test
  func `an interval chosen by the user is kept, with a warning if the adapter cannot sustain it`() {
    var play = Play(.fast, isFixed: true)
    #expect(play.handle(.boards(3)).isEmpty)
    #expect(
      play.handle(.boards(4))
        == [
          .remark(
            "4 boards share an adapter that supports only 3 at 7.5 ms: expect losses, or use 30 ms"
          )
        ])
    #expect(play.handle(.boards(5)).isEmpty)
    #expect(play.handle(.identified(canAsk: true)) == [.ask(LinkPace.fast.parameters)])
  }

  @Test func `a connection interval measurement that is reported repeatedly is counted once`() {
    var play = Play()
    _ = play.handle(.identified(canAsk: true))
    let measurement = LinkMeasurement(
      interval: Self.slow, end: BootTime(nanoseconds: 1))
    for _ in 0..<100 {
      let actions = play.handle(.measured(measurement))
      #expect(actions.isEmpty)
    }
  }
}
