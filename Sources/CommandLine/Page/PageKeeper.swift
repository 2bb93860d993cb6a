internal import LinuxSystem
internal import Terminal
internal import Values

/// Serves a gateway's page, and retries until the page's address becomes available. A page failure
/// never prevents the gateway from recording.
final class PageKeeper: Sendable {
  private struct State: Sendable {
    var server: PageServer?
    var fault: Complaint?
  }

  /// Seconds between two attempts to serve the page.
  private static let pause = 10.0

  private let make: @Sendable () throws -> PageServer
  private let console: Console
  private let noted: @Sendable (Complaint?) -> Void
  private let state = Guarded(State())
  private let nap = Nap()

  /// Creates a keeper that starts the server with `make`, and passes each failure to `noted`.
  init(
    _ console: Console, noted: @escaping @Sendable (Complaint?) -> Void,
    make: @escaping @Sendable () throws -> PageServer
  ) {
    self.console = console
    self.noted = noted
    self.make = make
  }

  /// `nil` if no server is running.
  var server: PageServer? { state.withLock { $0.server } }

  /// The reason why the server is not running.
  var fault: Complaint? { state.withLock { $0.fault } }

  /// Serves the page as soon as possible. Returns after `stop` is called.
  func keep() async {
    while !nap.isOver {
      if server == nil { open() }
      await nap.seconds(Self.pause)
    }
    state.withLock { $0.server.take() }?.stop()
  }

  func stop() { nap.end() }

  private func open() {
    do {
      let server = try make()
      state.withLock { $0 = State(server: server) }
      noted(nil)
      if let fault = server.lostPhones {
        console.warning(
          "phones no longer paired", ["reason": fault.message, "remedy": fault.remedy])
      }
      console.notice("page served", ["at": server.place])
    } catch {
      let complaint = Complaint(explaining: error)
      noted(complaint)
      let isNew = state.withLock { state in
        defer { state.fault = complaint }
        return state.fault != complaint
      }
      guard isNew else { return }
      console.warning(
        "page not served", ["reason": complaint.message, "remedy": complaint.remedy])
    }
  }
}
