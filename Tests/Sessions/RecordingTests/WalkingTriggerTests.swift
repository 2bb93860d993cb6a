import Simulation
import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct WalkingTriggerTests {
  /// A trigger decision, and the time at which it was made, in seconds.
  struct Moment {
    var decision: WalkingTrigger.Decision
    var seconds: Double
  }

  func decisions(_ movement: Movement, lead: Double) -> [Moment] {
    var trigger = WalkingTrigger(lead: lead, rate: movement.rate)
    return movement.samples.enumerated().compactMap { number, magnitude in
      trigger.add(magnitude: magnitude, counter: UInt32(number)).map {
        Moment(decision: $0, seconds: Double(number) / movement.rate)
      }
    }
  }

  /// Returns the time of a decision in seconds. Records an issue if the decision is not of the
  /// expected kind.
  func date(_ moment: Moment, isBegin: Bool, rate: Double) throws -> Double {
    switch moment.decision {
    case .begin(let place):
      try #require(isBegin)
      return Double(place) / rate
    case .end(let place):
      try #require(!isBegin)
      return Double(place) / rate
    }
  }

  @Test(arguments: [5.0, 45, 90], WalkingDetectorTests.rates)
  func `a recording includes the complete walk`(lead: Double, rate: Double) throws {
    var movement = Movement(seed: 3, rate: rate)
    movement.rest(30)
    movement.walk(lead + 30, at: .ankle)
    movement.rest(lead + 30)
    let moments = decisions(movement, lead: lead)
    try #require(moments.count == 2)
    let begin = try date(moments[0], isBegin: true, rate: rate)
    #expect((28...30).contains(begin))
    #expect((lead + 28...lead + 31.5).contains(moments[0].seconds))
    let end = try date(moments[1], isBegin: false, rate: rate)
    #expect((lead + 60...lead + 62.5).contains(end))
    #expect((2 * lead + 60...2 * lead + 66.5).contains(moments[1].seconds))
  }

  @Test func `a stop at a traffic light delays the start of a recording but does not prevent it`()
    throws
  {
    var movement = Movement(seed: 11, rate: 100)
    movement.rest(10)
    movement.walk(30, at: .waist)
    movement.rest(20)
    movement.walk(60, at: .waist)
    let moments = decisions(movement, lead: 45)
    try #require(moments.count == 1)
    let begin = try date(moments[0], isBegin: true, rate: 100)
    #expect((8...10).contains(begin))
    // After the traffic light, the wearer has walked ten seconds longer than rested, so another 35
    // are needed.
    #expect((93...97).contains(moments[0].seconds))
  }

  @Test func `a stop at a traffic light does not end a recording`() throws {
    var movement = Movement(seed: 12, rate: 50)
    movement.walk(60, at: .ankle)
    for _ in 0..<4 {
      movement.rest(35)
      movement.walk(40, at: .ankle)
    }
    let moments = decisions(movement, lead: 45)
    try #require(moments.count == 1)
    #expect(moments[0].decision == .begin(at: 0))
  }

  @Test func `crossing a room does not start a recording`() {
    var movement = Movement(seed: 13, rate: 50)
    for _ in 0..<20 {
      movement.walk(8, at: .waist)
      movement.rest(20)
    }
    #expect(decisions(movement, lead: 45).isEmpty)
  }

  @Test(arguments: 1...5) func `a ride does not start a recording`(seed: UInt64) {
    var movement = Movement(seed: seed, rate: 100)
    movement.ride(900)
    #expect(decisions(movement, lead: WalkingTrigger.usualLead).isEmpty)
  }

  @Test
  func `a short walk is discarded once the wearer has rested for longer than the walk lasted`()
    throws
  {
    var movement = Movement(seed: 14, rate: 50)
    movement.walk(20, at: .waist)
    movement.rest(60)
    movement.walk(60, at: .waist)
    let moments = decisions(movement, lead: 45)
    try #require(moments.count == 1)
    let begin = try date(moments[0], isBegin: true, rate: 50)
    #expect((78...80).contains(begin))
  }

  @Test func `missing samples neither start nor end a recording`() throws {
    var movement = Movement(seed: 15, rate: 100)
    movement.walk(40, at: .waist)
    movement.walk(40, at: .waist)
    var trigger = WalkingTrigger(lead: 45, rate: 100)
    var decisions: [WalkingTrigger.Decision] = []
    for (number, magnitude) in movement.samples.enumerated() {
      // The link is lost for ten minutes in the middle of the walk.
      let counter = UInt32(number < 4_000 ? number : number + 60_000)
      if let decision = trigger.add(magnitude: magnitude, counter: counter) {
        decisions.append(decision)
      }
      if number == 4_000 { #expect((38.5...40.1).contains(trigger.lead)) }
    }
    #expect(decisions == [.begin(at: 0)])
    #expect(trigger.isRecording)
  }

  /// In any sequence of walks and rests, recordings do not overlap, and each starts and ends at the
  /// time of a step.
  @Test(arguments: [UInt64.random(in: 0..<1_000_000)] + [1, 2, 3])
  func `recordings start and end with a step`(seed: UInt64) throws {
    print("recordings begin and end with steps: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var movement = Movement(seed: seed, rate: 50)
    var parts: [(isWalk: Bool, seconds: Int)] = []
    for number in 0..<60 {
      let seconds = 8 + Int(random.unit() * random.unit() * 90)
      parts.append((number % 2 == 1, seconds))
      if number % 2 == 1 {
        movement.walk(Double(seconds), at: .ankle, cadence: 95 + 20 * random.unit())
      } else {
        movement.rest(Double(seconds))
      }
    }
    let moments = decisions(movement, lead: 30)
    var isBegin = true
    var earliest = 0.0
    for moment in moments {
      let date = try date(moment, isBegin: isBegin, rate: 50)
      #expect(date >= earliest && date <= moment.seconds, "seed \(seed)")
      // The date is the time of the first or last step of a walk.
      let edges = Self.edges(parts, ofWalks: isBegin)
      let nearest = edges.map { date - $0 }.min { abs($0) < abs($1) }
      let distance = try #require(nearest)
      #expect((isBegin ? -2...0 : 0...2.5).contains(distance), "seed \(seed): \(date)")
      isBegin.toggle()
      earliest = date
    }
    #expect(!moments.isEmpty, "seed \(seed)")
  }

  /// Returns the starts or the ends of walks, in seconds.
  static func edges(_ parts: [(isWalk: Bool, seconds: Int)], ofWalks isBegin: Bool) -> [Double] {
    var edges: [Double] = []
    var time = 0
    for part in parts {
      if part.isWalk { edges.append(Double(isBegin ? time : time + part.seconds)) }
      time += part.seconds
    }
    return edges
  }
}
