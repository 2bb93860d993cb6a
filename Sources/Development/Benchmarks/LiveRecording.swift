internal import LinuxSystem

/// A recording that runs during a measurement. It receives 2,000 notifications per second with
/// three samples each.
final class LiveRecording {
  private static let packetsPerSecond = 2_000.0

  private let process: ReceiverProcess
  private let board: PatientSocket
  private let stopping = StopFlag()
  private let sent = Guarded(0)
  private let thread: NamedThread

  init(into store: String) throws {
    let rate = Self.packetsPerSecond * Double(NumberedSamples.perPacket)
    var started: ReceiverProcess?
    let socket = try OwnedDescriptor.packetSocketPair().split { far in
      started = try ReceiverProcess(
        ThisProcess.program, ["--record", store, "\(rate)"], socket: far.number)
    }
    guard let process = started else { throw MeasurementError("no recorder was started") }
    let board = PatientSocket(socket)
    thread = try NamedThread("board") { [stopping, sent] in
      let packets = PacketSender(rate: Self.packetsPerSecond).send(
        numberedWhile: { !stopping.isRaised }
      ) { board.send($0) }
      sent.withLock { $0 = packets }
    }
    self.process = process
    self.board = board
  }

  /// Ends the recording. Returns three numbers: the samples sent, the samples not stored, and the
  /// packets that waited for space in the socket.
  func finish() throws -> (sent: Int, lost: Int, waited: Int) {
    stopping.raise()
    thread.join()
    guard process.packets(tellEnd: { board.send(PacketSender.end) }) != nil,
      let words = process.remark()?.split(separator: " "), words.count >= 2,
      let stored = Int(words[1])
    else { throw MeasurementError("the recording during the measurement failed") }
    let samples = sent.withLock { $0 } * NumberedSamples.perPacket
    return (samples, samples - stored, board.waited)
  }
}
