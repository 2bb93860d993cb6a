import Boards
import LinuxSystem
import MetaWearProtocol
import Recording
import RingBuffer
import Simulation
import Testing

/// A link to a simulated board that answers at once, until the link breaks.
private final class PlainLink: Link {
  struct Broken: Error {}

  private struct Side {
    var board: SimulatedBoard
    var time = 0.0
    var notifications: [SimulatedNotification] = []
    var isBroken = false
  }

  private let near: DescriptorBox
  private let far: OwnedDescriptor
  private let side: Guarded<Side>
  /// Whether the link breaks with this command.
  private let breaks: @Sendable ([UInt8]) -> Bool

  init(breaks: @escaping @Sendable ([UInt8]) -> Bool) throws {
    var near: DescriptorBox?
    far = try OwnedDescriptor.packetSocketPair().split { near = DescriptorBox($0) }
    self.near = try #require(near)
    var board = SimulatedBoard(
      .metaMotionS, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: StillWearer())
    board.linkUp()
    side = Guarded(Side(board: board))
    self.breaks = breaks
  }

  func readInformation() async throws -> DeviceInformation {
    DeviceInformation(modelNumber: "8", firmware: "1.7.2")
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
      for notification in side.notifications { _ = far.send(notification.bytes) }
      side.notifications.removeAll()
    }
  }

  func disconnect(hasHungUp: Bool) async {}
}

/// A link that is slow whatever is asked, and a system that lets nobody change it.
private final class StuckLevers: LinkLevers {
  struct Refused: Error, CustomStringConvertible {
    let description = "not today"
  }

  private let stretches = Guarded<Int64>(0)
  let pulled = Guarded<[ConnectionParameters]>([])

  var available: Set<HostLever> { [.update] }

  func pull(_ lever: HostLever, _ parameters: ConnectionParameters) async throws {
    pulled.withLock { $0.append(parameters) }
    throw Refused()
  }

  func measurement() async -> LinkMeasurement? {
    let end = stretches.withLock { stretches in
      stretches += 1
      return stretches
    }
    return LinkMeasurement(
      interval: .measured(milliseconds: 48.75), end: BootTime(nanoseconds: end))
  }
}

@Suite struct BoardRunnerTests {
  @Test(.timeLimit(.minutes(1)))
  func `a slow link is changed from this computer, and what the system says to that is reported`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 12)
    let reader = try ReaderThread(into: ends.producer, bell: try WakeUp())
    let levers = StuckLevers()
    let (reports, report) = AsyncStream<BoardRunner.Report>.makeStream()
    let runner = BoardRunner(
      board: 0, link: try PlainLink { _ in false }, reader: reader,
      sensors: [SensorRequest(signal: "acceleration", rate: 100, range: 8)],
      tuning: ConnectionTuning(.shared), levers: levers,
      reconnect: { throw BoardFailure("there is no other link", remedy: "") },
      report: { report.yield($0) })
    let run = Task { await runner.run() }
    var links: [String] = []
    for await report in reports {
      if case .ready = report { runner.start() }
      if case .tuned(let link) = report { links.append(link.text) }
      if case .remark(let text) = report, text.contains("not today") {
        #expect(text == "the link cannot be changed from here: not today")
        break
      }
    }
    #expect(links == ["requested 15.0 ms / achieved 48.8 ms"])
    #expect(levers.pulled.withLock { $0 } == [LinkPace.shared.parameters])
    runner.stop()
    let outcome = await run.value
    #expect(outcome.failure == nil)
    #expect(outcome.link?.text == "requested 15.0 ms / achieved 48.8 ms")
    reader.stop()
  }

  @Test(.timeLimit(.minutes(1)))
  func `a link that breaks while the board is cleared up does not keep the run from ending`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 12)
    let reader = try ReaderThread(into: ends.producer, bell: try WakeUp())
    let isStopping = Guarded(false)
    // Unsubscribing is the first of clearing up, once the board has confirmed that it stopped.
    let link = try PlainLink { bytes in
      bytes == [0x03, 0x04, 0] && isStopping.withLock { $0 }
    }
    let (reports, report) = AsyncStream<BoardRunner.Report>.makeStream()
    let runner = BoardRunner(
      board: 0, link: link, reader: reader,
      sensors: [SensorRequest(signal: "acceleration", rate: 100, range: 8)],
      reconnect: { throw BoardFailure("there is no other link", remedy: "") },
      report: { report.yield($0) })
    let run = Task { await runner.run() }
    for await report in reports {
      if case .ready = report { runner.start() }
      if case .running = report { break }
    }
    isStopping.withLock { $0 = true }
    runner.stop()
    let outcome = await withTaskCancellationHandler {
      await run.value
    } onCancel: {
      run.cancel()
    }
    #expect(!Task.isCancelled)
    #expect(outcome.failure == nil)
    #expect(outcome.counts.decoded > 0)
    reader.stop()
  }
}
