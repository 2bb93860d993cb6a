import DBus
import LinuxSystem

/// A bus in this process with a service whose replies are chosen by the test.
final class FakeBus: Sendable {
  typealias Answer =
    @Sendable (_ member: String, _ path: String, _ arguments: [BusValue])
    -> ServedCall.Answer?

  let address: BusAddress
  private let stop: WakeUp
  private let thread: NamedThread

  /// Creates a bus with a service that owns these names. A call gets no reply if `answer` returns
  /// `nil`.
  init(_ names: [String], answer: @escaping Answer) throws {
    let address = BusAddress.inProcess(InProcessBus())
    self.address = address
    let stop = try WakeUp()
    self.stop = stop
    let connection = try BusConnection(address)
    for name in names { try connection.own(name) }
    let handOver = HandOver(connection)
    thread = try NamedThread("fake bus") {
      guard let connection = handOver.take() else { return }
      while true {
        while let message = connection.next() {
          guard message.kind == .call else { continue }
          switch answer(message.member, message.path, message.arguments()) {
          case .values(let values): connection.send(message.reply(values))
          case .refusal(let name, let text):
            connection.send(message.failure(name: name, message: text))
          case nil: break
          }
        }
        var polls = PollSet()
        polls.add(connection.descriptor)
        let stopped = polls.add(stop.number)
        polls.wait(seconds: nil)
        if polls.isReady(stopped) { return }
      }
    }
  }

  deinit {
    stop.ring()
    thread.join()
  }
}
