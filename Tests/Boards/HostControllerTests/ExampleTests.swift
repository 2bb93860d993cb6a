import HostController
import TestSupport
import Testing
import Values

/// The example of the library's documentation.
@Suite(.realTime) struct ExampleTests {
  @Test func `the example of HostController runs`() async {
    let link = LinkPlace(adapter: "hci99", board: BoardAddress(value: 0xc84b_aa97_5005))
    do {
      let controller = HostController()
      if controller.abilities.contains(.load) {
        try await controller.load(link, .fast)
      }
      controller.stop()
    } catch {
      // Only a process with the capability gets as far as the missing adapter.
      #expect(error.kind == .noAdapter)
    }
  }
}
