internal import Values

/// The rules by which a status is judged.
extension GatewayStatus {
  /// Seconds after which a board that should send and does not is a fault: a lost link is usually
  /// replaced sooner.
  static let silentSeconds = 10.0
  /// Seconds that a start may take before its boards count as missing.
  static let startSeconds = 60.0
  /// Seconds without a position after which it is a trouble: a first fix takes up to a minute.
  static let positionSeconds = 90.0
  /// Percent of a battery that last for some hours.
  static let lowBattery = 15
  /// Days of room below which a person should make some.
  static let fewDays = 3.0

  /// Judges the status: its troubles, faults first.
  mutating func judge() {
    let all =
      recordingTroubles + boardTroubles + receiverTroubles + storeTroubles + clockTroubles
      + uploadTroubles
    troubles = all.filter { $0.level == .fault } + all.filter { $0.level == .warning }
  }

  private var isWanted: Bool { recording.phase != .waiting }

  private var recordingTroubles: [Trouble] {
    guard !boards.isEmpty else {
      return [
        Trouble(
          level: .fault, subject: "recording", text: "the configuration names no board", age: nil,
          remedy: "add [board NAME] with its address, which 'footbridge scan' shows")
      ]
    }
    switch recording.phase {
    case .retrying:
      let failure = recording.failure
      return [
        Trouble(
          level: .fault, subject: "recording", text: failure?.text ?? "it has ended",
          age: recording.phaseAge, remedy: failure?.remedy ?? "")
      ]
    case .starting where recording.phaseAge >= Self.startSeconds:
      return [
        Trouble(
          level: .fault, subject: "recording",
          text: recording.failure?.text ?? "no board has started", age: recording.phaseAge,
          remedy: recording.failure?.remedy
            ?? "press the boards' buttons, and bring them nearer")
      ]
    case .starting, .recording, .waiting, .ending: return []
    }
  }

  private var boardTroubles: [Trouble] {
    guard recording.phase == .recording else { return [] }
    return boards.flatMap { board -> [Trouble] in
      var troubles: [Trouble] = []
      if let trouble = silence(of: board) { troubles.append(trouble) }
      if let charge = board.battery, charge <= Self.lowBattery {
        troubles.append(
          Trouble(
            level: .warning, subject: board.name, text: "its battery has \(charge) %", age: nil,
            remedy: "charge it"))
      }
      return troubles
    }
  }

  private func silence(of board: Board) -> Trouble? {
    let age = board.sampleAge ?? recording.phaseAge
    guard age >= Self.silentSeconds else { return nil }
    let (text, remedy) =
      switch board.phase {
      case "reconnecting":
        ("its link is lost", "bring it nearer, and see that no phone is connected to it")
      case "missing", "connecting":
        ("it was not found", "press its button, charge it, and bring it nearer")
      case "failed": ("it was given up", "'footbridge doctor' looks for the reason")
      default: ("it sends no samples", "press its button; if that does not help, charge it")
      }
    return Trouble(level: .fault, subject: board.name, text: text, age: age, remedy: remedy)
  }

  private var receiverTroubles: [Trouble] {
    guard let receiver, isWanted, let state = receiver.state, !receiver.isCurrent else { return [] }
    let age = receiver.fixAge ?? recording.phaseAge
    guard age >= Self.positionSeconds else { return [] }
    return [
      Trouble(
        level: .fault, subject: "receiver", text: "there is no position (\(state))", age: age,
        remedy: "take it under the open sky; 'footbridge gps' shows what it hears")
    ]
  }

  private var storeTroubles: [Trouble] {
    guard let store else { return [] }
    let remedy = "free some space; 'footbridge store space' says what may be deleted"
    switch store.space {
    case "full":
      return [
        Trouble(
          level: .fault, subject: "store", text: "the disk is full", age: store.age, remedy: remedy)
      ]
    case "low":
      return [
        Trouble(
          level: .warning, subject: "store", text: "the disk is nearly full", age: store.age,
          remedy: remedy)
      ]
    default:
      guard let days = store.daysLeft, days < Self.fewDays else { return [] }
      return [
        Trouble(
          level: .warning, subject: "store",
          text: "the disk is full in \(Int(days * 24)) h", age: store.age, remedy: remedy)
      ]
    }
  }

  private var clockTroubles: [Trouble] {
    guard !clock.isSynchronised, receiver?.isCurrent != true else { return [] }
    return [
      Trouble(
        level: .warning, subject: "clock", text: "it is not synchronised, so dates may be wrong",
        age: nil, remedy: "connect to a network, or take the receiver under the open sky")
    ]
  }

  private var uploadTroubles: [Trouble] {
    uploads.flatMap { upload -> [Trouble] in
      var troubles: [Trouble] = []
      if !upload.error.isEmpty {
        // The first line is the reason, the others are the remedy.
        let lines = upload.error.split(separator: "\n", maxSplits: 1).map(String.init)
        let test = "'footbridge destination test \(upload.destination)' tries the connection"
        troubles.append(
          Trouble(
            level: .warning, subject: upload.destination, text: lines[0], age: upload.successAge,
            remedy: (lines.dropFirst() + [test]).joined(separator: "\n")))
      }
      if upload.parked > 0 {
        troubles.append(
          Trouble(
            level: .warning, subject: upload.destination,
            text: "it refuses \(upload.parked) chunks", age: nil,
            remedy: "'footbridge uploads' shows the reasons"))
      }
      return troubles
    }
  }
}
