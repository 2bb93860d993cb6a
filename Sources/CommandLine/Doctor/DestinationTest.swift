internal import Gateway
internal import Storage
internal import Terminal
internal import Upload

/// The result of testing whether an upload to a destination would work now.
struct DestinationTest: Hashable, Sendable {
  var name: String
  /// The address or folder of the destination.
  var place: String
  var obstacle: Setback?

  var finding: Finding {
    guard let obstacle else { return .ok(.destination, "'\(name)' accepts uploads: \(place)") }
    let text = "cannot upload to '\(name)': \(obstacle.reason)"
    switch obstacle.kind {
    // In the field, there is often no network. Even then, no samples are lost, because uploads wait
    // until a network is available.
    case .unavailable: return .warning(.destination, text, remedy: obstacle.remedy)
    case .faulty, .forbidden, .rejected, .wrongClock:
      return .fault(.destination, text, remedy: obstacle.remedy)
    }
  }

  /// Tests a destination in the same way as `footbridge destination test`.
  init(_ stored: StoredDestination) async {
    name = stored.name ?? ""
    place = DestinationText.place(stored)
    do {
      let settings = try DestinationCommand.settings(of: stored)
      obstacle = try await DestinationFactory.make(settings, agent: Version.agent).test()
    } catch {
      let complaint = Complaint(explaining: error)
      obstacle = Setback(.rejected, complaint.message, remedy: complaint.remedy)
    }
  }

  init(name: String, place: String, obstacle: Setback?) {
    self.name = name
    self.place = place
    self.obstacle = obstacle
  }
}
