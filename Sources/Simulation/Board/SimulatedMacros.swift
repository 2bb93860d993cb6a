import MetaWearProtocol

/// The macros in a simulated board's flash. They survive resets and loss of power.
struct SimulatedMacros: Sendable {
  struct Stored: Sendable {
    let runsAtBoot: Bool
    var commands: [[UInt8]] = []
  }

  private(set) var stored: [Stored] = []

  mutating func add(_ macro: Stored) -> UInt8 {
    stored.append(macro)
    return UInt8(stored.count - 1)
  }

  mutating func append(_ command: [UInt8], to id: UInt8) {
    stored[Int(id)].commands.append(command)
  }

  mutating func eraseAll() {
    stored = []
  }
}

/// A macro being recorded, which a reset discards.
struct MacroRecording: Sendable {
  let id: UInt8
  /// The first two bytes of a long command, stored until the remaining bytes arrive.
  var start: [UInt8] = []
}

extension SimulatedBoard {
  mutating func obey(_ command: Macro) {
    switch command {
    case .begin(let runsAtBoot): begin(runsAtBoot: runsAtBoot)
    case .storeStart(let first, let second):
      guard requireRecording() else { return }
      if state.recording?.start.isEmpty == false { complain("the rest of a command is missing") }
      state.recording?.start = [first, second]
    case .store(let bytes):
      guard requireRecording(), let recording = state.recording else { return }
      state.recording?.start = []
      let whole = recording.start + bytes
      guard (2...Command.maximumLength).contains(whole.count) else {
        complain("a macro command must have 2 to 20 bytes")
        return
      }
      macros.append(whole, to: recording.id)
    case .end:
      guard requireRecording() else { return }
      if state.recording?.start.isEmpty == false { complain("the rest of a command is missing") }
      state.recording = nil
    case .run(let id):
      guard macros.stored.indices.contains(Int(id)) else {
        complain("there is no such macro")
        return
      }
      run(macros.stored[Int(id)])
    case .eraseAll:
      macros.eraseAll()
      state.recording = nil
    }
  }

  private mutating func begin(runsAtBoot: Bool) {
    guard state.recording == nil else {
      complain("another macro is being recorded")
      return
    }
    let maximum = model.modules[.macro]?.extra.first ?? 8
    guard macros.stored.count < Int(maximum) else {
      complain("all \(maximum) macros are in use")
      return
    }
    let id = macros.add(SimulatedMacros.Stored(runsAtBoot: runsAtBoot))
    state.recording = MacroRecording(id: id)
    send([0x0f, 0x02, id])
  }

  private mutating func requireRecording() -> Bool {
    if state.recording == nil { complain("no macro is being recorded") }
    return state.recording != nil
  }

  private mutating func run(_ macro: SimulatedMacros.Stored) {
    // A macro that runs itself, or that resets the board at every boot, would never end.
    guard macroDepth < 4 else {
      complain("a macro calls itself")
      return
    }
    macroDepth += 1
    for command in macro.commands { execute(command) }
    macroDepth -= 1
  }

  mutating func runBootMacros() {
    for macro in macros.stored where macro.runsAtBoot { run(macro) }
  }
}
