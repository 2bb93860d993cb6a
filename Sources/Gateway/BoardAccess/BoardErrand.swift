public import BlueZ
public import BoardDriver
public import DBus
internal import LinuxSystem
internal import Recording
internal import RingBuffer
public import Values

/// Connects to one board, runs a task, and disconnects cleanly.
public struct BoardErrand: Sendable {
  private let board: BoardAddress
  private let bus: BusAddress
  private let adapters: [BoardAddress]
  private let log: @Sendable (LogEvent) -> Void

  /// If `adapters` is empty, any adapter may be used.
  public init(
    at board: BoardAddress, on bus: BusAddress = .system, adapters: [BoardAddress] = [],
    log: @escaping @Sendable (LogEvent) -> Void
  ) {
    self.board = board
    self.bus = bus
    self.adapters = adapters
    self.log = log
  }

  /// Runs the task. The link is closed when this method returns or throws, even if the task is
  /// cancelled.
  ///
  /// If `mayPair` is true, the computer pairs with a board that requires pairing.
  public func run<Outcome: Sendable>(
    mayPair: Bool = false, _ body: @Sendable (BoardStay) async throws -> Outcome
  ) async throws -> Outcome {
    let radio = try await BlueZRadio(
      bus, Radio.Settings(adapters: adapters, shape: .metaWear),
      BlueZRadio.Listener(remark: log))
    return try await withTaskCancellationHandler {
      do {
        let link = try await radio.link(to: board, Radio.Patience(), mayPair: mayPair)
        log(
          LogEvent(
            .detail, "connected", ["board": "\(board)", "adapter": link.device.adapterName]))
        let outcome = try await stay(link, radio, body)
        await radio.close()
        return outcome
      } catch {
        await radio.close()
        throw error
      }
    } onCancel: {
      Task { await radio.end() }
    }
  }

  private func stay<Outcome: Sendable>(
    _ link: DeviceLink, _ radio: BlueZRadio, _ body: @Sendable (BoardStay) async throws -> Outcome
  ) async throws -> Outcome {
    // No sensor is streaming, so the reader puts nothing into the ring.
    let ends = Ring<Reading>.make(capacity: 1)
    let reader = try ReaderThread(into: ends.producer, bell: try WakeUp())
    defer { reader.stop() }
    let visit = BoardVisit(link: BlueZLink(link: link), reader: reader)
    do {
      try await visit.open()
      let outcome = try await body(BoardStay(visit: visit, link: link, radio: radio))
      await visit.leave()
      return outcome
    } catch {
      await visit.leave()
      throw error
    }
  }
}

/// Access to a connected board while a task runs.
public struct BoardStay: Sendable {
  /// Sends requests to the board itself.
  public let visit: BoardVisit
  /// Sends requests about the board to the Bluetooth service.
  public let link: DeviceLink
  let radio: BlueZRadio

  /// Whether the board is paired with this computer, even if the pairing predates this task.
  public var isBonded: Bool {
    get async { await radio.sight.devices.first { $0.path == link.device.path }?.isPaired ?? false }
  }
}
