internal import Glibc
internal import LinuxSystem
internal import NMEA
internal import Recording
internal import Values

extension Benchmark {
  /// A receiver's sentences into merged fixes, compared with a plain C parser and gpsdecode.
  public static let nmea = Benchmark(
    name: "nmea",
    summary: "an hour of a receiver into merged fixes, beside a plain C parser and gpsdecode",
    unit: "sentence", defaultCount: 32_400, defaultRepeats: 21,
    sides: {
      let log = SentenceLog()
      return [merged(log)] + peers(of: log)
    })

  /// Bytes as from a serial port in, merged fixes out.
  private static func merged(_ log: SentenceLog) -> Side {
    Side("merged", samplesPerUnit: 1, baselines: ["plain-c", "gpsdecode"]) {
      units throws(MeasurementError) in
      let rounds = rounds(units, of: log)
      let start = processorTime()
      for _ in 0..<rounds {
        var reader = NMEAReader(floor: WeekRollover.replayFloor)
        var fixes = 0
        let text = log.bytes.span
        var position = 0
        while position < text.count {
          let end = min(position + 4_096, text.count)
          reader.receive(text.extracting(position..<end), at: BootTime(nanoseconds: 0)) {
            if case .fix = $0 { fixes += 1 }
          }
          position = end
        }
        reader.flush { if case .fix = $0 { fixes += 1 } }
        guard fixes == SentenceLog.seconds, reader.counts.accepted == log.sentences else {
          throw MeasurementError("\(fixes) fixes came of \(SentenceLog.seconds) seconds")
        }
      }
      let time = processorTime() - start
      return work(units, of: log, nanoseconds: time / Double(rounds))
    }
  }

  private static func peers(of log: SentenceLog) -> [Side] {
    let peer: SentencePeer
    do {
      peer = try SentencePeer(log)
    } catch {
      return ["plain-c", "gpsdecode"].map { Side($0, absentBecause: "\(error)") }
    }
    return [plain(peer, log), decoder(peer, log)]
  }

  private static func plain(_ peer: SentencePeer, _ log: SentenceLog) -> Side {
    do {
      let program = try CompiledProgram("sentences", .c, source: SentencePeer.source)
      return Side("plain-c", samplesPerUnit: 1) { units throws(MeasurementError) in
        let rounds = rounds(units, of: log)
        let time = try measured("plain-c") { try peer.run(program, rounds: rounds) }
        return work(units, of: log, nanoseconds: time / Double(rounds))
      }
    } catch {
      return Side(
        "plain-c", absentBecause: (error as? MeasurementError)?.problem ?? "\(error)")
    }
  }

  private static func decoder(_ peer: SentencePeer, _ log: SentenceLog) -> Side {
    guard ChildProcess.locate("gpsdecode") != nil else {
      return Side(
        "gpsdecode", absentBecause: "gpsdecode is not installed: apt install gpsd-clients")
    }
    return Side("gpsdecode", samplesPerUnit: 1) { units throws(MeasurementError) in
      let time = try measured("gpsdecode") { try peer.runDecoder() }
      return work(units, of: log, nanoseconds: time)
    }
  }

  private static func measured(
    _ name: String, _ run: () throws -> Double
  ) throws(MeasurementError) -> Double {
    do {
      return try run()
    } catch {
      throw error as? MeasurementError ?? MeasurementError("\(name): \(error)")
    }
  }

  /// The log is always read whole, whatever the requested number of sentences.
  private static func rounds(_ units: Int, of log: SentenceLog) -> Int {
    (units + log.sentences - 1) / log.sentences
  }

  private static func work(_ units: Int, of log: SentenceLog, nanoseconds: Double) -> Side.Work {
    Side.Work(samples: units, nanoseconds: nanoseconds * Double(units) / Double(log.sentences))
  }

  /// Nanoseconds of processor time of this thread, as the other sides report theirs.
  private static func processorTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
