internal import Gateway
internal import HTTPServer
internal import LinuxSystem
internal import Positioning
internal import Storage
internal import Terminal
internal import Values
internal import Web

/// `footbridge run`: runs the gateway as a service, controlled by its configuration file.
struct RunCommand: Verb {
  var configuration: ConfigurationLocation
  /// Whether the gateway runs in a simulation.
  var isSimulated = false

  static let options: [Option<RunCommand>] = [.config(sets: \.configuration)]

  static let definition = CommandDefinition<RunCommand>(
    name: "run", summary: "run the gateway as a service, with its configuration file",
    discussion: """
      Records boards as the configuration file says, uploads to the destinations of the store, and \
      publishes the position if requested. Each part works independently: a lost receiver or a \
      destination that does not respond never ends a recording. A recording that fails is \
      restarted within seconds.

      SIGTERM and Ctrl-C close the session and end the program within seconds. SIGHUP reloads \
      the configuration; an invalid file changes nothing, and the status and the log report its \
      faults. 'footbridge status' shows the state, and 'footbridge start' and \
      'footbridge stop' start and stop a recording manually.
      """,
    initial: {
      RunCommand(
        configuration: ConfigurationLocation(environment: $0),
        isSimulated: $0[StoreLocation.simulationVariable] != nil)
    },
    options: options)

  func run(_ console: Console) async throws -> ExitStatus {
    ThisProcess.returnMemory()
    guard !isSimulated || configuration.isNamed else {
      throw Complaint(
        "the gateway on this computer does not use simulated boards",
        remedy: "give another configuration with --config FILE or in "
          + ConfigurationLocation.variable, status: .usage)
    }
    let (configuration, definitions) = try read(console)
    let present = Guarded(configuration)
    let running = Guarded<GatewayDaemon?>(nil)
    if let obstacle = configuration.recording.receiver?.obstacle {
      // An unusable receiver does not prevent recording, because samples without positions are
      // better than no samples. The status reports the receiver's problem.
      console.warning(
        "receiver cannot be used",
        [
          "reason": TerminalText.harmless(obstacle.message),
          "remedy": TerminalText.harmless(obstacle.remedy),
        ])
    }
    try makeFolder(of: configuration.store)
    let daemon = GatewayDaemon(
      configuration.plan, version: Version.number, ServiceManager(),
      DaemonReporter(agent: Version.agent, log: { console.report($0) }) { error in
        let complaint = Complaint(explaining: error)
        return (complaint.message, complaint.remedy)
      },
      definitions: DaemonDefinitions(
        content: definitions, agent: Version.agent,
        check: { bytes throws(Definitions.Fault) in _ = try Definitions(parsing: bytes) },
        apply: {
          guard let daemon = running.withLock({ $0 }) else { return }
          self.reload(daemon, present, console)
        }))
    if let disk = MountedDisk(ofStore: configuration.store, SystemTree()),
      disk.isLayerInMemory == true
    {
      daemon.note(volatileStore: (disk.finding.text, disk.finding.remedy))
    }
    running.withLock { $0 = daemon }
    defer { running.withLock { $0 = nil } }
    if configuration.pageAddress != nil {
      PageLook.check(
        map: configuration.page.tiles, routes: configuration.page.routes, console)
    }
    let page = configuration.pageAddress.map { address in
      PageKeeper(
        console, noted: { daemon.note(missingPage: $0.map { ($0.message, $0.remedy) }) }
      ) { [file = self.configuration.path] in
        try Self.page(at: address, of: daemon, configuration, file, console)
      }
    }
    // A reload may hold the lock on the configuration for a while. Users' commands wait for this
    // lock on a separate thread, so status requests are still answered immediately.
    let desk = ErrandDesk { $0.answer(in: present.withLock { $0.store }, console) }
    let server = try configuration.statusSocket.map { path in
      try Self.explained("socket") { () throws(SystemError) in
        try StatusServer(at: path) { request, reply in
          guard let errand = GatewayErrand(request) else {
            return reply(Self.answer(request, of: daemon, page))
          }
          desk.take(errand, reply)
        }
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
      if signals.status != .ok {
        page?.stop()
        daemon.stop()
      }
    }
    let serving = Task { await page?.keep() }
    await daemon.run()
    page?.stop()
    await serving.value
    watch.cancel()
    console.notice("stopped")
    // A service that is stopped on request has succeeded, so the exit status is 0.
    return .ok
  }

  /// Reads the configuration, and fills in missing keys from the definitions in its store. Also
  /// returns the text of these definitions.
  private func read(
    _ console: Console
  ) throws(Complaint) -> (configuration: GatewayConfiguration, definitions: String?) {
    let file = ConfigurationReading(configuration.path)
    if let faults = ConfigurationFaults(file.faults) { throw faults.complaint }
    let pulled = PulledDefinitions.read(store: file.configuration.store, console)
    return (file.over(pulled).configuration, pulled?.stored.content)
  }

  private func makeFolder(of store: String) throws(Complaint) {
    try StoreOwner.checkMaking(store)
    do throws(SystemError) {
      try Folder.make(forFile: store, isPrivate: true)
    } catch {
      throw Complaint(explaining: error)
    }
  }

  /// Rereads the configuration after SIGHUP, or after a pull of new definitions.
  private func reload(
    _ daemon: GatewayDaemon, _ present: Guarded<GatewayConfiguration>, _ console: Console
  ) {
    // Reloads run one at a time, so the last one to read the file determines the configuration.
    present.withLock { present in
      do throws(Complaint) {
        let next = try read(console).configuration
        // A configuration with an unusable receiver is rejected, because the current configuration
        // may have a receiver that still works.
        if let obstacle = next.recording.receiver?.obstacle {
          throw Complaint(obstacle.message, remedy: obstacle.remedy)
        }
        try makeFolder(of: next.store)
        let parts = next.parts(changedSince: present)
        present = next
        let keepsRecording = !parts.contains(.recording)
        daemon.take(next.plan, keepsRecording: keepsRecording)
        console.notice(
          "configuration reloaded", ["recording": keepsRecording ? "continues" : "restarts"])
        if parts.contains(.status) {
          console.warning(
            "status settings not applied", ["remedy": "restart the service to apply them"])
        }
        if parts.contains(.page) {
          console.warning(
            "page settings not applied", ["remedy": "restart the service to apply them"])
        }
      } catch {
        daemon.refuseConfiguration(error.message, remedy: error.remedy)
        console.warning(
          "configuration not reloaded", ["reason": error.message, "remedy": error.remedy])
      }
    }
  }

  /// Returns the response to a request on the status socket.
  private static func answer(
    _ request: String, of daemon: GatewayDaemon, _ page: PageKeeper?
  ) -> String {
    let (command, times, members) = RequestTimes.parting(request)
    if times?.isOver(at: BootClock.now()) == true { return RequestTimes.tooLate.text + "\n" }
    switch command {
    case "pair look", "pair operate":
      return invitation(to: page, command == "pair look" ? .look : .operate).text + "\n"
    case "status": return daemon.status.json.text + "\n"
    case "start" where members["participant"] != nil:
      return start(members["participant"]?.text ?? "", on: daemon).text + "\n"
    case "start", "stop":
      let wasOpen = RecordingWish.Command(rawValue: command).map { daemon.take($0) } ?? false
      let answer: JSONValue = ["done": .bool(true), "wasOpen": .bool(wasOpen)]
      return answer.text + "\n"
    case "pause", "resume":
      let isDone = daemon.pause(command == "pause")
      let answer: JSONValue =
        isDone
        ? ["done": .bool(true)]
        : [
          "error": "nothing is being recorded",
          "remedy": "'footbridge status' shows what the gateway is doing",
        ]
      return answer.text + "\n"
    default:
      return JSONValue.object([.init("error", .string("unknown request"))]).text + "\n"
    }
  }

  private static func start(_ participant: String, on daemon: GatewayDaemon) -> JSONValue {
    do {
      try daemon.start(participant: participant)
      return ["done": true]
    } catch {
      let complaint = Complaint(explaining: error)
      return ["error": complaint.message.json, "remedy": complaint.remedy.json]
    }
  }

  static func invitation(to page: PageKeeper?, _ role: AccessRole) -> JSONValue {
    guard let page else {
      return [
        "error": "the gateway was started without a page",
        "remedy":
          "set 'listen' in [web], as in listen = 0.0.0.0:8080, and restart the gateway",
      ]
    }
    guard let server = page.server else {
      return [
        "error": .string(
          "the page is not available yet: \(page.fault?.message ?? "it is starting")"),
        "remedy": .string(page.fault?.remedy ?? "try again in a few seconds"),
      ]
    }
    return server.invitation(role).json
  }

  private static func page(
    at address: ListenAddress, of daemon: GatewayDaemon, _ configuration: GatewayConfiguration,
    _ file: String, _ console: Console
  ) throws -> PageServer {
    var store = StoreLocation(environment: [:])
    store.given = configuration.store
    let answers = StoreAnswers(store: store)
    let doctor = Doctor(
      store: configuration.store, source: configuration.recording.receiver, isOffline: false,
      configuration: file)
    let look = PageLook(
      answers, tiles: configuration.page.tiles, routes: configuration.page.routes, doctor: doctor)
    let content = GatewayPage(
      daemon: daemon, gateway: configuration.plan.gateway, store: answers,
      look: look)
    var settings = configuration.page
    settings.address = address
    settings.origin = "'listen' in [web]"
    return try PageServer(content, settings, store: configuration.store) {
      console.warn(of: $0, remedy: nil)
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
          ? "another gateway is already running: stop it, or set another '\(key)' in [status]"
          : "set another '\(key)' in [status]")
    }
  }
}
