import BoardDriver
import LinuxSystem
import MetaWearProtocol
import Simulation
import Testing
import Values

/// A link to a simulated board that replies immediately, unless the link is broken.
final class PlainLink: Link {
  struct Broken: Error {}

  private struct Side {
    var board: SimulatedBoard
    var time = 0.0
    var notifications: [SimulatedNotification] = []
    var isBroken = false
  }

  private let near: DescriptorBox
  /// The daemon's end of the socket, closed when the board drops the link.
  private let far: Guarded<OwnedDescriptor?>
  private let side: Guarded<Side>
  /// Returns whether a command breaks the link.
  private let breaks: @Sendable ([UInt8]) -> Bool

  init(
    _ model: BoardModel = .metaMotionS,
    breaks: @escaping @Sendable ([UInt8]) -> Bool = { _ in false }
  ) throws {
    var near: DescriptorBox?
    let far = try OwnedDescriptor.packetSocketPair().split { near = DescriptorBox($0) }
    self.far = Guarded(far)
    self.near = try #require(near)
    var board = SimulatedBoard(
      model, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: StillWearer())
    board.linkUp()
    side = Guarded(Side(board: board))
    self.breaks = breaks
  }

  var complaints: [String] { side.withLock { $0.board.complaints } }

  /// Runs a closure on the board while holding the lock.
  func look<Seen: Sendable>(_ look: @Sendable (SimulatedBoard) -> Seen) -> Seen {
    side.withLock { look($0.board) }
  }

  func readInformation() async throws -> DeviceInformation {
    look {
      DeviceInformation(modelNumber: $0.model.modelNumber, firmware: $0.model.firmwareRevision)
    }
  }

  func subscribe() async throws -> OwnedDescriptor {
    guard let descriptor = near.take() else { throw Broken() }
    return descriptor
  }

  func write(_ command: Command, acknowledged: Bool) async throws {
    try side.withLock { side in
      if breaks(command.bytes) { side.isBroken = true }
      guard !side.isBroken else { throw Broken() }
      side.board.receive(command.bytes, at: side.time)
      side.time += 0.01
      side.board.advance(to: side.time, into: &side.notifications)
      let packets = side.notifications.map(\.bytes)
      let isLinkUp = side.board.isLinkUp
      far.withLock { far in
        for packet in packets { _ = far?.send(packet) }
        if !isLinkUp { far = nil }
      }
      side.notifications.removeAll()
    }
  }

  func disconnect(hasHungUp: Bool) async {}
}
