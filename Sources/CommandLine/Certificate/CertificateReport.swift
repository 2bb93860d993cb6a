internal import ChunkFormat
internal import Export
internal import Gateway
internal import Recording
internal import Values

/// A session's certificate as JSON. The last member is the hash of all bytes before it, so any
/// change to the text can be detected.
struct CertificateReport {
  static let format = 1
  /// The text between the hashed bytes and the hash. It cannot occur inside a JSON string, where
  /// its quotes would be escaped, so the match is unambiguous.
  static let hashKey = #","blake2b":""#

  let certificate: Certificate
  let issued: UTCTime

  /// The certificate as one line of JSON.
  var text: String {
    var text = JSONValue.object(members).text
    text.removeLast()
    let hash = Hexadecimal.text(BLAKE2b.hash(of: Array(text.utf8).span))
    return text + Self.hashKey + hash + "\"}"
  }

  /// The hash at the end of the text, which covers everything else.
  var hash: String { String(text.dropLast(2).suffix(2 * BLAKE2b.size)) }

  private var members: [JSONValue.Member] {
    let session = certificate.session
    let methods = CertificateMethods(certificate: certificate)
    let elsewhere = certificate.elsewhere
    return [
      .init("certificate", Self.format), .init("session", session.id),
      .init("issued", issued.iso8601(decimals: 0)),
      .init("issuedBy", "\(Version.program) \(Version.number)"),
      .init("commit", Version.commit.isEmpty ? nil : Version.commit),
      .init("chunkFormat", ChunkSignature.version), .init("start", utc(session.start)),
      .init("end", utc(certificate.end)),
      .init("seconds", certificate.end.seconds(since: session.start).json(decimals: 3)),
      .init("ended", session.ending?.name), .init("gateway", session.gateway),
      .init("participant", session.participant?.id),
      .init("tasks", .array(certificate.tasks.map(Self.json))),
      .init("samples", certificate.samples),
      .init("lost", certificate.lost),
      .init("lostEstimated", elsewhere.chunks > 0 ? nil : certificate.lostEstimated),
      .init("hasUnknownLosses", certificate.hasUnknownLosses),
      .init(
        "elsewhere",
        elsewhere.chunks > 0
          ? ["chunks": elsewhere.chunks.json, "samples": elsewhere.samples.json] : .null),
      .init("isComplete", certificate.isWhole), .init("clock", clock), .init("position", position),
      .init("boards", .array(certificate.boards.map(Self.json))),
      .init("streams", .array(certificate.streams.map(json))),
      .init("methods", methods.text), .init("citation", CertificateMethods.citation),
      .init(
        "hashes",
        [
          "recording": certificate.recordingHash.json, "track": certificate.track.hash.json,
          "description": certificate.descriptionHash.json,
        ]),
    ]
  }

  private static func json(_ turn: TaskTurn) -> JSONValue {
    [
      "task": turn.task.json, "repetition": turn.repetition.json,
      "outcome": (turn.outcome?.rawValue).json,
    ]
  }

  private var clock: JSONValue {
    let clock = certificate.clock
    return [
      "source": clock.table.sourceName.json, "pairs": clock.pairs.json,
      "uncertaintySeconds": clock.uncertainty.json(decimals: 3),
      "systemAheadSeconds": clock.systemAhead.json(decimals: 3),
      "warning": (clock.table.disagreement?.description).json,
      "sampleUncertaintySeconds": certificate.sampleUncertainty.json(decimals: 6),
    ]
  }

  private var position: JSONValue {
    let track = certificate.track
    return [
      "fixes": track.fixes.json, "missingFixes": track.missing.json,
      "share": certificate.positionShare.json(decimals: 4),
      "errorBasis": .object(
        [Fix.ErrorEstimate.Basis.reported, .dilution, .daemon].compactMap { basis in
          track.bases[basis].map { .init(basis.word, $0) }
        }),
    ]
  }

  private static func json(_ board: Certificate.Board) -> JSONValue {
    [
      "address": board.identity.address.json, "name": board.identity.name.json,
      "placement": board.placement.json, "model": board.identity.model.json,
      "firmware": board.firmware.json,
      "batteryPercent": board.battery.map { ["first": $0.first.json, "last": $0.last.json] }
        ?? .null,
      "settings": board.settings.json,
    ]
  }

  private func json(_ quality: StreamQuality) -> JSONValue {
    let form = quality.stream.description
    let elsewhere = quality.elsewhere
    let isPart = elsewhere.chunks > 0
    var lost: [JSONValue.Member] = LossReason.allCases.compactMap { reason in
      quality.lost[reason].map { loss in
        .init(
          reason.name,
          ["counted": loss.counted.json, "estimated": loss.estimated.json] as JSONValue)
      }
    }
    if quality.lostWithChunks > 0 {
      lost.append(
        .init("chunks", ["counted": 0, "estimated": quality.lostWithChunks.json] as JSONValue))
    }
    return .object([
      .init("board", quality.stream.board.address), .init("signal", form.signal),
      .init("unit", form.unit), .init("range", form.range), .init("configuredHertz", form.rate),
      .init("effectiveHertz", quality.effectiveRate.json(decimals: 4)),
      .init("boardHertz", quality.boardRate.json(decimals: 4)),
      .init("samples", quality.samples),
      .init(
        "elsewhere",
        isPart
          ? [
            "chunks": elsewhere.chunks.json, "samples": elsewhere.samples.json,
            "lost": elsewhere.lost.json,
          ] : .null), .init("lost", isPart ? .null : .object(lost)),
      .init("lostShare", quality.lostShare.json(decimals: 6)),
      .init("loss", isPart ? nil : quality.lossCertainty.rawValue),
      .init("longestGap", quality.longestGap.map(json) ?? .null),
      .init("timeUncertaintySeconds", quality.timeUncertainty.json(decimals: 6)),
      .init("positioned", isPart ? nil : quality.positioned),
      .init("positionErrorMetres", Self.json(quality.positionErrors)),
      .init("clipped", quality.clipped),
      .init("notWornSeconds", (quality.notWorn?.seconds).json(decimals: 0)),
      .init("gravity", quality.orientations.map(Self.json) ?? .null),
      .init("bias", quality.gyroscopeBias.map(Self.json) ?? .null),
      .init("missingChunks", quality.missing.map(\.description)),
      .init("contradictingChunks", quality.disagreements), .init("chunks", quality.content.chunks),
      .init("blake2b", quality.content.hash),
    ])
  }

  private func json(_ gap: StreamQuality.Pause) -> JSONValue {
    let start = gap.start.seconds(since: certificate.session.start)
    return [
      "seconds": gap.seconds.json(decimals: 3), "start": start.json(decimals: 3),
      "reason": gap.reason.json,
    ]
  }

  private static func json(_ errors: ErrorDistribution) -> JSONValue {
    guard errors.count > 0 else { return .null }
    return [
      "median": errors.quantile(0.5).json(decimals: 2),
      "percentile95": errors.quantile(0.95).json(decimals: 2),
      "largest": errors.largest.json(decimals: 2),
    ]
  }

  private static func json(_ orientations: GravityCalibration.Orientations) -> JSONValue {
    guard let found = orientations.calibration else {
      return ["orientations": orientations.count.json, "result": "not enough orientations"]
    }
    return [
      "orientations": orientations.count.json, "result": "calibrated",
      "offset": json(found.offset), "offsetError95": json(found.offsetError),
      "scale": json(found.scale), "scaleError95": json(found.scaleError),
      "deviationBefore": found.deviationBefore.json(decimals: 5),
      "deviationAfter": found.deviationAfter.json(decimals: 5),
    ]
  }

  private static func json(_ bias: GyroscopeBiasMeter) -> JSONValue {
    ["windows": bias.windows.json, "axes": bias.bias.map(json) ?? .null]
  }

  private static func json(_ vector: SIMD3<Double>) -> JSONValue {
    .array([vector.x, vector.y, vector.z].map { $0.json(decimals: 5) })
  }

  private func utc(_ time: BootTime) -> String? { certificate.clock.table.utc(at: time)?.iso8601() }
}

extension Certificate {
  /// Number of samples that the boards took: those read, those stored elsewhere, and those lost.
  var taken: UInt64 {
    UInt64(samples).addingSaturated(elsewhere.samples).addingSaturated(lost)
  }

  /// The percentage of samples that were lost; `nil` without samples.
  var lostShareText: String? {
    taken > 0 ? NumberText.fixed(Double(lost) / Double(taken) * 100, decimals: 3) + " %" : nil
  }

  /// The fraction of all samples that have a position, from 0 to 1; `nil` if there are no samples
  /// or some samples are unavailable.
  var positionShare: Double? {
    samples > 0 && elsewhere.chunks == 0
      ? Double(streams.reduce(0) { $0 + $1.positioned }) / Double(samples) : nil
  }

  var positionShareText: String? {
    positionShare.map { "\(NumberText.fixed($0 * 100, decimals: 1)) % of the samples" }
  }

  /// Returns this quantile of the position errors, in metres, for the stream in which it is
  /// largest.
  func positionError(_ fraction: Double) -> Double? {
    streams.compactMap { $0.positionErrors.quantile(fraction) }.max()
  }

  /// The reason why the certificate is partial, as a sentence without a full stop; `nil` if
  /// it covers all samples.
  var partText: String? {
    guard elsewhere.chunks > 0 else { return nil }
    let samples = NumberText.grouped(elsewhere.samples) + " samples"
    guard let destinations, !session.isArriving else {
      return "\(samples) are listed but not available here, so the certificate is partial"
    }
    let names = CertificateMethods.list(destinations)
    let place =
      destinations.isEmpty
      ? "a destination that was removed"
      : (destinations.count > 1 ? "at least one of " : "") + names
    return "\(samples) are not in this store, but were sent to \(place), so the certificate is "
      + "partial"
  }

  /// The largest uncertainty of a stream's sample times, in seconds; `nil` if none is known.
  var sampleUncertainty: Double? { streams.compactMap(\.timeUncertainty).max() }
}

extension Certificate.Clock {
  var uncertaintyText: String? {
    uncertainty.map { "± \(NumberText.fixed($0, decimals: 1)) s" }
  }
}

extension Certificate.Track {
  /// The error estimates' sources, as a phrase.
  var basisText: String {
    let phrases = [Fix.ErrorEstimate.Basis.reported, .dilution, .daemon]
      .filter { bases[$0, default: 0] > 0 }
      .map { basis in
        switch basis {
        case .reported: "reported by the receiver"
        case .dilution: "estimated from the dilution of precision"
        case .daemon: "reported by gpsd"
        }
      }
    return (phrases.count > 1 ? "partly " : "") + CertificateMethods.list(phrases)
  }
}

extension StreamQuality {
  /// The chunks that contradict the store's chunk list, as phrases.
  var unlikeChunks: [String] { disagreements.map { "chunk \($0): contradicts the store's list" } }

  var lossCertainty: LossCertainty {
    LossCertainty(
      lost: lostCount, estimated: estimatedCount, of: stream.description.lossAccounting)
  }
}
