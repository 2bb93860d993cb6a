internal import Storage
internal import Terminal

/// `footbridge complete`: the words that a shell can complete, for completion scripts.
///
/// A key pressed in a shell must print no errors, so an unreadable store offers no words.
struct CompleteCommand: Verb {
  /// A kind of word that comes from the store.
  enum Kind: String, CaseIterable, Hashable, Sendable {
    case boards
    case destinations
  }

  var kind = Kind.boards
  /// The characters typed so far.
  var prefix: String?
  /// The store of boards and destinations.
  var store: StoreLocation

  static let definition = CommandDefinition<CompleteCommand>(
    name: "complete", summary: "list words for completion in a shell",
    discussion: """
      Lists the names and addresses of the known boards, or the names of destinations, that begin \
      with PREFIX, one per line. Completion scripts call it; people use 'footbridge boards' and \
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
