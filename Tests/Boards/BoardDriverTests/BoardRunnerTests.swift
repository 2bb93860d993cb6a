import BoardDriver
import LinuxSystem
import MetaWearProtocol
import Recording
import RingBuffer
import TestSupport
import Testing
import Values

/// A `LinkControl` that leaves its link slow, because the system refuses every change.
private final class StuckLinkControl: LinkControl {
  struct Refused: Error, CustomStringConvertible {
    let description = "not today"
  }

  private let stretches = Guarded<Int64>(0)
  let changed = Guarded<[ConnectionParameters]>([])

  var available: Set<LinkMethod> { [.update] }

  func changeLink(_ method: LinkMethod, _ parameters: ConnectionParameters) async throws {
    changed.withLock { $0.append(parameters) }
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

@Suite(.realTime) struct BoardRunnerTests {
  @Test
  func `the host tries to change a slow link's interval, and reports the failure`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 12)
    let reader = try ReaderThread(into: ends.producer, bell: try WakeUp())
    let linkControl = StuckLinkControl()
    let (reports, report) = AsyncStream<BoardRunner.Report>.makeStream()
    let runner = BoardRunner(
      board: 0, link: try PlainLink { _ in false }, reader: reader,
      sensors: [SensorRequest(signal: "acceleration", rate: 100, range: 8)],
      tuning: ConnectionTuning(.shared), linkControl: linkControl,
      reconnect: { throw BoardFailure("there is no other link", remedy: "") },
      report: { report.yield($0) })
    let run = Task { await runner.run() }
    var links: [String] = []
    for await report in reports {
      if case .ready = report { runner.start() }
      if case .tuned(let link) = report { links.append(link.text) }
      if case .remark(let text) = report, text.contains("not today") {
        #expect(text == "this computer cannot change the link's interval: not today")
        break
      }
    }
    #expect(links == ["requested 15.0 ms / achieved 48.8 ms"])
    #expect(linkControl.changed.withLock { $0 } == [LinkPace.shared.parameters])
    runner.stop()
    let outcome = await run.value
    #expect(outcome.failure == nil)
    #expect(outcome.link?.text == "requested 15.0 ms / achieved 48.8 ms")
    reader.stop()
  }

  @Test
  func `a run ends even if the link breaks during the board's clean-up`()
    async throws
  {
    let ends = Ring<Reading>.make(capacity: 1 << 12)
    let reader = try ReaderThread(into: ends.producer, bell: try WakeUp())
    let isStopping = Guarded(false)
    // Unsubscribing is the first clean-up step once the board has confirmed its stop.
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
