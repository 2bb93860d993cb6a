internal import Storage
internal import Terminal
internal import Upload
internal import Values

/// Texts about destinations: files of secrets, never the secrets.
enum DestinationText {
  static func credentials(_ settings: DestinationSettings) -> String {
    let file: String? =
      switch settings.credentials {
      case .none: nil
      case .token(let file): "token in \(file)"
      case .key(let file): "key in \(file)"
      case .login(let file): "login in \(file)"
      }
    let certificate = settings.certificateFile.map { "certificate in \($0)" }
    let ways = [file, certificate].compactMap { $0 }
    return ways.isEmpty ? "–" : TerminalText.harmless(ways.joined(separator: ", "))
  }

  /// Its address or folder. An address shows its kind by itself.
  static func place(_ stored: StoredDestination) -> String {
    let place = stored.place
    return TerminalText.harmless(
      place.hasPrefix("http ") ? String(place.dropFirst("http ".count)) : place)
  }

  /// The other settings.
  static func settings(_ settings: DestinationSettings) -> String {
    var words: [String] = []
    if let file = settings.authorityFile { words.append("trusts \(file)") }
    if let proxy = settings.proxy { words.append("through \(proxy)") }
    if settings.compresses { words.append("compressed") }
    if let limit = settings.bytesPerSecond {
      words.append("at most \(NumberText.plain(Double(limit) / 1_000)) kB/s")
    }
    if let parallel = settings.parallel { words.append("\(parallel) at a time") }
    if settings.newestFirst { words.append("newest first") }
    if let hours = settings.hours { words.append("at \(hours)") }
    return words.isEmpty ? "–" : TerminalText.harmless(words.joined(separator: ", "))
  }

  /// The chunks that are still to be sent.
  static func backlog(_ counts: UploadCounts, sentBefore: Bool) -> String {
    let there =
      sentBefore && counts.sentChunks.count > 0
      ? "\(amount(counts.sentChunks)) already sent, " : ""
    return there
      + (counts.waitingChunks.count > 0
        ? "\(amount(counts.waitingChunks)) to be sent" : "nothing to be sent")
  }

  /// The chunks that a removed destination lacks, in a sentence.
  static func remains(_ counts: UploadCounts) -> String {
    let left = counts.waitingChunks.count + counts.parkedChunks.count
    guard left > 0 else {
      return "It had everything; recordings stay in the store."
    }
    let amount = UploadCounts.Amount(
      count: left, bytes: counts.waitingChunks.bytes + counts.parkedChunks.bytes)
    return
      "\(self.amount(amount)) were not sent to it. They stay in the store.\n"
      + "Add the same place again to continue the upload where it stopped."
  }

  /// Chunks with their bytes.
  static func amount(_ amount: UploadCounts.Amount) -> String {
    let chunks = amount.count == 1 ? "chunk" : "chunks"
    return "\(NumberText.grouped(UInt64(amount.count))) \(chunks) (\(ByteText.short(amount.bytes)))"
  }

  static func sessions(_ count: Int) -> String {
    "\(NumberText.grouped(UInt64(count))) \(count == 1 ? "session" : "sessions")"
  }

  /// A destination for programs.
  static func json(
    _ stored: StoredDestination, settings: DestinationSettings?, _ counts: UploadCounts
  ) -> JSONValue {
    let (token, key, login): (String?, String?, String?) =
      switch settings?.credentials {
      case .token(let file)?: (file, nil, nil)
      case .key(let file)?: (nil, file, nil)
      case .login(let file)?: (nil, nil, file)
      case nil, .some(.none): (nil, nil, nil)
      }
    return .object(
      [
        .init("name", stored.name), .init("place", stored.place), .init("tokenFile", token),
        .init("keyFile", key), .init("loginFile", login), .init("caFile", settings?.authorityFile),
        .init("certificateFile", settings?.certificateFile),
        .init("certificateKeyFile", settings?.certificateKeyFile), .init("proxy", settings?.proxy),
        .init("compress", settings?.compresses ?? false),
        .init("bytesPerSecond", settings?.bytesPerSecond), .init("parallel", settings?.parallel),
        .init("newestFirst", settings?.newestFirst ?? false),
        .init("hours", settings?.hours.map { "\($0)" }),
      ] + self.json(counts))
  }

  /// Its counts, for programs.
  static func json(_ counts: UploadCounts) -> [JSONValue.Member] {
    func amount(_ amount: UploadCounts.Amount, _ sessions: Int) -> JSONValue {
      .object([
        .init("chunks", amount.count), .init("bytes", amount.bytes), .init("sessions", sessions),
      ])
    }
    return [
      .init("sent", amount(counts.sentChunks, counts.sentSessions)),
      .init("waiting", amount(counts.waitingChunks, counts.waitingSessions)),
      .init("parked", amount(counts.parkedChunks, counts.parkedSessions)),
    ]
  }
}
