internal import MetaWearProtocol
internal import Values

/// Queries a board for its modules and battery, one request at a time. This value type turns
/// responses into requests and has no clock.
struct BoardSurvey: Sendable {
  enum Step: Equatable {
    /// Write these commands and wait for a response.
    case ask([Command])
    /// Every question has been answered or skipped.
    case finished
    /// The board does not respond.
    case silent
  }

  private enum Question: Equatable {
    case module(ModuleID)
    case battery
  }

  private static let attempts = 3
  private(set) var modules = ModuleTable()
  private(set) var battery: Battery?
  private var questions: [Question]
  private var position = 0
  private var attempt = 1

  /// The settings module is queried first, because later steps depend on it.
  init(_ modules: [ModuleID], andBattery asksBattery: Bool) {
    let others = modules.filter { $0 != SetupStep.order[0] }
    questions =
      ([SetupStep.order[0]] + others).map { .module($0) } + (asksBattery ? [.battery] : [])
  }

  mutating func begin() -> Step { ask() }

  /// Handles a packet. Returns `nil` if the packet is not an awaited response.
  mutating func take(_ bytes: [UInt8]) -> Step? {
    guard position < questions.count,
      let notification = try? Notification(decoding: bytes.span, from: modules)
    else { return nil }
    switch (questions[position], notification) {
    case (.module(let asked), .moduleInfo(let module, let info)) where module == asked:
      modules[module] = info
      // Until the board has requested a longer timeout, the link drops after 420 ms of silence.
      let isFirst = position == 0 && modules.has(.settings, revision: 1)
      return advance(after: isFirst ? [Settings.prefer(.fast)] : [])
    case (.module, .moduleInfo(SetupStep.order[0], _)) where attempt > 1:
      // The board responds in order, so a response from this module, which was queried later, means
      // that the awaited module will not respond.
      return advance()
    case (.battery, .battery(let battery)):
      self.battery = battery
      return advance()
    default:
      return nil
    }
  }

  /// Handles the end of a wait without a response.
  mutating func timeout() -> Step {
    guard attempt < Self.attempts else {
      // A board that does not report its battery can still be used.
      return questions[position] == .battery ? advance() : .silent
    }
    attempt += 1
    return ask()
  }

  private mutating func advance(after commands: [Command] = []) -> Step {
    position += 1
    attempt = 1
    return ask(after: commands)
  }

  private mutating func ask(after commands: [Command] = []) -> Step {
    guard position < questions.count else { return .finished }
    switch questions[position] {
    case .module(let module):
      let witness = attempt > 1 && position > 0 ? [SetupStep.order[0]] : []
      return .ask(commands + ([module] + witness).map { .readModuleInfo($0) })
    case .battery:
      return modules.tellsBattery
        ? .ask(commands + [Settings.readBattery]) : advance()
    }
  }
}

extension ModuleTable {
  /// Whether the board reports its battery on request.
  var tellsBattery: Bool { has(.settings, revision: 3) }
}
