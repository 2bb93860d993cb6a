internal import HTTPClient
internal import Storage
internal import Terminal
internal import Values

/// Describes a computer for a report: its model, operating system and library versions, read from
/// files.
enum ComputerFacts {
  /// Returns a line for each known fact.
  static func lines(_ tree: SystemTree) -> [String] {
    var table = TextTable([.init(), .init()])
    func row(_ name: String, _ text: String?) {
      guard let text, !text.isEmpty else { return }
      table.append([name, TerminalText.harmless(text)])
    }
    row("program", Version.text)
    row("libraries", "SQLite \(StoreReader.versionOfLibrary), \(HTTPClient.versionOfLibrary)")
    row("system", release(tree))
    row("kernel", tree.line("/proc/version"))
    row("machine", machine(tree))
    row("memory", memory(tree))
    row("load", tree.line("/proc/loadavg"))
    row("up", tree.line("/proc/uptime").flatMap(seconds).map(DurationText.short))
    return table.lines
  }

  /// Returns the operating system's name from os-release(5).
  private static func release(_ tree: SystemTree) -> String? {
    let key = "PRETTY_NAME="
    let line = (tree.text("/etc/os-release") ?? "").split(separator: "\n").first {
      $0.hasPrefix(key)
    }
    return line.map { $0.dropFirst(key.count).filter { $0 != "\"" } }
  }

  /// Returns the model from the device tree of a single-board computer, or from the firmware of a
  /// PC.
  private static func machine(_ tree: SystemTree) -> String? {
    RaspberryPi.model(tree) ?? tree.line("/sys/class/dmi/id/product_name")
  }

  private static func memory(_ tree: SystemTree) -> String? {
    func kilobytes(_ name: String) -> UInt64? {
      let line = (tree.text("/proc/meminfo") ?? "").split(separator: "\n").first {
        $0.hasPrefix(name + ":")
      }
      return line?.split(separator: " ").dropFirst().first.flatMap { UInt64($0) }
    }
    guard let total = kilobytes("MemTotal") else { return nil }
    let free = kilobytes("MemAvailable").map { ", \(ByteText.short($0 << 10)) available" }
    return ByteText.short(total << 10) + (free ?? "")
  }

  private static func seconds(_ line: String) -> Double? {
    line.split(separator: " ").first.flatMap { Double($0) }
  }
}
