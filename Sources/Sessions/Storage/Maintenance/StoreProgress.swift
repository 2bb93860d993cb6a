/// Receives the progress of a long operation, as the numbers of completed and total steps. Returns
/// whether to continue.
public typealias StoreProgress = (_ done: Int, _ of: Int) -> Bool
