internal import LinuxSystem
internal import Terminal
internal import Values
internal import Web

/// A page that a command serves in a terminal, with its PINs on standard output.
struct ServedPage: Sendable {
  private let door: PageDoor
  private let server: PageServer

  init(
    _ content: any PageContent, _ settings: PageSettings, store: String, command: String,
    _ role: AccessRole, _ reportsJSON: Bool, _ console: Console
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
      content, settings, store: store, command: command, paired: { door.greet($0) },
      wronged: { wrong in
        let minutes = wrong.left == 0 ? door.shut(isUsedUp: wrong.isUsedUp) : nil
        console.warn(
          of: wrong,
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
  /// Tells that somebody tried a wrong PIN, and when the right one is void.
  func warn(of wrong: WrongPIN, remedy: String?) {
    warning(
      "a wrong PIN was tried",
      [
        "from": "\(wrong.client)", "left": "\(wrong.left)",
        "remedy": "if that was none of yours, see who is near",
      ])
    guard wrong.left == 0 else { return }
    warning(
      "the PIN is void",
      [
        "reason": "\(Pairing.Limits().wrongTries) wrong ones were tried",
        "remedy": remedy ?? "make another with 'footbridge web pair'",
      ])
  }
}
