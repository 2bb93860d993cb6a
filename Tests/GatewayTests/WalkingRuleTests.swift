import BoardDriver
import Recording
import Simulation
import TestSupport
import Testing
import Values

@testable import Gateway

/// The rule by which walking starts and ends sessions, tested sample by sample.
@Suite(.computation) struct WalkingRuleTests {
  /// Simulates a wearer who alternately rests for 30 s and walks for 40 s, with a stop command
  /// after a few seconds. Returns the seconds at which sessions start and end.
  private func sessions(
    stopAt stop: Double, lead: Double = 6, seconds: Double = 160
  ) -> (begun: [Double], ended: [Double]) {
    var settings = WalkingSettings()
    settings.lead = lead
    var rule = WalkingRule(settings, hasReceiver: false)
    rule.add(
      RegisteredBoard(
        number: 0,
        identity: BoardIdentity(
          address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
          firmware: "1.7.2"),
        streams: [
          StreamDescription(
            signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100,
            lossAccounting: .counted)
        ]))
    let wearer = GaitWearer(seed: 7)
    var (begun, ended): ([Double], [Double]) = ([], [])
    for number in 0..<Int(seconds * 100) {
      let second = Double(number) / 100
      let now = BootTime(nanoseconds: Int64(number) * 10_000_000)
      let isWalking = second.truncatingRemainder(dividingBy: 70) >= 30
      let force = isWalking ? wearer.acceleration(at: second) : SIMD3(0, 0, 1)
      rule.look(
        at: Reading(
          board: 0, stream: 0, arrival: now, counter: UInt32(number), x: Int32(force.x * 4_096),
          y: Int32(force.y * 4_096), z: Int32(force.z * 4_096)))
      if second == stop { rule.obey(.stop) }
      guard number.isMultiple(of: 20) else { continue }
      switch rule.next(isOpen: begun.count > ended.count, mayBegin: true, at: now) {
      case .begin: begun.append(second)
      case .end: ended.append(second)
      case nil: break
      }
    }
    return (begun, ended)
  }

  @Test
  func `each walk starts a session after the lead time; the session ends when the wearer rests`() {
    let (begun, ended) = sessions(stopAt: -1)
    #expect(begun.count == 2 && ended.count == 2)
    #expect(begun.allSatisfy { (34...50).contains($0.truncatingRemainder(dividingBy: 70)) })
  }

  @Test(arguments: [30.2, 31, 32, 33, 34, 35])
  func `a stop in the first seconds of a walk applies until that walk is over`(
    _ second: Double
  ) {
    let (begun, ended) = sessions(stopAt: second)
    #expect(begun.count == 1 && begun.allSatisfy { $0 > 100 }, "\(begun)")
    #expect(ended.count == 1)
  }

  @Test func `a stop during a rest expires when the next walk starts`() {
    #expect(sessions(stopAt: 15).begun.count == 2)
  }
}
