import DBus
import LinuxSystem

/// A service that answers a call with the call's own arguments. It never replies to `Ignore`,
/// replies to `Refuse` with an error, and sends the arguments of `Announce` as a signal.
final class EchoService: Sendable {
  static let name = "org.example.Echo"
  private let thread: NamedThread
  private let mailbox: Mailbox<Void>

  init(_ address: String) throws {
    let mailbox = try Mailbox<Void>()
    let ready = try WakeUp()
    self.mailbox = mailbox
    thread = try NamedThread("echo") {
      guard let connection = try? BusConnection(.at(address)),
        (try? connection.own(EchoService.name)) != nil
      else { return }
      ready.ring()
      var polls = PollSet()
      while mailbox.takeAll().isEmpty {
        connection.transfer()
        while let message = connection.next() { Self.answer(message, on: connection) }
        polls.removeAll()
        polls.add(connection.descriptor, forWriting: connection.hasOutgoing)
        polls.add(mailbox.bell.number)
        polls.wait(seconds: 1)
      }
    }
    var polls = PollSet()
    let position = polls.add(ready.number)
    while !polls.isReadable(position) { polls.wait(seconds: 10) }
  }

  deinit {
    _ = mailbox.post(())
    thread.join()
  }

  private static func answer(_ message: borrowing Message, on connection: BusConnection) {
    guard case .call = message.kind else { return }
    switch message.member {
    case "Ignore": break
    case "Refuse":
      connection.send(message.failure(name: "org.example.Error.No", message: "not today"))
    case "Announce":
      connection.send(
        Message(
          BusSignal(
            "Announced", from: "/echo", of: "org.example.Echo", message.arguments())))
      connection.send(message.reply())
    default: connection.send(message.reply(message.arguments()))
    }
  }
}
