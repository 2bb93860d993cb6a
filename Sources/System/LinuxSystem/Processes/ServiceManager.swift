internal import CLinux
internal import Glibc
internal import Values

/// The service manager that started this process, such as systemd, and expects reports on its state
/// (`sd_notify(3)`).
///
/// Messages are sent without waiting. Without a manager they are dropped.
public struct ServiceManager: Sendable {
  public enum Message: Hashable, Sendable {
    /// The start, or a reload, is complete.
    case ready
    /// The configuration is being read again.
    case reloading
    /// The process has begun to end.
    case stopping
    /// The process is working; without this message the manager ends it.
    case watchdog
    /// The state of the process, in a sentence.
    case status(String)
  }

  /// Seconds without `Message.watchdog` after which the manager ends the process; `nil` if it does
  /// not.
  public let watchdogSeconds: Double?
  private let send: @Sendable (Message) -> Void

  /// A manager that receives its messages in this process.
  public init(watchdogSeconds: Double?, _ send: @escaping @Sendable (Message) -> Void) {
    self.watchdogSeconds = watchdogSeconds
    self.send = send
  }

  /// The manager in the environment, if there is one.
  public init(environment: [String: String] = Environment.variables) {
    let socket = environment["NOTIFY_SOCKET"].flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    // Children inherit the variable, which is not meant for them.
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(ThisProcess.id)" } ?? true
    let seconds = environment["WATCHDOG_USEC"].flatMap(Double.init).map { $0 / 1e6 }
    self.init(watchdogSeconds: seconds.flatMap { isMeant && $0 > 0 ? $0 : nil }) { message in
      guard let socket else { return }
      _ = unsafe clinux_tell(socket, Self.text(of: message))
    }
  }

  /// Sends a message.
  public func tell(_ message: Message) {
    send(message)
  }

  private static func text(of message: Message) -> String {
    switch message {
    case .ready: "READY=1"
    case .reloading:
      // The manager matches the message with its request by this clock.
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
