@testable import CommandLineTool
@testable import Terminal
import TestSupport
import Testing
import Values
import Web

@Suite(.computation) struct PageDoorTests {
  @Test func `a gateway started without a page must be restarted before it can serve a page`() {
    let answer = RunCommand.invitation(to: nil, .look).text
    #expect(answer.contains("the gateway was started without a page"), "\(answer)")
    #expect(answer.contains("restart the gateway"), "\(answer)")
  }

  @Test func `repeated wrong codes block pairing, first for a short time and then for a day`() {
    let door = PageDoor(.operate) { _, _ in }
    #expect(door.shut(isUsedUp: false) == 10)
    #expect(door.shut(isUsedUp: true) == 24 * 60)
    door.close()
  }
}
