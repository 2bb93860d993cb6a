internal import LinuxSystem
internal import Positioning

/// The position source given with `--gps`.
struct NamedSource: Hashable, Sendable {
  /// A named serial port's state.
  enum Port: Hashable, Sendable {
    /// No device with that name exists.
    case missing
    /// The port exists.
    case there(SerialPort)
  }

  var source: PositionSource
  /// A serial source's port, or the first port that matches its pattern; `nil` for other kinds of
  /// sources.
  var port: Port?
  /// Instructions for enabling the named port on the computer's board, if the port is missing.
  var remedyForPins: String?
  /// The reason why the named file can never be a position source; `nil` if the file is suitable or
  /// the source is not a file.
  var obstacle: ReceiverProblem?

  /// Findings about this source. For gpsd, `GPSDaemon` reports the findings.
  var findings: [Finding] {
    if let obstacle {
      return [.fault(.receiver, obstacle.message, remedy: obstacle.remedy)]
    }
    switch (source, port) {
    case (_, .missing):
      return [
        .fault(
          .receiver, "no receiver at \(source)",
          remedy: remedyForPins ?? "plug it in; 'footbridge gps' finds receivers")
      ]
    case (_, .there(let port)) where port.isOfDaemon:
      return [
        .fault(.receiver, "gpsd has \(source) open", remedy: "use '--gps gpsd', or stop gpsd")
      ]
    case (_, .there(let port)): return SerialPort.findings([port], isNeeded: true)
    case (.gpsd, nil): return []
    case (.file, nil), (.fixed, nil), (.serial, nil):
      return [.ok(.receiver, "positions come from \(source)")]
    }
  }
}

extension NamedSource {
  /// Looks for the port or file of a source. Does not open the port.
  init(_ source: PositionSource, _ tree: SystemTree, _ user: UserRights) {
    self.source = source
    switch source {
    case .serial(let pattern, _):
      let path =
        PathPattern.isPattern(pattern) ? tree.matches(pattern).first ?? pattern : pattern
      guard tree.exists(path) else {
        port = .missing
        if OnboardPort.mayBe(path) { remedyForPins = SerialPort.remedyForPins(tree) }
        return
      }
      let device = tree.target(path)
      let holder = SerialPort.holders(of: [device], tree)[device]
      port = .there(SerialPort.port(device, name: path, holder: holder, tree, user))
    case .file: obstacle = source.obstacle
    case .gpsd, .fixed: break
    }
  }
}
