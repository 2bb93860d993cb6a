import BoardDriver
import MetaWearProtocol
import TestSupport
import Testing

/// The example from the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example in BoardDriver's documentation runs`() {
    let requests = [SensorRequest(signal: "acceleration", rate: 100, range: 8)]
    var session = BoardSession(requests)
    let board = DeviceInformation(modelNumber: "8", firmware: "1.7.2")
    var commands: [Command] = []
    for case .write(let command, _) in session.handle(.subscribed(board)) {
      commands.append(command)
    }
    #expect(!commands.isEmpty)
  }
}
