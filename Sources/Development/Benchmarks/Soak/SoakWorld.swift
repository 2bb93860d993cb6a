internal import Glibc
internal import LinuxSystem
internal import Simulation
internal import Values

/// The environment of a soak's gateway: boards on a private bus, a satellite receiver, a local
/// destination, a disk, and the configuration file. The satellite receiver is opened through a
/// symbolic link, as created by udev.
final class SoakWorld {
  static let destination = "home"
  private static let boards = 2
  /// The number of bytes left free on a full disk.
  private static let remainder: UInt64 = 1 << 20

  /// The configuration file's path.
  let configuration: String
  let store: String
  /// The path of the gateway's log file.
  let log: String
  private let folder: TemporaryFolder
  private let program: String
  private let simulation: SimulatedWorld
  private let arrived: Guarded<UInt64>
  private let disk: String?
  /// Counts of the closed sessions in stores that were deleted.
  private var deleted = SoakCounts(sent: 0, arrived: 0)
  private var receiver: SimulatedReceiverLine?
  private var server: UploadReceiver?
  private let address: String
  /// The symbolic link to the satellite receiver's serial port.
  private var port: String { folder.path + "/gps0" }
  private var filler: String? { disk.map { $0 + "/filler" } }

  /// Starts everything except the gateway. `disk` is a folder on a disk that may be filled.
  init(_ program: String, disk: String?) throws {
    let folder = try TemporaryFolder(prefix: "footbridge-soak")
    self.folder = folder
    self.program = program
    self.disk = disk
    let arrived = Guarded<UInt64>(0)
    self.arrived = arrived
    simulation = try SimulatedWorld(
      boards: Self.boards, hasReceiver: false,
      witness: { delivery in
        switch delivery {
        case .notification(_, let notification, let isLeftOver):
          if !isLeftOver { arrived.withLock { $0 += UInt64(notification.sampleCount) } }
        }
      })
    configuration = folder.path + "/footbridge.conf"
    log = folder.path + "/gateway.log"
    store = (disk ?? folder.path) + "/recording.sqlite"
    let server = try Self.server(in: folder, at: "127.0.0.1:0")
    self.server = server
    address = server.url
    try plugReceiver()
    try writeConfiguration()
  }

  deinit {
    receiver?.stop()
    server = nil
    simulation.stop()
    if let filler { _ = Folder.remove(file: filler) }
  }

  /// The environment variables of the gateway and of other programs in this environment.
  var environment: [String: String] { ["DBUS_SYSTEM_BUS_ADDRESS": simulation.busAddress] }

  func has(_ fault: SoakFault) -> Bool { fault != .diskFull || disk != nil }

  /// Returns the final counts from the boards, the radio and all stores. Call it after the gateway
  /// has exited.
  func counts() throws -> SoakCounts {
    var counts = deleted
    counts.sent = simulation.boardCounts.reduce(0) { $0 + $1.samples }
    counts.arrived = arrived.withLock { $0 }
    try counts.add(store: store)
    counts.add(log: WholeFile.text(log, upTo: 64 << 20) ?? "")
    return counts
  }

  /// Requests from the gateway that a real daemon or board would have rejected.
  var complaints: [String] { simulation.complaints }

  func addDestination() async throws {
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_WRONLY)
    let child = try ChildProcess(
      program,
      ["destination", "add", Self.destination, "--http", address, "--store", store],
      environment: environment, inheriting: [(nowhere.number, STDOUT_FILENO)])
    let status = await child.end()
    guard status == 0 else {
      throw MeasurementError("'destination add' exited with status \(status)")
    }
  }

  // MARK: Faults

  func begin(_ fault: SoakFault, _ gateway: SoakGateway) async throws {
    switch fault {
    case .adapterGone: simulation.inject(.adapterRemoved)
    case .daemonKilled: simulation.inject(.daemonGone(seconds: fault.seconds))
    case .receiverUnplugged:
      receiver?.stop()
      receiver = nil
      _ = Folder.remove(file: port)
    case .networkCut: server = nil
    case .configurationBroken:
      try writeConfiguration("[recording]\nwhen = sometimes\n")
      gateway.reload()
    case .boardRebooted: simulation.inject(.reboot, into: 0)
    case .diskFull: try fillDisk()
    case .storeDeleted:
      try deleted.add(store: store, closedOnly: true)
      _ = Folder.remove(file: store)
    }
  }

  /// Ends a fault. Performs only the actions that a person would have to perform in the field;
  /// everything else recovers automatically.
  func end(_ fault: SoakFault, _ gateway: SoakGateway) async throws {
    switch fault {
    case .adapterGone: simulation.inject(.adapterReturned(shift: 1))
    case .daemonKilled, .boardRebooted: break
    case .receiverUnplugged: try plugReceiver()
    case .networkCut:
      server = try Self.server(
        in: folder, at: String(address.drop { !$0.isNumber }.prefix { $0 != "/" }))
    case .configurationBroken:
      try writeConfiguration()
      gateway.reload()
    case .diskFull: if let filler { _ = Folder.remove(file: filler) }
    // The gateway's destinations were deleted along with the store.
    case .storeDeleted: try await addDestination()
    }
  }

  private static func server(
    in folder: TemporaryFolder, at address: String
  ) throws -> UploadReceiver {
    try UploadReceiver(
      into: folder.path + "/received.sqlite", ["--listen", address, "--quiet"])
  }

  private func plugReceiver() throws {
    let line = try SimulatedReceiverLine()
    receiver = line
    guard unsafe symlink(line.path, port) == 0 else {
      throw SystemError("link \(port)")
    }
  }

  private func writeConfiguration(_ further: String = "") throws {
    var text = ""
    for (number, board) in simulation.boards.enumerated() {
      text += "[board b\(number)]\naddress = \(board.address)\nplacement = ankle \(number)\n"
    }
    text += """
      [sensors]
      sensor = acceleration@200:8
      sensor = angular_velocity@200:2000
      [receiver]
      gps = \(port)
      [recording]
      seal = 0.1
      [store]
      path = \(store)
      [status]
      socket = \(folder.path)/status.sock
      \(further)
      """
    let file = try OwnedDescriptor.open(
      configuration, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    try file.writeAll(Array(text.utf8).span, to: configuration, at: 0)
  }

  private func fillDisk() throws {
    guard let disk, let filler else { return }
    let room = try FileSystem.room(at: disk)
    let file = try OwnedDescriptor.open(filler, flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    let size = Int(room > Self.remainder ? room - Self.remainder : 0)
    let outcome = posix_fallocate(file.number, 0, size)
    guard outcome == 0 else { throw SystemError("fill \(filler)", number: outcome) }
  }
}
