internal import DiskFaults
internal import Gateway
internal import LinuxSystem
internal import Recording
internal import Simulation
internal import Values

/// Compares the simulated field's logs with the store's content.
extension FieldTrip {
  func examine(_ life: Life, wasCut: Bool) {
    let logs = air.withLock { $0 }
    do {
      // A reader may need free space next to the store, and a full disk offers none.
      let readable = disk.isFaulty ? try copyOfDisk() : disk
      let store = readable.path + "/" + Self.storeName
      let stored = try StoredStream.all(of: life.run.sessionID, in: store)
      for (index, board) in boards.enumerated() {
        let accounts = BoardAccounts(
          air: logs[index], streams: stored.filter { $0.board == board.address },
          clockFactor: board.clockFactor,
          dropped: Int(daemon.boardCounts[index].samplesLost - life.droppedBefore[index]),
          start: life.startedAt, end: time.elapsed, stoppedAt: life.stoppedAt, wasCut: wasCut,
          hadFault: life.hadFault, lostPacketsOnly: life.lostPacketsOnly && !plan.isShort,
          lateSeconds: life.lateSeconds, hungSeconds: life.hungSeconds,
          unstored: unstored(by: life, board.address),
          bootOffset: SimulatedTime.bootSeconds)
        samples += accounts.streams.reduce(0) { $0 + $1.words.count }
        tell(
          "  board \(index): arrived \(logs[index].delivered.count), "
            + accounts.streams.map { "\($0.signal) \($0.words.count) lost \($0.lost)" }
            .joined(separator: ", "))
        violations += accounts.violations()
        guard plan.isShort else { continue }
        let found = TimeAccounts(
          air: logs[index], streams: accounts.streams, dropped: accounts.dropped,
          stoppedAt: life.stoppedAt ?? time.elapsed, losses: plan.losses,
          bootOffset: SimulatedTime.bootSeconds
        ).judge()
        violations += found.violations
        times.judged += found.judged
        times.right += found.right
      }
      let fixes = try StoredStream.fixes(of: life.run.sessionID, in: store)
      // A recording without samples has no session.
      if !stored.isEmpty {
        let track = TrackAccounts(
          sky: sky.withLock { $0 }, fixes: fixes, start: life.startedAt,
          end: life.stoppedAt ?? time.elapsed,
          hadDiskFault: life.hadDiskFault)
        tell("  receiver: \(track.fixes.count) positions are stored")
        violations += track.violations(at: time.elapsed)
      }
      judged.append(JudgedSession(id: life.run.sessionID, streams: stored, fixes: fixes))
    } catch {
      judge(.stored, "the store cannot be read: \(error)")
    }
  }

  /// Returns a second, working disk with the same files.
  private func copyOfDisk() throws -> SimulatedDisk {
    try SimulatedDisk(
      holding: disk.content?.image(.kept, using: &random) ?? [:], keeping: .nothing)
  }

  /// Returns the number of a board's samples that a recording reports as lost because the disk
  /// failed.
  private func unstored(by life: Life, _ board: BoardAddress) -> Int {
    guard life.hadDiskFault, case .success(let report) = life.report.withLock({ $0 }) else {
      return 0
    }
    let numbers = report.boards.filter { $0.identity.address == board }.map(\.number)
    return report.totals.streams.filter { numbers.contains($0.board) }
      .reduce(0) { $0 + Int($1.lost[.store] ?? 0) }
  }

  /// Compares every session again, because an interrupted session may since have been completed
  /// from its tail.
  func judgeAgain() {
    for session in judged {
      do {
        let streams = try StoredStream.all(of: session.id, in: store)
        let fixes = try StoredStream.fixes(of: session.id, in: store)
        for change in session.changes(in: streams, fixes) { judge(.kept, change) }
      } catch {
        judge(.kept, "the store cannot be read: \(error)")
      }
    }
  }
}
