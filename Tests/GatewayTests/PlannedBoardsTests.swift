import LinuxSystem
import Storage
import TestSupport
import Testing
import Values

@testable import Gateway

/// Names and placements that a configuration assigns to boards.
@Suite(.computation) struct PlannedBoardsTests {
  @Test func `if two boards swap names, they also swap placements`() throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/store.sqlite"
    let boards = [BoardAddress(value: 1), BoardAddress(value: 2), BoardAddress(value: 3)]
    for names in [
      ["left", "right", "back"], ["right", "left", "back"], ["back", "right", "left"],
    ] {
      var plan = RecordingPlan(
        boards: .addresses(boards), receiver: nil, store: store, scanSeconds: 1)
      for (board, name) in zip(boards, names) {
        plan.names[board] = name
        plan.placements[board] = name + " ankle"
      }
      try PlannedBoards(of: plan).note(in: store)
      let stored = try BoardRegister(path: store).boards()
      for (board, name) in zip(boards, names) {
        let found = stored.first { $0.address == board }
        #expect(found?.name == name && found?.placement == name + " ankle", "\(names)")
      }
    }
  }
}
