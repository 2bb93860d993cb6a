internal import MetaWearProtocol

/// Decodes bytes as a command and checks the parts of the command that boards report back.
struct CommandCheck {
  let modules: ModuleTable

  func take(_ packet: [UInt8]) {
    guard let command = Command(bytes: packet) else {
      hold(!(2...Command.maximumLength).contains(packet.count), "2 to 20 bytes form a command")
      return
    }
    hold(command.bytes == packet, "a decoded command has the same bytes")
    let meaning = command.meaning(on: modules)
    hold(meaning.command == command, "a decoded command encodes to the same bytes")
    switch meaning {
    case Logging.addTrigger(let source): Self.check(source)
    case DataProcessor.create(let function, let source):
      Self.check(function)
      Self.check(source)
    case DataProcessor.modify(_, let function): Self.check(function)
    default: break
    }
    checkMacro(command)
  }

  static func check(_ function: ProcessorFunction) {
    hold(ProcessorFunction(function.bytes) == function, "an encoded function decodes unchanged")
  }

  static func check(_ source: SignalSource) {
    var next = source.offset
    for piece in source.pieces() {
      hold((1...4).contains(piece.length), "a trigger records one to four bytes")
      hold(piece.offset == next, "each piece starts where the previous one ends")
      next += piece.length
      let trigger = Logging.addTrigger(piece)
      hold(Logging(trigger.command) == trigger, "an encoded piece decodes unchanged")
    }
    hold(next <= source.offset + source.length, "pieces stay within their value")
  }

  /// Checks that the command can be stored in a macro and in an event.
  private func checkMacro(_ command: Command) {
    let stored = Macro.record([command], runsAtBoot: false).flatMap { piece -> [UInt8] in
      switch piece {
      case .store(let bytes): bytes
      case .storeStart(let first, let second): [first, second]
      default: []
      }
    }
    hold(stored == command.bytes, "a macro stores the whole command")
    let event = Event.record(command, when: .disconnect)
    hold(
      event.dropFirst().flatMap(\.payload) == command.payload,
      "an event has the command's parameters")
  }
}
