import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedDebugTests {
  @Test func `a number written to the board is kept until the board is reset`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Debug.setKey(0xdead_beef))
    #expect(try client.read(.debugKey) == [.debugKey(0xdead_beef)])
    client.board.linkDown(at: 1)
    client.board.linkUp()
    #expect(try client.read(.debugKey) == [.debugKey(0xdead_beef)])
    client.board.reset(at: 2)
    client.board.linkUp()
    #expect(try client.read(.debugKey) == [.debugKey(0)])
  }

  @Test func `a board reports the cause of its last boot and the state of its firmware`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    #expect(client.write([[0xfe, 0x8b]]) == [[0xfe, 0x8b, 0]])
    client.write(Debug.reset)
    client.board.linkUp()
    #expect(client.write([[0xfe, 0x8b]]) == [[0xfe, 0x8b, 4]])
    client.write(Debug.assertStack(isOn: true))
    #expect(try client.read(.stackOverflow) == [.stack(isAsserting: true, free: 3_220)])
    #expect(try client.read(.scheduleQueue).count == 1)
    #expect(try client.read(.flashStatistics).count == 1)
    #expect(client.board.complaints == [])
  }

  @Test func `a spoofed notification is sent as if it came from the given module`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    #expect(try client.ask(Debug.spoof([0x01, 0x01, 0, 1])) == [.switchState(isPressed: true)])
    client.write(Event.record(LED.playback(.autoplay), when: .switch).map(\.bytes))
    client.write(LED.store(.solid, .red))
    client.write(Debug.spoof([0x01, 0x01, 0, 1]))
    #expect(client.board.shiningLights == [.red])
    // In the notification, the pin number precedes the level.
    client.write(Event.record(LED.stop(isClearing: true), when: .pin(2)).map(\.bytes))
    client.write(Debug.spoof([0x05, 0x0a, 1, 1]))
    #expect(client.board.shiningLights == [.red])
    client.write(Debug.spoof([0x05, 0x0a, 2, 1]))
    #expect(client.board.shiningLights == [])
  }

  @Test
  func `after a command to save power, a board sleeps from its reset until its button is pressed`()
  {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Debug.savePower)
    #expect(client.board.isLinkUp)
    client.write(Debug.reset)
    client.wait(seconds: 60)
    #expect(!client.board.isAdvertising(at: client.time))
    client.board.setSwitch(isPressed: true, at: client.time)
    client.board.setSwitch(isPressed: false, at: client.time + 0.5)
    client.wait(seconds: 2)
    #expect(client.board.isAdvertising(at: client.time))
  }

  @Test func `a board in its bootloader has a different name and no modules`() {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Debug.bootloader)
    client.wait(seconds: 2)
    #expect(client.board.isAdvertising(at: client.time))
    #expect(client.board.advertisedName == "MetaBoot")
    client.board.linkUp()
    #expect(client.write(Settings.readName) == [])
    #expect(client.board.complaints.count == 1)
    client.board.reset(at: client.time)
    #expect(client.board.advertisedName == "MetaWear")
  }
}
