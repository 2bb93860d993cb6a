internal import DBus
internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// The steps after the configuration is written: the destination, and the service.
struct SetupEnd {
  /// The configuration as it was written.
  let configuration: GatewayConfiguration
  /// The destination to add.
  let newDestination: NewDestination?
  /// The person to ask; `nil` to ask nobody.
  let people: Questioner?
  /// Whether the service is enabled without a question.
  let enables: Bool
  let console: Console

  /// Runs the steps. A failure is reported, and the configuration stays.
  func run() async throws -> ExitStatus {
    let tree = SystemTree()
    let user = UserRights(tree)
    // The service creates its folder at its first start, with the rights of its own user.
    let isServiceDone = try await service(tree, user)
    let isDestinationDone = try await destination(tree, user)
    return isServiceDone && isDestinationDone ? .ok : .failed
  }

  // MARK: The destination

  private func destination(_ tree: SystemTree, _ user: UserRights) async throws -> Bool {
    guard let newDestination else { return true }
    let arguments = newDestination.arguments(store: configuration.store)
    var words = [ThisProcess.program] + arguments
    var command = ShellText.list([Version.program] + arguments)
    // A store that root creates is closed to the user who records.
    if user.id == 0, let owner = StoreOwner(of: configuration.store, tree), owner.id != 0 {
      command = owner.command([Version.program] + arguments)
      guard owner.hasFolder else {
        return tell(
          "the folder of \(configuration.store) does not exist yet",
          "when the service has started once, run: " + command)
      }
      words = ["runuser", "-u", owner.name, "--"] + words
    }
    let status = try await perform(words)
    return status == 0 ? true : tell("the destination is not added yet", "run: " + command)
  }

  // MARK: The service

  private func service(_ tree: SystemTree, _ user: UserRights) async throws -> Bool {
    let states = await SystemdUnits([ServiceUnit.name], on: .system)
    let unit = ServiceUnit(tree, states)
    guard let state = unit.unit, state.start != nil else {
      let why =
        unit.isInstalled ? "systemd does not answer here" : "\(ServiceUnit.name) is not installed"
      if enables { return tell(why, "start the gateway with 'footbridge run'") }
      console.notice("service not enabled", ["reason": why, "remedy": "footbridge run"])
      return true
    }
    let isEnabled = state.start?.hasPrefix("enabled") ?? false
    let words =
      state.activity == "active" && isEnabled
      ? ["systemctl", "reload", ServiceUnit.name]
      : ["systemctl", "enable", "--now", ServiceUnit.name]
    if !enables {
      guard let people else { return true }
      let question =
        words[1] == "reload"
        ? "Let the running service read it?" : "Enable the service, and start it now?"
      // The configuration is written, so the end of the input only means no.
      guard (try? people.confirm(question)) ?? false else { return true }
    }
    let status = try await perform(words)
    return status == 0
      ? true : tell("the service was not started", "run: sudo \(ShellText.list(words))")
  }

  // MARK: Other programs

  private func perform(_ words: [String]) async throws -> Int32 {
    console.detail("running", ["program": words.joined(separator: " ")])
    do throws(SystemError) {
      let child = try ChildProcess(words[0], Array(words.dropFirst()), as: .command)
      return await child.end()
    } catch {
      let complaint = Complaint(explaining: error)
      console.complain(complaint)
      return 1
    }
  }

  private func tell(_ message: String, _ remedy: String) -> Bool {
    console.complain(Complaint(message, remedy: remedy))
    return false
  }
}
