@testable import CommandLineTool
import TestSupport
import Testing
import WebAccess

@Suite(.computation) struct PageDoorTests {
  @Test func `a door that is guessed at stays shut for a while, and then for a day`() {
    let door = PageDoor(.operate) { _, _ in }
    #expect(door.shut(isUsedUp: false) == 10)
    #expect(door.shut(isUsedUp: true) == 24 * 60)
    door.close()
  }
}
