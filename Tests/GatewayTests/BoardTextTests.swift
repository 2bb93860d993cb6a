import BoardDriver
import MetaWearProtocol
import TestSupport
import Testing

@testable import BlueZ
@testable import Gateway
@testable import Simulation

/// Text that a board sends about itself.
@Suite(.simulatedTime) struct BoardTextTests {
  @Test func `control characters in a board's firmware version and model number are replaced`()
    async throws
  {
    let model = BoardModel(
      "X", "x", modelNumber: "8\u{202e}", firmware: "1.7\u{1b}[2J",
      modules: BoardModel.metaMotionS.modules)
    let world = try SimulatedWorld(boards: 1, model: model, hasReceiver: false)
    let radio = try await BlueZRadio(world.bus, Radio.Settings(shape: .metaWear))
    let link = try await radio.link(to: world.boards[0].address, Radio.Patience())
    let told = try await BlueZLink(link: link).readInformation()
    #expect(told.firmware == "1.7\u{fffd}[2J")
    #expect(told.modelNumber == "8\u{fffd}")
    await radio.close()
  }
}
