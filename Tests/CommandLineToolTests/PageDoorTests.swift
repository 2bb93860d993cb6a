@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values
import Web

@Suite(.computation) struct PageDoorTests {
  @Test func `a gateway that started without a page must be restarted to have one`() {
    let answer = RunCommand.invitation(to: nil, .look).text
    #expect(answer.contains("it was started without a page"), "\(answer)")
    #expect(answer.contains("restart the gateway"), "\(answer)")
  }

  @Test func `a door that is guessed at stays shut for a while, and then for a day`() {
    let door = PageDoor(.operate) { _, _ in }
    #expect(door.shut(isUsedUp: false) == 10)
    #expect(door.shut(isUsedUp: true) == 24 * 60)
    door.close()
  }
}
