@testable import Recording
import TestSupport
import Testing

@Suite(.computation) struct WalkingBalanceTests {
  /// The same rule as in `WalkingBalance`, implemented sample by sample as a reference.
  private struct Reference {
    let lead: Int
    var balance = 0
    var isRecording = false
    var firstStep = 0
    var lastStep = 0
    var wasWalking = false

    mutating func step(_ place: Int, isWalking: Bool, margin: Int) -> WalkingTrigger.Decision? {
      if isWalking, !wasWalking, !isRecording, balance == 0 { firstStep = place }
      if !isWalking, wasWalking { lastStep = place }
      wasWalking = isWalking
      defer { balance = max(0, balance + (isWalking == isRecording ? -1 : 1)) }
      guard balance >= lead, isWalking != isRecording else { return nil }
      balance = 0
      isRecording.toggle()
      return isRecording ? .begin(at: firstStep) : .end(at: lastStep + margin)
    }
  }

  @Test(arguments: [UInt64.random(in: 0..<1_000_000)] + [1, 2, 3])
  func `decisions based on walk events are the same as those based on every sample`(seed: UInt64) {
    print("events decide exactly like a count of samples: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    for _ in 0..<50 {
      let lead = 3 + Int(random.unit() * 40)
      var reference = Reference(lead: lead)
      var balance = WalkingBalance(lead: lead, margin: 1)
      var isWalking = false
      var next = 0
      for place in 0..<3_000 {
        if place == next {
          // As in the detector's events, rests are longer than the margin.
          next = place + 2 + Int(random.unit() * random.unit() * 80)
          if place > 0 {
            isWalking.toggle()
            if isWalking { balance.beginWalk(at: place) } else { balance.endWalk(at: place) }
          }
        }
        let found = isWalking ? balance.walked(to: place) : balance.rested(to: place)
        let expected = reference.step(place, isWalking: isWalking, margin: 1)
        #expect(found == expected, "seed \(seed), lead \(lead), place \(place)")
        guard found == expected else { return }
      }
    }
  }

  @Test func `a walk that is detected late is counted from its first step`() {
    var balance = WalkingBalance(lead: 50, margin: 1)
    let early = balance.rested(to: 100)
    #expect(early == nil)
    balance.beginWalk(at: 60)
    #expect(balance.balance(at: 100) == 40)
    let before = balance.walked(to: 109)
    let decision = balance.walked(to: 110)
    #expect(before == nil)
    #expect(decision == .begin(at: 60))
  }

  @Test func `a recording does not start before the end of the previous one`() {
    var balance = WalkingBalance(lead: 10, margin: 5)
    balance.beginWalk(at: 0)
    let begin = balance.walked(to: 10)
    balance.endWalk(at: 20)
    let end = balance.rested(to: 30)
    #expect(begin == .begin(at: 0))
    #expect(end == .end(at: 25))
    balance.beginWalk(at: 22)
    let next = balance.walked(to: 40)
    #expect(next == .begin(at: 25))
  }

  @Test func `a gap is counted neither as walking nor as rest`() {
    var balance = WalkingBalance(lead: 50, margin: 1)
    balance.beginWalk(at: 0)
    balance.endWalk(at: 40)
    balance.skip(from: 45, to: 1_000)
    #expect(balance.balance(at: 1_000) == 35)
    balance.beginWalk(at: 1_005)
    let decision = balance.walked(to: 1_025)
    #expect(decision == .begin(at: 0))
  }
}
