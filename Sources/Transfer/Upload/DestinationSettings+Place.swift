extension DestinationSettings {
  /// The kind and address of a destination, which together identify it.
  public enum Place: Hashable, Sendable {
    /// An endpoint of the upload protocol.
    case http(url: String)
    case firestore(project: String, database: String, layout: FirestoreLayout)
    case folder(path: String)

    /// The destination kind's name, as used in the store and as an option.
    public var kind: String {
      switch self {
      case .http: "http"
      case .firestore: "firestore"
      case .folder: "folder"
      }
    }

    /// Returns the place's stored form, including the account that signs in.
    func text(of account: String?) -> String {
      switch self {
      case .http(let address), .folder(let address): "\(kind) \(address)"
      case .firestore(let project, let database, let layout):
        "\(kind) \(project)/\(database)/\(layout.rawValue)" + (account.map { " as \($0)" } ?? "")
      }
    }

    static func parsed(_ text: String) throws(Malformed) -> (place: Place, account: String?) {
      let parts = text.split(separator: " ", maxSplits: 1)
      let invalid = Malformed(description: "'\(text)' is not a valid place")
      guard parts.count == 2 else { throw invalid }
      switch parts[0] {
      case "http": return (.http(url: String(parts[1])), nil)
      case "folder": return (.folder(path: String(parts[1])), nil)
      case "firestore":
        let words = parts[1].split(separator: " ", maxSplits: 2).map(String.init)
        let names = (words.first ?? "").split(separator: "/").map(String.init)
        guard names.count == 3, let layout = FirestoreLayout(rawValue: names[2]),
          words.count == 1 || words.count == 3 && words[1] == "as"
        else { throw invalid }
        return (
          .firestore(project: names[0], database: names[1], layout: layout),
          words.count == 3 ? words[2] : nil
        )
      default: throw Malformed(description: "the destination kind '\(parts[0])' is unknown")
      }
    }
  }

  /// The layout in which sessions are stored in Firestore.
  public enum FirestoreLayout: String, CaseIterable, Hashable, Sendable {
    /// Uses `records` and `realtime_data`, with a map for each sample, in the form that the
    /// researchers' programs expect.
    case researchers
    /// Uses the researchers' layout under `users/{user_id}`.
    case researchersPerUser = "researchers-per-user"
    /// Uses `sessions` and `chunks`, which contain the bytes as recorded.
    case compact
  }
}
