@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values
import Web

@Suite(.computation) struct PageDoorTests {
  @Test func `a gateway that began without a page has to be started again to have one`() {
    let answer = RunCommand.invitation(to: nil, .look).text
    #expect(answer.contains("it was started without a page"), "\(answer)")
    #expect(answer.contains("start the gateway again"), "\(answer)")
  }

  @Test func `a door that is guessed at stays shut for a while, and then for a day`() {
    let door = PageDoor(.operate) { _, _ in }
    #expect(door.shut(isUsedUp: false) == 10)
    #expect(door.shut(isUsedUp: true) == 24 * 60)
    door.close()
  }
}
