internal import DBus
internal import BlueZ
internal import LinuxSystem
internal import Positioning
internal import Storage
internal import Terminal
internal import Values

/// Runs the checks of `footbridge doctor` concurrently.
struct Doctor: Sendable {
  /// The system files that the checks read.
  var tree = SystemTree()
  var bus = BusAddress.system
  /// The path of the store to check.
  var store: String
  /// The position source to check; `nil` to search for receivers.
  var source: PositionSource?
  /// Whether to skip the checks of destinations and brokers.
  var isOffline = false
  /// The path of the configuration file that names the broker; `nil` to use no configuration.
  var configuration: String?
  /// The journal that contains the kernel's messages.
  var journal = Journal()

  /// The time limit in seconds for all checks. Checks on the bus take at most four seconds.
  static let patience = 5.0
  /// The time limit in seconds for one destination. If a destination hangs, the results of the
  /// others are still reported.
  private static let patienceWithDestinations = 4.0

  /// Runs all checks concurrently, and returns their findings. A check that exceeds the time limit
  /// is abandoned.
  func diagnosis(within seconds: Double = patience) async -> Diagnosis {
    let user = UserRights(tree)
    return Diagnosis(
      await Examination(parts: [
        bluetooth(user), receivers(user), service, settings(user), disk, folder, destinations,
        sharing, kernel,
      ]).findings(within: seconds))
  }

  // MARK: Parts

  private func bluetooth(_ user: UserRights) -> Examination.Part {
    Examination.Part(
      or: .fault(
        .bluetoothd, "the system bus or bluetoothd does not respond",
        remedy: "restart it with 'sudo systemctl restart bluetooth'")
    ) { [tree, bus] in
      let service = await BluetoothService(on: bus, tree, user)
      guard let adapters = service.adapters else { return service.findings }
      return service.findings
        + AdapterHardware.findings(
          adapters, AdapterHardware.all(tree), on: RaspberryPi(tree))
    }
  }

  /// Checks receivers, ModemManager and gpsd together, because their findings depend on each other.
  private func receivers(_ user: UserRights) -> Examination.Part {
    let silence = Finding.warning(
      .receiver, "the receivers or gpsd do not respond",
      remedy: "check the host given with --gps; unplug the receiver and plug it in again")
    return Examination.Part(or: silence) { [tree, bus, source] in
      let states = await SystemdUnits(["gpsd.service", "gpsd.socket"], on: bus)
      let units = states.map {
        GPSDaemon.Units(
          isActive: $0.units["gpsd.service"]?.activity == "active",
          service: $0.startsAtBoot("gpsd.service"), socket: $0.startsAtBoot("gpsd.socket"))
      }
      return await Examination.onThread {
        Self.receivers(tree, source, units, user)
      } ?? [silence]
    }
  }

  private static func receivers(
    _ tree: SystemTree, _ source: PositionSource?, _ units: GPSDaemon.Units?, _ user: UserRights
  ) -> [Finding] {
    var address: PositionSource.GPSDAddress?
    if case .gpsd(let named)? = source { address = named }
    var daemon = GPSDaemon(tree, named: address, units)
    daemon.isNamed = address != nil
    let ports = SerialPort.all(tree, user).map { $0.held(by: daemon, tree) }
    var named = source.map { NamedSource($0, tree, user) }
    if case .there(let port)? = named?.port { named?.port = .there(port.held(by: daemon, tree)) }
    let found =
      named?.findings
      ?? SerialPort.findings(
        ports, isNeeded: daemon.paths.isEmpty, remedyForPins: SerialPort.remedyForPins(tree))
    return found + daemon.findings
      + [SerialPort.modemFinding(ports, runs: !tree.processes(named: "ModemManager").isEmpty)]
  }

  private var service: Examination.Part {
    Examination.Part(
      or: .warning(
        .service, "systemd does not respond", remedy: "see 'systemctl status footbridge'")
    ) { [tree, bus, configuration] in
      let unit = ServiceUnit(tree, await SystemdUnits([ServiceUnit.name], on: bus)).finding
      guard let file = configuration, Folder.exists(file),
        let faults = ConfigurationFaults(ConfigurationReading(file).faults)
      else { return [unit] }
      return [unit, .fault(.service, faults.complaint.message, remedy: faults.complaint.remedy)]
    }
  }

  /// Runs the checks that only read kernel and system files.
  private func settings(_ user: UserRights) -> Examination.Part {
    .onThread(
      or: .warning(
        .clock, "reading the kernel's files timed out", remedy: "see 'sudo dmesg' for the reason")
    ) { [tree] in
      RadioSwitch.findings(RadioSwitch.all(tree))
        + LinkSettings(Self.abilities(user), tree).findings
        + Clocks(tree).findings
        + UdevRules.all(tree).map(\.finding)
        + [PowerSupply(tree).finding]
        + MemoryCard.all(tree).map(\.finding)
    }
  }

  /// The check of the kernel messages. Other checks do not wait for this one, because reading the
  /// journal from a slow card can take longer than all other checks together.
  private var kernel: Examination.Part {
    Examination.Part(
      or: .ok(.kernel, "the journal did not respond in time: 'journalctl -k -b' shows the messages")
    ) { [tree, journal] in
      do {
        return KernelLog(try await journal.kernelLines()).findings(AdapterHardware.all(tree))
      } catch {
        return [.ok(.kernel, "not checked: \(Complaint(explaining: error).message)")]
      }
    }
  }

  private static func abilities(_ user: UserRights) -> HostController.Abilities? {
    HostController.hasSockets
      ? HostController.Abilities(user.capabilities, hasSockets: true) : nil
  }

  private var folder: Examination.Part {
    .onThread(
      or: .fault(
        .store, "the disk of \(store) does not respond",
        remedy: "see 'sudo dmesg' for disk errors, or check the network connection of the disk")
    ) { [store] in StoreFolder(of: store).findings }
  }

  private var disk: Examination.Part {
    .onThread(
      or: .warning(
        .disk, "the file system of \(store) is unknown", remedy: "see the output of 'findmnt'")
    ) { [tree, store] in
      MountedDisk(ofStore: store, tree).map { [$0.finding] } ?? []
    }
  }

  private var sharing: Examination.Part {
    Examination.Part(
      or: .warning(
        .sharing, "the broker did not respond in time",
        remedy: "check the network, and 'broker' in [sharing] of the configuration")
    ) { [configuration, isOffline] in
      guard !isOffline, let path = configuration, WholeFile.text(path) != nil else { return [] }
      let reading = ConfigurationReading(path)
      guard reading.faults.isEmpty else { return [] }
      return await SharingTest(reading.configuration).map { [$0.finding] } ?? []
    }
  }

  private var destinations: Examination.Part {
    let silence = Finding.warning(
      .destination, "the destinations are unknown because the store cannot be read",
      remedy: "see the findings about the store")
    return Examination.Part(or: silence) { [store, isOffline] in
      guard !isOffline else { return [.ok(.destination, "not tested, because of --offline")] }
      let stored = await Examination.onThread { () -> [StoredDestination]? in
        guard StoreReader.exists(at: store) else { return [] }
        return try? StoreReader(path: store).destinations()
      }
      guard let known = stored ?? nil else { return [silence] }
      guard !known.isEmpty else { return [.ok(.destination, "no destinations")] }
      return await Examination(
        parts: known.map { stored in
          let name = stored.name ?? ""
          return Examination.Part(
            or: .warning(
              .destination, "\(name) did not respond in time",
              remedy:
                "test it separately with 'footbridge destination test \(ShellText.quoted(name))'")
          ) { [await DestinationTest(stored).finding] }
        }
      ).findings(within: Self.patienceWithDestinations)
    }
  }
}
