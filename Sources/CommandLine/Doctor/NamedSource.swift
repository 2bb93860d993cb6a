internal import LinuxSystem
internal import Positioning

/// The source of positions that `--gps` names.
struct NamedSource: Hashable, Sendable {
  /// The state of a named serial port.
  enum Port: Hashable, Sendable {
    /// Nothing has that name.
    case missing
    /// The port exists.
    case there(SerialPort)
  }

  var source: PositionSource
  /// The first port of a serial source; `nil` for other sources.
  var port: Port?
  /// Instructions to switch on a missing port of the board.
  var remedyForPins: String?
  /// The reason a file can never be a source.
  var obstacle: ReceiverProblem?

  /// Findings for a recording with this source. `GPSDaemon` judges gpsd.
  var findings: [Finding] {
    if let obstacle {
      return [.fault(.receiver, obstacle.message, remedy: obstacle.remedy)]
    }
    switch (source, port) {
    case (_, .missing):
      return [
        .fault(
          .receiver, "there is no receiver at \(source)",
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
  /// Looks for the port or the file, without opening a port.
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
