internal import DBus

/// A method call that the simulated daemon answers now or later.
final class DaemonCall {
  let path: String
  let interface: String
  let member: String
  let sender: String
  let arguments: [BusValue]
  private let message: Message

  init(_ message: consuming Message) {
    path = message.path
    interface = message.interface
    member = message.member
    sender = message.sender
    arguments = message.arguments()
    self.message = message
  }

  var signature: String { arguments.map(\.signature).joined() }

  func answer(_ values: [BusValue] = [], on connection: BusConnection) {
    if message.wantsReply { connection.send(message.reply(values)) }
  }

  func refuse(_ error: DaemonError, on connection: BusConnection) {
    if message.wantsReply {
      connection.send(message.failure(name: error.name, message: error.message))
    }
  }
}
