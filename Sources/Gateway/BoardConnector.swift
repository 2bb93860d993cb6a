internal import BlueZ
internal import Boards
internal import Recording

/// Brings up links to one board, one after another as they are lost.
struct BoardConnector: Sendable {
  /// Seconds to look for a board that the daemon has forgotten.
  private static let scanSeconds = 10.0
  /// The longest pause between two attempts; the next one may be the one that finds the board back in
  /// reach.
  private static let longestPause = 30.0

  let client: BlueZClient
  let adapter: Adapter
  let device: Device
  /// Connecting and scanning are done for one board at a time: adapters do no more.
  let turns: Turns
  let remark: RecordingRun.Remark

  /// The first link: a few attempts, then the reason.
  func connect() async throws -> any Link {
    try await turns.inTurn { try await link() }
  }

  /// Another link, however long it takes; gives up only when there is nobody to ask for one.
  func reconnect() async throws -> any Link {
    // A board that was reset needs a second or two before it can be found.
    var pause = 1.0
    while true {
      try await Task.sleep(for: .seconds(pause))
      do {
        return try await turns.inTurn {
          try await look()
          return try await link()
        }
      } catch let error as BlueZError where !Task.isCancelled {
        if error.kind == .daemonMissing || error.kind == .notPermitted {
          throw BoardFailure(error.message, remedy: error.remedy)
        }
        remark(
          .warning, "reconnect failed",
          ["board": device.address.description, "reason": error.message])
        pause = min(2 * pause, Self.longestPause)
      }
    }
  }

  private func link() async throws -> any Link {
    let address = device.address.description
    let link = try await client.connect(device) { [remark] attempt, reason in
      remark(
        .warning, "connect failed",
        ["board": address, "attempt": "\(attempt)", "reason": reason])
    }
    do {
      return try BlueZLink(link)
    } catch {
      await link.disconnect()
      throw error
    }
  }

  /// Waits until the board is heard: the daemon drops what it has not heard for a while.
  private func look() async throws {
    let finder = BoardFinder(wanted: .addresses([device.address]))
    let devices = try await client.scan(
      adapter, seconds: Self.scanSeconds, until: finder.isSatisfied)
    guard finder.isSatisfied(by: devices) else {
      throw finder.complaint(about: devices, seconds: Self.scanSeconds)
    }
  }
}

/// Lets callers in one after another.
actor Turns {
  private var last: Task<Void, Never>?

  /// Performs `body` when everybody who came before has finished.
  func inTurn<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let previous = last
    let turn = Task {
      await previous?.value
      try Task.checkCancellation()
      return try await body()
    }
    last = Task { _ = await turn.result }
    return try await withTaskCancellationHandler {
      try await turn.value
    } onCancel: {
      turn.cancel()
    }
  }
}
