internal import Recording
public import Values

/// Notes hazards in a store with their time and place, also while a recorder has it.
public enum HazardReport {
  /// Notes hazards of a session that were met at `time`. With `keepsTime`, hazards that the
  /// session already has keep their time and place. With `yieldsToLater`, its hazards of a later
  /// time stay as they are. A report with an identity is stored once.
  @discardableResult
  public static func note(
    _ reported: [(name: String, intensity: Int)], in session: UniqueID, at time: BootTime,
    keepsTime: Bool, yieldsToLater: Bool = false, id: UniqueID? = nil, _ path: String
  ) throws -> ReportState {
    // Brings the store up to date first, where need be.
    let editor = try StoreEditor(path: path)
    let reader = try StoreReader(path: path)
    let clock = try reader.clock(of: session)
    let place = try reader.place(in: session, at: time)
    let met = keepsTime ? try reader.hazards(of: session) : []
    var state = ReportState.stored
    for (name, intensity) in reported {
      var hazard = Hazard(
        name: name, intensity: intensity, time: time, utc: clock.utc(at: time),
        position: place)
      if let former = met.first(where: { $0.name.lowercased() == name.lowercased() }) {
        (hazard.time, hazard.utc, hazard.position) = (former.time, former.utc, former.position)
      }
      state = try editor.report(
        hazard, session: session, id: id, yieldsToLater: yieldsToLater)
    }
    return state
  }
}
