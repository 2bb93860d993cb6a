@testable import CommandLineTool
import TestSupport
import Testing
import WebAccess

@Suite(.computation) struct PageDoorTests {
  @Test func `a door that is guessed at stays shut longer each time, until a phone comes in`() {
    let door = PageDoor(.operate) { _, _ in }
    #expect(
      (0..<10).map { _ in door.shut() } == [10, 20, 40, 80, 160, 320, 640, 1_280, 1_440, 1_440])
    door.greet("phone")
    #expect(door.shut() == 10)
    door.close()
  }
}
