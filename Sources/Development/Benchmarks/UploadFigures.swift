internal import Glibc
internal import LinuxSystem
internal import Storage
internal import Values

/// `bench upload`: measures the cost of uploading one day of data from one board while a recording
/// runs, compared with Python's `requests` library. With `--throttled`, it instead measures the
/// payload's share of a slow link's traffic and capacity.
public struct UploadFigures {
  /// The number of chunks that Python uploads. The receiver syncs each of them.
  private static let peerChunks = 1_000
  private static let chunksOverLink = 800

  private var chunks: Int?
  private var turns = 3
  private var isFolder = false
  private var isThrottled = false

  public static func run(_ arguments: ArraySlice<String>) -> BenchCommand.Outcome {
    var figures = UploadFigures()
    var rest = arguments
    while let option = rest.popFirst() {
      switch option {
      case "--folder": figures.isFolder = true
      case "--throttled": figures.isThrottled = true
      case "--chunks", "--turns":
        guard let number = rest.popFirst().flatMap({ Int($0) }), (1...1_000_000).contains(number)
        else { return usage("'\(option)' needs a number") }
        if option == "--chunks" { figures.chunks = number } else { figures.turns = number }
      default: return usage("'\(option)' is not an option")
      }
    }
    do {
      return BenchCommand.Outcome(
        output: try figures.isThrottled ? figures.throttled() : figures.measured())
    } catch {
      let problem = (error as? MeasurementError)?.problem ?? "\(error)"
      return BenchCommand.Outcome(complaint: ["error: \(problem)"], status: 1)
    }
  }

  private static func usage(_ problem: String) -> BenchCommand.Outcome {
    BenchCommand.Outcome(
      complaint: ["error: \(problem)", "       try 'bench --help'"], status: 2)
  }

  // MARK: On this computer

  private func measured() throws -> [String] {
    let folder = try TemporaryFolder(prefix: "footbridge-bench")
    defer { folder.remove() }
    let walk = try UploadWalk(at: folder.path + "/walk.sqlite", chunks: chunks ?? 8_640)
    var lines = [
      "\(walk.chunks.count) chunks, \(walk.payload) bytes, into a \(isFolder ? "folder" : "store")"
    ]
    var peer: UploadPeer?
    var absence: String?
    do {
      peer = try UploadPeer(walk, chunks: Self.peerChunks)
    } catch {
      absence = (error as? MeasurementError)?.problem ?? "\(error)"
    }
    var costs: [MeasuredProcess] = []
    var receivers: [Double] = []
    var ratios: [Double] = []
    var peers: [Double] = []
    var live = (sent: 0, lost: 0, waited: 0)
    for turn in 0..<turns {
      let receiver = try UploadReceiver(into: try place("home", turn, folder))
      let recording = try LiveRecording(into: walk.path)
      let cost = try Self.send(walk, to: receiver)
      guard let used = receiver.processorSeconds else {
        throw MeasurementError("the receiver exited on its own")
      }
      receivers.append(used)
      let recorded = try recording.finish()
      try receiver.check(walk)
      live = (
        live.sent + recorded.sent, live.lost + recorded.lost, live.waited + recorded.waited
      )
      costs.append(cost)
      guard let peer else { continue }
      let other = try UploadReceiver(into: try place("peer", turn, folder))
      let seconds = try peer.processorSeconds(to: other)
      peers.append(seconds)
      ratios.append(cost.processorSeconds / Double(walk.chunks.count) / seconds)
    }
    let ours = Self.median(costs.map(\.processorSeconds))
    lines += [
      "  wall time \(Self.text(Self.median(costs.map(\.seconds)))) s (aim: 5 for 8640 chunks)",
      "  processor time \(Self.text(ours)) s (aim: 1.5); the receiver's "
        + "\(Self.text(Self.median(receivers))) s",
      "  anonymous memory at most "
        + "\(Self.text(Double(costs.map(\.anonymousBytes).max() ?? 0) / 1e6)) MB (aim: 16)",
      "  recorded during the upload: \(live.sent) samples, \(live.waited) packets waited, \(live.lost) lost",
    ]
    if let absence {
      lines.append("  skipped: Python's requests: \(absence)")
    } else {
      lines.append(
        "  per chunk: \(Self.text(ours / Double(walk.chunks.count) * 1e6)) us of processor time, "
          + "Python's requests \(Self.text(Self.median(peers) * 1e6)) us; ratio "
          + "\(Self.text(Self.median(ratios))) (aim: 0.2)")
    }
    guard live.lost == 0 else {
      throw MeasurementError((lines + ["samples were lost"]).joined(separator: "\n"))
    }
    return lines
  }

  private func place(_ name: String, _ turn: Int, _ folder: TemporaryFolder) throws -> String {
    let path = "\(folder.path)/\(name)-\(turn)"
    guard isFolder else { return path + ".sqlite" }
    try Folder.make(forFile: path + "/file")
    return path
  }

  /// Uploads all of a walk's chunks to an empty receiver.
  private static func send(
    _ walk: UploadWalk, to receiver: UploadReceiver, _ options: [String] = []
  ) throws -> MeasuredProcess {
    let program = try UploadReceiver.program()
    let added = try MeasuredProcess(
      program,
      ["destination", "add", "home", "--http", receiver.url, "--store", walk.path] + options)
    guard added.line.hasPrefix("home: ") else {
      throw MeasurementError("the destination was not accepted")
    }
    let cost = try MeasuredProcess(program, ["upload", "--store", walk.path])
    guard cost.line.holds(" sent") else {
      throw MeasurementError("the upload failed: \(cost.line)")
    }
    _ = try MeasuredProcess(program, ["destination", "remove", "home", "--store", walk.path])
    return cost
  }

  // MARK: Over a slow link

  private func throttled() throws -> [String] {
    let link: ThrottledLink
    do {
      link = try ThrottledLink()
    } catch {
      return ["skipped: \((error as? MeasurementError)?.problem ?? "\(error)")"]
    }
    let folder = try TemporaryFolder(prefix: "footbridge-bench")
    defer { folder.remove() }
    let walk = try UploadWalk(
      at: folder.path + "/walk.sqlite", chunks: chunks ?? Self.chunksOverLink)
    let token = folder.path + "/token"
    let file = try OwnedDescriptor.open(
      token, flags: O_WRONLY | O_CREAT, mode: 0o600)
    _ = file.write(Array("token-of-the-bench\n".utf8))
    let receiver = try UploadReceiver(
      into: folder.path + "/home.sqlite", after: link.words,
      ["--listen", "\(ThrottledLink.address):8420", "--token-file", token])
    let before = try link.sentBytes
    let cost = try Self.send(walk, to: receiver, ["--token-file", token])
    let bytes = try link.sentBytes - before
    try receiver.check(walk)
    withExtendedLifetime(receiver) {}
    let payload = Double(walk.payload)
    return [
      "\(walk.chunks.count) chunks, \(walk.payload) bytes, over a link of 1 Mbit/s",
      "  \(Self.text(cost.seconds)) s; the payload is "
        + "\(Self.text(100 * payload / Double(bytes))) % of the bytes on the link, and "
        + "\(Self.text(100 * 8 * payload / ThrottledLink.bitsPerSecond / cost.seconds)) % "
        + "of the link's capacity in that time (aim: 90)",
      "  processor time \(Self.text(cost.processorSeconds)) s",
    ]
  }

  private static func median(_ values: [Double]) -> Double { Figures(values).median }

  private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
