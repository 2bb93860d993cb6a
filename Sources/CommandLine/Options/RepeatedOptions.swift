/// The options of a command line that say which store or gateway it is about. A remedy that names
/// another command repeats them: without them it would be about another one.
struct RepeatedOptions: Hashable, Sendable {
  /// An option with its value, as it was given.
  private struct Given: Hashable {
    var name: String
    var value: String
  }

  private static let names = ["store", "config", "socket"]

  private var given: [Given] = []

  /// Those among the arguments of a command, which were understood.
  init(_ arguments: [String], of options: [OptionDescription]) {
    let names = Self.names.filter { name in options.contains { $0.name == name } }
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

  /// Of an option that is given twice, the last one counts.
  private mutating func add(_ option: Given) {
    given.removeAll { $0.name == option.name }
    given.append(option)
  }

  /// A remedy in which each command between quotes has them, as far as it takes them.
  func repeated(
    in remedy: String, _ commands: @autoclosure () -> [Command] = Commands.all
  ) -> String {
    let start = "\(Version.program) "
    guard !given.isEmpty else { return remedy }
    var parts = remedy.split(separator: "'", omittingEmptySubsequences: false).map(String.init)
    let quotes = parts.indices.dropFirst().dropLast().filter { parts[$0].hasPrefix(start) }
    let commands = quotes.isEmpty ? [] : commands()
    for place in quotes {
      let words = parts[place].split(separator: " ")
      guard words.last != "--help", words.count > 1,
        let command = commands.first(where: { $0.name == words[1] })
      else { continue }
      for option in given
      where command.options.contains(where: { $0.name == option.name })
        && !words.contains("--\(option.name)")
      {
        parts[place] += " --\(option.name) " + ShellText.quoted(option.value)
      }
    }
    return parts.joined(separator: "'")
  }
}
