import BoardDriver
import Gateway
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// The effect of a changed key on a running gateway.
@Suite(.computation) struct ConfigurationPartTests {
  private let former = GatewayConfiguration()

  /// Returns a configuration in which only this key has a different value.
  private func changed(
    _ key: ConfigurationKey<GatewayConfiguration>
  ) throws -> GatewayConfiguration {
    let others = [key.description.examples, [""]].map { values in
      var configuration = former
      key.apply(&configuration, values)
      return configuration
    }
    return try #require(others.first { $0 != former }, "\(key.description.path)")
  }

  @Test func `a changed value affects only the parts of the gateway that its key declares`() throws
  {
    for key in GatewayConfiguration.keys {
      let changed = try changed(key)
      #expect(changed.parts(changedSince: former) == [key.part], "\(key.description.path)")
      #expect(former.parts(changedSince: changed) == [key.part], "\(key.description.path)")
      #expect(changed.parts(changedSince: changed) == [])
    }
    let used = GatewayConfiguration.keys.map(\.part) + ConfiguredBoard.keys.map(\.part)
    #expect(Set(used) == Set(ConfigurationPart.allCases))
  }

  @Test func `the recording changes only with the keys declared to affect it`() throws {
    for key in GatewayConfiguration.keys {
      let plan = try changed(key).plan
      let isSame =
        plan.recording == former.recording && plan.boards == former.boards
        && plan.store == former.store && plan.liveLocation == former.liveLocation
        && plan.walking.detector == former.walking.detector
        && plan.participant == former.participant
      let touches = [.recording, .nextRecording].contains(key.part)
      #expect(isSame != touches, "\(key.description.path)")
    }
  }

  @Test func `a key for the page, the status or the fleet affects nothing else`() throws {
    for key in GatewayConfiguration.keys {
      var plan = try changed(key).plan
      if key.part == .sharing { plan.sharing = former.sharing }
      let leavesPlan = [.page, .status, .sharing].contains(key.part)
      #expect((plan == former.plan) == leavesPlan, "\(key.description.path)")
    }
  }

  @Test func `changing 'when' affects the recording only if the old or new value is 'walking'`() {
    var walking = former
    walking.rule.time = .walking
    #expect(walking.parts(changedSince: former) == [.course, .recording])
    #expect(former.parts(changedSince: walking) == [.course, .recording])
    var command = former
    command.rule.time = .command
    #expect(command.parts(changedSince: former) == [.course])
  }

  @Test func `a change to a board, its name or its placement affects the recording`() {
    let left = ConfiguredBoard(name: "left", address: BoardAddress(value: 7))
    var present = former
    present.boards = [left]
    #expect(present.parts(changedSince: former) == [.recording])
    #expect(former.parts(changedSince: present) == [.recording])
    for change: (inout ConfiguredBoard) -> Void in [
      { $0.name = "right" }, { $0.address = BoardAddress(value: 8) }, { $0.placement = "knee" },
    ] {
      var next = present
      change(&next.boards[0])
      #expect(next.parts(changedSince: present) == [.recording])
    }
    #expect(present.parts(changedSince: present) == [])
  }
}
