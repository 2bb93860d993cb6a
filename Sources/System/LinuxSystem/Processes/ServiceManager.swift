internal import CLinux
internal import Glibc

/// The service manager that started this process, such as systemd, and waits to hear how it does
/// (`sd_notify(3)`).
///
/// Messages are sent without waiting. Without a manager they go nowhere.
public struct ServiceManager: Sendable {
  /// A message to the manager.
  public enum Message: Hashable, Sendable {
    /// The start, or a reload, is over.
    case ready
    /// The configuration is being read again.
    case reloading
    /// The end has begun.
    case stopping
    /// The process does its work; without this message the manager ends it.
    case watchdog
    /// How it does, in a sentence.
    case status(String)
  }

  /// Seconds without `Message.watchdog` after which the manager ends the process; `nil` if it does
  /// not.
  public let watchdogSeconds: Double?
  private let socket: String?

  /// The manager that the environment names, if it names one.
  public init(environment: [String: String] = Environment.variables) {
    socket = environment["NOTIFY_SOCKET"].flatMap {
      $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil
    }
    // The variable is inherited by children, for which it is not meant.
    let isMeant = environment["WATCHDOG_PID"].map { $0 == "\(ThisProcess.id)" } ?? true
    watchdogSeconds =
      isMeant
      ? environment["WATCHDOG_USEC"].flatMap(Double.init).flatMap { $0 > 0 ? $0 / 1e6 : nil } : nil
  }

  /// Sends a message.
  public func tell(_ message: Message) {
    guard let socket else { return }
    _ = unsafe clinux_tell(socket, Self.text(of: message))
  }

  private static func text(of message: Message) -> String {
    switch message {
    case .ready: "READY=1"
    case .reloading:
      // The manager matches the message with its own request by this clock.
      "RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())"
    case .stopping: "STOPPING=1"
    case .watchdog: "WATCHDOG=1"
    case .status(let text): "STATUS=" + text.replacing("\n", with: " ")
    }
  }

  private static func monotonicMicroseconds() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
