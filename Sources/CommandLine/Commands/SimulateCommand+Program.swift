internal import Glibc
internal import LinuxSystem
internal import Simulation
internal import Terminal
internal import Values

/// `footbridge simulate -- COMMAND`: simulates a world for one program. The program inherits the
/// standard streams and the terminal, and its exit status is returned.
extension SimulateCommand {
  func run(
    _ program: String, _ arguments: [String], _ console: Console
  ) async throws -> ExitStatus {
    let relay = SignalRelay(console)
    defer { relay.end() }
    let world = try self.world()
    defer { world.stop() }
    let environment = Dictionary(uniqueKeysWithValues: variables(of: world))
    let start: SignalRelay.Start
    do {
      start = try relay.start {
        try ChildProcess(program, arguments, as: .command, environment: environment)
      }
    } catch let error as SystemError {
      throw Self.complaint(about: program, error)
    }
    switch start {
    case .prevented(let signal): return .ofProgram(128 + signal)
    case .started(let child):
      let status = await child.end()
      relay.end()
      Self.tellComplaints(of: world, console)
      return .ofProgram(status)
    }
  }

  /// Explains why a program could not start. As in shells, the exit status is 127 if the program
  /// was not found, and 126 otherwise.
  private static func complaint(about program: String, _ error: SystemError) -> Complaint {
    let word = ShellText.quoted(program)
    let remedy =
      switch error.number {
      case ENOENT where program.contains("/"):
        "check that the file exists, and that the interpreter in its first line exists"
      case ENOENT: "install the program, or give its path: no folder in PATH contains it"
      case EACCES: "make it executable with 'chmod +x \(word)', or give another program"
      case ENOEXEC: "add a first line like #!/bin/sh, or use '-- sh \(word)'"
      default: error.remedy
      }
    return Complaint(
      "cannot start \(word): \(error.reason)", remedy: remedy,
      status: .ofProgram(error.number == ENOENT ? 127 : 126))
  }
}
