internal import LinuxSystem
internal import Values
internal import WebAccess
internal import WebServer

/// A page that a command serves in a terminal, with its PINs on standard output.
struct ServedPage: Sendable {
  private let door: PageDoor
  private let server: PageServer

  init(
    _ content: any PageContent, _ settings: PageSettings, store: String, _ role: AccessRole,
    _ reportsJSON: Bool, _ console: Console
  ) throws {
    let door = PageDoor(role) { invitation, guest in
      // Whoever reads the output may be gone; the page stays.
      try? console.print(
        reportsJSON
          ? invitation.json.text
          : invitation.text(after: guest, withCode: console.isTerminal))
    }
    self.door = door
    server = try PageServer(content, settings, store: store) { door.greet($0) }
    door.open(server)
  }

  /// Ends it.
  func stop() {
    door.close()
    server.stop()
  }
}
