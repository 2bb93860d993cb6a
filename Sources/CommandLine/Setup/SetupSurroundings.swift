internal import BlueZ
internal import BoardDriver
internal import DBus
internal import Gateway
internal import LinuxSystem
internal import MetaWearProtocol
internal import Positioning
internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// Gives a setup access to the computer and the devices around it, before anything is written.
protocol SetupSurroundings: Sendable {
  /// Returns the computer's Bluetooth adapters that can connect to boards.
  func adapters() async throws -> [SetupAdapter]
  /// Returns the boards in range, with the strongest signal first.
  func boards(_ adapters: [BoardAddress]) async throws -> [Sighting]
  /// Connects to a board, makes it blink, and reads its model.
  func meet(_ board: BoardAddress, _ adapters: [BoardAddress]) async throws -> SetupBoard
  /// Returns the serial ports of connected receivers.
  func ports() async -> [String]
  /// Returns the computer's built-in serial ports that may have a receiver connected to their pins.
  func pins() async -> [String]
  /// Returns the reason why a source can never provide positions; `nil` if it can.
  func obstacle(of source: PositionSource) async -> ReceiverProblem?
  /// Returns the findings that report problems with a position source.
  func troubles(of source: PositionSource) async -> [Finding]
  func destinations(in store: String) async -> [String]
  /// Returns the reason why uploads to a new destination would fail now; `nil` if they would
  /// succeed.
  func obstacle(to destination: NewDestination, _ store: String) async throws -> Setback?
}

struct SetupAdapter: Hashable, Sendable {
  var address: BoardAddress
  /// The current name of the adapter, such as `hci0`.
  var name: String
  var isOn: Bool
}

/// A board that the setup has connected to.
struct SetupBoard: Hashable, Sendable {
  var model: Model
  /// The battery charge in percent.
  var battery: Int?
  /// Whether the board has an LED that can blink.
  var blinks: Bool
}

/// The actual computer and the devices near it.
struct FieldSurroundings: SetupSurroundings {
  /// The console, for Unix signals and messages.
  let console: Console
  /// The simulated receiver, if the setup runs inside a simulation.
  let simulated: PositionSource?

  /// Thrown if a signal arrives while the setup waits.
  struct Interruption: Error {}

  /// Seconds to scan for boards, each of which advertises several times per second.
  private static let scanSeconds = 5.0

  /// Waits for work to complete. A signal cancels the work.
  private func waiting<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let value = try await Signals(console).cancelling(body)
    // After this wait, signals terminate the process as before. A signal that arrived during the
    // wait is detected here.
    guard let value, console.interruption == nil else { throw Interruption() }
    return value
  }

  func adapters() async throws -> [SetupAdapter] {
    let service = try await waiting {
      let tree = SystemTree()
      return await BluetoothService(on: .system, tree, UserRights(tree))
    }
    guard let adapters = service.adapters else {
      let finding = service.findings.first { $0.level == .fault }
      throw Complaint(
        finding?.text ?? "the Bluetooth service does not respond", remedy: finding?.remedy ?? "",
        status: .unavailable)
    }
    return adapters.filter(\.canBeCentral).compactMap { adapter in
      adapter.address.map { .init(address: $0, name: adapter.name, isOn: adapter.isPowered) }
    }
  }

  func boards(_ adapters: [BoardAddress]) async throws -> [Sighting] {
    let log = Guarded(SightingLog(BoardDirectory([])))
    try await waiting {
      let radio = try await BlueZRadio(
        .system, Radio.Settings(adapters: adapters, shape: .metaWear),
        BlueZRadio.Listener { console.report($0) })
      do {
        _ = try await radio.scan(seconds: Self.scanSeconds) { devices in
          log.withLock { _ = $0.note(devices) }
          return false
        }
      } catch {
        await radio.close()
        throw error
      }
      await radio.close()
    }
    return log.withLock { $0.sightings }.filter { $0.kind == .board }
      .sorted { ($0.rssi ?? .min, $1.address) > ($1.rssi ?? .min, $0.address) }
  }

  func meet(_ board: BoardAddress, _ adapters: [BoardAddress]) async throws -> SetupBoard {
    try await waiting {
      try await BoardErrand(at: board, adapters: adapters, log: { console.report($0) })
        .run(mayPair: true) { stay in
          let profile = try await stay.visit.identify()
          let blinks = profile.modules.has(.led)
          if blinks { try await stay.visit.perform(IdentifyCommand.blinking) }
          let battery: Int? =
            if let told = profile.battery?.percent { Int(told) } else { await stay.link.battery }
          return SetupBoard(model: profile.model, battery: battery, blinks: blinks)
        }
    }
  }

  func ports() async -> [String] {
    if let simulated { return [simulated.description] }
    let tree = SystemTree()
    return await Examination.onThread {
      SerialPort.all(tree, UserRights(tree)).map(\.name)
    } ?? []
  }

  func pins() async -> [String] {
    if simulated != nil { return [] }
    return await Examination.onThread { OnboardPort.names(SystemTree()) } ?? []
  }

  func obstacle(of source: PositionSource) async -> ReceiverProblem? {
    await Examination.onThread { source.obstacle } ?? nil
  }

  func troubles(of source: PositionSource) async -> [Finding] {
    let tree = SystemTree()
    let findings = await Examination.onThread {
      NamedSource(source, tree, UserRights(tree)).findings
    }
    return (findings ?? []).filter { $0.level != .ok }
  }

  func destinations(in store: String) async -> [String] {
    let names = await Examination.onThread { () -> [String] in
      guard StoreReader.exists(at: store) else { return [] }
      return ((try? StoreReader(path: store).destinations()) ?? []).compactMap(\.name)
    }
    return names ?? []
  }

  func obstacle(to destination: NewDestination, _ store: String) async throws -> Setback? {
    var location = StoreLocation(environment: [:])
    location.given = store
    return try await waiting { [location] in try await destination.obstacle(location) }
  }
}
