internal import MetaWearProtocol

/// Replies to a session's requests, so that even a short input can make the session stream. It
/// carries out no commands and causes no faults, because the input provides the faults.
struct ObligingBoard {
  private let modules: ModuleTable
  private var configurations: [ModuleID: [UInt8]] = [:]
  private var created: UInt8 = 0
  private var answers: [[UInt8]] = []

  init(_ modules: ModuleTable) { self.modules = modules }

  mutating func nextAnswer() -> [UInt8]? {
    answers.isEmpty ? nil : answers.removeFirst()
  }

  mutating func take(_ command: Command) {
    guard let module = command.header.module else { return }
    let header = Array(command.bytes.prefix(2))
    switch (module, command.header.register, command.header.isRead) {
    case (_, 0x00, true):
      let info = modules[module]
      answers.append(header + (info.map { [$0.implementation, $0.revision] + $0.extra } ?? []))
    case (_, 0x03, false) where modules.motionSensors.contains { $0.module == module }:
      configurations[module] = command.payload
    case (.sensorFusion, 0x02, false): configurations[module] = command.payload
    case (_, 0x03, true), (.sensorFusion, 0x02, true):
      answers.append(header + (configurations[module] ?? [0, 0]))
    // An event is defined by two commands, and the second command creates it.
    case (.event, 0x03, false), (.dataProcessor, 0x02, false), (.logging, 0x02, false),
      (.timer, 0x02, false), (.macro, 0x02, false):
      answers.append([module.rawValue, 0x02, created])
      created &+= 1
    case (.logging, 0x04, true): answers.append(header + [1, 2, 3, 0, 1])
    case (_, _, true): answers.append(header + [UInt8](repeating: 0, count: 18))
    default: break
    }
  }
}
