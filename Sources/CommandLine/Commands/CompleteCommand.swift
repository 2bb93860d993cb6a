internal import Storage
internal import Terminal

/// `footbridge complete`: the words that a shell may complete to, for completion scripts.
///
/// A key pressed in a shell must print no errors, so a store that cannot be read has no words.
struct CompleteCommand: Verb {
  /// A kind of words that the store knows.
  enum Kind: String, CaseIterable, Hashable, Sendable {
    case boards
    case destinations
  }

  /// The words asked for.
  var kind = Kind.boards
  /// The characters typed so far.
  var prefix: String?
  /// Where boards and destinations are kept.
  var store: StoreLocation

  static let definition = CommandDefinition<CompleteCommand>(
    name: "complete", summary: "list the words that a shell may complete to",
    discussion: """
      Lists the names and addresses of the known boards, or the names of destinations, that begin \
      with PREFIX, a line for each. Completion scripts ask it; people have 'footbridge boards' and \
      'footbridge destination list'.
      """,
    initial: { CompleteCommand(store: StoreLocation(environment: $0)) },
    operands: [
      .required(.word("boards|destinations"), sets: \.kind),
      .optional(.unchecked("PREFIX", .text), sets: \.prefix),
    ],
    isListed: false)

  func run(_ console: Console) async throws -> ExitStatus {
    let words =
      switch kind {
      case .boards: (try? store.directory())?.completions(of: prefix ?? "") ?? []
      case .destinations: destinations(from: (prefix ?? "").lowercased())
      }
    if !words.isEmpty { try console.print(words.joined(separator: "\n")) }
    return .ok
  }

  private func destinations(from prefix: String) -> [String] {
    let names = ((try? store.destinations()) ?? []).compactMap(\.name)
    return names.filter { $0.lowercased().hasPrefix(prefix) }
  }
}
