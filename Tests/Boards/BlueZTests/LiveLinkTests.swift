import Foundation
@testable import BlueZ
import MetaWearProtocol
import TestSupport
import Testing
import Values

/// Tests on a real link. `FOOTBRIDGE_LIVE_LINK="hci0 E0:00:00:00:00:01"` names the adapter and the
/// board. The board must already be linked, and this process must have both required capabilities.
@Suite(
  .computation,
  .enabled(
    if: LiveLink.named != nil,
    "needs a linked board, named by FOOTBRIDGE_LIVE_LINK as in \"hci0 E0:00:00:00:00:01\""))
struct LiveLinkTests {
  private let parameters = ConnectionParameters(
    minimumInterval: 12, maximumInterval: 12, latency: 0, timeout: 600)

  @Test func `the controller and the kernel accept new parameters for a live link`()
    async throws
  {
    let place = try #require(LiveLink.named)
    let controller = HostController()
    #expect(controller.abilities == [.update, .load])
    try await controller.update(place, parameters)
    try await controller.load(place, parameters)
    controller.stop()
  }

  @Test func `a board that is not linked is distinguished from a missing adapter`() async throws {
    var place = try #require(LiveLink.named)
    place.board = BoardAddress(value: 0xc000_0000_0001)
    let controller = HostController()
    await #expect(
      throws: HostControllerError(.noLink, "\(place.board) is not linked to \(place.adapter)")
    ) {
      try await controller.update(place, parameters)
    }
    controller.stop()
  }
}

private enum LiveLink {
  static let named: LinkPlace? = {
    let words = ProcessInfo.processInfo.environment["FOOTBRIDGE_LIVE_LINK"]?.split(separator: " ")
    guard let words, words.count == 2, let board = BoardAddress(words[1]) else { return nil }
    return LinkPlace(adapter: String(words[0]), board: board)
  }()
}
