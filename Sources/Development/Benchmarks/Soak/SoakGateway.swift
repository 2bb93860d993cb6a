internal import Gateway
internal import Glibc
internal import LinuxSystem
internal import Values

/// The gateway under test in a soak: the production program in its own process, observed from
/// outside.
final class SoakGateway: Sendable {
  /// Seconds to wait for a reply from the gateway.
  private static let patience = 5.0

  private let program: String
  private let configuration: String
  private let environment: [String: String]
  private let child: ChildProcess

  /// Starts the gateway and appends its log to a file.
  init(
    _ program: String, configuration: String, environment: [String: String], log: String
  ) throws(SystemError) {
    self.program = program
    self.configuration = configuration
    self.environment = environment
    let errors = try OwnedDescriptor.open(log, flags: O_WRONLY | O_CREAT | O_APPEND, mode: 0o600)
    // If the soak runs under 'nohup', it ignores SIGHUP, and its children would inherit this
    // setting.
    child = try ChildProcess(
      "env", ["--default-signal=HUP", program, "run", "--config", configuration],
      environment: environment,
      inheriting: [(errors.number, STDERR_FILENO)])
  }

  /// The status as printed by `footbridge status`; `nil` if the gateway does not respond.
  func status() -> GatewayStatus? {
    guard let output = try? ChildOutput(),
      let nowhere = try? OwnedDescriptor.open("/dev/null", flags: O_WRONLY),
      let asking = try? ChildProcess(
        program, ["status", "--json", "--config", configuration], environment: environment,
        inheriting: [
          (output.writing.number, STDOUT_FILENO), (nowhere.number, STDERR_FILENO),
        ])
    else { return nil }
    defer { asking.kill() }
    guard let line = output.closeWriting().firstLine(seconds: Self.patience),
      let json = try? JSON(parsing: Array(line.utf8))
    else { return nil }
    return GatewayStatus(json: json)
  }

  func reload() { child.signal(SIGHUP) }

  /// Stops the gateway like a service manager, and returns its exit status.
  func end() async -> Int32 {
    child.signal(SIGTERM)
    return await child.end()
  }

  /// The gateway's anonymous memory in bytes and its open descriptors; `nil` if it has exited.
  var resources: (memory: Int, descriptors: Int)? {
    guard let memory = MeasuredProcess.anonymousBytes(of: child.id),
      let names = try? Folder.names(in: "/proc/\(child.id)/fd")
    else { return nil }
    return (memory, names.count)
  }
}
