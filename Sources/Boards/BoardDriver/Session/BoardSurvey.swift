internal import MetaWearProtocol
internal import Values

/// Asks a board for its modules and its battery, one request after another: answers in, requests
/// out, no clock.
struct BoardSurvey: Sendable {
  /// The next action.
  enum Step: Equatable {
    /// Write these commands, and wait for an answer.
    case ask([Command])
    /// All requested values are known.
    case finished
    /// The board does not answer.
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

  /// Requests about these modules. The settings module comes first: later steps depend on it.
  init(_ modules: [ModuleID], andBattery asksBattery: Bool) {
    let others = modules.filter { $0 != SetupStep.order[0] }
    questions =
      ([SetupStep.order[0]] + others).map { .module($0) } + (asksBattery ? [.battery] : [])
  }

  /// The first request.
  mutating func begin() -> Step { ask() }

  /// Handles a packet; `nil` if it is not an answer.
  mutating func take(_ bytes: [UInt8]) -> Step? {
    guard position < questions.count,
      let notification = try? Notification(decoding: bytes.span, from: modules)
    else { return nil }
    switch (questions[position], notification) {
    case (.module(let asked), .moduleInfo(let module, let info)) where module == asked:
      modules[module] = info
      // Until the board has requested a longer timeout, 420 ms of silence end the link.
      let isFirst = position == 0 && modules.has(.settings, revision: 1)
      return advance(after: isFirst ? [Settings.prefer(.fast)] : [])
    case (.module, .moduleInfo(SetupStep.order[0], _)) where attempt > 1:
      // This module was asked after the other one, so the other one does not answer.
      return advance()
    case (.battery, .battery(let battery)):
      self.battery = battery
      return advance()
    default:
      return nil
    }
  }

  /// Handles a missing answer.
  mutating func timeout() -> Step {
    guard attempt < Self.attempts else {
      // A board that does not report its battery is still a board.
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
  /// Whether the board reports its battery when asked.
  var tellsBattery: Bool { has(.settings, revision: 3) }
}
