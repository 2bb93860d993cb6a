internal import LinuxSystem
internal import Terminal
internal import Values
internal import Web

/// A page that is served by a command running in a terminal. The PINs are printed on standard
/// output.
struct ServedPage: Sendable {
  private let door: PageDoor
  private let server: PageServer

  init(
    _ content: any PageContent, _ settings: PageSettings, store: String, command: String,
    _ role: AccessRole, _ reportsJSON: Bool, _ console: Console
  ) throws {
    let door = PageDoor(role) { invitation, guest in
      // The page stays available even if nobody is reading the output any longer.
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
            "the next PIN appears in \($0) minutes; to pair a phone now, restart the command"
          })
      })
    door.open(server)
  }

  func stop() {
    door.close()
    server.stop()
  }
}

extension Console {
  /// Warns about a wrong PIN. Also warns if too many wrong PINs have invalidated the current PIN.
  func warn(of wrong: WrongPIN, remedy: String?) {
    warning(
      "a wrong PIN was tried",
      [
        "from": "\(wrong.client)", "left": "\(wrong.left)",
        "remedy": "if none of your phones did this, check who is nearby",
      ])
    guard wrong.left == 0 else { return }
    warning(
      "the PIN is void",
      [
        "reason": "too many wrong PINs were tried",
        "remedy": remedy ?? "create another with 'footbridge web pair'",
      ])
  }
}
