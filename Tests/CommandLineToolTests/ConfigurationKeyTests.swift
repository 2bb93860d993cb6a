import Gateway
import LinuxSystem
import TestSupport
import Testing

@testable import CommandLineTool
@testable import Terminal

/// The list of keys, and the documentation generated from it.
@Suite(.computation) struct ConfigurationKeyTests {
  private let descriptions = GatewayConfiguration.descriptions

  /// All keys, each with a function that validates the key's values.
  private var all: [(description: ConfigurationKeyDescription, fits: @Sendable (String) -> Bool)] {
    GatewayConfiguration.keys.map { ($0.description, $0.fits) }
      + ConfiguredBoard.keys.map { ($0.description, $0.fits) }
  }

  @Test func `each configuration key's default and example are valid values`() {
    for key in all {
      for value in key.description.defaults + key.description.examples {
        #expect(key.fits(value), "\(key.description.path) = \(value)")
      }
      #expect(key.fits("") == (key.description.mayBeEmpty || key.fits("")))
    }
  }

  @Test func `configuration values read back as they were written`() {
    for key in GatewayConfiguration.keys {
      for values in [key.description.defaults, key.description.examples] {
        var configuration = GatewayConfiguration()
        if !values.isEmpty { key.apply(&configuration, values) }
        #expect(key.values(configuration) == values, "\(key.description.path)")
      }
    }
  }

  @Test
  func
    `each configuration key has a unique path, a text that ends with a full stop, and an example`()
  {
    #expect(Set(descriptions.map(\.path)).count == descriptions.count)
    #expect(descriptions.count == all.count)
    #expect(Set(descriptions.map(\.section)) == Set(ConfigurationSection.allCases))
    for key in descriptions {
      #expect(key.text.hasSuffix("."), "\(key.path)")
      #expect(!key.examples.isEmpty && (key.isRepeatable || key.examples.count == 1))
    }
  }

  @Test func `a key accepts the same values as the command-line option with the same name`() {
    let options = Dictionary(
      uniqueKeysWithValues: RecordCommand.options.map { ($0.description.name, $0.description) })
    let sameNames = descriptions.filter { options[$0.name] != nil && $0.section != .board }
    #expect(
      sameNames.map(\.name) == [
        "adapter", "sensor", "interval", "gps", "seal", "at-risk", "note", "participant", "wearer",
        "hazard", "live-location",
      ])
    for key in sameNames {
      #expect(options[key.name]?.argument == key.argument, "\(key.path)")
      #expect(options[key.name]?.isRepeatable == key.isRepeatable, "\(key.path)")
    }
    #expect(
      options["gateway"]?.argument == descriptions.first { $0.path == "gateway.name" }?.argument)
  }

  @Test
  func `the example configuration is valid, whether or not its commented-out lines are enabled`() {
    let example = ConfigurationReading(Array(ConfigurationExample.text.utf8), file: "example")
    #expect(example.faults == [])
    #expect(example.configuration == GatewayConfiguration())
    #expect(example.lines == [:])
    let lines = ConfigurationExample.text.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines.allSatisfy { $0.count <= 80 })
    let switchedOn = lines.map { $0.hasPrefix(";") ? $0.dropFirst() : $0 }.joined(separator: "\n")
    let reading = ConfigurationReading(Array(switchedOn.utf8), file: "example")
    #expect(reading.faults == [])
    #expect(reading.lines.count == descriptions.count)
    #expect(reading.configuration.boards.map(\.name) == ["left"])
    #expect(reading.configuration.destinations == ["home", "clinic"])
    #expect(reading.configuration.recording.sensors == GatewayConfiguration().recording.sensors)
  }

  @Test func `the manual page lists every key, groff accepts it, and its example is valid`()
    throws
  {
    let example = ConfigurationManual.example.joined(separator: "\n")
    let reading = ConfigurationReading(Array(example.utf8), file: "example")
    #expect(reading.faults == [] && reading.hints == [])
    let text = ConfigurationManual.text
    for key in descriptions {
      let name = key.name.split(separator: "-").joined(separator: "\\-")
      #expect(text.contains("\\fB\(name)\\fR = "), "\(key.path)")
    }
    guard Folder.exists("/usr/bin/groff") else { return }
    let folder = try TemporaryFolder()
    let page = folder.path + "/footbridge.conf.5"
    let file = try DurableFile(page)
    let bytes = Array((text + "\n").utf8)
    try file.write(bytes.span)
    try file.commit(replaces: false)
    // groff prints only warnings to standard error.
    #expect(
      try Program.shell(
        #"[ -z "$(groff -man -ww -Tutf8 "$1" 2>&1 >/dev/null)" ]"#, [page]) == 0)
  }

  @Test func `docs/configuration.md lists the keys exactly as the code declares them`() throws {
    let document = try #require(WholeFile.text(Repository.path("docs/configuration.md")))
    for section in ConfigurationSection.allCases {
      let rows = descriptions.filter { $0.section == section }.map { key in
        "| `\(key.name)` | \(Self.value(key)) | \(key.shownDefault) | "
          + "\(key.text)\(key.isRepeatable ? " May be repeated." : "") |"
      }
      let table =
        ["### `\(section.heading)`", "", section.text, "", "| Key | Value | Default | Meaning |"]
        + ["|---|---|---|---|"] + rows
      #expect(
        document.contains(table.joined(separator: "\n") + "\n"),
        "the table should be:\n\(table.joined(separator: "\n"))\n")
    }
  }

  private static func value(_ key: ConfigurationKeyDescription) -> String {
    guard case .word(let words) = key.argument.kind else { return key.argument.metavariable }
    return words.map { "`\($0)`" }.joined(separator: ", ")
  }

  @Test func `the bash script completes an action after 'config', and a key after the action`() {
    let script = CompletionScript.text(for: .bash, of: Commands.self)
    let keys = descriptions.map(\.path).joined(separator: " ")
    #expect(script.contains("    'config 2') offers=(\(keys)) ;;\n"))
    #expect(script.contains("    'config 1') offers=(check explain example set manual) ;;\n"))
  }
}
