import Storage
import TestSupport
import Testing

@Suite(.computation) struct SpacePolicyTests {
  private struct Case: Sendable, CustomTestStringConvertible {
    var quota: UInt64?
    var floor: UInt64
    var used: UInt64
    var free: UInt64
    var state: SpacePolicy.State
    /// The number of bytes to delete if the policy allows deletion.
    var excess: UInt64?
    var testDescription: String { "\(used) of \(quota ?? 0), \(free) free over \(floor)" }
  }

  @Test(arguments: [
    Case(quota: nil, floor: 100, used: 5_000, free: 1_000, state: .ok),
    Case(quota: nil, floor: 100, used: 5_000, free: 200, state: .ok),
    Case(quota: nil, floor: 100, used: 5_000, free: 199, state: .low),
    Case(quota: nil, floor: 100, used: 5_000, free: 100, state: .low),
    // The excess is the number of missing bytes plus a twentieth of the floor.
    Case(quota: nil, floor: 100, used: 5_000, free: 99, state: .full, excess: 6),
    Case(quota: nil, floor: 0, used: 5_000, free: 0, state: .ok),
    Case(quota: 1_000, floor: 0, used: 900, free: 9_000, state: .ok),
    Case(quota: 1_000, floor: 0, used: 901, free: 9_000, state: .low),
    Case(quota: 1_000, floor: 0, used: 1_000, free: 9_000, state: .low),
    Case(quota: 1_000, floor: 0, used: 1_001, free: 9_000, state: .full, excess: 51),
    // The larger of the two excesses applies.
    Case(quota: 1_000, floor: 100, used: 1_001, free: 20, state: .full, excess: 85),
    Case(quota: 0, floor: 0, used: 1, free: 9_000, state: .full, excess: 1),
    Case(quota: .max, floor: .max, used: .max, free: 0, state: .full, excess: .max),
  ])
  private func `the quota and the free-space limit determine the state and how much to delete`(
    _ test: Case
  ) {
    let usage = SpacePolicy.Usage(used: test.used, free: test.free)
    for choice in SpacePolicy.WhenFull.allCases {
      let policy = SpacePolicy(quota: test.quota, floor: test.floor, whenFull: choice)
      #expect(policy.state(usage) == test.state)
      let advice = policy.advice(usage)
      switch (test.excess, choice) {
      case (nil, _): #expect(advice == .record)
      case (_?, .stop): #expect(advice == .stop)
      case (let bytes?, .dropUploaded): #expect(advice == .drop(bytes: bytes, uploadedOnly: true))
      case (let bytes?, .dropOldest): #expect(advice == .drop(bytes: bytes, uploadedOnly: false))
      }
    }
  }

  @Test func `after the recommended amount of space is freed, the policy allows recording`() {
    let policy = SpacePolicy(quota: 10_000, floor: 1_000, whenFull: .dropOldest)
    var usage = SpacePolicy.Usage(used: 10_400, free: 990)
    guard case .drop(let bytes, _) = policy.advice(usage) else {
      Issue.record("nothing to be deleted")
      return
    }
    usage.used -= bytes
    usage.free += bytes
    #expect(policy.state(usage) != .full)
    #expect(policy.advice(usage) == .record)
  }

  @Test func `the default policy has no quota and stops below 256 MiB of free space`() {
    #expect(SpacePolicy() == SpacePolicy(quota: nil, floor: 268_435_456, whenFull: .stop))
  }
}
