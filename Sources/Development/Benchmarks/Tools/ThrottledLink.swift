internal import Glibc
internal import LinuxSystem

/// A 1 Mbit/s link to a network namespace in which a receiver runs. The link is removed when this
/// object is released.
///
/// TCP segments are sent one by one instead of in batches, so that the interface's counter includes
/// every header.
final class ThrottledLink {
  static let bitsPerSecond = 1e6
  /// The address at the namespace's end of the link: a link-local address that no network assigns.
  static let address = "169.254.77.2"

  private let space: String
  private let near: String

  /// Creates the link. Needs root, `ip` and `tc`.
  init() throws {
    guard geteuid() == 0 else {
      throw MeasurementError("only root can create a network namespace")
    }
    for program in ["ip", "tc"] where ChildProcess.locate(program) == nil {
      throw MeasurementError("'\(program)' is not installed: apt install iproute2")
    }
    let number = getpid()
    space = "footbridge-\(number)"
    near = "fb\(number)a"
    let far = "fb\(number)b"
    try Self.call("ip netns add \(space)")
    do {
      try Self.call("ip link add \(near) type veth peer name \(far)")
      try Self.call("ip link set \(far) netns \(space)")
      try Self.call("ip address add 169.254.77.1/30 dev \(near)")
      try Self.call("ip link set dev \(near) gso_max_segs 1 up")
      try Self.call("ip -n \(space) address add \(Self.address)/30 dev \(far)")
      try Self.call("ip -n \(space) link set dev \(far) gso_max_segs 1 up")
      try Self.call("tc qdisc add dev \(near) root tbf rate 1mbit burst 4kb latency 400ms")
    } catch {
      try? Self.call("ip netns delete \(space)")
      throw error
    }
  }

  deinit {
    // Removing this end of the link also removes the other one.
    try? Self.call("ip link delete \(near)")
    try? Self.call("ip netns delete \(space)")
  }

  /// The command prefix that runs a program in the namespace.
  var words: [String] { ["ip", "netns", "exec", space] }

  /// The total number of bytes sent over the link to the namespace.
  var sentBytes: Int {
    get throws {
      let file = try OwnedDescriptor.open(
        "/sys/class/net/\(near)/statistics/tx_bytes", flags: OwnedDescriptor.readOnly)
      var bytes = [UInt8](repeating: 0, count: 64)
      let count = file.read(into: &bytes)
      let text = String(decoding: bytes.prefix(max(0, count)).prefix { $0 != 10 }, as: UTF8.self)
      guard let number = Int(text) else { throw MeasurementError("\(near) has no byte counter") }
      return number
    }
  }

  private static func call(_ line: String) throws {
    let words = line.split(separator: " ").map(String.init)
    let script = words.joined(separator: " ") + " && echo done"
    let process = try MeasuredProcess("sh", ["-c", script])
    guard process.line == "done" else { throw MeasurementError("'\(line)' failed") }
  }
}
