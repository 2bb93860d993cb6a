internal import Glibc
internal import HotPaths
internal import LinuxSystem

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
    let path = HotPath.merging(log)
    return Side(path.name, samplesPerUnit: 1, baselines: ["plain-c", "gpsdecode"]) {
      units throws(MeasurementError) in
      let rounds = rounds(units, of: log)
      let sentences = rounds * log.sentences
      let start = processorTime()
      guard path.run(sentences) == sentences else {
        throw MeasurementError("the log did not give a fix a second")
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
