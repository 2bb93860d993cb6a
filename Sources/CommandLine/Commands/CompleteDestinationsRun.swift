internal import Storage

/// Body of `footbridge complete-destinations`: a key pressed in a shell must give no errors.
enum CompleteDestinationsRun {
  static let body: Commands.Body<CompleteDestinationsConfiguration> = { configuration, console in
    let prefix = (configuration.prefix ?? "").lowercased()
    let names = ((try? configuration.store.destinations()) ?? []).compactMap(\.name)
    let words = names.filter { $0.lowercased().hasPrefix(prefix) }
    if !words.isEmpty { try console.print(words.joined(separator: "\n")) }
    return .ok
  }
}
