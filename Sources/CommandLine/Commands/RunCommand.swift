internal import Gateway
internal import HTTPServer
internal import LinuxSystem
internal import Positioning
internal import Storage
internal import Values

/// `footbridge run`: the gateway as a service, by its configuration file.
struct RunCommand: Verb {
  /// The configuration file.
  var configuration: ConfigurationLocation

  /// Its options.
  static let options: [Option<RunCommand>] = [.config(sets: \.configuration)]

  static let definition = CommandDefinition<RunCommand>(
    name: "run", summary: "run the gateway as a service, by its configuration file",
    discussion: """
      Records the boards of the configuration file when it says so, uploads to the \
      destinations of the store, and publishes the position if that is asked for. Each part \
      works by itself: a receiver that is lost or a destination that does not answer never \
      ends a recording. A recording that fails is begun again within seconds.

      SIGTERM and Ctrl-C close the session and end the program within seconds. SIGHUP reads \
      the configuration again; a file with faults changes nothing, and the log names them. \
      'footbridge status' shows how it works, 'footbridge start' and 'footbridge stop' begin \
      and end a recording by hand.
      """,
    initial: { RunCommand(configuration: ConfigurationLocation(environment: $0)) },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    let configuration = try read()
    let present = Guarded(configuration)
    let plan = try plan(configuration)
    note(configuration.boards, in: configuration.store, console)
    let daemon = GatewayDaemon(
      plan, version: Version.number, ServiceManager(),
      DaemonVoice(agent: Version.agent, log: { console.report($0) }) { error in
        let complaint = Complaint(explaining: error)
        return (complaint.message, complaint.remedy)
      })
    let server = try configuration.statusSocket.map { path in
      try Self.explained("socket") { () throws(SystemError) in
        try StatusServer(at: path) { Self.answer($0, of: daemon) }
      }
    }
    defer { server?.stop() }
    let metrics = try configuration.prometheus.map { address in
      try Self.explained("prometheus") { () throws(SystemError) in
        try HTTPServer(
          at: address, identity: nil, handler: MetricsHandler { daemon.status.metrics })
      }
    }
    defer { metrics?.stop() }
    let signals = Signals(console) {
      self.reload(daemon, present, console)
    }
    console.notice(
      "running",
      [
        "version": Version.number, "configuration": self.configuration.path,
        "store": configuration.store,
      ])
    let watch = Task {
      await signals.wait()
      if signals.status != .ok { daemon.stop() }
    }
    await daemon.run()
    watch.cancel()
    console.notice("stopped")
    // A service that was asked to end has done as asked.
    return .ok
  }

  private func read() throws(Complaint) -> GatewayConfiguration {
    do throws(ConfigurationFaults) {
      return try GatewayConfiguration.read(configuration.path)
    } catch {
      throw error.complaint
    }
  }

  private func plan(_ configuration: GatewayConfiguration) throws(Complaint) -> DaemonPlan {
    if let obstacle = configuration.receiver?.obstacle {
      throw Complaint(obstacle.message, remedy: obstacle.remedy)
    }
    do throws(SystemError) {
      try Folder.make(forFile: configuration.store, isPrivate: true)
    } catch {
      throw Complaint(explaining: error)
    }
    return configuration.daemonPlan
  }

  /// Notes names and placements of the boards in the store, from where sessions take them.
  private func note(_ boards: [ConfiguredBoard], in store: String, _ console: Console) {
    do {
      let register = try BoardRegister(path: store)
      let known = Set(try register.boards().map(\.address))
      for board in boards where known.contains(board.address) {
        _ = try register.change(board.address, name: board.name, placement: board.placement)
      }
      for board in boards where !known.contains(board.address) {
        try register.remember(
          StoredBoard(
            address: board.address, name: board.name, placement: board.placement ?? "", model: "",
            firmware: "", added: BootClock.systemTime(), lastSeen: nil))
      }
    } catch {
      let complaint = Complaint(explaining: error)
      console.warning(
        "boards not noted", ["reason": complaint.message, "remedy": complaint.remedy])
    }
  }

  /// Reads the configuration again, at SIGHUP.
  private func reload(
    _ daemon: GatewayDaemon, _ present: Guarded<GatewayConfiguration>, _ console: Console
  ) {
    do throws(Complaint) {
      let next = try read()
      let plan = try plan(next)
      let last = present.withLock { present in
        defer { present = next }
        return present
      }
      note(next.boards, in: next.store, console)
      let keepsRecording = next.recordingPart == last.recordingPart
      daemon.take(plan, keepsRecording: keepsRecording)
      console.notice(
        "configuration read again", ["recording": keepsRecording ? "goes on" : "begins again"])
      if next.statusSocket != last.statusSocket || next.prometheus != last.prometheus {
        console.warning(
          "status stays where it is", ["remedy": "start the service again to move it"])
      }
    } catch {
      console.warning(
        "configuration not read", ["reason": error.message, "remedy": error.remedy])
    }
  }

  /// The answer to a request at the status socket.
  private static func answer(_ request: String, of daemon: GatewayDaemon) -> String {
    switch request {
    case "status": return daemon.status.json.text + "\n"
    case "start", "stop":
      if let command = RecordingWish.Command(rawValue: request) { daemon.take(command) }
      return JSONValue.object([.init("done", .bool(true))]).text + "\n"
    default:
      return JSONValue.object([.init("error", .string("unknown request"))]).text + "\n"
    }
  }

  private static func explained<Value>(
    _ key: String, _ body: () throws(SystemError) -> Value
  ) throws(Complaint) -> Value {
    do {
      return try body()
    } catch {
      throw Complaint(
        "\(error)",
        remedy: error.isAddressTaken
          ? "another 'footbridge run' works already: end it, or give another '\(key)' in [status]"
          : "give another '\(key)' in [status]")
    }
  }
}

extension GatewayConfiguration {
  /// The part that a recording under way depends on.
  var recordingPart: GatewayConfiguration {
    var part = self
    let standard = GatewayConfiguration()
    part.recordingTime = standard.recordingTime
    part.hours = standard.hours
    part.sessionHours = standard.sessionHours
    part.sealMinutes = standard.sealMinutes
    part.destinations = standard.destinations
    part.uploadTime = standard.uploadTime
    part.statusSocket = standard.statusSocket
    part.prometheus = standard.prometheus
    return part
  }

  /// The plan of the daemon.
  var daemonPlan: DaemonPlan {
    var recording = RecordingPlan(
      adapters: adapters, boards: .addresses(boards.map(\.address)), sensors: sensors, pace: pace,
      receiver: receiver, store: store, scanSeconds: Self.scanSeconds, note: note ?? "")
    for board in boards {
      recording.names[board.address] = board.name
      recording.placements[board.address] = board.placement
    }
    recording.speedMemory = store + "-receivers"
    recording.sealSeconds = sealMinutes * 60
    recording.wearer = wearer ?? ""
    recording.gateway = gateway ?? ThisComputer.name
    for hazard in hazards { recording.hazards[hazard.name] = hazard.intensity }
    var plan = DaemonPlan(recording, store: store)
    plan.rule =
      switch recordingTime {
      case .always: .always
      case .hours: hours.map { .hours($0) } ?? .always
      case .command: .command
      }
    plan.sessionSeconds = Double(sessionHours) * 3_600
    plan.uploads =
      switch uploadTime {
      case .always: .always
      case .never: .never
      case .notRecording: .notRecording
      }
    plan.destinations = destinations
    plan.liveLocation = liveLocation
    return plan
  }

  /// Seconds for which the boards in reach wait for those that are not.
  private static let scanSeconds = 15.0
}
