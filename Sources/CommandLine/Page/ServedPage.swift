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
    server = try PageServer(
      content, settings, store: store, paired: { door.greet($0) },
      wronged: { left in
        let minutes = left == 0 ? door.shut() : nil
        console.warnOfWrongPIN(
          left: left,
          remedy: minutes.map {
            "the next PIN comes in \($0) minutes; to pair a phone now, begin the command again"
          })
      })
    door.open(server)
  }

  /// Ends it.
  func stop() {
    door.close()
    server.stop()
  }
}

extension Console {
  /// Tells that somebody tried a wrong PIN: the first time, and when the right one is void.
  func warnOfWrongPIN(left: Int, remedy: String?) {
    switch left {
    case 0:
      warning(
        "the PIN is void",
        [
          "reason": "\(Pairing.Limits().wrongTries) wrong ones were tried",
          "remedy": remedy ?? "make another with 'footbridge web pair'",
        ])
    case Pairing.Limits().wrongTries - 1:
      warning("a wrong PIN was tried", ["remedy": "if that was none of yours, see who is near"])
    default: break
    }
  }
}
