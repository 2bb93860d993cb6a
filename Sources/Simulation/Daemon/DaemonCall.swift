internal import DBus

/// A method call that the simulated daemon answers immediately or later.
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

  /// Creates the reply; `nil` if the caller does not expect one.
  func answer(_ values: [BusValue]) -> Message? {
    message.wantsReply ? message.reply(values) : nil
  }

  /// Creates an error reply; `nil` if the caller does not expect a reply.
  func refusal(_ error: DaemonError) -> Message? {
    message.wantsReply ? message.failure(name: error.name, message: error.message) : nil
  }
}
