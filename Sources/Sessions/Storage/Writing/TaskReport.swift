public import Recording
internal import SQLite
public import Values

/// Stores changes to the tasks of a session, even while a recorder is using the store.
public enum TaskReport {
  /// Records a change at `time` as an event. A change with an `id` is applied only once, however
  /// often it is sent. Throws a `TaskConflict` if the change is not consistent with the tasks so
  /// far.
  @discardableResult
  public static func note(
    _ change: TaskChange, in session: UniqueID, at time: BootTime, id: UniqueID? = nil,
    _ path: String
  ) throws -> ReportState {
    // Migrates the store first, if necessary.
    let editor = try StoreEditor(path: path)
    let utc = try StoreReader(path: path).clock(of: session).utc(at: time)
    var conflict: TaskConflict?
    let state = try editor.once(
      id, "task \(session) \(change.text)", doing: "store a task in", session
    ) { () throws(StoreError) in
      // Ignore the session's end, because a phone may send a change later.
      let log = TaskLog(try editor.database.events(of: session), until: nil)
      let event: SessionEvent
      do throws(TaskConflict) {
        event = try log.event(for: change, at: time, utc: utc)
      } catch {
        conflict = error
        return false
      }
      try editor.database.insert([event], session: session)
      return true
    }
    if let conflict { throw conflict }
    return state
  }
}
