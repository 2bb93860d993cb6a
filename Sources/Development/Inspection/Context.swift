internal import MetaWearProtocol

/// A command that can be explained. Each module's commands conform to this protocol in the module's
/// own file.
protocol Explained: ModuleCommand {
  /// Returns the meaning of the command for the board in `context`.
  func statement(in context: Context) -> Statement
}

/// The data needed to explain a packet: the current knowledge about the board, and the module table
/// for decoding.
struct Context {
  var board: BoardKnowledge
  let modules: ModuleTable

  /// Describes a command nested in an event or a macro.
  func nested(_ bytes: [UInt8]) -> String {
    guard let command = Command(bytes: bytes) else { return Words.hex(bytes) }
    let module = command.header.module?.name ?? "unknown module"
    for reading in board.readings(of: command.header.module) {
      if let explained = command.meaning(on: reading.modules) as? any Explained {
        let context = Context(board: board, modules: reading.modules)
        return "\(Words.hex(bytes)) (\(module): \(explained.statement(in: context).sentence))"
      }
    }
    return "\(Words.hex(bytes)) (\(module): not understood)"
  }

  /// Describes the register or resource that a value comes from.
  func name(of header: PacketHeader, index: UInt8 = SignalSource.noIndex) -> String {
    let silently = header.isSilent ? ", read silently" : ""
    switch (header.module, header.register) {
    case (.dataProcessor, 0x03):
      let function = board.processors[index].map { " (\($0.function.words))" } ?? ""
      return "processor \(index)\(function)\(silently)"
    case (.dataProcessor, 0x04): return "the state of processor \(index)\(silently)"
    case (.timer, 0x06): return "timer \(index)"
    case (.temperature, 0x01): return "temperature of channel \(index)\(silently)"
    case (.gpio, 0x06), (.gpio, 0x07), (.gpio, 0x08):
      let quantity = Register.find(header, on: modules)?.name ?? "value"
      return "\(quantity) of pin \(index)\(silently)"
    case (.gpio, 0x0a): return "a change on pin \(index)"
    case (.settings, 0x0a): return "a disconnect"
    case (.serialBus, 0x01), (.serialBus, 0x02):
      return "\(header.register == 1 ? "I2C" : "SPI") data with id \(index)\(silently)"
    default:
      let own = board.readings(of: header.module).lazy
        .compactMap { Signal.at(header, on: $0.modules) }.first
      let name = own?.words ?? "register \(header)"
      let which = index == SignalSource.noIndex ? "" : " \(index)"
      return name + which + silently
    }
  }

  /// Describes a value or the part of it that a source selects.
  func name(of source: SignalSource) -> String {
    let whole = name(of: source.header, index: source.index)
    let layout = board.readings(of: source.header.module).lazy
      .compactMap { board.layout(of: source.header, index: source.index, on: $0.modules) }.first
    if let layout, board.part(source, of: layout) == layout { return whole }
    let last = source.offset + source.length - 1
    return source.length == 1
      ? "byte \(source.offset) of \(whole)" : "bytes \(source.offset) to \(last) of \(whole)"
  }
}
