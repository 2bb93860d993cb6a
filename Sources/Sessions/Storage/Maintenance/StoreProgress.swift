/// Progress of a long operation: completed steps and all steps. The result says whether to
/// continue.
public typealias StoreProgress = (_ done: Int, _ of: Int) -> Bool
