internal import DBus
internal import Gateway
internal import LinuxSystem
internal import Terminal
internal import Values

/// Performs the last steps of a setup, after the configuration is written: adding the destination
/// and enabling the service.
struct SetupEnd {
  let configuration: GatewayConfiguration
  let location: ConfigurationLocation
  let newDestination: NewDestination?
  /// Asks the user questions; `nil` to ask none.
  let people: Questioner?
  /// Whether to enable the service without asking.
  let enables: Bool
  let console: Console

  /// Runs the steps. If a step fails, the failure is reported, and the configuration is kept.
  func run() async throws -> ExitStatus {
    let tree = SystemTree()
    let user = UserRights(tree)
    // The service is started first, because its first start creates the store's folder with the
    // service user's permissions.
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
    // If root created the store, the folder's owner could not open it. So the command runs as the
    // owner.
    if user.id == 0, let owner = StoreOwner(of: configuration.store, tree), owner.id != 0 {
      command = owner.command([Version.program] + arguments)
      guard owner.hasFolder else {
        return tell(
          "the folder of \(configuration.store) does not exist yet",
          "after the service has started once, run: " + command)
      }
      words = ["runuser", "-u", owner.name, "--"] + words
    }
    let status = try await perform(words)
    return status == 0 ? true : tell("the destination was not added", "run: " + command)
  }

  // MARK: The service

  private func service(_ tree: SystemTree, _ user: UserRights) async throws -> Bool {
    let states = await SystemdUnits([ServiceUnit.name], on: .system)
    let unit = ServiceUnit(tree, states)
    guard let state = unit.unit, state.start != nil else {
      let run = "footbridge run" + location.option
      let why =
        unit.isInstalled ? "systemd does not respond" : "\(ServiceUnit.name) is not installed"
      if enables { return tell(why, "start the gateway with '\(run)'") }
      console.notice("service not enabled", ["reason": why, "remedy": run])
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
        ? "Should the running service reload the configuration?"
        : "Enable the service and start it now?"
      // The configuration is already written, so the end of the input is treated as the answer
      // 'no'.
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
