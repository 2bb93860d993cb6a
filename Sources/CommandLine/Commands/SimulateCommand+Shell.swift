internal import Glibc
internal import LinuxSystem
internal import Simulation
internal import Terminal
internal import Values

/// `footbridge simulate --shell`: simulates a world for the shell that evaluates the output.
///
/// A shell waits in `$( )` until the command has exited and every process has closed the pipe. So
/// this command starts a background process that serves the world, and then exits.
extension SimulateCommand {
  /// Starts the background process, or serves the world if this is the background process.
  func serveShell(_ console: Console) async throws -> ExitStatus {
    guard let shell = shellDescriptor else {
      return try await Self.startBackground(console)
    }
    let signals = Signals(console)
    let (ended, end) = AsyncStream<Never>.makeStream()
    let watch = try ProcessWatch(OwnedDescriptor(owning: shell)) { end.finish() }
    let world = try self.world()
    defer { world.stop() }
    for board in world.boards {
      console.notice(
        "simulated board",
        ["board": "\(board.address)", "name": board.name, "model": board.model])
    }
    console.notice("simulating", ["store": store, "end": "kill $\(Self.processVariable)"])
    // Printing fails if the parent process no longer reads the output. The simulation then ends,
    // because the parent has ended too.
    try console.print(lines(world).joined(separator: "\n"))
    try ThisProcess.closeStandardOutput()
    await signals.wait(orFor: ended)
    withExtendedLifetime(watch) {}
    Self.tellComplaints(of: world, console)
    return signals.status
  }

  /// Returns the lines for the shell to evaluate. Each line ends with a semicolon, because some
  /// shells join the lines.
  private func lines(_ world: SimulatedWorld) -> [String] {
    let process = (Self.processVariable, "\(ThisProcess.id)")
    return (variables(of: world) + [process]).map { name, value in
      "export \(name)=\(ShellText.quoted(value));"
    }
  }

  /// Starts this program again in the background with the same arguments, and forwards its output.
  /// The new process inherits a descriptor for the calling shell, to detect when the shell exits.
  private static func startBackground(_ console: Console) async throws -> ExitStatus {
    let shell = try CallingShell.find()
    let nowhere = try OwnedDescriptor.open("/dev/null", flags: O_RDWR)
    let output = try ChildOutput()
    var inherited = [
      (ours: nowhere.number, theirs: STDIN_FILENO),
      (ours: output.writing.number, theirs: STDOUT_FILENO),
    ]
    // In `$(footbridge simulate --shell 2>&1)` the shell would wait until the background process
    // closes standard error.
    if console.hasOnePlace { inherited.append((ours: nowhere.number, theirs: STDERR_FILENO)) }
    let shellPlace = STDERR_FILENO + 1
    inherited.append((ours: shell.number, theirs: shellPlace))
    let background = try ChildProcess(
      ThisProcess.program, ThisProcess.arguments, as: .background,
      environment: [Self.shellVariable: "\(shellPlace)"], inheriting: inherited)
    let lines = try await output.closeWriting().all()
    // If the background process failed, it has already printed the reason.
    guard !lines.isEmpty else { return .ofProgram(await background.end()) }
    do {
      try console.print(String(lines.dropLast()))
    } catch {
      background.signal(SIGTERM)
      throw error
    }
    return .ok
  }
}
