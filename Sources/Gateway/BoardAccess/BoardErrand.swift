public import BlueZ
public import BoardDriver
public import DBus
internal import LinuxSystem
internal import Recording
internal import RingBuffer
public import Values

/// One task at one board: brings up the link, runs the task, and disconnects in order.
public struct BoardErrand: Sendable {
  private let board: BoardAddress
  private let bus: BusAddress
  private let adapters: [BoardAddress]
  private let log: @Sendable (LogEvent) -> Void

  /// Reaches the board over a bus; empty `adapters` allow every adapter.
  public init(
    at board: BoardAddress, on bus: BusAddress = .system, adapters: [BoardAddress] = [],
    log: @escaping @Sendable (LogEvent) -> Void
  ) {
    self.board = board
    self.bus = bus
    self.adapters = adapters
    self.log = log
  }

  /// Runs the task. The link is gone when this returns or throws, also when the task is cancelled.
  ///
  /// With `mayPair`, a board that demands pairing is paired.
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
    // No sensor streams, so the reader pushes nothing into the ring.
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

/// A board while a task runs at it.
public struct BoardStay: Sendable {
  /// Requests to the board itself.
  public let visit: BoardVisit
  /// Requests to the Bluetooth service about the board.
  public let link: DeviceLink
  let radio: BlueZRadio

  /// Whether this computer and the board have exchanged keys, now or earlier.
  public var isBonded: Bool {
    get async { await radio.sight.devices.first { $0.path == link.device.path }?.isPaired ?? false }
  }
}
