import BoardDriver
import MetaWearProtocol
import Recording
import Simulation
import TestSupport
import Testing

/// A single fault on a single board, at moments throughout a session. The session always ends up
/// running or fails with an explanation. If the board counts samples, every sample is either
/// received or known to be missing.
@Suite(.computation) struct SessionFaultTests {
  struct Case: CustomTestStringConvertible {
    var model: BoardModel
    var fault: BoardFault
    var testDescription: String { "\(model.name), \(fault)" }
  }

  /// Faults that never prevent the sensors from running.
  static let harmless: [BoardFault] = [
    .drop(count: 1), .drop(count: 5), .dropAll(seconds: 1.5), .delay(seconds: 0.8),
    .delay(seconds: 5), .duplicate(count: 5), .garbage(count: 5), .disconnect, .reboot,
    .stopAnswering(seconds: 1.5), .hang(seconds: 2), .haltSensor(.accelerometer),
  ]
  /// Faults that may end a session.
  static let grave: [BoardFault] = [.stopAnswering(), .hang(), .lowBattery(seconds: 1)]
  static let cases = BoardModel.all.flatMap { model in
    (harmless + grave).map { Case(model: model, fault: $0) }
  }

  static func requests(_ model: BoardModel) -> [SensorRequest] {
    model.modules.motionSensors.prefix(2).map { sensor in
      SensorRequest(
        signal: sensor.signal,
        rate: sensor.rates.map(\.hertz).min { abs($0 - 25) < abs($1 - 25) } ?? 25)
    }
  }

  @Test(arguments: cases)
  func `a harmless fault leaves the session running, and a grave fault may end it with a remedy`(
    _ test: Case
  ) {
    // Set-up takes about sixty connection intervals, after which the sensors run. Models still in
    // use are tested at every third interval, the others at every tenth.
    let step = [BoardModel.metaMotionS, .metaMotionRL].contains(test.model) ? 3 : 10
    let intervals = stride(from: 0, to: 70, by: step)
    for moment in intervals.map({ Double($0) * SessionPlay.connectionInterval }) + [1, 2.003, 3.1] {
      var play = SessionPlay(Self.requests(test.model), model: test.model)
      play.board.inject(test.fault, at: moment)
      play.subscribe()
      // Temporary faults last at most 5 s, and the session tries to connect four times.
      while play.time < 40, !play.hasEnded, !play.isRunning || play.time < moment + 8 {
        play.live(1)
      }
      let situation = "\(test.testDescription) after \(Int(moment * 1_000)) ms"
      if let failure = play.failure {
        #expect(!failure.message.isEmpty && !failure.remedy.isEmpty, "\(situation)")
        let isHarmless = Self.harmless.contains(test.fault)
        #expect(!isHarmless, "\(situation): \(failure.message)")
        continue
      }
      #expect(play.isRunning, "\(situation)")
      let before = play.received
      play.live(2)
      #expect(play.received > before || play.relinks > 0, "\(situation): nothing comes any more")
      play.feed(.stop)
      play.live(10)
      #expect(play.hasEnded, "\(situation)")
      check(play, situation)
    }
  }

  /// Compares the samples that the board sent with those received and those known to be missing.
  private func check(_ play: SessionPlay, _ situation: String) {
    guard play.streams.allSatisfy({ $0.layout.lossAccounting == .counted }) else { return }
    let known = play.received + play.missing
    let sent = Int(play.board.samplesSent)
    if play.relinks == 0, play.resumptions.isEmpty {
      #expect(known == sent, "\(situation): sent \(sent), known \(known)")
    } else {
      // For samples in transit when the link dropped, only the length of the gap is known.
      #expect(known <= sent, "\(situation): sent \(sent), known \(known)")
      #expect(
        sent - known <= Int(play.board.samplesDropped), "\(situation): sent \(sent), known \(known)"
      )
    }
  }
}
