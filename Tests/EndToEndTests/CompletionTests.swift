import Foundation
import TestSupport
import Testing

/// `footbridge completion` in real shells.
@Suite(.realTime) struct CompletionTests {
  private let world: BoardsWorld

  init() async throws {
    world = try await BoardsWorld(boards: 2)
    for (address, name) in zip(world.addresses, ["left wrist", "Lumbar"]) {
      let paired = try await world.run("pair", address, "--name", name)
      try #require(paired.status == 0, "\(paired.errors)")
    }
  }

  /// Runs a script in a shell that can find the program under test.
  private func run(_ shell: String, _ options: [String], _ script: String) async throws -> [String]
  {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin"]
    guard
      let path = folders.map({ "\($0)/\(shell)" })
        .first(where: FileManager.default.isExecutableFile)
    else {
      try Test.cancel("there is no \(shell) on this computer")
    }
    let program = URL(fileURLWithPath: Program.footbridge).deletingLastPathComponent().path
    let outcome = try await Program.run(
      path, options + ["-c", script],
      environment: world.environment.merging(["PATH": ([program] + folders).joined(separator: ":")])
      { $1 })
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.errors == "")
    return outcome.output.split(separator: "\n").map(String.init)
  }

  /// Returns the words that bash offers for a line. Bash splits the line at spaces, and before and
  /// after colons and equals signs.
  private func bash(_ line: String, cut words: [String]) async throws -> [String] {
    func quoted(_ text: String) -> String {
      "'" + text.replacingOccurrences(of: "'", with: #"'\''"#) + "'"
    }
    return try await run(
      "bash", ["--norc"],
      """
      source <(footbridge completion bash)
      COMP_LINE=\(quoted(line)) COMP_POINT=${#COMP_LINE}
      COMP_WORDS=(\(words.map(quoted).joined(separator: " "))) COMP_CWORD=\(words.count - 1)
      _footbridge footbridge
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
  }

  /// Returns the words that bash offers for a line that contains no colons, equals signs or quotes.
  private func bash(_ line: String) async throws -> [String] {
    try await bash(
      line, cut: line.split(separator: " ", omittingEmptySubsequences: false).map(String.init))
  }

  @Test func `bash completes commands, options and their values`() async throws {
    #expect(try await bash("footbridge re") == ["record", "resume", "report", "reset", "receive"])
    #expect(try await bash("footbridge show ") == ["last"])
    #expect(try await bash("footbridge hazard last Sl") == ["Slippery=", "Slope="])
    #expect(try await bash("footbridge store b") == ["backup"])
    #expect(try await bash("footbridge --ver") == ["--verbose", "--version"])
    #expect(
      try await bash("footbridge -q stream --s") == ["--sensor", "--seconds", "--store"])
    #expect(
      try await bash("footbridge record --layout c") == ["counted-pair", "counted"])
    #expect(
      try await bash(
        "footbridge record --layout=pa", cut: ["footbridge", "record", "--layout", "=", "pa"])
        == ["packed"])
    #expect(try await bash("footbridge stream --sensor accel") == ["acceleration"])
    #expect(try await bash("footbridge simulate --model M") == ["MMC"])
    #expect(try await bash("footbridge help ident") == ["identify"])
    #expect(try await bash("footbridge completion ") == ["bash", "zsh", "fish"])
    #expect(try await bash("footbridge boards ") == ["set"])
    #expect(try await bash("footbridge record --seconds ") == [])
    #expect(try await bash("footbridge reset -- --") == [])
    #expect(Set(try await bash("footbridge simulate --gps -- setpri")) == ["setpriv"])
    #expect(try await bash("footbridge simulate -- setpriv --") == [])
    #expect(try await bash("footbridge simulate setpri") == [])
    #expect(Set(try await bash("footbridge reset -- l")) == [#"left\ wrist"#, "Lumbar"])
  }

  @Test func `bash completes the names and addresses of known boards`() async throws {
    let all = [#"left\ wrist"#, "Lumbar"] + world.addresses
    for line in [
      "footbridge pair ", "footbridge stream Lumbar ", "footbridge record --board ",
      "footbridge boards set ", "footbridge record --seconds 5 --board ",
    ] {
      let offered = try await bash(line)
      #expect(Set(offered) == Set(all), "\(line)")
    }
    #expect(Set(try await bash("footbridge pair l")) == [#"left\ wrist"#, "Lumbar"])
    #expect(
      try await bash(#"footbridge pair left\ w"#, cut: ["footbridge", "pair", #"left\ w"#])
        == [#"left\ wrist"#])
    #expect(
      try await bash("footbridge pair 'left w", cut: ["footbridge", "pair", "'left w"])
        == ["left wrist"])
    #expect(
      try await bash(
        "footbridge record --board=lu", cut: ["footbridge", "record", "--board", "=", "lu"])
        == ["Lumbar"])
    // Bash inserts the offered text after the last colon.
    let pairs = world.addresses[0].split(separator: ":").map { $0.lowercased() }
    let begun = pairs.prefix(5).joined(separator: ":")
    let cut = pairs.prefix(5).flatMap { [$0, ":"] }
    let offered = try await bash(
      "footbridge pair \(begun):", cut: ["footbridge", "pair"] + cut)
    let expected = world.addresses.filter { $0.lowercased().hasPrefix(begun) }
      .map { String($0.suffix(2)) }
    #expect(Set(offered) == Set(expected))
  }

  /// Command lines for zsh and fish, and words that must be among those offered.
  private static let others = [
    ("pair l", ["left wrist", "Lumbar"]), ("record --layout pac", ["packed"]),
    ("stream --sensor accel", ["acceleration"]), ("store b", ["backup"]), ("hel", ["help"]),
    ("-q stream --s", ["--sensor", "--seconds", "--store"]),
  ]

  @Test func `fish completes boards, commands and options, if it is installed`() async throws {
    for (line, expected) in Self.others {
      let offered = try await run(
        "fish", ["--no-config"],
        "footbridge completion fish | source; complete -C 'footbridge \(line)'")
      let words = offered.compactMap { $0.split(separator: "\t").first.map(String.init) }
      #expect(Set(words).isSuperset(of: expected), "\(offered)")
    }
  }

  @Test func `zsh completes boards, commands and options, if it is installed`() async throws {
    for (line, expected) in Self.others {
      let words = line.split(separator: " ")
      // zsh completes only in its line editor. The tested script prints the offered words instead.
      let offered = try await run(
        "zsh", ["-f"],
        """
        compdef() { :; }
        compset() { :; }
        compadd() { print -rl -- $offers; }
        source <(footbridge completion zsh)
        words=(footbridge \(words.joined(separator: " "))) CURRENT=\(words.count + 1)
        PREFIX=\(words.last ?? "")
        _footbridge
        """)
      #expect(Set(offered).isSuperset(of: expected), "\(offered)")
    }
  }

  @Test func `without a store, no words are offered and no error is printed`() async throws {
    for environment in [
      ["FOOTBRIDGE_STORE": world.scratch.path + "/nowhere/store.sqlite"],
      ["FOOTBRIDGE_STORE": "", "HOME": "", "XDG_DATA_HOME": ""],
      ["FOOTBRIDGE_STORE": "/etc/passwd"], ["FOOTBRIDGE_STORE": "/"],
    ] {
      let outcome = try await Program.run(
        Program.footbridge, ["complete", "boards", "--", "--"], environment: environment)
      #expect(outcome.status == 0)
      #expect(outcome.output == "")
      #expect(outcome.errors == "")
    }
    #expect(!FileManager.default.fileExists(atPath: world.scratch.path + "/nowhere"))
  }
}
