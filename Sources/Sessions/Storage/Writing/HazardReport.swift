internal import Recording
public import Values

/// Stores hazards with time and position, even while a recorder is using the store.
public enum HazardReport {
  /// Stores hazards that were encountered in a session at `time`. With `keepsTime`, hazards that
  /// the session already contains keep their time and position. With `yieldsToLater`, existing
  /// hazards with a later time are not changed. A report with an identity is stored only once.
  @discardableResult
  public static func note(
    _ reported: [(name: String, intensity: Int)], in session: UniqueID, at time: BootTime,
    keepsTime: Bool, yieldsToLater: Bool = false, id: UniqueID? = nil, _ path: String
  ) throws -> ReportState {
    // Migrates the store first, if necessary.
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
