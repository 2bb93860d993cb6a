internal import BlueZ
internal import BoardDriver
internal import LinuxSystem
internal import Recording
internal import Values

/// Finds and connects boards, and reconnects them.
extension RecordingRun {
  /// Seconds between a failed attempt to link a board and the next attempt.
  private static let relinkPause = 5.0

  /// Finds the boards and links them, in parallel on different adapters.
  func bringUp() async throws {
    let radio = try await BlueZRadio(settings.bus, plan.radio, radioListener)
    self.radio = radio
    let addresses = try await find(radio)
    try Task.checkCancellation()
    let named = settings.adapters.count
    let adapters = named > 0 ? named : await radio.sight.adapters.count
    expectedCompany = (addresses.count + max(1, adapters) - 1) / max(1, adapters)
    // Boards have their advertised names until they are linked.
    let heard = Dictionary(
      await radio.sight.devices.compactMap { device in
        device.name.map { (device.address, $0) }
      }, uniquingKeysWith: { first, _ in first })
    gate = StartGate(for: addresses.indices.map { UInt16($0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, address) in addresses.enumerated() {
        let (number, identity) = introduce(address, at: index, heard[address])
        group.addTask { try await self.link(number, identity, radio) }
      }
      if addresses.count < plan.boards.count {
        group.addTask { try await self.takeInLater(than: addresses, radio) }
      }
      // The first failure cancels the other tasks, which might otherwise wait for their boards
      // forever.
      while try await group.next() != nil {}
    }
  }

  /// Assigns a board its number and its preliminary name.
  private func introduce(
    _ address: BoardAddress, at index: Int, _ advertised: String?
  ) -> (UInt16, IdentityBox) {
    // A board can advertise any name, but upload servers reject certain characters, so ignore names
    // with these characters.
    let advertised = advertised.flatMap { PlainText.fault(in: $0) == nil ? $0 : nil }
    let identity = IdentityBox(
      BoardIdentity(
        address: address, name: plan.names[address] ?? advertised ?? address.description,
        model: "", firmware: ""))
    recorder.note(.connecting, of: UInt16(index), identity.value)
    return (UInt16(index), identity)
  }

  /// For a plan without addresses, adds boards as they appear, until there are enough.
  private func takeInLater(than first: [BoardAddress], _ radio: BlueZRadio) async throws {
    var known = first
    try await withThrowingTaskGroup(of: Void.self) { group in
      while known.count < plan.boards.count, !Task.isCancelled {
        let finder = BoardFinder(wanted: plan.boards, known: known)
        let devices = await radio.lookOut { !finder.boards(among: $0).isEmpty }
        for device in finder.boards(among: devices) {
          let (number, identity) = introduce(device.address, at: known.count, device.name)
          known.append(device.address)
          group.addTask { try await self.link(number, identity, radio) }
        }
      }
      while try await group.next() != nil {}
    }
  }

  /// Finds the planned boards: the boards with the specified addresses, or else the boards with the
  /// strongest signals.
  private func find(_ radio: BlueZRadio) async throws -> [BoardAddress] {
    guard case .any = plan.boards else { return plan.boards.addresses }
    remark(.notice, "scanning", ["seconds": "\(Int(settings.scanSeconds))"])
    let finder = BoardFinder(wanted: plan.boards)
    let devices = try await radio.scan(seconds: settings.scanSeconds, until: finder.isSatisfied)
    remark(.detail, "scan ended", ["devices": "\(devices.count)"])
    try Task.checkCancellation()
    if !finder.isSatisfied(by: devices) {
      let complaint = finder.complaint(about: devices, seconds: settings.scanSeconds)
      if plan.requiresAll || finder.boards(among: devices).isEmpty { throw complaint }
      recorder.note(SessionEvent(.missing, at: BootClock.now(), text: complaint.message))
      remark(
        .warning, "board missing", ["reason": complaint.message, "remedy": complaint.remedy])
    }
    return finder.boards(among: devices).map(\.address)
  }

  private func link(
    _ number: UInt16, _ identity: IdentityBox, _ radio: BlueZRadio
  ) async throws {
    let address = identity.value.address
    guard let first = try await firstLink(number, identity, radio) else { return }
    identity.value.name =
      plan.names[address] ?? first.device.name ?? address.description
    await tellOfLink(first)
    // No other code would close a link that was established while the run was being stopped.
    guard !Task.isCancelled else { return await first.disconnect() }
    let runner = BoardRunner(
      board: number, link: BlueZLink(link: first), reader: reader, sensors: settings.sensors,
      tuning: ConnectionTuning(
        settings.pace ?? .streaming(boards: expectedCompany), isFixed: settings.pace != nil),
      linkControl: AdapterLinkControl(
        board: address, places: places, controller: controller, recorder: recorder),
      reconnect: { [weak self] in
        guard let self else { throw CancellationError() }
        return try await self.relink(address, radio)
      }
    ) { [weak self] in await self?.take($0, of: number, identity) }
    recorder.note(.identifying, of: number, identity.value)
    let task = Task {
      let outcome = await runner.run()
      // Release the board even if its link was lost. Otherwise, the radio would link it again.
      await radio.release(address)
      hasEnded(number, identity.value, outcome.failure)
      return outcome
    }
    running += 1
    boards.append(
      RecordedBoard(identity: identity, runner: runner, number: number, task: task))
    note(first)
  }

  /// Establishes the first link to a board. If that fails, the other boards still start, unless the
  /// plan requires all boards. The run then waits for the board without a time limit. Returns `nil`
  /// if the run ends first, or if waiting would not help.
  private func firstLink(
    _ number: UInt16, _ identity: IdentityBox, _ radio: BlueZRadio
  ) async throws -> DeviceLink? {
    let address = identity.value.address
    do throws(BlueZError) {
      return try await radio.link(to: address, Radio.Patience(seekSeconds: settings.scanSeconds))
    } catch {
      guard error.isOfOneBoard, !plan.requiresAll, !Task.isCancelled else { throw error }
      let others = gate.missed(number)
      if gate.isHopeless { throw error }
      recorder.note(.missing, of: number, identity.value)
      note(.missing, of: identity, text: error.message)
      remark(
        .warning, "board missing",
        ["board": address.description, "reason": error.message, "remedy": error.remedy])
      await start(others)
    }
    while !Task.isCancelled {
      do throws(BlueZError) {
        let link = try await radio.link(to: address)
        gate.appeared(number)
        return link
      } catch {
        if Task.isCancelled { break }
        if error.isFinal {
          noteGivenUp(identity.value, error)
          tellGivenUp(identity.value, error)
          break
        }
        tellOfFailedLink(to: address, error)
        try? await Pause.seconds(Self.relinkPause)
      }
    }
    return nil
  }

  private func tellOfFailedLink(to board: BoardAddress, _ error: BlueZError) {
    remark(
      .warning, "reconnect failed", ["board": board.description, "reason": error.message])
  }

  /// Links a board again, no matter how long it takes, unless there is no point in waiting. Before
  /// the recording starts, makes only one attempt, because the other boards are waiting for this
  /// one.
  private func relink(_ address: BoardAddress, _ radio: BlueZRadio) async throws -> any Link {
    while true {
      do throws(BlueZError) {
        let patience = gate.hasStarted ? nil : Radio.Patience(seekSeconds: settings.scanSeconds)
        let link = try await radio.link(to: address, patience)
        await tellOfLink(link)
        note(link)
        return BlueZLink(link: link)
      } catch {
        try Task.checkCancellation()
        if error.isFinal || !gate.hasStarted {
          throw BoardFailure(error.message, remedy: error.remedy)
        }
        tellOfFailedLink(to: address, error)
        try await Pause.seconds(Self.relinkPause)
      }
    }
  }
}

extension BlueZError {
  /// Whether there is no point in waiting for another link. It is worth waiting if another program
  /// is using the board, because that program may exit.
  var isFinal: Bool {
    [.notPaired, .notPermitted, .daemonMissing].contains(kind)
  }

  /// Whether the error concerns only one board, so that others can still be linked.
  fileprivate var isOfOneBoard: Bool {
    [.boardNotFound, .connectFailed, .held, .notPaired].contains(kind)
  }
}
