internal import DBus
internal import DiskFaults
internal import Gateway
internal import LinuxSystem
internal import Positioning
internal import Recording
internal import Simulation
internal import Values

/// Starts and ends a trip's recordings.
extension FieldTrip {
  func startRecording() {
    do {
      air.withLock { for index in $0.indices { $0[index] = AirLog() } }
      let run = try RecordingRun(
        RecordingPlan(
          bus: .inProcess(bus), boards: .addresses(boards.map(\.address)),
          sensors: plan.sensors, receiver: .serial(receiverPath, speed: nil),
          store: store, scanSeconds: 60),
        log: { event in
          guard event.severity != .detail else { return }
          let details = event.details.map { "\($0.name)=\($0.value)" }.sorted().joined(
            separator: " ")
          self.tell("  gateway: \(event.event) \(details)")
        })
      let life = Life(run, at: time.elapsed, daemon.boardCounts)
      // A fault up to five minutes before the recording may still have an effect.
      life.hadFault = lastFault.map { time.elapsed - $0 < 300 } ?? false
      life.lostPacketsOnly = !life.hadFault
      life.hadDiskFault = disk.isFaulty
      self.life = life
      Task.detached {
        let result: Result<RecordingReport, any Error>
        do { result = .success(try await run.run()) } catch { result = .failure(error) }
        life.report.withLock { $0 = result }
        self.ended(life)
      }
    } catch {
      judge(.ends, "a recording cannot start: \(error)")
    }
  }

  func stop(_ life: Life) {
    life.stoppedAt = time.elapsed
    life.run.stop()
    time.after(15) { [self] in
      guard self.life === life else { return }
      judge(.ends, "the recording has not ended 15 s after Ctrl-C")
    }
  }

  private func ended(_ life: Life) {
    guard self.life === life else { return }
    self.life = nil
    recordings += 1
    let report = life.report.withLock { $0 }
    switch report {
    case .success(let report):
      if let failure = report.failure {
        tell("  the recording failed: \(failure)")
      } else if life.stoppedAt == nil {
        judge(.ends, "a recording ended on its own without a reason")
      }
      for stream in report.totals.streams {
        let lost = stream.lost.sorted { $0.key.rawValue < $1.key.rawValue }
          .map { " \($0.key) \($0.value)" }.joined()
        tell(
          "  gateway: board \(stream.board) \(stream.description.signal): received \(stream.received), "
            + "duplicates \(stream.duplicates), stored \(stream.stored), lost\(lost.isEmpty ? " 0" : lost)"
        )
      }
    case .failure(let error):
      tell("  the recording failed: \(error)")
      if !life.hadDiskFault { judge(.ends, "cannot open the store for a recording") }
    case nil: break
    }
    examine(life, wasCut: false)
  }

  /// Kills the program or cuts the power. The next program starts with the files as they are at
  /// that time.
  func cut(isPower: Bool) {
    let life = self.life
    time.kill()
    bus.removeClients(except: "org.bluez")
    self.life = nil
    upload = nil
    if isPower { time.reboot() }
    do {
      // The kernel still has the bytes that a killed program wrote. After a power cut, only synced
      // bytes are certain to survive.
      let files = disk.content?.image(isPower ? .drawn : .kept, using: &random) ?? [:]
      abandoned.append(disk)
      disk = try SimulatedDisk(holding: files, keeping: .content)
    } catch {
      judge(.stored, "cannot copy the files: \(error)")
    }
    guard let life else { return }
    recordings += 1
    examine(life, wasCut: true)
  }
}
