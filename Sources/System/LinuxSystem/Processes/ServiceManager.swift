internal import CLinux
internal import Glibc
internal import Values

/// The service manager, such as systemd, that started this process and expects it to report its
/// state (`sd_notify(3)`).
///
/// Messages are sent without blocking. If no service manager started the process, messages are
/// discarded.
public struct ServiceManager: Sendable {
  public enum Message: Hashable, Sendable {
    /// The process has finished starting or reloading.
    case ready
    case reloading
    case stopping
    /// The process is still running normally. The manager ends a process that stops sending this
    /// message.
    case watchdog
    /// The process's state in one sentence.
    case status(String)
  }

  /// The maximum number of seconds between two `Message.watchdog` messages, after which the manager
  /// ends the process; `nil` if the manager does not monitor the process.
  public let watchdogSeconds: Double?
  private let send: @Sendable (Message) -> Void

  /// Creates a substitute for a manager. It passes messages to `send` in this process.
  public init(watchdogSeconds: Double?, _ send: @escaping @Sendable (Message) -> Void) {
    self.watchdogSeconds = watchdogSeconds
    self.send = send
  }

  /// Finds the service manager through the environment. If there is none, messages are discarded.
  public init(environment: [String: String] = Environment.variables) {
    let socket = environment["NOTIFY_SOCKET"].flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    // Child processes inherit this variable, but it applies only to the process whose id it
    // contains.
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(ThisProcess.id)" } ?? true
    let seconds = environment["WATCHDOG_USEC"].flatMap(Double.init).map { $0 / 1e6 }
    self.init(watchdogSeconds: seconds.flatMap { isMeant && $0 > 0 ? $0 : nil }) { message in
      guard let socket else { return }
      _ = unsafe clinux_tell(socket, Self.text(of: message))
    }
  }

  public func tell(_ message: Message) {
    send(message)
  }

  private static func text(of message: Message) -> String {
    switch message {
    case .ready: "READY=1"
    case .reloading:
      // The manager uses this time to match the message with its reload request.
      "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    case .status(let text): "STATUS=" + text.replacing("\n", by: " ")
    }
  }

  private static func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
