internal import Terminal
internal import Values

/// The command-line options that select a store, a gateway or an endpoint. A remedy that names
/// another command must repeat these options; otherwise the command would apply to a different
/// store or gateway.
struct RepeatedOptions: Hashable, Sendable {
  /// An option and its value, as typed by the user.
  private struct Given: Hashable {
    var name: String
    var value: String
  }

  private static let names = ["store", "config", "socket"]
  /// The options that select an upload endpoint. For 'fetch', the option `fleet` is named `from`.
  private static let ofEndpoint = ["fleet", "gateway", "token-file", "ca-file", "from"]

  private var given: [Given] = []

  /// Finds the options to repeat among a command's arguments.
  init(_ arguments: [String], of options: [OptionDescription]) {
    let taken = options.map(\.name)
    let names = (Self.names + (Self.readsEndpoint(taken) ? Self.ofEndpoint : []))
      .filter(taken.contains)
    let words = arguments.prefix { $0 != "--" }
    for (place, word) in words.enumerated() {
      for name in names {
        if word.hasPrefix("--\(name)=") {
          add(Given(name: name, value: String(word.dropFirst(name.count + 3))))
        } else if word == "--\(name)", place + 1 < words.count {
          add(Given(name: name, value: words[place + 1]))
        }
      }
    }
  }

  /// Returns whether a command with these options reads from an endpoint. For 'receive', the option
  /// `fleet` has a different meaning.
  private static func readsEndpoint(_ options: [String]) -> Bool {
    options.contains("ca-file") && (options.contains("fleet") || options.contains("from"))
  }

  /// Adds an option. If the option was already given, the last value wins.
  private mutating func add(_ option: Given) {
    var option = option
    if option.name == "from" { option.name = "fleet" }
    given.removeAll { $0.name == option.name }
    given.append(option)
  }

  /// Returns a remedy in which each quoted command repeats the options that it accepts. Options
  /// that the remedy already mentions are not repeated.
  func repeated(
    in remedy: String, _ commands: @autoclosure () -> [Command] = Commands.all
  ) -> String {
    let start = "\(Version.program) "
    guard !given.isEmpty else { return remedy }
    var parts = Self.parts(of: remedy)
    let quotes = parts.indices.dropFirst().dropLast().filter { parts[$0].hasPrefix(start) }
    let commands = quotes.isEmpty ? [] : commands()
    for place in quotes {
      let words = parts[place].split(separator: " ")
      guard words.last != "--help", words.count > 1,
        let command = commands.first(where: { $0.name == words[1] })
      else { continue }
      let taken = command.options.map(\.name)
      let readsEndpoint = Self.readsEndpoint(taken)
      for option in given
      where taken.contains(option.name) && !words.contains("--\(option.name)")
        && (readsEndpoint || !Self.ofEndpoint.contains(option.name))
        && !parts.contains(where: { "\($0) ".hasPrefix("--\(option.name) ") })
      {
        parts[place] += " --\(option.name) " + ShellText.quoted(option.value)
      }
    }
    return parts.joined(separator: "'")
  }

  /// Splits a remedy into the parts outside and inside quotes. A quoted word within a command
  /// belongs to the command.
  private static func parts(of remedy: String) -> [String] {
    var parts: [String] = []
    for part in remedy.split(separator: "'", omittingEmptySubsequences: false) {
      let isInCommand = parts.last.map { last in
        last.hasPrefix("\(Version.program) ")
          && (last.hasSuffix(" ") || !last.count(where: { $0 == "'" }).isMultiple(of: 2))
      }
      if isInCommand == true {
        parts[parts.count - 1] += "'" + part
      } else {
        parts.append(String(part))
      }
    }
    return parts
  }
}
