internal import Storage
internal import Terminal

/// `footbridge complete`: prints the candidates that shell completion scripts offer.
///
/// Pressing Tab in a shell must not print errors, so an unreadable store produces no candidates.
struct CompleteCommand: Verb {
  /// The kinds of names that the command reads from the store.
  enum Kind: String, CaseIterable, Hashable, Sendable {
    case boards
    case destinations
  }

  var kind = Kind.boards
  /// The part of the word that the user has typed so far.
  var prefix: String?
  var store: StoreLocation

  static let definition = CommandDefinition<CompleteCommand>(
    name: "complete", summary: "list words for shell completion",
    discussion: """
      Lists the names and addresses of the known boards, or the names of destinations, that begin \
      with PREFIX, one per line. The command is meant for completion scripts; at a prompt, use \
      'footbridge boards' or 'footbridge destination list'.
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
