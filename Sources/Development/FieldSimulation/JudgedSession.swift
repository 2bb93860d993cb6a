internal import Recording
internal import Values

/// A recording's content, read from the store after the recording ended.
struct JudgedSession {
  var id: UniqueID
  var streams: [StoredStream]
  var fixes: [Fix]

  /// Compares this content with the same session read later. Returns a line for each stream that
  /// differs, and a line if the positions differ.
  func changes(in later: [StoredStream], _ laterFixes: [Fix]) -> [String] {
    let track =
      laterFixes == fixes
      ? [] : ["\(id) had \(fixes.count) positions, later \(laterFixes.count)"]
    return track
      + streams.compactMap { before in
        guard !before.words.isEmpty else { return nil }
        let now = later.first { $0.board == before.board && $0.signal == before.signal }
        guard let now, now.words == before.words else {
          return "\(before.signal) in \(id): \(before.words.count) samples, "
            + "later \(now?.words.count ?? 0)"
        }
        guard now.lost != before.lost else { return nil }
        return "\(before.signal) in \(id): \(before.lost) lost, later \(now.lost)"
      }
  }
}
